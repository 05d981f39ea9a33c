"""``python -m bench.checkers``: what five checkers of notebooks find in a corpus made here.

Each notebook of the corpus is the same small one with one thing done to it after its outputs were
stored: something that a reader would be misled by (*planted*), or something that differs from run
to run and misleads nobody (*harmless*). Each checker has an environment of its own, is run with the
options that its manual names for comparing outputs, and is asked for one verdict a notebook. What
it prints is the table of nbsame's README; it needs an index of packages and takes some minutes.
"""

from __future__ import annotations

import copy
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import matplotlib as mpl
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
TABLE = "<table><tr><th>fruit</th><th>grams</th></tr><tr><td>pear</td><td>880</td></tr></table>"
PLOT = """\
plt.figure(figsize=(3, 2))
plt.plot([1, 2, 3], [{}, 1, 2], "o", color="C0", label="apples")
plt.legend()
plt.show()"""
BASE = [
    "import matplotlib.pyplot as plt\nfrom IPython.display import HTML",
    "values = [0.25, 0.5, 0.75]\nprint('mean', sum(values) / 3)",
    f"HTML({TABLE!r})",
    PLOT.format(3),
    PLOT.format(0),
    "1 / 0",
    "print('one')\ndisplay('two')",
]
MEAN, FRUIT, FIRST, SECOND, DIVIDE, TWO = range(1, 7)  # code cells by place


def replace(cell: int, old: str, new: str) -> Callable[[NotebookNode], None]:
    """Return a change of a cell's source, which is then not run again."""

    def change(book: NotebookNode) -> None:
        code = code_cells(book)[cell]
        assert old in code.source
        code.source = code.source.replace(old, new)

    return change


def stored(cell: int, old: str, new: str) -> Callable[[NotebookNode], None]:
    """Return a change of a cell's stored text."""

    def change(book: NotebookNode) -> None:
        for output in code_cells(book)[cell].outputs:
            if "text" in output:
                output.text = output.text.replace(old, new)
            for mime in output.get("data", {}):
                output.data[mime] = output.data[mime].replace(old, new)

    return change


def swapped(book: NotebookNode) -> None:
    """Let two pictures change places."""
    first, second = (code_cells(book)[cell] for cell in (FIRST, SECOND))
    first.outputs, second.outputs = second.outputs, first.outputs


def emptied(cell: int) -> Callable[[NotebookNode], None]:
    """Return a change that deletes the outputs of a cell."""

    def change(book: NotebookNode) -> None:
        code_cells(book)[cell].outputs = []

    return change


def moved(book: NotebookNode) -> None:
    """Let two outputs of a cell change places."""
    code_cells(book)[TWO].outputs.reverse()


def uncounted(book: NotebookNode) -> None:
    """Take away the count of a cell, and leave its outputs."""
    code_cells(book)[MEAN].execution_count = None


def never_run(book: NotebookNode) -> None:
    """Leave a cell as if it had never been run."""
    code_cells(book)[MEAN].update(execution_count=None, outputs=[])


PLANTED = {
    "a digit of printed text": stored(MEAN, "0.5", "0.6"),
    "a digit in a table": stored(FRUIT, "880", "878"),
    "another text in a result": stored(TWO, "two", "too"),
    "another marker": replace(FIRST, '"o"', '"s"'),
    "another colour": replace(FIRST, '"C0"', '"C1"'),
    "another legend": replace(FIRST, "apples", "pears"),
    "two pictures swapped": swapped,
    "a printed output deleted": emptied(MEAN),
    "a picture deleted": emptied(SECOND),
    "two outputs moved": moved,
    "edited and not run again": replace(MEAN, "0.75", "0.95"),
    "an error that no longer happens": replace(DIVIDE, "1 / 0", "1 / 1"),
    "a new error": replace(MEAN, "sum(", "some("),
    "a count removed": uncounted,
    "a cell that was never run": never_run,
}
# What is added to the notebook before its outputs are stored, each another way to differ.
HARMLESS = {
    "nothing": "pass",
    "an address in memory": "object()",
    "the clock": "%time sum(range(1000))",
    "a set of words": "set('abcdefgh')",
    "a progress bar": "from tqdm import tqdm\nfor _ in tqdm(range(3)): pass",
    "a temporary folder": "import tempfile\nprint(tempfile.mkdtemp())",
    "today": "from datetime import datetime\nprint(datetime.now())",
    "a warning with its line": "import warnings\nwarnings.warn('mind the gap')",
}


def code_cells(book: NotebookNode) -> list[NotebookNode]:
    """Return the code cells of a notebook."""
    return [cell for cell in book.cells if cell.cell_type == "code"]


def book(*more: str) -> NotebookNode:
    """Return the notebook, unrun, with some more cells."""
    code = [new_code_cell(source) for source in [*BASE, *more]]
    code[DIVIDE].metadata["tags"] = ["raises-exception"]
    cells = [new_markdown_cell("# Fruit"), *code]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    # As Jupyter writes it: a checker that compares metadata, too, must find nothing there.
    language = {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
    metadata = {"kernelspec": kernel, "language_info": language}
    made: NotebookNode = new_notebook(cells=cells, metadata=metadata)
    return made


# ---------------------------------------------------------------- the checkers


class Checker(NamedTuple):
    """A checker: what is installed for it, how it is run, and what it compares by its manual."""

    packages: list[str]
    options: list[str]
    compares: str


TESTBOOK = """\
import pytest
from pathlib import Path
from testbook import testbook

@pytest.mark.parametrize("path", sorted(Path().glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path):
    with testbook(path, execute=True, allow_errors=True):
        pass
"""
CHECKERS = {
    "nbsame": Checker([str(ROOT / "nbsame")], ["--nbsame"], "outputs, pictures"),
    "nbval": Checker(["nbval"], ["--nbval", "--nbval-current-env"], "outputs but pictures"),
    "pytest-notebook": Checker(["pytest-notebook"], ["--nb-test-files"], "all, by nbdime"),
    "nbmake": Checker(["nbmake", "pytest<9"], ["--nbmake"], "nothing: errors only"),
    "testbook": Checker(["testbook", "pytest"], ["test_all.py"], "what a test asserts"),
}


def run(folder: Path, *command: str) -> str:
    """Run a command; return what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def installed(folder: Path, checker: Checker) -> str:
    """Make an environment with a checker; return its Python."""
    python = str(folder / "bin" / "python")
    common = ["ipykernel", f"matplotlib=={mpl.__version__}", "tqdm"]
    uv = (sys.executable, "-m", "uv")
    run(ROOT, *uv, "venv", "--quiet", str(folder))
    said = run(
        ROOT, *uv, "pip", "install", "--quiet", "--python", python, *common, *checker.packages
    )
    if not Path(folder, "bin", "pytest").exists():
        sys.exit(said)
    return python


def alarms(corpus: Path, python: str, checker: Checker) -> tuple[set[str], float]:
    """Return the notebooks of which a checker says that something is wrong, and its seconds."""
    (corpus / "test_all.py").write_text(TESTBOOK, encoding="utf-8")
    started = time.monotonic()
    options = [*checker.options, "-p", "no:cacheprovider", "--junit-xml=verdicts.xml"]
    paths = [] if "test_all.py" in options else sorted(path.name for path in corpus.glob("*.ipynb"))
    said = run(corpus, python, "-m", "pytest", *options, *paths)
    seconds = time.monotonic() - started
    if not (corpus / "verdicts.xml").exists():
        sys.exit(said)
    found = set()
    for case in ElementTree.parse(corpus / "verdicts.xml").iter("testcase"):
        if any(part.tag in ("failure", "error") for part in case):
            name = f"{case.get('classname')}.{case.get('name')}"
            found |= {path.stem for path in corpus.glob("*.ipynb") if path.stem in name}
    (corpus / "verdicts.xml").unlink()
    return found, seconds


# ---------------------------------------------------------------- the corpus


def stem(name: str) -> str:
    """Return the file name of a case."""
    return name.replace(" ", "-")


def made(corpus: Path, python: str) -> None:
    """Write the corpus: outputs are stored in a run of their own, then one thing is done."""
    for name, more in HARMLESS.items():
        nbformat.write(book(more), corpus / f"{stem(name)}.ipynb")
    said = run(corpus, python, "-m", "nbsame.cli", "refresh")
    if "REFUSED" in said or "Traceback" in said:
        sys.exit(said)
    base = nbformat.read(corpus / "nothing.ipynb", as_version=4)
    for name, change in PLANTED.items():
        spoilt = copy.deepcopy(base)
        change(spoilt)
        nbformat.write(spoilt, corpus / f"{stem(name)}.ipynb")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        place, corpus = Path(folder), Path(folder, "corpus")
        corpus.mkdir()
        found: dict[str, set[str]] = {}
        seconds: dict[str, float] = {}
        for name, checker in CHECKERS.items():
            print(f"{name} …", file=sys.stderr, flush=True)
            python = installed(place / name, checker)
            if not found:  # the first is ours
                made(corpus, python)
            found[name], seconds[name] = alarms(corpus, python, checker)
    print(f"| | {' | '.join(CHECKERS)} |")
    print("|---" * (1 + len(CHECKERS)) + "|")
    print(row("compares", [checker.compares for checker in CHECKERS.values()]))
    for title, cases in (("planted, found", PLANTED), ("harmless, left alone", HARMLESS)):
        right = [
            sum((stem(case) in said) == (cases is PLANTED) for case in cases)
            for said in found.values()
        ]
        print(row(f"**{title}**", [f"**{number} of {len(cases)}**" for number in right]))
        for case in cases:
            marks = ["alarm" if stem(case) in said else "–" for said in found.values()]
            print(row(case, marks))
    fastest = min(seconds.values())
    print(row("time", [f"{one / fastest:.1f}" for one in seconds.values()]))


def row(title: str, entries: list[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {title} | {' | '.join(entries)} |"


if __name__ == "__main__":
    main()
