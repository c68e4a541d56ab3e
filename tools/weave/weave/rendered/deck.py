"""Pages that stand alone, without the frame of the book: the slides and the handout, each a file to take along."""

import re
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlsplit

from lxml.html.builder import E

from weave.reading.slides import HANDOUT, SLIDES
from weave.rendered.frame import set_prose
from weave.rendered.headings import LEVELS, nest
from weave.rendered.tree import Element, first

ALONE = {f"{SLIDES}.html": "1280px 720px; margin: 0", f"{HANDOUT}.html": "A4; margin: 12mm"}
"""The pages, and the paper of each."""
STYLES = ("book.css", "claims.css", "figures.css", "formulas.css", "slides.css")
SCRIPT = "slides.js"
FONT = re.compile(r"url\(([\w.-]+\.woff2)\)")


def stand_alone(page: Element, file: str, folder: Path, revision: dict[str, str]) -> None:
    """Make a page of the rendered book in `folder`, with its drawings, one that needs no other file."""
    nest(page)
    set_prose(page)
    for link in page.xpath("//a[@class='permalink']"):
        link.drop_tree()
    title, text = first(page, "//h1"), first(page, "//div[@class='textblock']")
    name = title.text.partition(": ")[2] or title.text
    title.text = name[:1].upper() + name[1:]
    main = E.div({"class": f"contents {file.removesuffix('.html')}", "role": "main"})
    if file == f"{SLIDES}.html":
        main.extend(_slides(title, list(text)))
    else:
        main.extend([title, *text])
    for place in main.xpath(".//a[@href]"):
        if revision.get("address") and not urlsplit(place.get("href")).netloc and place.get("href")[0] != "#":
            place.set("href", f"{revision['address']}/{place.get('href')}")
    for part in page.head.xpath("link[@rel='stylesheet'] | script"):
        part.drop_tree()
    styles = [_style(folder / name) for name in STYLES]
    page.head.append(E.style("\n".join([*styles, f"@page {{ size: {ALONE[file]}; }}"])))
    page.body[:] = [main]
    if file == f"{SLIDES}.html":
        page.body.append(E.script((folder / SCRIPT).read_text(encoding="utf-8")))


def _slides(title: Element, parts: list[Element]) -> list[Element]:
    """Each heading with what stands below it, as a screen and the notes to it; words stand beside a figure."""
    slides: list[Element] = []
    for part in [title, *parts]:
        if part.tag in LEVELS:
            named = first(part, ".//a[@id]")
            slides.append(E.section(E.div({"class": "stage"}), {"class": "slide"}))
            slides[-1].set("id", named.get("id") if named is not None else SLIDES)
            if named is not None:
                named.drop_tree()
        screen = slides[-1][0]
        caption = first(screen, "figure/figcaption")
        if "slide-notes" in part.classes:
            slides[-1].append(part)
        elif caption is not None and "slide-foot" not in part.classes:
            caption.append(part)
        else:
            screen.append(part)
    for slide in slides:
        slide[0].extend(slide[0].xpath("div[@class='slide-foot']"))  # at the end
    return slides


def _style(path: Path) -> str:
    """A style sheet with its typefaces in it."""
    def inside(font: re.Match[str]) -> str:
        return f"url(data:font/woff2;base64,{b64encode((path.parent / font[1]).read_bytes()).decode()})"
    return FONT.sub(inside, path.read_text(encoding="utf-8"))
