"""The files of a finished book."""

from pathlib import Path

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr"}
SKIPPED = {"doxygen.svg"}
"""Files of the book that others made."""


def pages(directory: Path, *kinds: str) -> list[Path]:
    """The files of the book of the given kinds, without what others made."""
    return sorted(path.resolve() for kind in kinds for path in directory.rglob(f"*.{kind}")
                  if not SKIPPED & set(path.relative_to(directory).parts))
