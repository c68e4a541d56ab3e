"""The frame of a finished page: sidebar, landmarks, one title, heads of cards, numbers of chapters."""

import re

from lxml.html.builder import E

from weave.base.tex import readable
from weave.rendered.quotes import curl
from weave.rendered.sidebar import Contents, sidebar
from weave.rendered.tree import Element, first, plain

OF_BOOK = "boolean(//comment()[. = ' PageDoc '])"
"""True if somebody wrote the page; the others list and describe code."""
BEFORE_MARK = re.compile(r" (?=[.,:;](?:\s|$))")
"""The space that parts the name after a reference from the mark of the sentence, for Doxygen only."""
INLINE = re.compile(r"\\\((?P<tex>.*?)\\\)")
CARDS = "//table[contains(concat(' ', @class, ' '), ' cards ')]"
"""Tables whose rows a phone shows as cards."""

FOLD_ON_PHONES = ('if (matchMedia("(max-width: 767px)").matches) '
                  "document.currentScript.previousElementSibling.open = false;")
"""The drawer has the list, too. Said in place: what folds after the first paint moves the page."""


def set_prose(page: Element) -> None:
    """Set the marks of what somebody wrote as a printer would."""
    if not (page.xpath(OF_BOOK) or page.xpath("//h1[@class='book-title']")):
        return
    for link in page.iter("a"):
        if BEFORE_MARK.match(link.tail or ""):
            link.tail = link.tail[1:]
    curl(page)


def number_on(page: Element) -> None:
    """Let the numbered lists of the contents go on counting: Doxygen begins each at 1."""
    count = 0
    for numbers in page.xpath("//*[@id='contents']/following::ol"):
        numbers.set("start", str(count + 1))
        count += len(numbers)


def label_cards(page: Element) -> None:
    """Tell the cells of a table their heads, which stand beside them where there is no room for columns."""
    for head in list(page.iter("th")):
        if not plain(head) and all(part.tag in ("p", "br") for part in head.iterdescendants()):
            head.tag = "td"
    # A table of Markdown can only be marked from outside.
    for table in page.xpath("//div[starts-with(@class, 'cards')]/table[@class='markdownTable']"
                            "[not(preceding-sibling::table)]"):
        table.classes.add("cards")
    for table in page.xpath(CARDS):
        heads = [INLINE.sub(lambda formula: readable(formula["tex"].strip()), plain(head))
                 for head in table.iter("th")]
        for row in table.iter("tr"):
            cells = list(row.iterchildren("td"))
            for cell, name in zip(cells, heads + [""] * len(cells)):
                cell.set("data-label", name)


def open_trees(page: Element) -> None:
    """Open Doxygen's trees of files and classes: what would fold them is its script."""
    for folder in page.xpath("//div[@class='levels'] | //span[@class='arrow']"):
        folder.drop_tree()
    for part in page.xpath("//*[starts-with(@onclick, 'toggleFolder')]"):
        del part.attrib["onclick"]
    for row in page.xpath("//tr[starts-with(@id, 'row_')][@style]"):
        del row.attrib["style"]
    for icon in page.xpath("//a[span[@class='icondoc']]"):
        name, source = icon.getnext(), icon.get("href")
        if name is None:  # Doxygen 1.9.8 lists the files of a folder in two columns
            icon[:] = []
            icon.text = "source"
            icon.attrib.update({"class": "source", "aria-label": f"Source of {plain(icon.getparent().getnext())}"})
        elif name.tag == "b":
            icon.drop_tree()
            name.tag = "a"
            name.attrib.update({"class": "el", "href": source})
        else:
            icon[:] = []
            icon.text = "source"
            icon.attrib.update({"class": "source", "aria-label": f"Source of {plain(name)}"})
            icon.tail, name.tail = name.tail, " "
            name.addnext(icon)


def surround(page: Element, file: str, contents: Contents, files: set[str]) -> None:
    """Put the sidebar inside the head of the page, and everything up to its foot into its main part."""
    for neighbours in page.xpath("//div[@class='prevnext']"):
        neighbours.tag = "nav"
        neighbours.set("aria-label", "Previous and next page")
    top = first(page, "//div[@id='top']")
    main = E.main("\n", id="doc-content", tabindex="-1")
    if (trail := first(page, "//div[@id='nav-path']")) is not None:
        main.append(E.nav({"id": "nav-path", "aria-label": "Where this page stands"}, first(trail, "ul")))
        trail.drop_tree()
    for part in list(top.itersiblings()):
        if part.tag == "footer":
            break
        main.append(part)
    top.addnext(main)
    navigation = sidebar(contents, file, files)
    curl(navigation)
    top.append(navigation)
    for claims in page.xpath("//details[@class='chapter-claims']"):
        claims.addnext(E.script(FOLD_ON_PHONES))


def place(page: Element, file: str, contents: Contents) -> None:
    """Say what page this is of which chapter: above the text, in the bar of a phone, and in its title."""
    entry = contents.entry(file)
    title, name = first(page, "//h1[@class='title']"), first(page, "//title")
    if (book := first(page, "//h1[@class='book-title']")) is not None:
        name.text = f"{' '.join(' '.join(book.itertext()).split())} · {name.text.partition(' · ')[2]}"
    elif first(page, "//h1") is None:  # Doxygen's lists of members have no title
        first(page, "//div[@class='contents']").addprevious(
            E.h1(name.text.rpartition(" · ")[0], {"class": "visually-hidden"}))
    number = f"{entry.number} " if entry and entry.number else ""
    if number and title is not None:
        title.addprevious(E.p(f"Chapter {number}".strip(), {"class": "chapter-number"}))
    first(page, "//span[@id='where']").extend([
        E.span(f"{number}{plain(title) if title is not None else 'sqrtdk'}", {"class": "chapter"}),
        E.span({"class": "claim"})])
