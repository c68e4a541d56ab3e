# SPDX-License-Identifier: BSL-1.0
"""What a copy of the sources calls itself, and which address of the book is accepted."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Revision(unittest.TestCase):

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        self.source = self.out / "source"
        for name in (".gitattributes", "cmake/archived.txt"):
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.source / name)

    def git(self, *arguments: str) -> str:
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run(["git", "-C", self.source, *arguments], check=True, capture_output=True, text=True,
                              env={**os.environ, **who, "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}).stdout.strip()

    def commit(self) -> str:
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def revision(self, source: Path) -> dict[str, str]:
        subprocess.run(["cmake", "-D", f"SOURCE={source}", "-D", "VERSION=1.2.3", "-D", f"OUT={self.out}",
                        "-P", ROOT / "cmake/SqrtdkRevision.cmake"], check=True)
        written: dict[str, str] = json.loads((self.out / "revision.json").read_text(encoding="utf-8"))
        self.assertIn(f'= "{written["version"]}";', (self.out / "version.cpp").read_text(encoding="utf-8"))
        return written

    def archive(self) -> Path:
        unpacked = self.out / "unpacked"
        self.git("archive", "-o", str(self.out / "x.tar"), "HEAD")
        shutil.unpack_archive(self.out / "x.tar", unpacked)
        return unpacked

    def test_only_a_clean_commit_with_its_own_tag_is_a_release(self) -> None:
        commit = self.commit()
        develops = f"1.2.3-dev+g{commit[:10]}"
        self.assertEqual(self.revision(self.source), {"version": develops, "commit": commit, "date": "2026-01-02",
                                                      "modified": "0", "address": ""})
        for tag, version in (("v1.2.2", develops), ("v1.2.3-rc1", develops), ("v1.2.3", "1.2.3")):
            self.git("tag", *(["-a", "-m", "git prefers it to others"] if "-" in tag else []), tag)
            for place in (self.source, self.archive()):
                with self.subTest(tag=tag, place=place.name):
                    self.assertEqual(self.revision(place)["version"], version)
            if tag == "v1.2.2":
                self.git("tag", "-d", tag)
        (self.source / "new").touch()
        self.assertEqual(self.revision(self.source)["version"], "1.2.3")
        self.git("rm", "-q", "--cached", ".gitattributes")
        changed = self.revision(self.source)
        self.assertEqual((changed["version"], changed["modified"]), (f"{develops}.modified", "1"))

    def test_an_archive_without_a_tag_has_its_commit_and_a_copy_has_none(self) -> None:
        commit = self.commit()
        copied = self.source / "copied_into_another_repository"
        (copied / "cmake").mkdir(parents=True)
        shutil.copy(ROOT / "cmake/archived.txt", copied / "cmake")
        for place, version in ((self.archive(), f"1.2.3-dev+g{commit[:10]}"), (copied, "1.2.3-dev+unknown-commit")):
            with self.subTest(place=place.name):
                self.assertEqual(self.revision(place)["version"], version)

    def test_nothing_is_written_again_unless_it_changes(self) -> None:
        self.revision(self.source)
        for name in ("revision.json", "version.cpp"):
            os.utime(self.out / name, (1, 1))
        self.revision(self.source)
        self.assertEqual({(self.out / name).stat().st_mtime for name in ("revision.json", "version.cpp")}, {1})


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

    def test_is_a_page_of_the_web_or_nothing(self) -> None:
        for given, address in (("", ""), ("https://example.org/book/", "https://example.org/book"),
                               ("http://a.example:8080/~b/c%20d", "http://a.example:8080/~b/c%20d")):
            with self.subTest(given=given):
                self.assertEqual(self.read(given), (0, f">{address}<"))

    def test_anything_else_is_refused_by_name(self) -> None:
        for given in ("example.org", "file:///home/a", "https://", "https://a b", 'https://a"b', "https://a'b",
                      "https://a/?q", "https://a/#c", "https://a/<b>", "https://a/{b}", "https://a/\\b", "https://a;b",
                      "https://a/\nb", "https:///a", "javascript:https://a"):
            with self.subTest(given=given):
                status, said = self.read(given)
                self.assertEqual(status, 1)
                self.assertIn(f"SQRTDK_ADDRESS is '{' '.join(given.split())}', but must be empty or begin with", said)


class Citation(unittest.TestCase):

    def test_is_of_the_version_of_the_project(self) -> None:
        cited, built = (re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
                        for file, pattern in (("CITATION.cff", r"^version: ([\d.]+)$"),
                                              ("CMakeLists.txt", r"^  VERSION ([\d.]+)$")))
        assert cited and built
        self.assertEqual(cited[1], built[1])


if __name__ == "__main__":
    unittest.main()
