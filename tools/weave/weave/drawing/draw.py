"""Drawings: what gnuplot or a script drew, made small and plain, as files to take and as a part of a page."""

import base64
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.base.files import write_whole
from weave.drawing.scripts import COMMON, moves, palette
from weave.drawing.simplify import FAMILY, SIZE, simplified

MOVABLE = Path(__file__).resolve().parents[3] / "movable/draw.mjs"
FONT = "figure-sans"
"""The letters of Source Sans 3 that figures use; TrueType for the PNG, WOFF2 for the SVG."""
SETTINGS = r'data = system("printf %s \"$DATA\""); figure = system("printf %s \"$FIGURE\"")'
"""The first commands for gnuplot; a path in them may have any sign."""
LICENCE = "From sqrtdk. Licence: Creative Commons Attribution 4.0 International."


@dataclass(frozen=True)
class Programs:
    """The programs that draw."""

    gnuplot: str = "gnuplot"
    rsvg: str = "rsvg-convert"
    node: str = "node"


def draw(data: Path, script: Path, out: Path, programs: Programs = Programs()) -> list[Diagnostic]:
    """Draw `data` by `script`: NAME.svg, NAME.png and NAME.dat in `out`, or what went wrong."""
    name, folder = script.stem, script.parent
    out.mkdir(parents=True, exist_ok=True)
    if not data.is_file():
        return [Diagnostic(script.as_posix(), 1, f"there are no data for {name}",
                           f'Write them by write_figure_data("{name}", …) in a property or an example')]
    colours = palette((folder / COMMON).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        try:
            if moves(script):
                lines, kept = _by_script(data, script, colours, programs.node)
                write_whole(out / f"{name}.json", kept)
            else:
                lines = simplified(_by_gnuplot(data, script, Path(scratch) / "raw.svg", programs.gnuplot), colours)
        except ValueError as error:
            return [Diagnostic(script.as_posix(), 1, str(error),
                               f"Correct the script; colours, lines and points are those of docs/figures/{COMMON}")]
        picture = out / f"{name}.svg"
        write_whole(picture, alone(lines, (folder / f"{FONT}.woff2").read_bytes()))
        fonts = Path(scratch) / "fonts.conf"
        fonts.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
                         f"<fontconfig><dir>{escape(str(folder.resolve()))}</dir>"
                         f"<cachedir>{escape(scratch)}</cachedir></fontconfig>", encoding="utf-8")
        pixels = Path(scratch) / "drawing.png"
        subprocess.run([programs.rsvg, "--zoom", "2", "--output", pixels, picture], check=True,
                       env={**os.environ, "FONTCONFIG_FILE": str(fonts), "XDG_CACHE_HOME": scratch})
        write_whole(out / f"{name}.png", pixels.read_bytes())
    write_whole(out / f"{name}.dat", data.read_bytes())
    return []


def _by_gnuplot(data: Path, script: Path, raw: Path, gnuplot: str) -> str:
    """The drawing by gnuplot."""
    said = subprocess.run([gnuplot, "-e", SETTINGS, script.parent / COMMON, script], capture_output=True, text=True,
                          check=False, env={**os.environ, "DATA": str(data.resolve()), "FIGURE": str(raw)})
    if said.returncode or said.stderr.strip() or not raw.is_file():
        raise ValueError(f"gnuplot: {' '.join(said.stderr.split()) or 'no drawing'}")
    return raw.read_text(encoding="utf-8")


def _by_script(data: Path, script: Path, colours: dict[str, str], node: str) -> tuple[list[str], str]:
    """The look of a figure to move at rest, and the data that it is drawn from."""
    said = subprocess.run([node, MOVABLE, script, data], input=json.dumps(colours), capture_output=True, text=True,
                          check=False)
    if said.returncode:
        raise ValueError(f"node: {' '.join(said.stderr.split())}")
    result = json.loads(said.stdout)
    drawing = result["drawing"]
    width, height = drawing["width"], drawing["height"]
    opening = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
               f'height="{height}" '
               f'font-family="{FAMILY}" font-size="{SIZE}">')
    return [opening, *drawing["elements"], "</svg>"], json.dumps(result["data"], separators=(",", ":"))


def alone(lines: list[str], font: bytes) -> str:
    """A drawing as a file of its own: in light colours on white, with its font."""
    opening, *content, closing = lines
    return "\n".join([opening, f"<desc>{LICENCE}</desc>",
                      "<style>@font-face{font-family:'Figure Sans';src:url(data:font/woff2;base64,"
                      f"{base64.b64encode(font).decode()})}}</style>",
                      '<rect width="100%" height="100%" fill="#ffffff"/>', *content, closing, ""])
