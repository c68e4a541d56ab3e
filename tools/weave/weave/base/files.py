# SPDX-License-Identifier: BSL-1.0
"""Writing without half-written files and without touching what did not change."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write under a temporary name, then rename."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)


def publish(directory: Path, files: dict[str, str]) -> None:
    """Make the Markdown below `directory` and the other `files` be exactly these texts.

    Unchanged files keep their time stamps, so that what depends on them stays up to date.
    """
    for name, text in files.items():
        path = directory / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    for path in directory.rglob("*.md"):
        if path.relative_to(directory).as_posix() not in files:
            path.unlink()
