"""The weave: joins pages and results into a book. A package may use those before it: base, record, drawing,
reading, writing, checks; rendered, the pages as Doxygen left them, rests on base, record and drawing."""
