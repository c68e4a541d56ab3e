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
ASKS_THE_MACHINE = re.compile(r"random_device|getrandom|getentropy|arc4random|dev/u?random|\bsrand\b|\bgetpp?id\b"
                              r"|\bthis_thread::get_id\b|\brc::check\b|\bRC_GTEST_")
CLOCK = re.compile(r"\b\w+_clock\b|\bclock\(\)|\bclock_gettime\b|\bgettimeofday\b|\btimespec_get\b|\bstd::time\("
                   r"|\btime\((?:nullptr|NULL|0|&)|rdtscp?\b|\b__TIME(?:STAMP)?__|\b__DATE__")
MEASURES_TIME = "tests/bench/"
"""Programs that print how long something takes; no test."""
TAKES_THE_MASTER_SEED = re.compile(r"\b(?:master_seed|active_seed|seed_from_environment|parse_master_seed)\(")
SAYS_FRESH = re.compile(r"SQRTDK_SEED[ =\"]+fresh")
WITHOUT_LEDGER = ("docs/", "examples/", "tests/bench/", "tests/package/", "tools/")
FOLDERS = ("cmake", "docs", "examples", "properties", "src", "tests", "tools")


def sources(*patterns: str) -> dict[str, str]:
    """The project's files, those that git does not track yet among them."""
    paths = [path for folder in FOLDERS for pattern in patterns for path in (ROOT / folder).rglob(pattern)]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


class Chance(unittest.TestCase):

    def setUp(self) -> None:
        self.code = sources("*.cpp", "*.hpp")
        self.assertIn(FRESH, self.code)

    def found(self, pattern: re.Pattern[str], but: str = "") -> list[str]:
        return [name for name, text in self.code.items() if pattern.search(text) and name != but]

    def test_only_the_word_fresh_asks_the_machine_for_numbers(self) -> None:
        self.assertEqual(self.found(ASKS_THE_MACHINE, but=FRESH), [],
                         "take numbers from stream_of() or for_all(), so that a run can be repeated")

    def test_only_what_measures_time_looks_at_a_clock(self) -> None:
        self.assertEqual([name for name in self.found(CLOCK, but=FRESH) if not name.startswith(MEASURES_TIME)], [],
                         "what fails by the time of day fails by chance; take numbers from stream_of() or for_all()")

    def test_each_way_to_ask_the_machine_is_known(self) -> None:
        for code in ("std::random_device()()", "std::srand(1)", "::getpid()", "std::this_thread::get_id()"):
            self.assertRegex(code, ASKS_THE_MACHINE)
        for code in ("std::chrono::system_clock::now()", "std::chrono::steady_clock::now()", "std::time(&seconds)",
                     "std::chrono::high_resolution_clock::now()", "time(NULL)", "std::clock()", "__rdtsc()", "__TIME__",
                     "clock_gettime(CLOCK_REALTIME, &now)", "gettimeofday(&now, nullptr)", "timespec_get(&now, 1)"):
            self.assertRegex(code, CLOCK)
        for code in ("two clocks need one tick", "wall_time(1)", "random_cases()", "at_a_time(0)"):
            self.assertNotRegex(code, CLOCK)
            self.assertNotRegex(code, ASKS_THE_MACHINE)

    def test_no_ctest_entry_says_fresh(self) -> None:
        fresh = [name for name, text in sources("CMakeLists.txt", "*.cmake").items() if SAYS_FRESH.search(text)]
        self.assertEqual(fresh, [], "give the entry a number, so that it cannot fail by chance")

    def test_what_has_no_ledger_draws_from_fixed_seeds(self) -> None:
        self.assertEqual([name for name in self.found(TAKES_THE_MASTER_SEED)
                          if name.startswith(WITHOUT_LEDGER)], [],
                         "give stream_of() a number, or move the check to a program with the ledger")


if __name__ == "__main__":
    unittest.main()
