# SPDX-License-Identifier: BSL-1.0
"""The colours that figures may use, which docs/figures/common.gp names."""

import re

COMMON = "common.gp"
COLOUR = re.compile(r'^(?P<name>[a-z]+) *= *"(?P<value>#[0-9a-f]{6})"', re.MULTILINE)


def palette(common: str) -> dict[str, str]:
    """The colours that common.gp names, by name."""
    return {match["name"]: match["value"] for match in COLOUR.finditer(common)}
