"""Pages brought up to date: the values and pictures of a run, and the definitions of their links."""

import hashlib
import posixpath
import re
from pathlib import Path

from weave.reading import judgements
from weave.reading.book import Book
from weave.reading.forge import VALUE, Source, claim_after, full_path, read_source
from weave.writing.macros import find_test
from weave.writing.markup import as_people_write
from weave.writing.reading_time import known, minutes


README = "README.md"
PICTURES = "docs/images"
"""The figures that a forge shows, without their font."""
FONT = re.compile(r"<style>@font-face.*?</style>\n", re.DOTALL)
NUMBER = re.compile(r"(?<!\S)-?[0-9]\S*")


def updated(book: Book, results: Path, experiments: bool = True) -> dict[str, str]:
    """The text of each page and picture that is not as the book has it, by its file; `results` are the book's.

    Without `experiments`, values of experiments stay as they are, and those of a test that records `varies_with`.
    """
    sources = [read_source(book.root, page.file) for page in book.chapters + book.pages]
    places = {anchor: source.file for source in sources for anchor in source.anchors}
    if (book.root / README).is_file():
        sources.append(read_source(book.root, README))
    texts = {source.file: _text(book, source, places, experiments) for source in sources}
    texts |= _pictures(book.root, results)
    return {file: text for file, text in texts.items() if text != (book.root / file).read_text(encoding="utf-8")}


def _text(book: Book, source: Source, places: dict[str, str], experiments: bool) -> str:
    claim = ""
    lines = []
    for _, kind, line in source.parts:
        claim = claim_after(kind, line, claim)
        lines.append(_with_values(book, line, claim, experiments) if kind == "prose" else line)
    links = [f"[{label}]: {target}" for label, target in source.targets.items()
             if label not in places and not target.endswith(f"#{label}")]
    links += [f"[{name}]: {_target(source.file, places[name], name)}" for name in sorted(source.names & set(places))]
    return "\n".join([*lines, *["", *links][:1 + len(links) if links else 0], ""])


def _target(file: str, place: str, name: str) -> str:
    return f"#{name}" if place == file else f"{posixpath.relpath(place, posixpath.dirname(file))}#{name}"


def _with_values(book: Book, line: str, claim: str, experiments: bool) -> str:
    is_whole = book.claims.keys() <= book.tests.keys() and not any(run.lost for run in book.runs.values())

    def written(found: re.Match[str]) -> str:
        if found["scheme"] == "minutes" and known(book, found["path"]):
            return f"[{minutes(book, found['path'])}](minutes:{found['path']})"
        if found["scheme"] == "count" and is_whole:
            return f"[{_counts(book).get(found['path'], '?')}](count:{found['path']})"
        path = full_path(found["path"], claim)
        test, key = find_test(book, path) if found["scheme"] == "run" and path.count(".") == 2 else (None, "")
        value = test.value(key) if test else None
        if test is None or value is None or not experiments and (
                test.record.get("level") == "empirical" or test.value("varies_with")):
            return found[0]  # an experiment, or another processor, may find another number
        return f"[{as_people_write(value)}](run:{found['path']})"
    return VALUE.sub(written, line)


def _counts(book: Book) -> dict[str, int]:
    """The numbers of claims in the book, of passages, and of passages of some kinds."""
    passages = judgements.tally(book)
    return {"claims": len(book.claims), "passages": sum(passages.values()), "wrong": passages.get("wrong", 0),
            "conditions": passages.get("right if", 0),
            "right": passages.get("right", 0) + passages.get("made precise", 0)}


def _pictures(root: Path, results: Path) -> dict[str, str]:
    """The pictures of PICTURES as this run draws them, if they were drawn by another script or from other data."""
    found = {}
    for picture in sorted((root / PICTURES).glob("*.svg")):
        data, drawn = results / f"figures/{picture.stem}.dat", results.parent / f"figures/{picture.name}"
        if data.is_file() and drawn.is_file():
            scripts = sorted((root / "docs/figures").glob(f"{picture.stem}.[gj][ps]"))
            made_of = "".join([_rounded(data.read_text("utf-8")), *(script.read_text("utf-8") for script in scripts)])
            mark = f"{hashlib.sha256(made_of.encode()).hexdigest()[:16]}</desc>"
            if mark not in picture.read_text(encoding="utf-8"):
                text = FONT.sub("", drawn.read_text(encoding="utf-8"))
                found[picture.relative_to(root).as_posix()] = text.replace("</desc>", f" {mark}", 1)
    return found


def _rounded(data: str) -> str:
    """Data with six digits a number, more than a picture shows: the last digits vary with the processor."""
    return NUMBER.sub(lambda found: f"{float(found[0]):.6g}", data)
