"""Validation validated: a good notebook passes, and each way to tamper with it is caught.

A tampering is judged in this process, by the functions that the plugins call; cells whose source
was changed run in one kernel for all. What a real run says is in nbsame/tests and, for the checks
that this course adds, at the end.
"""

from __future__ import annotations

import base64
import copy
import functools
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from nbsame.kernel import Kernel
from nbsame.notebook import MEANINGS, error_of
from nbsame.settings import load
from PIL import Image

from lincourse import files
from lincourse.check import asserts, cells, outputs, prose, refresh
from lincourse.check.structure import Rules, form_problems
from lincourse.check.values import values
from nbsame import compare, counts, pictures
from nbsame import refresh as stored_anew

ROOT = Path(__file__).resolve().parents[2]
RULES = Rules(lines=20, alt=40)  # as in pyproject.toml
SETTINGS = load(ROOT)
ALT = "Ten points on a rising line: each lies higher than the one to its left."

OPENING = """\
# Ten points

Their mean is 0.5 and the last is 1. [The picture](#The-picture) shows all ten, lecture
[02](02-perceptron.ipynb) has 18 updates on AND, and Cover (1965) counted."""
IMPORTS = """\
import numpy as np

from linlib.notebook import plotting
from linlib.notebook.answers import Answer"""
NUMBERS = 'x = np.linspace(0, 1, 10)\nprint(f"mean {x.mean():.4f}")\nprint(f"last {x[-1]:.4f}")'
HEADING = """\
## The picture

The points lie on $x_2 = \\tfrac{1}{2}(x_1 + x_1)$, see [the check](#claim-T1)."""
FIGURE = f"""\
fig, ax = plotting.plane((-0.1, 1.1), (-0.1, 1.1), size=(4, 3), title="ten points")
points = ax.scatter(x, x)
plotting.show(fig, "{ALT}")"""
SEMICOLON = "np.cumsum(x);"
TEXTS = 'print("first")\ndisplay("second")\nprint("third")'
SENTENCE = "**The mean is 0.5000, and 3 of 10 points lie above 0.7.**"
CLAIM = """\
assert np.isclose(x.mean(), 0.5)
for value in x[:2]:
    assert value < 0.7
print((x > 0.7).sum(), "of", len(x))"""
ANSWERS = """\
display(Answer("Is the last the largest?", x.argmax() == 9))
Answer("How many points lie above 0.7?", (x > 0.7).sum())"""


def notebook(*sources: str) -> NotebookNode:
    """Build an unrun notebook with a heading and these code cells, so that code cell k is k-th."""
    kernel = {"kernelspec": refresh.KERNELSPEC}
    cells = [new_markdown_cell("# Points"), *map(new_code_cell, sources)]
    return new_notebook(cells=cells, metadata=kernel)


def good_notebook() -> NotebookNode:
    book = notebook(IMPORTS, NUMBERS, FIGURE, SEMICOLON, TEXTS, CLAIM, ANSWERS)
    book.cells[0].source = OPENING
    book.cells[6].update(id="claim-T1", metadata={"tags": ["claim-T1"]})
    book.cells.insert(6, new_markdown_cell(SENTENCE))
    book.cells.insert(3, new_markdown_cell(HEADING))
    return book


def code(book: NotebookNode, number: int) -> NotebookNode:
    return [cell for cell in book.cells if cell.cell_type == "code"][number - 1]


# ---------------------------------------------------------------- judged in process


class Judge:
    """The verdict of every item of a notebook, as the plugins would give it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ten-points.ipynb"
        self.kernel = Kernel(folder, before=cells.START)
        self.outcome = functools.lru_cache(maxsize=None)(self.run)

    def run(self, *sources: str) -> list[tuple[list[NotebookNode], set[int], str]]:
        """Run cells in the one kernel; return outputs, asserts passed and complaint of each."""
        found = []
        for source in sources:
            fresh = self.kernel.run(new_code_cell(source))
            error = error_of(fresh)
            complaint = f"raises {error.ename}: {error.evalue}" if error else ""
            found.append((fresh, set(self.kernel.ask(cells.PASSED)), complaint))
        self.kernel.ask("None", after="for name in ('x', 'fig'): globals().pop(name, None)")
        return found

    def __call__(self, book: NotebookNode, *, drawn: bool = True) -> dict[str, list[str]]:
        book = nbformat.v4.reads(nbformat.v4.writes(book))
        verdicts = {
            "counts": [str(one) for one in counts.uncounted(book) + counts.out_of_order(book)],
            "form": form_problems(book, self.path.parent, RULES),
            "prose": list(prose.problems(book, self.path)),
        }
        code_cells = list(filter(outputs.runs, book.cells))
        outcomes = self.outcome(*(cell.source for cell in code_cells))
        for number, (cell, outcome) in enumerate(zip(code_cells, outcomes, strict=True), start=1):
            fresh, passed, complaint = outcome
            rules = SETTINGS.rules(pictures=drawn)
            found = [str(one) for one in compare(cell.outputs, fresh, cell.source, rules=rules)]
            found += cells.output_problems(cell.outputs, fresh, words=drawn)
            found += asserts.never_passed(cell, passed)
            verdicts[f"cell {number}"] = [complaint] if complaint else found
        return {item: found for item, found in verdicts.items() if found}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the lecture that the good notebook names and links."""
    folder = tmp_path_factory.mktemp("home") / "tampered"
    folder.mkdir()
    lecture = notebook("print(18)")
    shown = [new_output("stream", text="18\n")]
    code(lecture, 1).update(id="updates", execution_count=1, outputs=shown)
    nbformat.write(lecture, folder / "02-perceptron.ipynb")
    return folder


@pytest.fixture(scope="module")
def judge(home: Path) -> Iterator[Judge]:
    judge = Judge(home)
    yield judge
    judge.kernel.stop()


@pytest.fixture(scope="module")
def good(judge: Judge) -> NotebookNode:
    """Return the good notebook, run and tied as `lincourse refresh` does it.

    Its author has said where two numbers come from.
    """
    book = refreshed(judge, good_notebook())
    said = book.cells[0].metadata["numbers"]
    said = said.replace("18=?", "18@02-perceptron#updates").replace("1965=?", "1965=year")
    book.cells[0].metadata["numbers"] = said
    return book


def refreshed(judge: Judge, book: NotebookNode) -> NotebookNode:
    fresh = copy.deepcopy(book)
    code_cells = list(filter(outputs.runs, fresh.cells))
    outcomes = copy.deepcopy(judge.outcome(*(cell.source for cell in code_cells)))
    for cell, (found, _, complaint) in zip(code_cells, outcomes, strict=True):
        assert not complaint
        assert not refresh.refuse(cell, found)
    stored_anew.store(fresh, [found for found, _, _ in outcomes], {"python": "3"}, SETTINGS)
    refresh.tidy(fresh)
    prose.tie(fresh, judge.path)
    return fresh


def tampered(good: NotebookNode, step: str) -> NotebookNode:
    """Return a copy of the good notebook after some statements; md is its texts in order."""
    book = copy.deepcopy(good)
    md = [cell for cell in book.cells if cell.cell_type == "markdown"]
    scope = {"book": book, "cells": book.cells, "md": md, "code": functools.partial(code, book)}
    scope |= {"raw": new_raw_cell, "text": new_markdown_cell, "output": new_output}
    scope |= {"patched": patched}
    exec(step, scope)
    return book


def patched(content: str) -> str:
    """Return the picture with a black patch of four pixels where it is white."""
    picture = pictures.decoded(content)
    picture.paste((0, 0, 0, 255), (3, 3, 5, 5))
    file = io.BytesIO()
    picture.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


# Name: (what is done, the items that fail because of it, what each of them says).
TAMPERINGS: dict[str, tuple[str, dict[str, str]]] = {
    # what is stored of a run
    "digit": (
        "code(2).outputs[0].text = 'mean 0.5001\\nlast 1.0000\\n'",
        {"cell 2": r"output 1 \(stdout\), line 1: now 0\.5000, stored 0\.5001"},
    ),
    "output deleted": (
        "code(2).outputs = []",
        {
            "prose": "says '0.5' .*, but the cell .* has no such number any more",
            "cell 2": r"now 1 output \(stdout\), stored 0 outputs",
        },
    ),
    "value of an answer": (
        "code(7).outputs[1].data['application/vnd.linlib.answer+json']['value'] = 4.0",
        {"cell 7": r"output 2 \(application/vnd.linlib.answer\+json\): now 3.0, stored 4.0"},
    ),
    "answer deleted": (
        "del code(7).outputs[1].data['application/vnd.linlib.answer+json']",
        {"cell 7": r"now result of application/vnd.linlib.answer\+json \+ text/plain, stored"},
    ),
    "cells swapped": (
        "cells[2], cells[5] = cells[5], cells[2]",
        {
            "counts": r"cell 3: was run before cell 2: their counts are \[3\] and \[4\]",
            "cell 2": "NameError: name 'x' is not defined",
            "cell 3": "NameError: name 'x' is not defined",
        },
    ),
    "stderr fresh": (
        "code(2).source += '\\nimport warnings\\nwarnings.warn(\"new\")'",
        {"cell 2": "writes to stderr"},
    ),
    "source changed": (
        "code(2).source = code(2).source.replace('0, 1, 10)', '0, 1, 11) ** 2')",
        {
            "prose": "says",
            "cell 2": "now 0.3",
            "cell 3": "pixels",
            "cell 6": "AssertionError",
            "cell 7": "now",
        },
    ),
    "kernel": (
        "book.metadata.kernelspec.name = 'my-own-kernel'",
        {"form": "the kernel is named 'my-own-kernel' instead of 'python3'"},
    ),
    "long cell": (
        "code(4).source = '# more\\n' * 20 + code(4).source",
        {"form": "cell 4 has 21 lines, more than 20"},
    ),
    # figures
    "text of a figure": (
        "figure = code(3).outputs[0].metadata['image/png']\n"
        "figure['texts'] = figure['texts'].replace('0.50', '0.51', 1)",
        {"cell 3": r"output 1 says '0.50' where '0.51' is stored"},
    ),
    "four pixels": (
        "code(3).outputs[0].data['image/png'] = patched(code(3).outputs[0].data['image/png'])",
        {"cell 3": r"figure 1: 4 pixels \(\S+%\) differ by more than 10% \(2 may\)"},
    ),
    "alt text removed": (
        "code(3).outputs[0].metadata = {}",
        {"form": r"cell 3 has a figure whose alt text \(''\) is", "cell 3": "another alt text"},
    ),
    # hiding
    "output cleared": (
        "code(5).source += '\\nfrom IPython.display import clear_output\\nclear_output()'",
        {"form": "cell 5 clears or changes what was shown", "cell 5": "output"},
    ),
    "hidden by HTML": (
        "code(5).outputs[1].data['text/html'] = '<b style=\"display: none\">P6</b>'",
        {"form": "'display: none', which acts, fetches or hides", "cell 5": "now"},
    ),
    "outputs hidden": (
        "code(2).metadata['jupyter'] = {'outputs_hidden': True, 'source_hidden': True}",
        {"form": "cell 2 has the metadata 'jupyter', which may hide it or its outputs"},
    ),
    "output isolated": (
        "code(3).outputs[0].metadata['isolated'] = True",
        {"cell 3": "output 1 has other metadata"},
    ),
    "magic that captures": (
        "code(2).source = '%%capture\\n' + code(2).source; code(2).outputs = []",
        {
            "form": r"cell 2 is not plain Python \(a magic command\?\)",
            "prose": "says",
        },
    ),
    "raw cell": (
        "cells.insert(2, raw('<script>alert(1)</script>', id='new'))",
        {"form": "the raw cell after cell 1 is raw: nothing checks it"},
    ),
    "repeated id": (
        "cells[1].id = cells[2].id",
        {"form": "2 cells have the id '.*': run `lincourse refresh`"},
    ),
    # markdown
    "image from the network": (
        "md[1].source += '\\n\\n![a line](https://example.org/line.png)'",
        {"form": "shows the picture 'https://example.org/line.png': let a cell draw it"},
    ),
    "column without a name": (
        "md[1].source += '\\n\\n| a | |\\n|---|---|\\n| b | c |'",
        {"form": "has a table with a column without a name"},
    ),
    "attachment": (
        "md[1]['attachments'] = {'a.png': {'image/png': ''}}",
        {"form": "the markdown cell after cell 2 has an attachment"},
    ),
    "script": (
        "md[1].source += '\\n\\n<script>alert()</script>'",
        {"form": "has HTML in its text .'<script>'.: write markdown"},
    ),
    "script as a link": (
        "md[1].source += ' [here](javascript:alert)'",
        {"form": "has a link to 'javascript:alert', which is no page"},
    ),
    "link to nowhere": (
        "md[0].source = md[0].source.replace('02-perceptron', '02-perceptrom')",
        {"form": "has a link to '02-perceptrom.ipynb', which does not exist"},
    ),
    "link to another lecture": (
        "md[0].source = md[0].source.replace('[02]', '[03]')",
        {"form": "a link that says 03 and leads to '02-perceptron.ipynb'"},
    ),
    "link to no heading": (
        "md[0].source = md[0].source.replace('#The-picture', '#The-Picture')",
        {"form": "has a link to '#The-Picture': there is no such heading or cell"},
    ),
    "link in a table": (
        "code(5).outputs[1].data['text/html'] = '<a href=\"02-perceptron.ipynb#cell-id=no\">P</a>'",
        {"form": "cell 5 has a link to '02-perceptron.ipynb#cell-id=no'", "cell 5": "now"},
    ),
    "script in a table": (
        "code(5).outputs[1].data['text/html'] = '<b onclick=\"alert()\">P6</b>'",
        {"form": "cell 5 has an HTML output with 'onclick=', which acts", "cell 5": "now"},
    ),
    "formula without its brace": (
        "md[1].source = md[1].source.replace('{2}', '{2')",
        {"form": "has a formula that cannot be read .Expected closing token"},
    ),
    "formula without its end": (
        "md[1].source = md[1].source.replace('x_1)$', 'x_1)')",
        {"form": r"has a \$ without its partner"},
    ),
    # prose
    "number in prose that stands nearby": (
        "md[0].source = md[0].source.replace('last is 1', 'last is 10')",
        {"prose": "says '10' .* where '1' from the cell .* is stored: mend .* or accept it"},
    ),
    "number from another lecture": (
        "md[0].source = md[0].source.replace('18', '19')",
        {"prose": "says '19' in .* where '18' from the cell 02-perceptron#updates is stored"},
    ),
    "year": (
        "md[0].source = md[0].source.replace('1965', '1956')",
        {"prose": "says '1956' .* where '1965' from “year” is stored"},
    ),
    "number of a share": (
        "md[2].source = md[2].source.replace('3 of', '4 of')",
        {"prose": "says '4' in"},
    ),
    "number deleted": (
        "md[2].source = '**The mean is 0.5000, and few points lie above.**'",
        {"prose": "says '3' no more: run `lincourse refresh`"},
    ),
    "number typed in an alt text": (
        "shown = code(3).outputs[0]; alt = shown.data['text/plain'].replace('Ten', '17')\n"
        "shown.metadata['image/png']['alt'] = shown.data['text/plain'] = alt\n"
        "code(3).source = code(3).source.replace('Ten', '17')",
        {"prose": "cell 3 has an alt text that says '17' in “17 points .*neither drawn nor"},
    ),
    "ties deleted": (
        "del md[0].metadata['numbers']",
        {"prose": "says 'Ten' in .*, which is new: run `lincourse refresh`"},
    ),
    # asserts
    "assert or True": (
        "code(6).source = code(6).source.replace('0.5)', '0.5) or True')",
        {"form": r"cell 6 has an assert \(line 1\) that is made true by one side of its `or`"},
    ),
    "assert in a function that nobody calls": (
        "code(6).source += '\\ndef check():\\n    assert x.mean() > 7'",
        {"cell 6": "the assert in line 6 never ran"},
    ),
}


def test_the_untouched_notebook_passes(judge: Judge, good: NotebookNode) -> None:
    assert judge(good) == {}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_fails_for_its_own_reason(judge: Judge, good: NotebookNode, name: str) -> None:
    step, expected = TAMPERINGS[name]
    verdicts = judge(tampered(good, step))
    assert list(verdicts) == list(expected), verdicts
    for item, pattern in expected.items():
        assert re.search(pattern, "\n".join(verdicts[item])), verdicts[item]


def test_without_pictures_text_is_compared(judge: Judge, good: NotebookNode) -> None:
    for name in ("four pixels", "text of a figure"):
        assert judge(tampered(good, TAMPERINGS[name][0]), drawn=False) == {}
    for name in ("digit", "alt text removed"):
        verdicts = judge(tampered(good, TAMPERINGS[name][0]), drawn=False)
        assert verdicts.keys() == TAMPERINGS[name][1].keys()


def test_a_folded_answer_is_validated(judge: Judge, good: NotebookNode) -> None:
    step = "code(2).metadata['tags'] = ['answer']"
    assert "is not folded" in judge(tampered(good, step))["form"][0]
    step += "; code(2).metadata['jupyter'] = {'outputs_hidden': True}"
    assert judge(tampered(good, step)) == {}
    assert "cell 2" in judge(tampered(good, f"{step}\n{TAMPERINGS['digit'][0]}"))


def test_typed_alt_texts_are_no_values(good: NotebookNode) -> None:
    assert not values(code(good, 3)) & {10.0}  # "ten points" is typed in its title


# ---------------------------------------------------------------- the parts, one by one


def png() -> str:
    file = io.BytesIO()
    Image.new("RGBA", (40, 30), "black").save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def display(alt: str = ALT, **data: str) -> NotebookNode:
    data = {mime.replace("_", "/"): content for mime, content in data.items()}
    return new_output("display_data", data=data, metadata={"image/png": {"alt": alt}})


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (new_output("display_data", data={"image/svg+xml": "<svg/>"}), "of the kind image/svg+xml"),
        (display(image_png=png(), alt="A line."), "alt text ('A line.') is shorter than 40"),
        (
            new_output(
                "display_data",
                data={outputs.WIDGET: {"model_id": "5"}, "text/plain": "Output()"},
            ),
            "shows an Output widget",
        ),
    ],
    ids=["SVG", "short alt text", "Output widget"],
)
def test_form_rejects_an_output(output: NotebookNode, problem: str) -> None:
    book = notebook("something")
    code(book, 1).update(execution_count=1, outputs=[output])
    (found,) = form_problems(book, ROOT, RULES)
    assert found.startswith("cell 1 ")
    assert problem in found


@pytest.mark.parametrize("tag", MEANINGS)
@pytest.mark.parametrize("position", [0, 1])
def test_form_rejects_every_tag_that_hides_a_cell(tag: str, position: int) -> None:
    book = notebook("1")
    code(book, 1).execution_count = 1
    assert form_problems(book, ROOT, Rules()) == []
    book.cells[position].metadata["tags"] = [tag]
    (found,) = form_problems(book, ROOT, Rules())
    assert f"has the tag {tag!r}" in found


def test_an_explorer_is_stored_without_its_live_view() -> None:
    picture = {"image/png": png(), "text/plain": ALT}
    live, still = (
        new_output("execute_result", data=data, metadata={"image/png": {"alt": ALT}})
        for data in (picture | {outputs.WIDGET: {"model_id": "5"}}, picture)
    )
    assert compare([still], [live], "") == []
    book = notebook("explorer")
    code(book, 1).update(execution_count=1, outputs=[live])
    assert "stores the live view of an explorer" in form_problems(book, ROOT, Rules())[0]
    assert refresh.refuse(code(book, 1), [live]) == ""
    assert live.data == still.data
    assert form_problems(book, ROOT, Rules()) == []


# ---------------------------------------------------------------- the refresh tool


@pytest.fixture
def stored(tmp_path: Path, good: NotebookNode) -> Path:
    """Return a file with the good notebook, in a folder that has what it names."""
    for name, book in (("good", good), ("02-perceptron", notebook("18"))):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(nbformat.writes(book) + "\n", encoding="utf-8")
    return tmp_path / "good.ipynb"


def test_a_second_refresh_changes_no_byte(stored: Path) -> None:
    expected = json.loads(stored.read_text(encoding="utf-8"))
    book = copy.deepcopy(expected) | {"nbformat_minor": 4}
    book["metadata"] = {"kernelspec": {"name": "x"}, "language_info": {}, "widgets": {"state": 1}}
    for cell in book["cells"]:
        del cell["id"]
        cell["metadata"] = {"execution": {"iopub.status.busy": "2024"}, "tags": ["kept"]}
    stored.write_text(json.dumps(book), encoding="utf-8")

    assert refresh.refresh(stored, SETTINGS)
    first = stored.read_bytes()
    assert not refresh.refresh(stored, SETTINGS)
    assert stored.read_bytes() == first

    book = json.loads(first)
    for one in (book, expected):
        assert one["metadata"].pop("nbsame").keys() == {"versions"}
    ids = [cell["id"] for cell in book["cells"]]
    assert len({*ids}) == 10
    assert book["cells"][0]["metadata"]["numbers"].startswith(f"Ten@{ids[2]} 0.5@{ids[2]} 1@")
    assert all(cell["metadata"]["tags"] == ["kept"] for cell in book["cells"])
    assert {key for cell in book["cells"] for key in cell["metadata"]} == {"numbers", "tags"}
    for cell in (*book["cells"], *expected["cells"]):
        del cell["id"], cell["metadata"]
    assert book == expected


def test_refresh_says_which_numbers_it_cannot_tie(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = notebook("print(0.16)")
    book.cells[0].source = "# Points\n\nThe share is 0.18."
    nbformat.write(book, tmp_path / "loose.ipynb")
    assert refresh.main([str(tmp_path / "loose.ipynb")]) == 0
    assert "says '0.18' in “# Points The share is 0.18.”, which" in capsys.readouterr().out
    stored = outputs.read(tmp_path / "loose.ipynb")
    assert stored.cells[0].metadata["numbers"] == "0.18=?"
    stored.cells[0].source = "# Points\n\nThe share is 0.16."
    (mended,) = prose.problems(stored, tmp_path / "x.ipynb")
    assert mended.endswith("which is new: run `lincourse refresh`.")


def test_homework_sets_its_own_numbers() -> None:
    book = notebook("1")
    book.cells[0].source = "# Points\n\nTake 17 points."
    assert len(list(prose.problems(book, Path("x.ipynb")))) == 1
    book.cells[1].metadata["nbgrader"] = {"grade": True}
    assert list(prose.problems(book, Path("x.ipynb"))) == []


def test_refresh_refuses_what_raises_or_warns_and_goes_on(
    tmp_path: Path, stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = {
        "raises": "print('before')\nx = 1 / 0",
        "warns": "import sys\nprint('mind the gap', file=sys.stderr)",
    }
    for name, source in sources.items():
        book = notebook("1", source)
        book.cells[-1].metadata["tags"] = ["raises-exception"]  # which helps nobody
        nbformat.write(book, tmp_path / f"{name}.ipynb")
    (tmp_path / "broken.ipynb").write_text("{}", encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    names = [*sources, "broken", "good"]
    assert refresh.main([str(tmp_path / f"{name}.ipynb") for name in names]) == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    printed = capsys.readouterr().out
    for part in (
        *("raises.ipynb", "cell 2 must be mended first", "x = 1 / 0\n", "ZeroDivisionError"),
        *("wrote to stderr: mind the gap", "cannot be read as a notebook: KeyError('cells')"),
        *("good.ipynb", "3 of 4 notebooks were refused"),
    ):
        assert part in printed


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "a.ipynb"
    path.write_text("old", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            files.put(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]
    files.put(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["new"]
