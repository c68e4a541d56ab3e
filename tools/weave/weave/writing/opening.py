"""The lines under a chapter's title: how long it takes, and its claims, each with the documents that make it."""

from weave.base.elements import Markup, tag
from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.pages import Claim, Page
from weave.writing.markup import OURS, badge, css, html_block
from weave.writing.reading_time import minutes, stars


def opening(book: Book, chapter: Page) -> str:
    """The minutes of a chapter and a list of its claims, each with verdict, documents, minutes and stars."""
    if not chapter.claims:
        return ""
    items = "\n".join(_item(book, claim) for claim in chapter.claims)
    return html_block(
        f'<p class="reading">{plural(minutes(book, chapter.anchor), "minute")} · '
        f'{plural(len(chapter.claims), "claim")}</p>\n'
        '<details class="chapter-claims" open="open"><summary>Claims of this chapter</summary>\n'
        f"<ol>\n{items}\n</ol>\n</details>")


def _item(book: Book, claim: Claim) -> str:
    verdict = book.verdicts[claim.name]
    whose = "ours" if claim.documents[0] in OURS else " ".join(claim.documents)
    time = Markup(f"{whose} · {minutes(book, claim.name)} min · {stars(book, claim)}")
    return tag("li", Markup(badge(verdict)), " ", tag("a", claim.title, href=f"#{claim.name}"), " ",
               tag("span", time, class_="time"), class_=f"claim-{css(verdict.shown)}")
