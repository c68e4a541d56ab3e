"""The scripts that draw figures: where they are, of which kinds, and the colours that common.gp lets them use."""

import re
from pathlib import Path

FOLDER = "docs/figures"
COMMON = "common.gp"
MOVES = {".gp": False, ".js": True}
"""The kinds of scripts, by how their names end, and whether readers can move what they draw; draw.py runs them."""
COLOUR = re.compile(r'^(?P<name>[a-z]+) *= *"(?P<value>#[0-9a-f]{6})"', re.MULTILINE)


def scripts(root: Path) -> dict[str, Path]:
    """The scripts of a source tree by the names of their figures."""
    return {path.stem: path for path in sorted((root / FOLDER).glob("*"))
            if path.suffix in MOVES and path.name != COMMON}


def moves(script: Path) -> bool:
    """True if readers can move what a script draws."""
    return MOVES[script.suffix]


def palette(common: str) -> dict[str, str]:
    """The colours that common.gp names, by name."""
    return {match["name"]: match["value"] for match in COLOUR.finditer(common)}
