"""The rules between pages, sources and results, and the includes that files may have."""
