"""Reading what ends, and writing without half-written files and without touching what did not change."""

import errno
import os
import tempfile
from pathlib import Path

LARGEST = 1 << 28
"""Bytes of a file that is read whole."""


def read_whole(path: Path) -> bytes:
    """The content of an ordinary file of a bearable size; a pipe or a device may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
    with path.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST >> 20} MiB", str(path))
    return content


def write_whole(path: Path, content: str | bytes) -> None:
    """Write under a temporary name, then rename; nothing is left over if the disk is full."""
    path = Path(os.path.realpath(path))  # a link stays
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


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
