"""The project in examples/own_kernel fetches a commit that nobody can move, or says why it does not."""

import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "examples/own_kernel"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Commit(unittest.TestCase):

    def test_is_named_by_all_its_digits(self) -> None:
        for commit, taken in ((COMMIT, True), ("", False), ("abc", False), ("main", False), (COMMIT[1:], False),
                              (COMMIT + "0", False), (COMMIT.upper(), False), (f"{COMMIT[1:]}g", False)):
            with self.subTest(commit=commit), tempfile.TemporaryDirectory() as build:
                done = subprocess.run(["cmake", "-S", PROJECT, "-B", build, "-D", "SQRTDK_REPOSITORY=/nowhere", "-D",
                                       f"SQRTDK_COMMIT={commit}", "-D", "CMAKE_CXX_COMPILER=/nowhere"],
                                      check=False, capture_output=True, text=True)
                message = " ".join(done.stderr.split())
                self.assertEqual(f"(is '{commit}'), a commit by all its 40 digits" in message, not taken, message)


if __name__ == "__main__":
    unittest.main()
