"""The includes that files of the library may have: one way, from folder to folder and along the reading order.

LAYERS is the one table of them. The chapter of a header is in its first words, `\\brief Chapter \\ref …`, and names the
folder that it is in, if the chapter has one; a source belongs to the chapter of its header.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.reading.forge import read_page
from weave.reading.pages import MAINPAGE, reading_order

LIBRARY = "src/sqrtdk"
CHAPTER = re.compile(r"^/// \\brief Chapter \\ref (\w+)", re.MULTILINE)
INCLUDE = re.compile(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")
TEST_FRAMEWORKS = ("gtest/", "gmock/", "rapidcheck")
DETAIL = "detail"
"""A folder of this name belongs to the folder that it is in, which alone includes its files."""


@dataclass(frozen=True)
class Layer:
    """A folder of the library, with what its files may include."""

    name: str
    folder: str
    rests_on: tuple[str, ...] = ()
    """The names of the layers that it may use; every layer before it if there are none here."""
    frameworks: bool = False
    """True if it may use what tests are written with."""


CHAPTERS = "chapters"
LAYERS = (
    Layer("numbers", f"{LIBRARY}/numbers"),
    Layer("distributions", f"{LIBRARY}/distributions"),
    Layer(CHAPTERS, LIBRARY),
    Layer("testing/statistics", f"{LIBRARY}/testing/statistics", rests_on=("numbers",)),
    Layer("testing/laws", f"{LIBRARY}/testing/laws"),
    Layer("testing/generators", f"{LIBRARY}/testing/generators", frameworks=True),
    Layer("testing/reporting", f"{LIBRARY}/testing/reporting", frameworks=True),
    Layer("testing", f"{LIBRARY}/testing", frameworks=True),
    Layer("c", f"{LIBRARY}/c", rests_on=("numbers", CHAPTERS, "testing/laws", "testing/generators")),
)
"""From the lowest to the highest."""


@dataclass(frozen=True)
class Include:
    """A line that includes a file of this project, or one of another library, of which only the name is known."""

    line: int
    name: str
    file: str


Files = dict[str, list[Include]]
"""The includes of each file of the library."""


def check_dependencies(root: Path) -> list[Diagnostic]:
    """All includes of the library that point the wrong way, sorted by place."""
    files = _read(root)
    chapters = reading_order(read_page(root, MAINPAGE))
    problems = [problem for file, includes in files.items() for problem in _file_problems(file, includes)]
    beside = {file: _chapter_of(root, file) for file in files if _beside_chapters(file)}
    return sorted([*problems, *_chapter_problems(files, beside, chapters), *_circles(files)])


def dependency_table(root: Path) -> str:
    """Each layer of the library and the layers that it includes, one a line, from the lowest to the highest."""
    rests_on: dict[str, set[str]] = {layer.name: set() for layer in LAYERS}
    for file, includes in _read(root).items():
        layer = layer_of(file)
        if layer:
            targets = [layer_of(include.file) for include in includes]
            rests_on[layer.name] |= {target.name for target in targets if target and target != layer}
    width = max(map(len, rests_on))
    return "\n".join(f"{name:<{width}}  {'→ ' + ', '.join(found) if found else 'rests on nothing of ours'}"
                     for name, targets in rests_on.items()
                     for found in [[layer.name for layer in LAYERS if layer.name in targets]])


def layer_of(file: str) -> Layer | None:
    """The layer that a file belongs to, if it is in one."""
    folder = _folder(file)
    layers = {layer.folder: layer for layer in LAYERS}
    if Path(folder).parent.as_posix() == LIBRARY:  # of one of the layers, or else of a chapter
        return layers.get(folder, layers[LIBRARY])
    return layers.get(folder)


def _folder(file: str) -> str:
    """The folder of a file, or the one whose details it is among."""
    folder = Path(file).parent
    return (folder.parent if folder.name == DETAIL else folder).as_posix()


def _read(root: Path) -> Files:
    paths = [path for path in sorted((root / LIBRARY).rglob("*")) if path.suffix in (".hpp", ".cpp")]
    return {path.relative_to(root).as_posix(): list(_includes(root, path)) for path in paths}


def _includes(root: Path, path: Path) -> Iterator[Include]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        include = INCLUDE.match(line)
        if include:
            yield Include(number, include[1], _project_file(root, path, include[1]))


def _project_file(root: Path, path: Path, include: str) -> str:
    """The project's file that an include names, relative to the root; nothing if it is another's."""
    for base in path.parent, root / "src", root:
        target = (base / include).resolve()
        if target.is_file() and target.is_relative_to(root.resolve()):
            return target.relative_to(root.resolve()).as_posix()
    return ""


def _file_problems(file: str, includes: list[Include]) -> Iterator[Diagnostic]:
    """The includes that one file may not have, wherever in the reading order it stands."""
    layer = layer_of(file)
    if layer is None:
        yield Diagnostic(file, 1, f"the folder {_folder(file)} is in no layer",
                         "Enter it in LAYERS in tools/weave/weave/checks/depends.py, or move the file")
        return
    before = [other.name for other in LAYERS[:LAYERS.index(layer)]]
    allowed = layer.rests_on or before
    for include in includes:
        if include.name.startswith(TEST_FRAMEWORKS) and not layer.frameworks:
            yield Diagnostic(file, include.line, f"{layer.name} includes {include.name}, with which tests are written",
                             f"Move what needs it to {' or '.join(other.name for other in LAYERS if other.frameworks)}")
        if not include.file:
            continue
        target = layer_of(include.file)
        if not include.file.startswith(f"{LIBRARY}/"):
            yield Diagnostic(file, include.line, f"the library includes {include.name}",
                             f"Move what it needs from there to {LIBRARY}/")
        elif target and target != layer and target.name not in allowed:
            yield Diagnostic(file, include.line, f"{layer.name} includes {include.name} of {target.name}",
                             f"It may rest on {', '.join(allowed) or 'nothing of ours'}")
        elif target != layer and Path(include.file).parent.name == DETAIL:
            yield Diagnostic(file, include.line, f"{layer.name} includes {include.name}, a detail of another folder",
                             "Include what that folder offers, or move the file out of its details")


def _chapter_of(root: Path, file: str) -> str:
    """The chapter that a file says it belongs to; nothing if it says none."""
    header = (root / file).with_suffix(".hpp")
    named = CHAPTER.search(header.read_text(encoding="utf-8")) if header.is_file() else None
    return named[1] if named else ""


def _chapter_problems(files: Files, beside: dict[str, str], chapters: list[str]) -> Iterator[Diagnostic]:
    """Chapters that rest on later ones, and files that belong to none, or to another than their folder."""
    place = {name: number for number, name in enumerate(chapters)}
    for file, own in beside.items():
        if own not in place:
            yield Diagnostic(file, 1, f"{f'{own} is no chapter' if own else 'it belongs to no chapter'}",
                             rf"Begin its header with '/// \brief Chapter \ref …' and a chapter of {MAINPAGE}")
            continue
        if _folder(file) not in (LIBRARY, f"{LIBRARY}/{own}"):
            yield Diagnostic(file, 1, f"it belongs to the chapter {own}, and is in the folder {_folder(file)}",
                             f"Move it to {LIBRARY}/{own}/")
        for include in files[file]:
            later = beside.get(include.file, "")
            if place.get(later, -1) > place[own]:
                yield Diagnostic(file, include.line, f"the chapter {own} includes {include.name}, which belongs to the "
                                 f"later chapter {later}",
                                 f"Move what both need to {own} or to a chapter before it")


def _beside_chapters(file: str) -> bool:
    layer = layer_of(file)
    return layer is not None and layer.name == CHAPTERS


def _circles(files: Files) -> Iterator[Diagnostic]:
    """Files that include each other; each circle is reported once. Folders cannot, since layers have an order."""
    finished: set[str] = set()

    def visit(file: str, path: list[tuple[str, int]]) -> Iterator[Diagnostic]:
        names = [name for name, _ in path]
        if file in names:
            circle = path[names.index(file):]
            yield Diagnostic(*circle[0],
                             f"files include each other: {' → '.join([*(name for name, _ in circle), file])}",
                             "Move what both need to a file of its own")
        elif file not in finished:
            for include in files.get(file, []):
                if include.file in files:
                    yield from visit(include.file, [*path, (file, include.line)])
            finished.add(file)

    for file in files:
        yield from visit(file, [])
