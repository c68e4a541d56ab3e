"""The name that a copy of the sources gives itself, and the addresses of the book that are accepted."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from foreign_repository import git

ROOT = Path(__file__).resolve().parent.parent


class Revision(unittest.TestCase):

    def setUp(self) -> None:
        self.out = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.source = self.out / "source"
        (self.source / "cmake").mkdir(parents=True)
        for name in (".gitattributes", ".gitignore", "cmake/archived.txt"):
            shutil.copy(ROOT / name, self.source / name)
        (self.source / "cmake.txt").touch()  # which git sorts before the folder cmake, and a link and a program
        (self.source / "run").touch(0o755)
        (self.source / "link").symlink_to("run")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        self.commit = self.git("rev-parse", "HEAD")
        self.develops = f"1.2.3-dev+g{self.commit[:10]}"
        self.named = {"rev": f"swh:1:rev:{self.commit}", "dir": "swh:1:dir:" + self.git("rev-parse", "HEAD^{tree}")}

    def git(self, *arguments: str) -> str:
        return git("-C", self.source, *arguments)

    def revision(self, source: Path) -> dict[str, str]:
        subprocess.run(["cmake", "-D", f"SOURCE={source}", "-D", "VERSION=1.2.3", "-D", f"OUT={self.out}",
                        "-P", ROOT / "cmake/SqrtdkRevision.cmake"], check=True)
        written: dict[str, str] = json.loads((self.out / "revision.json").read_text(encoding="utf-8"))
        lines = r"\n".join(filter(None, (written["version"], written["rev"], written["dir"])))
        self.assertIn(f'= "{lines}";', (self.out / "version.cpp").read_text(encoding="utf-8"))
        return written

    def test_only_a_clean_commit_with_its_own_tag_is_a_release_also_as_an_archive(self) -> None:
        whole = {"version": self.develops, "commit": self.commit, "date": "2000-01-01", "modified": "0", "address": "",
                 **self.named}
        self.assertEqual(self.revision(self.source), whole)
        for tag, version in (("", self.develops), ("v1.2.2", self.develops), ("-d v1.2.2", self.develops),
                             ("-a -m preferred v1.2.3-rc1", self.develops), ("v1.2.3", "1.2.3"),
                             ("-a -m younger v1", "1.2.3")):
            self.git("tag", *tag.split())
            self.git("archive", "-o", str(self.out / "x.tar"), "HEAD")
            shutil.unpack_archive(self.out / "x.tar", self.out / "unpacked")
            for place in (self.source, self.out / "unpacked"):
                with self.subTest(tag=tag, place=place.name):
                    self.assertEqual(self.revision(place), {**whole, "version": version})
        modified = {**whole, "version": f"{self.develops}.modified", "modified": "1", "rev": "", "dir": ""}
        page = self.source / "page.md"
        page.touch()
        self.assertEqual(self.revision(self.source), modified)
        page.unlink()
        with mock.patch.dict(os.environ, {"GIT_DIR": str(ROOT / ".git"), "GIT_INDEX_FILE": "x"}):
            self.assertEqual(self.revision(self.source), {**whole, "version": "1.2.3"})
        self.git("rm", "-q", "--cached", ".gitattributes")
        self.assertEqual(self.revision(self.source), modified)

    def test_a_copy_in_another_repository_takes_no_commit_and_is_named_by_its_files(self) -> None:
        copied = self.source / "copied"
        shutil.copytree(self.source, copied, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        self.assertEqual(self.revision(copied), {
            "version": "1.2.3-dev+unknown-commit", "commit": "", "date": "", "modified": "0", "address": "", "rev": "",
            "dir": self.named["dir"]})

    def test_an_archive_is_named_while_its_files_are_those_of_its_commit(self) -> None:
        self.git("archive", "-o", str(self.out / "x.tar"), "HEAD")
        unpacked = self.out / "unpacked"
        (self.out / "git").mkdir()
        (self.out / "git/ignore").write_text("*.md\n", encoding="utf-8")  # a setting of the user's
        settings = {"GIT_DIR": str(ROOT / ".git"), "XDG_CONFIG_HOME": str(self.out)}
        changes: tuple[tuple[str, Callable[[Path], object], bool], ...] = (
            ("build/release/x.o", Path.touch, False), ("page.md", Path.touch, True), ("cmake.txt", Path.unlink, True),
            ("run", lambda path: path.chmod(0o644), True), ("cmake.txt", lambda path: path.write_text("x"), True))
        for name, change, changed in changes:
            shutil.rmtree(unpacked, ignore_errors=True)
            shutil.unpack_archive(self.out / "x.tar", unpacked)
            (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
            change(unpacked / name)
            with self.subTest(name), mock.patch.dict(os.environ, settings):
                written = self.revision(unpacked)
                self.assertEqual((written["modified"], written["rev"], written["dir"]),
                                 ("1", "", "") if changed else ("0", *self.named.values()))
        programs = self.out / "programs"  # without git, it is what it was
        programs.mkdir()
        for program in ("cmake", "env", "sh"):
            (programs / program).symlink_to(str(shutil.which(program)))
        with mock.patch.dict(os.environ, {"PATH": str(programs)}):
            self.assertEqual(self.revision(unpacked)["dir"], self.named["dir"])

    def test_nothing_is_written_again_unless_it_changes(self) -> None:
        for _ in range(2):
            self.revision(self.source)
            times = {(self.out / name).stat().st_mtime for name in ("revision.json", "version.cpp")}
            for name in ("revision.json", "version.cpp"):
                os.utime(self.out / name, (1, 1))
        self.assertEqual(times, {1})


class Address(unittest.TestCase):

    def read(self, given: str) -> tuple[int, str]:
        """CMake's exit status, and in one line what it says."""
        with tempfile.NamedTemporaryFile("w", suffix=".cmake") as script:
            script.write(f'cmake_minimum_required(VERSION 3.25)\ninclude("{ROOT}/cmake/SqrtdkAddress.cmake")\n'
                         'message(">${SQRTDK_ADDRESS}<")\n')
            script.flush()
            done = subprocess.run(["cmake", "-P", script.name], env={**os.environ, "SQRTDK_ADDRESS": given},
                                  check=False, capture_output=True, text=True)
        return done.returncode, " ".join(done.stderr.split())

    def test_is_a_place_on_the_web_or_nothing(self) -> None:
        for given, address in (("", ""), ("https://example.org/book/", "https://example.org/book"),
                               ("http://a.example:8080/~b/c%20d", "http://a.example:8080/~b/c%20d")):
            self.assertEqual(self.read(given), (0, f">{address}<"))

    def test_anything_else_is_refused_by_name(self) -> None:
        for given in ("example.org", "file:///home/a", "https://", "https://a b", 'https://a"b', "https://a'b",
                      "https://a/?q", "https://a/#c", "https://a/<b>", "https://a/{b}", "https://a/\\b", "https://a;b",
                      "https://a/\nb", "https:///a", "javascript:https://a"):
            with self.subTest(given=given):
                status, said = self.read(given)
                self.assertEqual(status, 1)
                self.assertIn(f"SQRTDK_ADDRESS is '{' '.join(given.split())}', but must be empty or begin with", said)


if __name__ == "__main__":
    unittest.main()
