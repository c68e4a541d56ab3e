"""The folds of exercises: hints and solutions can be missed."""

from weave.reading.exercises import FOLDED, folded
from weave.reading.pages import Page
from weave.writing.markup import html_block


def folds(page: Page) -> dict[int, str]:
    """The tags that open and close the folded parts, by the line of the page that they follow."""
    found = {}
    for name, start, end in folded(page):
        found[start] = _html(f'<details class="fold"><summary>{FOLDED[name]}</summary>')
        found[end] = _html("</details>")
    return found


def _html(text: str) -> str:
    return f"\n{html_block(text)}\n"
