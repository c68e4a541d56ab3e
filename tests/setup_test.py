"""tools/setup with stubs for apt and the compiler: without root, with a package in the way; the owner of its cache."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
IS_ROOT = os.geteuid() == 0

INSTALLED = ("eigen3/Eigen/Core", "gmock/gmock.h", "rapidcheck.h", "gtest/gtest.h")
STUBS = {
    "sudo": "exit 1",
    "ninja": "exit 0",
    "cmake": "echo cmake version 3.25.1",
    "dpkg": "exit 0",
    "apt-cache": "echo '  Candidate: 1.83'",
    "apt-get": """[[ " $* " != *" --no-remove "* ]] || {
      printf '%s\\n' 'The following packages will be REMOVED:' '  libboost1.74-dev' 'E: Packages need to be removed but remove is disabled.'
      exit 100
    }""",
    # The headers that are there: those of the system, and those of the last folder that it is told to look into.
    "c++": "mapfile\n" + "".join(f"echo 'header \"{header}\"'\n" for header in INSTALLED) + '''
while (($#)); do if [[ $1 == -isystem ]]; then folder=$2; fi; shift; done
[[ -d ${folder:-} ]] || exit 0
[[ ! -e $folder/boost/version.hpp ]] || echo boost 108300
find "$folder" -type f -printf 'header "%P"\\n\'''',
}


class Setup(unittest.TestCase):

    def setUp(self) -> None:
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.cache = self.top / "cache"
        for file in ("tools/setup", "tools/environment.sh", "tools/npm/package-lock.json", ".ci/run"):
            (self.top / "checkout" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.top / "checkout" / file)
        for name, text in STUBS.items():
            self.program(f"bin/{name}", text)
        self.top.chmod(0o755)
        self.give(NOBODY, self.top, *self.top.rglob("*"))

    def program(self, name: str, text: str) -> None:
        path = self.top / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def give(self, user: int, *paths: Path) -> None:
        if IS_ROOT:
            for path in paths:
                os.chown(path, user, user, follow_symlinks=False)

    def setup(self, status: int, user: int = NOBODY, **environment: str) -> str:
        """What is written to standard error."""
        another = user if IS_ROOT else None
        done = subprocess.run(
            [self.top / "checkout/tools/setup", "properties"], check=False, capture_output=True, text=True,
            start_new_session=True, cwd=self.top, user=another, group=another, extra_groups=() if IS_ROOT else None,
            env={"PATH": f"{self.top}/bin:{os.environ['PATH']}", "SQRTDK_CACHE": str(self.cache), **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_says_to_a_user_without_root_what_to_ask_for_and_what_to_unpack(self) -> None:
        said = self.setup(1)
        self.assertIn("apt-get install --no-install-recommends libboost-dev librandom123-dev\n", said)
        self.assertIn("apt-get download libboost-dev librandom123-dev && ", said)
        self.assertFalse(self.cache.exists())

    def test_finds_what_the_user_unpacked(self) -> None:
        for header in ("boost/version.hpp", "Random123/philox.h"):
            path = self.top / "packages/usr/include" / header
            path.parent.mkdir(parents=True)
            path.touch()
        self.give(NOBODY, *(self.top / "packages").rglob("*"))
        self.assertEqual(self.setup(0, CMAKE_PREFIX_PATH=f"{self.top}/packages/usr"), "")

    def test_removes_no_package_and_names_the_one_in_the_way(self) -> None:
        self.program("bin/sudo", '[[ $1 != -n ]] || shift\nexec "$@"')
        said = self.setup(1)
        for words in ("libboost1.74-dev", "remove is disabled", "apt-get download libboost-dev librandom123-dev && "):
            self.assertIn(words, said)

    def test_takes_its_cache_from_the_user_and_from_root_alone(self) -> None:
        # Who asks, whose the folder is, its mode, whether it is taken.
        cases = [(NOBODY, NOBODY, 0o755, True), (NOBODY, NOBODY, 0o777, False)]
        if IS_ROOT:
            cases += [(NOBODY, 0, 0o755, True), (NOBODY, 0, 0o1777, False), (NOBODY, 12345, 0o755, False),
                      (0, 12345, 0o755, True), (0, 0, 0o777, True)]
        self.cache.mkdir()
        link = self.top / "link"
        link.symlink_to(self.cache)
        for user, owner, mode, taken in cases:
            for folder in (self.cache, link):
                with self.subTest(user=user, owner=owner, mode=oct(mode), folder=folder.name):
                    self.give(owner, self.cache)
                    self.cache.chmod(mode)
                    said = self.setup(1 if taken else 2, user, SQRTDK_CACHE=str(folder))
                    self.assertEqual("must be yours or root's" in said, not taken, said)

    def test_continuous_integration_stays_in_its_checkout(self) -> None:
        (self.top / "elsewhere/.ci").mkdir(parents=True)
        self.program("checkout/tools/verify", "pwd\nexit 1")
        done = subprocess.run(["bash", ".ci/run"], cwd=self.top / "checkout", check=False, capture_output=True,
                              text=True, env={**os.environ, "CDPATH": str(self.top / "elsewhere")})
        self.assertEqual(done.stdout.splitlines()[-1], str(self.top / "checkout"), done.stderr)


if __name__ == "__main__":
    unittest.main()
