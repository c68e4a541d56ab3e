"""tools/setup of a user without root, with stubs in the place of apt and the compiler; whose cache it takes."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
IS_ROOT = os.geteuid() == 0

INSTALLED = ("eigen3/Eigen/Core", "gmock/gmock.h", "rapidcheck.h")
LIBRARIES = {
    "libboost-dev": "boost/version.hpp",
    "libgtest-dev": "gtest/gtest.h",
    "librandom123-dev": "Random123/philox.h",
}
OTHERS = ("a", "b", "c", "d")
"""Each library has so many headers beside the one that setup looks for."""

STUBS = {
    "sudo": "exit 1",
    "ninja": "exit 0",
    "cmake": "echo cmake version 3.25.1",
    "dpkg": "exit 0",
    "apt-cache": "echo '  Candidate: 1.83'",
    "apt-get": '[[ $1 != download ]] || for package; do [[ $package != lib* ]] || : > "$package.deb"; done',
    "dpkg-deb": "case ${2##*/} in\n" + "".join(
        f'  {package}.deb) header=$3/usr/include/{header} ;;\n' for package, header in LIBRARIES.items()) +
    'esac\nmkdir -p "${header%/*}"\nfor file in "$header" "$header"-{' + ",".join(OTHERS) + '}; do : > "$file"; done',
    # The headers that are there: those of the system, and those of the last folder that it is told to look into.
    "c++": "mapfile\n" + "".join(f"echo 'header \"{header}\"'\n" for header in INSTALLED) + '''
while (($#)); do if [[ $1 == -isystem ]]; then folder=$2; fi; shift; done
[[ -d ${folder:-} ]] || exit 0
[[ ! -e $folder/boost/version.hpp ]] || echo boost 108300
find "$folder" -type f -printf 'header "%P"\\n\'''',
}
KILLER = '''read -r count < "$COUNT"
echo $((++count)) > "$COUNT"
if [[ $count == "$KILL_AT" ]]; then
  if [[ ${0##*/} == rm ]]; then find "${@: -1}" -type f | sort | awk 'NR % 2' | xargs -r /bin/rm; fi
  kill -9 0
fi
'''
KILLERS = ("apt-get", "dpkg-deb", "rm", "mv", "cp", "mkdir", "chmod")


class Setup(unittest.TestCase):

    def setUp(self) -> None:
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.cache = self.top / "cache"
        for file in ("tools/setup", "tools/environment.sh", "tools/npm/package-lock.json", ".ci/run"):
            (self.top / "checkout" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, self.top / "checkout" / file)
        (self.top / "bin").mkdir()
        for name, text in STUBS.items():
            self.stub(name, text)
        self.top.chmod(0o755)
        self.give(NOBODY, self.top, *self.top.rglob("*"))

    def stub(self, name: str, text: str) -> None:
        (self.top / "bin" / name).write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        (self.top / "bin" / name).chmod(0o755)

    def give(self, user: int, *paths: Path) -> None:
        if IS_ROOT:
            for path in paths:
                os.chown(path, user, user, follow_symlinks=False)

    def setup(self, *arguments: str, user: int = NOBODY, command: str = "tools/setup",
              **environment: str) -> subprocess.CompletedProcess[str]:
        another = user if IS_ROOT else None
        return subprocess.run(
            [f"{self.top}/checkout/{command}", *(arguments or ("properties",))], check=False, capture_output=True,
            text=True, start_new_session=True, cwd=self.top, user=another, group=another,
            extra_groups=() if IS_ROOT else None,
            env={"PATH": f"{self.top}/bin:{os.environ['PATH']}", "SQRTDK_CACHE": str(self.cache), **environment})

    def libraries(self) -> set[str]:
        """The libraries that are unpacked, each of which has to be whole."""
        folders = [folder / "usr/include" for folder in self.cache.glob("packages/[!.]*") if folder.suffix != ".old"]
        files = {path.relative_to(folder).as_posix()
                 for folder in folders for path in folder.rglob("*") if path.is_file()}
        there = {package for package, header in LIBRARIES.items() if header in files}
        self.assertEqual(files, {file for package in there for header in [LIBRARIES[package]]
                                 for file in [header, *(f"{header}-{other}" for other in OTHERS)]})
        return there

    def test_unpacks_for_a_user_without_root_whose_apt_has_lists(self) -> None:
        done = self.setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("for this project alone", done.stderr)
        self.assertEqual(self.libraries(), set(LIBRARIES))
        self.assertEqual(self.setup().stderr, "")

    def test_heals_after_a_kill_at_any_command(self) -> None:
        for name in KILLERS:
            self.stub(name, KILLER + STUBS.get(name, f'exec /bin/{name} "$@"'))
        kills = 0
        for missing in (set(LIBRARIES), {"librandom123-dev"}):
            for kill_at in range(1, 100):
                with self.subTest(missing=len(missing), kill_at=kill_at):
                    self.begin_with(set(LIBRARIES) - missing)
                    if self.counted(kill_at).returncode == 0:
                        break
                    kills += 1
                    self.libraries()
                    healed = self.counted(0)
                    self.assertEqual(healed.returncode, 0, healed.stderr)
                    self.assertEqual(self.libraries(), set(LIBRARIES))
        self.assertGreaterEqual(kills, 25)

    def counted(self, kill_at: int) -> subprocess.CompletedProcess[str]:
        (self.top / "count").write_text("0", encoding="utf-8")
        self.give(NOBODY, self.top / "count")
        return self.setup(COUNT=f"{self.top}/count", KILL_AT=str(kill_at))

    def begin_with(self, packages: set[str]) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)
        release = subprocess.run(["bash", "-c", '. /etc/os-release 2> /dev/null; echo "${ID:-}-${VERSION_ID:-}"'],
                                 check=True, capture_output=True, text=True).stdout.strip()
        for header in (LIBRARIES[package] for package in packages):
            for end in ("", *(f"-{other}" for other in OTHERS)):
                path = self.cache / f"packages/{release}/usr/include/{header}{end}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
        if packages:
            self.give(NOBODY, self.cache, *self.cache.rglob("*"))

    def test_leaves_alone_what_its_lock_links_to(self) -> None:
        victim = self.top / "victim"
        victim.write_text("precious", encoding="utf-8")
        self.cache.mkdir()
        (self.cache / ".lock").symlink_to(victim)
        self.give(NOBODY, self.cache, victim)
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(victim.read_text(encoding="utf-8"), "precious")

    def test_takes_its_cache_from_the_user_and_from_root_alone(self) -> None:
        cases = [  # who asks, whose the folder is, its mode, whether it is taken
            (NOBODY, NOBODY, 0o755, True),
            (NOBODY, NOBODY, 0o777, False),
        ]
        if IS_ROOT:
            cases += [(NOBODY, 0, 0o755, True), (NOBODY, 0, 0o1777, False), (NOBODY, 12345, 0o755, False),
                      (0, 12345, 0o755, True), (0, 0, 0o777, True)]
        self.begin_with(set(LIBRARIES))
        link = self.top / "link"
        link.symlink_to(self.cache)
        for user, owner, mode, taken in cases:
            for folder in (self.cache, link):
                with self.subTest(user=user, owner=owner, mode=oct(mode), folder=folder.name):
                    self.give(owner, self.cache)
                    self.cache.chmod(mode)
                    done = self.setup(user=user, SQRTDK_CACHE=str(folder))
                    self.assertEqual(done.returncode, 0 if taken else 2, done.stderr)
                    self.assertEqual("must be yours or root's" in done.stderr, not taken, done.stderr)

    def test_continuous_integration_stays_in_its_checkout(self) -> None:
        (self.top / "elsewhere/.ci").mkdir(parents=True)
        (self.top / "checkout/tools/verify").write_text("#!/bin/sh\npwd\nexit 1\n", encoding="utf-8")
        (self.top / "checkout/tools/verify").chmod(0o755)
        done = subprocess.run(["bash", ".ci/run"], cwd=self.top / "checkout", check=False, capture_output=True,
                              text=True, env={**os.environ, "CDPATH": str(self.top / "elsewhere")})
        self.assertEqual(done.stdout.splitlines()[-1], str(self.top / "checkout"), done.stderr)


if __name__ == "__main__":
    unittest.main()
