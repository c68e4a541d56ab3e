"""The words of failing tests on their claims: CMake reads them from the pages, and misses no claim."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/weave"))

from weave.reading.forge import read_page  # noqa: E402  # pylint: disable=wrong-import-position
from weave.reading.pages import parse_chapter  # noqa: E402  # pylint: disable=wrong-import-position

ENTRY = re.compile(r'    \{"(\w+)",\n     "((?:[^"\\\n]|\\")+)",\n     "([^"\\\n]+)"\},\n')
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(places LANGUAGES NONE)
include("{0}/cmake/SqrtdkClaims.cmake")
file(GLOB pages "${{PROJECT_SOURCE_DIR}}/theory/*.md")
foreach(page IN LISTS pages)
  cmake_path(GET page STEM stem)
  sqrtdk_claim_places(${{stem}} places)
  file(APPEND "${{PROJECT_BINARY_DIR}}/places" "${{places}}")
endforeach()
"""


class Places(unittest.TestCase):

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.root.joinpath("CMakeLists.txt").write_text(PROJECT.format(ROOT), encoding="utf-8")

    def configure(self, address: str = "") -> tuple[list[tuple[str, ...]], str]:
        """The entries for all pages, and what CMake says against them."""
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", self.root, "-B", self.root / "build",
                               f"-DSQRTDK_ADDRESS={address}"], capture_output=True, text=True, check=False)
        if done.returncode:
            return [], " ".join(done.stderr.split())
        text = (self.root / "build/places").read_text(encoding="utf-8")
        self.assertEqual(ENTRY.sub("", text), "", "this is no entry")
        return ENTRY.findall(text), ""

    def configure_claim(self, paragraph: str, address: str = "") -> tuple[list[tuple[str, ...]], str]:
        """The same of a claim that is said in a paragraph."""
        for name, text in {"theory/score.md": f"# S\n\n## T <a id=\"Claim\"></a>\n\n{paragraph}\n\n### Uses\nNone.\n",
                           "properties/score/Claim.cpp": "", "build/places": ""}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        return self.configure(address)

    def test_every_checked_claim_of_the_book_has_its_sentence_and_its_page(self) -> None:
        for name in ("theory", "properties"):
            (self.root / name).symlink_to(ROOT / name)
        found, problem = self.configure()
        pages = [parse_chapter(page.name, page.stem, read_page(ROOT, f"theory/{page.name}"))[0]
                 for page in sorted((ROOT / "theory").glob("*.md"))]
        claims = [claim for page in pages for claim in page.claims
                  if (ROOT / f"properties/{claim.stem}/{claim.name}.cpp").exists()]
        self.assertEqual(([name for name, _, _ in found], problem), ([claim.name for claim in claims], ""))
        for claim, (name, sentence, page) in zip(claims, found):
            self.assertEqual(re.sub(r"\W", "", sentence), re.sub(r"\\f\$|\\sqrt|\W", "", claim.sentence))
            self.assertEqual(page, f"{claim.stem}.html#{name} in the book, theory/{claim.stem}.md in the sources")

    def test_a_sentence_is_plain_text_on_one_line_or_refused(self) -> None:
        for markdown, text in {"Divide by $1/\\sqrt d$\nor $`\\sqrt 2`$.": "Divide by 1/√d or √2.",
                               'A "good" `exp`; [a](b), ${x} @page@.': r'A \"good\" exp; [a](b), ${x} @page@.'}.items():
            found, _ = self.configure_claim(f"*In short.* {markdown}", "https://book.example")
            self.assertEqual(found, [("Claim", text, "https://book.example/score.html#Claim")])
        for paragraph, message in {"No sentence.": "does not say Claim in a sentence",
                                   r"*In short.* Of $\frac 12$.": r"'Of \\frac 12.' .* without '\\'",
                                   "*In short.* Very *large*.": r"'Very \*large\*.' .* without '\*'"}.items():
            self.assertRegex(self.configure_claim(paragraph)[1], message)


if __name__ == "__main__":
    unittest.main()
