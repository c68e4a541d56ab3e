"""What a class gets: a copy of everything but the solutions, and a wheel of the judges for who has no compiler."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from exercises.judging import ROOT  # which finds the weave
from weave.reading.tasks import Task  # pylint: disable=wrong-import-order

SECRETS = ("exercises/solutions/", "exercises/answers/", "examples/exercise_", "tests/cheats.py",
           "python/tests/test_notebooks.py")
"""The places of answers: a copy for a class has none of them; of pages it has all but the solutions."""
SOLUTION = re.compile(r"^###? Solution\n.*?(?=^## |\Z)", re.M | re.S)
RENDERED = re.compile(r"<details class=\"fold\"><summary>Show the solution</summary>|<details|</details>")
CELL = re.compile(r"^( *)# Solution\n(?:.+\n?)+", re.M)
"""What a student writes in a cell of a notebook: all down to an empty line."""
PARTS = ("tools/exercise", "docs/mainpage.md", "exercises/judging.py", "exercises/answering.py", "exercises/apart.py",
         "tools/weave/weave/__init__.py", "tools/weave/weave/base/__init__.py", "tools/weave/weave/base/diagnostics.py",
         *(f"tools/weave/weave/{name}.py" for name in ("base/files", "reading/__init__", "reading/tasks")))
"""What judges, of Python; none of it needs a package."""
MAIN = '"""Judges exercises: python -m sqrtdk.exercises NAME."""\nimport runpy\nfrom pathlib import Path\n' \
       'runpy.run_path(str(Path(__file__).parent / "tools/exercise"), run_name="__main__")\n'


def fail(message: str) -> None:
    """Ends with status 2."""
    print(f"exercise: {message}", file=sys.stderr)
    sys.exit(2)


def committed(name: str) -> str:
    """A file as it was committed last, whatever was written into it since."""
    return subprocess.run(["git", "show", f"HEAD:{name}"], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def without_solutions(page: str) -> str:
    """A page of the rendered book, its solutions replaced by a sentence."""
    depth, start = 0, -1
    kept, rest = [], 0
    for tag in RENDERED.finditer(page):
        if start < 0 and "solution" in tag[0]:
            start, depth = tag.start(), 1
        elif start >= 0:
            depth += -1 if tag[0] == "</details>" else 1
            if depth == 0:
                kept += [page[rest:start], "<p>The edition for a class has no solutions.</p>"]
                rest, start = tag.end(), -1
    return "".join([*kept, page[rest:]])


def with_empty_cells(notebook: str) -> str:
    """A notebook without what a student is to write in its cells."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        source = "".join(cell["source"])
        cell["source"] = CELL.sub(r"\1raise NotImplementedError\n", source).rstrip("\n").splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def copy_book(folder: Path) -> bool:
    """Copies the rendered book without the solutions, also of its search; False if it is not rendered."""
    book = ROOT / "build/book"
    if not (book / "index.html").exists():
        return False
    shutil.copytree(book, folder)
    for page in folder.glob("exercise*.html"):
        page.write_text(without_solutions(page.read_text(encoding="utf-8")), encoding="utf-8")
    search = folder / "search-index.js"
    start, text = search.read_text(encoding="utf-8").split("=", 1)
    index = json.loads(text.rstrip().rstrip(";"))
    for entry in index["entries"]:
        entry["text"] = entry.get("text", "").partition("Show the solution")[0]
        entry["parts"] = [part for part in entry.get("parts", []) if "Show the solution" not in str(part)]
    search.write_text(f"{start}={json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n", encoding="utf-8")
    return True


def copy(folder: Path, known: list[Task]) -> int:
    """Everything that git tracks, without what tells answers; what students write in is as it was committed."""
    if folder.exists():
        fail(f"{folder} exists already")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=False, capture_output=True, text=True)
    if tracked.returncode != 0:
        fail(f"only a checkout of git can be copied, and {ROOT} is none: {tracked.stderr.strip()}")
    written = {each.file for each in known}
    edited: list[tuple[str, Callable[[str], str]]] = [
        ("docs/exercises/*.md", lambda text: SOLUTION.sub("", text)),
        ("python/notebooks/*.ipynb", with_empty_cells)]
    try:
        for name in filter(None, tracked.stdout.split("\0")):
            file = ROOT / name
            if name.startswith(SECRETS) or not file.is_file():
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, folder / name)
            if name in written:
                (folder / name).write_text(committed(name), encoding="utf-8")
        for pattern, edit in edited:
            for page in folder.glob(pattern):
                page.write_text(edit(page.read_text(encoding="utf-8")), encoding="utf-8")
        book = copy_book(folder / "build/book")
    except OSError as error:
        fail(f"{folder} is not whole: {error}")
    print(f"exercise: copied to {folder}, without the solutions"
          + ("" if book else "; it has no book, since build/book is not rendered"))
    return 0


def wheel(folder: Path, known: list[Task], revision: dict[str, str]) -> int:
    """Packs the judges, which need no library, and what starts them."""
    for command in (["cmake", "--preset", "judges"], ["cmake", "--build", "--preset", "judges"]):
        if subprocess.run(command, cwd=ROOT, check=False, stdout=sys.stderr).returncode != 0:
            fail("the judges cannot be built; tools/setup properties may help")
    name = f"sqrtdk_exercises-{revision['version']}"
    chapters = sorted({each.chapter for each in known})
    content = {f"sqrtdk/exercises/{part}": (ROOT / part).read_bytes() for part in PARTS}
    for chapter in chapters:
        content[f"sqrtdk/exercises/exercises/{chapter}.py"] = committed(f"exercises/{chapter}.py").encode()
        program = ROOT / f"build/judges/exercises/exercises_{chapter}"
        content[f"sqrtdk/exercises/judges/{program.name}"] = program.read_bytes()
    content["sqrtdk/exercises/packed.json"] = json.dumps(revision).encode()
    content["sqrtdk/exercises/__main__.py"] = MAIN.encode()
    content[f"{name}.dist-info/METADATA"] = (
        f"Metadata-Version: 2.1\nName: sqrtdk-exercises\nVersion: {revision['version']}\nRequires-Python: >=3.11\n"
        "Summary: Exercises on the square root in attention, and their judges\nLicense: BSL-1.0\n").encode()
    content[f"{name}.dist-info/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: tools/exercise\nRoot-Is-Purelib: false\n"
                                          b"Tag: py3-none-manylinux_2_17_x86_64\n")
    for text in ("LICENSE", "docs/notices.txt"):
        content[f"{name}.dist-info/{Path(text).name}"] = (ROOT / text).read_bytes()
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},"
                     f"{len(data)}\n" for path, data in content.items()) + f"{name}.dist-info/RECORD,,\n"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-py3-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {**content, f"{name}.dist-info/RECORD": record.encode()}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if "/judges/" in path else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    print(f"exercise: packed {file}; pip install it, then python -m sqrtdk.exercises")
    return 0
