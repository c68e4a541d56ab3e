# SPDX-License-Identifier: BSL-1.0
"""Nothing fails by chance that is not in the ledger.

Programs with the ledger cannot take a risk that is not in it: the kit refuses them. That leaves what asks the machine
for numbers, which no ledger sees, and programs without a ledger, whose samples have to be fixed.
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRESH = "src/sqrtdk/testing/statistics/seed.cpp"
"""The one file that asks the machine for a seed: for the word `fresh`."""
ASKS_THE_MACHINE = re.compile(r"random_device|getrandom|getentropy|arc4random|dev/u?random|\bsrand\b|system_clock"
                              r"|\btime\((?:nullptr|NULL|0)\)|\brc::check\b|\bRC_GTEST_")
TAKES_THE_MASTER_SEED = re.compile(r"\b(?:master_seed|active_seed|seed_from_environment|parse_master_seed)\(")
SAYS_FRESH = re.compile(r"SQRTDK_SEED[ =\"]+fresh")
WITHOUT_LEDGER = ("bench/", "docs/", "examples/", "tests/package/", "tools/")
BETS = "tools/nightly.cpp"
"""It has a risk of its own, for all nights; its tests have fixed seeds."""
FOLDERS = ("bench", "cmake", "docs", "examples", "ledger", "properties", "src", "tests", "tools")


def sources(*patterns: str) -> dict[str, str]:
    """The project's files, those that git does not track yet among them."""
    paths = [path for folder in FOLDERS for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


class Chance(unittest.TestCase):

    def setUp(self) -> None:
        self.code = sources("*.cpp", "*.hpp")
        self.assertIn(FRESH, self.code)

    def found(self, pattern: re.Pattern[str], but: str) -> list[str]:
        return [name for name, text in self.code.items() if pattern.search(text) and name != but]

    def test_only_the_word_fresh_asks_the_machine_for_numbers(self) -> None:
        self.assertEqual(self.found(ASKS_THE_MACHINE, but=FRESH), [],
                         "take numbers from stream_of() or for_all(), so that a run can be repeated")

    def test_no_ctest_entry_says_fresh(self) -> None:
        fresh = [name for name, text in sources("CMakeLists.txt", "*.cmake").items() if SAYS_FRESH.search(text)]
        self.assertEqual(fresh, [], "give the entry a number, so that it cannot fail by chance")

    def test_what_has_no_ledger_draws_from_fixed_seeds(self) -> None:
        self.assertEqual([name for name in self.found(TAKES_THE_MASTER_SEED, but=BETS)
                          if name.startswith(WITHOUT_LEDGER)], [],
                         "give stream_of() a number, or move the check to a program with the ledger")


if __name__ == "__main__":
    unittest.main()
