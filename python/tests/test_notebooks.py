"""The notebooks run from top to bottom as they are delivered, and their last cell catches a student's mistake."""

import re
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from exercises import handing_out  # noqa: E402  # pylint: disable=wrong-import-position
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
CALLS = {"layer": "attend(*[np.zeros((1, 1, 1))] * 3, 1)", "softmax": "my_softmax(np.zeros(1))"}
"""What asks for the first empty cell of a notebook, if the cell itself does not."""


def code_of(notebook):
    return {cell.id: cell.source for cell in notebook.cells if cell.cell_type == "code"}


@each
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    for folder in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(folder, str(tmp_path))
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute(cwd=str(tmp_path))
    printed = {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    assert all(output.get("name") == "stdout" for outputs in printed.values() for output in outputs)
    assert "pass: " in printed["check"][-1].text


@each
def test_a_notebook_is_kept_without_outputs_and_as_jupyter_writes_it(path):
    text = path.read_text("utf-8")
    notebook = nbformat.reads(text, 4)
    nbformat.validate(notebook)
    assert text == nbformat.writes(notebook) + "\n"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert all(not cell.metadata for cell in notebook.cells)
    assert all(cell.execution_count is None and not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert max(len(line) for source in code_of(notebook).values() for line in source.split("\n")) <= 120
    assert notebook.cells[-1].id == "check" and str(path.home()) not in text


@each
def test_a_notebook_is_handed_out_with_empty_cells(path):
    code = code_of(nbformat.reads(handing_out.with_empty_cells(path.read_text("utf-8")), 4))
    solved = code_of(nbformat.read(path, 4))
    empty = [name for name in code if "raise NotImplementedError" in code[name]]
    assert empty == [name for name in code if "# Solution" in solved[name]] and "# Solution" not in str(code)
    assert all(code[name].startswith("# Change this") or "\n# Change this" in code[name] for name in empty)
    names: dict[str, object] = {}
    for name, source in code.items():
        if name == empty[0]:
            with pytest.raises(NotImplementedError):
                exec(f"{source}\n{CALLS.get(name, '')}", names)  # pylint: disable=exec-used
            break
        exec(source, names)  # pylint: disable=exec-used


@each
def test_a_notebook_links_to_what_the_book_has(path):
    links = re.findall(r"\]\(\.\./\.\./build/book/([\w-]+)\.html(?:#([\w-]+))?\)", path.read_text("utf-8"))
    names = re.findall(r"\(claim (\w+)\)", path.read_text("utf-8"))
    pages = {page.stem: page.read_text("utf-8")
             for folder in ("theory", "docs") for page in (ROOT / folder).glob("*.md")}
    assert links
    for page, anchor in links:
        assert not anchor or f'<a id="{anchor}"></a>' in pages[page], f"{page}.html#{anchor}"
    for name in names:
        assert any(f'<a id="{name}"></a>' in page for page in pages.values()), name


@pytest.mark.parametrize("notebook, cell, right, wrong, message", [
    ("1-variance", "entry", "{-1: F(1, 2), 1", "{0: F(1, 2), 2", "the mean 1, not 0, and at d = 4 .* is 12, not 4"),
    ("1-variance", "entry", "{-1: F(1, 2), 1", "{-2: F(1, 2), 2", "the variance 4, not 1, and at d = 4 .* is 64"),
    ("1-variance", "divisor", "math.sqrt(d)", "d",
     "at d = 4 you divide by 4, which leaves the variance 0.25, not 1: only 2"),
    ("2-softmax-gradient", "jacobian", "np.eye(len(p)) - p", "np.eye(len(p)) + p",
     r"jacobian is wrong at \[\d, \d\]: it is"),
    ("2-softmax-gradient", "jacobian", "g - (p * g).sum(axis=-1, keepdims=True)", "g", "is wrong at .* instead of"),
    ("3-scaling-ablation", "layer", "keepdims=True)) / c", "keepdims=True))", "with c = 8, d[qk] is wrong at"),
    ("3-scaling-ablation", "layer", "return p, p @ v", "return p, p @ v / p.shape[-1]",
     "with c = 8, attention is wrong at"),
    ("3-scaling-ablation", "layer", "k.swapaxes(-1, -2) / c", "k.swapaxes(-1, -2) / (c if c != 4 else 2)",
     "before step 0 the losses are .* ScalingIsStartAndRate"),
    ("4-kernel", "softmax", "x - x.max()", "x - x[:8].max()",
     r"(?s)law 'accuracy' is broken.*the simplest case found: x = "),
    ("4-kernel", "attention", "np.tri(*s.shape, ", "np.tri(*s.shape, 1, ", "(?s)law 'output' is broken.*simplest case"),
    ("4-kernel", "declared", 'stored_weights="float16"', "",
     r"(?s)is broken.*declare\s+sqrtdk.Arithmetic\(stored_weights"),
])
def test_a_mistake_is_shown_by_the_last_cell(notebook, cell, right, wrong, message):
    code = code_of(nbformat.read(ROOT / f"python/notebooks/{notebook}.ipynb", 4))
    assert code[cell].startswith("# Change this") or "\n# Change this" in code[cell]
    assert right in code[cell]
    code[cell] = code[cell].replace(right, wrong)
    names: dict[str, object] = {}
    for name, source in code.items():
        if name == "check":
            with pytest.raises(AssertionError, match=message):
                exec(source, names)  # pylint: disable=exec-used
        elif name not in ("compare", "caught"):  # they take long, and the last cell needs nothing of theirs
            exec(source, names)  # pylint: disable=exec-used
