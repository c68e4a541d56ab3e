"""The wheel carries its licence, and the notices of all that its binary may contain."""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_has_the_licence_and_the_notices():
    carried = {file.name: file.read_text() for file in metadata.files("sqrtdk") if file.parts[0].endswith(".dist-info")}
    for name in ("LICENSE", "docs/notices.txt"):
        assert carried.get(Path(name).name) == (ROOT / name).read_text("utf-8"), f"the wheel lacks {name}"


def test_each_library_that_programs_link_has_a_notice():
    linked = (ROOT / "docs/licences.md").read_text("utf-8").partition('<a id="licences-linked"></a>')[2]
    names = re.findall(r"^\| ([A-Z].*?|nanobind|robin-map) \|", linked, re.MULTILINE)
    noticed = re.findall(r"^  (\w.*?)[.,] ", (ROOT / "docs/notices.txt").read_text("utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(set(noticed))
