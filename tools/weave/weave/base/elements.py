"""Elements of HTML, written so that nobody need think of escaping."""

from html import escape

SAFE = {"\\": "\\u005c", "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "@": "\\u0040", "$": "\\u0024"}
"""In JSON within HTML nothing may look like markup, of HTML, of Doxygen or of formulas."""


class Markup(str):
    """Text that is HTML already and stays as it is."""


def safe(data: str) -> str:
    """JSON that may stand in a page."""
    for sign, code in SAFE.items():
        data = data.replace("\\\\" if sign == "\\" else sign, code)
    return data


def data_script(data: str, **attributes: str) -> Markup:
    """JSON as a part of a page, for a script."""
    return tag("script", Markup(safe(data)), type="application/json", **attributes)


def tag(name: str, *children: str, **attributes: str) -> Markup:
    """An element: its children, of which plain text is escaped, and its attributes, if they have a value.

    The attribute `class` is given as class_, and one with a hyphen with an underscore: aria_label.
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items()
                    if value)
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{given}>{inner}</{name}>")
