"""Actions of others are named by a commit, which nobody can move, with the version beside it; none is left a key, and
nothing of others gets into a script but by env."""

import re
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USES = re.compile(r"^\s*(?:- )?uses: *(.*)$", re.MULTILINE)
CHECKOUT = re.compile(r"uses: *actions/checkout@.*\n(.*)")
FILES = [ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/ci/*.yml")]
RUN = re.compile(r"^ +(?:- )?run: (?!\{)(?:\|\n((?: {10}.*\n|\n)+)|(.+)\n)", re.MULTILINE)
OURS = r"^(\.ci/(run|full .+)|apt-get update -q\napt-get install .*\ngit config .*\n)$"
PINNED = re.compile(r"([\w./-]+)@([0-9a-f]{40})  # v\d+\.\d+\.\d+")


def scripts(text: str) -> list[str]:
    """The scripts of the steps of a workflow, in order."""
    return [textwrap.dedent(block) or line for block, line in RUN.findall(text)]


class Workflows(unittest.TestCase):

    def test_every_action_is_pinned_and_everywhere_the_same(self) -> None:
        commits: dict[str, str] = {}
        for file in FILES:
            for action in USES.findall(file.read_text(encoding="utf-8")):
                with self.subTest(file=file.name, action=action):
                    if action.startswith("./"):  # the folder is its version
                        continue
                    pinned = PINNED.fullmatch(action)
                    if pinned is None:
                        self.fail("write it as owner/name@COMMIT  # vX.Y.Z, with the 40 digits of the commit that "
                                  "`git rev-list -n1 vX.Y.Z` prints in a clone of the action")
                    name, commit = pinned.groups()
                    self.assertEqual(commits.setdefault(name, commit), commit, "another file pins another commit")
        self.assertGreater(len(commits), 0)

    def test_no_script_has_words_of_others_put_into_it(self) -> None:
        for file in FILES:
            for script in scripts(file.read_text(encoding="utf-8")):
                with self.subTest(file=file.name, script=script):
                    self.assertNotIn("${{", script, "pass it by env:")

    def test_our_own_run_what_anybody_can_run(self) -> None:
        for file in ROOT.glob(".github/workflows/*.yml"):
            for script in scripts(file.read_text(encoding="utf-8")):
                with self.subTest(file=file.name):
                    self.assertRegex(script, OURS)

    def test_each_part_of_what_is_left_out_is_run_at_night(self) -> None:
        parts = [re.search(pattern, (ROOT / file).read_text(encoding="utf-8")) for file, pattern in (
            (".github/workflows/nightly.yml", r"(?s) part: \[(.*?)\]"), (".ci/full", r"(?m)^parts=\((.*)\)$"))]
        nightly, full = (re.findall(r"[\w-]+", found[1]) if found else [] for found in parts)
        self.assertEqual(nightly, full)
        self.assertGreater(len(full), 0)

    def test_no_checkout_leaves_its_token_to_what_runs_later(self) -> None:
        for file in FILES:
            for following in CHECKOUT.findall(file.read_text(encoding="utf-8")):
                with self.subTest(file=file.name):
                    self.assertRegex(following, r"^ +with: \{.*\bpersist-credentials: false\b")


if __name__ == "__main__":
    unittest.main()
