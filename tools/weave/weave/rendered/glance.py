"""A claim at a glance: its statement is open, and lines lead to the documents, the proof and the counterexamples.

A claim that is long even so begins with a list of its parts.
"""

from collections.abc import Iterator

from lxml.html.builder import E

from weave.rendered.tree import Element, first, plain

CLAIMS = "//h2[following-sibling::*[1][@class='claim-meta']]"
DOCUMENTS = "-what-the-documents-say", "-what-the-field-says"
PROOF, WITHOUT = "-proof", "-without-the-hypotheses"
"""The ends of the names of a claim's parts."""
SHORT_PROOF, SHORT_CASE = 700, 110
"""So many characters stay open."""
SCREENS = 4
"""A claim that is taller has a list of its parts."""
SCREEN, LINE, COLUMN = 900, 30, 70
"""The height of a screen and of a line in pixels, and the characters of a line."""
HEIGHTS = {".//figure | .//div[@class='image']": 430, ".//p[@class='formulaDsp']": 40, ".//tr": 32, ".//h3 | .//h4": 50}
"""What is added for each of these."""
OPEN = ".//text()[not(ancestor::details or ancestor::script or ancestor::noscript or ancestor::svg)]"


def at_a_glance(page: Element) -> None:
    """Fold the claims of a page."""
    for claim in page.xpath(CLAIMS):
        for heading, nodes in list(_parts(claim)):
            name = _name(heading)
            if name.endswith(DOCUMENTS):
                for link in heading.xpath("a[@class='permalink']"):  # what opens a fold may hold no link
                    link.drop_tree()
                _fold(heading, nodes, "documents", heading)
            elif name.endswith(PROOF):
                _fold_proof(nodes)
            elif name.endswith(WITHOUT):
                for case in (case for node in nodes for case in node.iterchildren("li")):
                    _fold_case(case)
        if sum(map(_height, _nodes(claim))) > SCREENS * SCREEN:
            _list_parts(claim)


def _nodes(claim: Element) -> Iterator[Element]:
    """All that is below a claim's heading, up to its code and evidence."""
    for node in claim.itersiblings():
        if node.tag == "h2" or "machinery" in node.get("class", ""):
            return
        yield node


def _parts(claim: Element) -> Iterator[tuple[Element, list[Element]]]:
    """The headings of a claim's parts, each with what is below it."""
    heading = None
    below: list[Element] = []
    for node in _nodes(claim):
        if node.tag == "h3" or node.get("class") == "statement":  # which has a heading of its own
            if heading is not None:
                yield heading, below
            heading, below = (node if node.tag == "h3" else None), []
        elif heading is not None:
            below.append(node)
    if heading is not None:
        yield heading, below


def _name(heading: Element) -> str:
    named = first(heading, "descendant-or-self::*[@id]")
    return str(named.get("id")) if named is not None else ""


def _fold(before: Element, nodes: list[Element], kind: str, summary: Element | str) -> None:
    """Put nodes in a fold where the first of them is, or where the summary is, if that is a heading."""
    fold = E.details({"class": kind})
    before.addprevious(fold)
    fold.append(E.summary(summary))
    fold.extend(nodes)


def _fold_proof(nodes: list[Element]) -> None:
    """Leave the plan of a proof open, if it begins with one, and all of a short proof."""
    plan = first(nodes[0], "em[1]") if nodes else None
    rest = nodes[1:] if plan is not None and plain(plan) == "Plan." else nodes
    if sum(len(plain(node)) for node in rest) > SHORT_PROOF:
        _fold(rest[0], rest, "fold proof", "The proof")


def _fold_case(case: Element) -> None:
    """Leave of a counterexample the name of its hypothesis."""
    holder = case if case.find("b") is not None else first(case, "p[b]")
    if holder is None or len(plain(case)) <= SHORT_CASE:
        return
    name = holder.find("b")
    text = (name.tail or "").lstrip(": \n")
    fold = E.details({"class": "case"})
    holder.insert(holder.index(name), fold)
    name.tail = None
    fold.append(E.summary(name))
    rest = E.span(text[:1].upper() + text[1:])
    rest.extend(fold.itersiblings())
    fold.append(rest)
    if holder is not case:  # the paragraphs after the first
        fold.extend(holder.itersiblings())
        holder.drop_tag()


def _height(node: Element) -> float:
    """The pixels that a node takes, about, while its folds are closed."""
    if node.tag == "details":
        return LINE
    text = " ".join(node.xpath(OPEN)).split()
    return (len(" ".join(text)) / COLUMN + 1) * LINE + sum(
        pixels * len(node.xpath(path)) for path, pixels in HEIGHTS.items())


def _list_parts(claim: Element) -> None:
    """The names of a claim's parts, as links, below its first sentences."""
    short = first(claim, "following-sibling::p[1]")
    links = [E.a(plain(heading).removesuffix("#"), href=f"#{_name(heading)}")
             for node in _nodes(claim) for heading in node.xpath("descendant-or-self::h3") if _name(heading)]
    short.addnext(E.nav({"class": "parts", "aria-label": "Parts of this claim"}, *links))
