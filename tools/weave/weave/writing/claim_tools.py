"""A reader's tools in a claim's title line: its statement, its citation, its link."""

from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.writing import citation
from weave.writing.copied import copied
from weave.writing.statement import latex


def tools(book: Book, claim: Claim) -> str:
    """The tools of a claim, for the line below its heading."""
    link = book.address_of(f"{book.chapter_of(claim).url}#{claim.name}")
    return f"\\htmlonly {copied(claim.name, link, citation.of_claim(book, claim), latex(book, claim))}\\endhtmlonly"
