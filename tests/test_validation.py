"""The validator validated: a good notebook passes, and each way to tamper with it is caught.

All tampered copies run in one pytest of their own, whose verdicts are read from its JUnit file.
"""

from __future__ import annotations

import base64
import copy
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from tests import validation
from tools import refresh

ROOT = Path(__file__).resolve().parent.parent
ALT = "Ten points on a rising line: each lies higher than the one to its left."

IMPORTS = "import matplotlib.pyplot as plt\nimport numpy as np"
NUMBERS = 'x = np.linspace(0, 1, 10)\nprint(f"mean {x.mean():.4f}")\nprint(f"last {x[-1]:.4f}")'
FIGURE = f"""\
fig, ax = plt.subplots(figsize=(4, 3))
ax.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.1))
points = ax.scatter(x, x)
display(fig, metadata={{"image/png": {{"alt": "{ALT}"}}}})
plt.close(fig)"""
SEMICOLON = "np.cumsum(x);"
TEXTS = 'print("first")\ndisplay("second")\nprint("third")'

# The fifth of ten points, one marker's width to the right: 6 of a figure's 72 points an inch.
MOVED = FIGURE.replace(
    "display(",
    "origin, end = ax.transData.inverted().transform([(0, 0), (fig.dpi * 6 / 72, 0)])\n"
    "points.set_offsets(np.c_[x, x] + np.outer(np.arange(10) == 4, end - origin))\n"
    "display(",
)
REPLACED = FIGURE.replace("scatter(x, x)", "scatter(x, 1 - x)")


def notebook(*sources: str) -> NotebookNode:
    """Build an unrun notebook with a heading and these code cells, so that code cell k is k-th."""
    kernel = {"kernelspec": refresh.KERNELSPEC}
    cells = [new_markdown_cell("# Ten points"), *map(new_code_cell, sources)]
    return new_notebook(cells=cells, metadata=kernel)


def run_pytest(folder: Path, *arguments: str) -> tuple[str, dict[str, dict[str, str]]]:
    """Validate in a folder; return what was printed, and {notebook: {item: message or ''}}."""
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "--rootdir", str(folder)]
    command += ["-p", "tests.validation", "-p", "no:hypothesispytest"]
    command += ["--junit-xml", str(folder / "verdicts.xml"), *arguments]
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    # A person's own settings, which must not matter.
    (folder.parent / "matplotlibrc").write_text("axes.facecolor: red", encoding="utf-8")
    outer |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": str(folder.parent / "matplotlibrc")}
    done = subprocess.run(command, cwd=ROOT, env=outer, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    verdicts: dict[str, dict[str, str]] = {}
    for case in ElementTree.parse(folder / "verdicts.xml").iter("testcase"):
        name = case.get("classname", "").removesuffix(".ipynb")
        message = "".join(part.text or part.tag for part in case)
        verdicts.setdefault(name, {})[case.get("name", "")] = message
    return done.stdout, verdicts


def failures(verdicts: dict[str, str]) -> list[str]:
    return [item for item, message in verdicts.items() if message]


# ---------------------------------------------------------------- the good notebook


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NotebookNode]:
    """Return the good notebook and two whose figure is another, run by the refresh tool."""
    folder = tmp_path_factory.mktemp("refreshed")
    figures = {"good": FIGURE, "moved": MOVED, "replaced": REPLACED}
    paths = [folder / f"{name}.ipynb" for name in figures]
    for path, figure in zip(paths, figures.values(), strict=True):
        nbformat.write(notebook(IMPORTS, NUMBERS, figure, SEMICOLON, TEXTS), path)
    command = [sys.executable, "-m", "tools.refresh", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def code(book: NotebookNode, number: int) -> NotebookNode:
    return [cell for cell in book.cells if cell.cell_type == "code"][number - 1]


# ---------------------------------------------------------------- tampering


def change_digit(book: NotebookNode) -> None:
    output = code(book, 2).outputs[0]
    output.text = output.text.replace("0.5000", "0.5001")


def delete_outputs(number: int) -> Callable[[NotebookNode], None]:
    def tamper(book: NotebookNode) -> None:
        code(book, number).outputs = []

    return tamper


def empty_count(book: NotebookNode) -> None:
    code(book, 2).execution_count = None


def empty_count_and_output(book: NotebookNode) -> None:
    empty_count(book)
    code(book, 2).outputs = []


def swap_cells(book: NotebookNode) -> None:
    book.cells[2], book.cells[5] = book.cells[5], book.cells[2]


def store_stderr(book: NotebookNode) -> None:
    code(book, 2).outputs.append(new_output("stream", name="stderr", text="Warning: overflow\n"))


def add_tag(book: NotebookNode) -> None:
    code(book, 2).metadata["tags"] = ["nbval-ignore-output"]


def add_tag_and_change_digit(book: NotebookNode) -> None:
    add_tag(book)
    change_digit(book)


def add_comment(book: NotebookNode) -> None:
    code(book, 2).source = "# NBVAL_IGNORE_OUTPUT\n" + code(book, 2).source


def change_source(book: NotebookNode) -> None:
    code(book, 2).source = NUMBERS.replace("np.linspace(0, 1, 10)", "np.linspace(0, 1, 11) ** 2")


def raise_unnoticed(book: NotebookNode) -> None:
    code(book, 2).source += "\n1 / 0"
    code(book, 2).metadata["tags"] = ["raises-exception"]


def warn_unnoticed(book: NotebookNode) -> None:
    code(book, 2).source += '\nimport warnings\nwarnings.warn("new in this version")'


def remove_alt_text(book: NotebookNode) -> None:
    code(book, 3).outputs[0].metadata = {}


def rename_kernel(book: NotebookNode) -> None:
    book.metadata.kernelspec.name = "my-own-kernel"


def lengthen(book: NotebookNode) -> None:
    source = code(book, 4).source
    code(book, 4).source = "# more\n" * (20 - source.count("\n")) + source


def move_text(book: NotebookNode) -> None:
    outputs = code(book, 5).outputs
    outputs[0].text += outputs.pop().text


def figure_from(name: str) -> Callable[..., None]:
    def tamper(book: NotebookNode, refreshed: dict[str, NotebookNode]) -> None:
        code(book, 3).outputs = copy.deepcopy(code(refreshed[name], 3).outputs)

    return tamper


PIXELS = r"cell 3: figure 1 differs in \d+ pixels by more than 10% \(10 may\), the largest .* \d+%"
# Name: (what is done, the items that fail because of it, what each of them says).
TAMPERINGS: dict[str, tuple[Callable[..., None], dict[str, str]]] = {
    "digit": (change_digit, {"cell 2": r"cell 2: output 1 \(stdout\) has other text"}),
    "figure-replaced": (figure_from("replaced"), {"cell 3": PIXELS}),
    "point-moved": (figure_from("moved"), {"cell 3": PIXELS}),
    "figure-deleted": (
        delete_outputs(3),
        {"cell 3": r"there are 1 outputs \(display of image/png .*\), stored are 0 \(none\)"},
    ),
    "output-deleted": (
        delete_outputs(2),
        {"cell 2": r"there are 1 outputs \(stdout\), stored are 0 \(none\)"},
    ),
    "text-moved": (
        move_text,
        {"cell 5": r"3 outputs \(stdout, display of text/plain, stdout\), stored are 2 \(stdout, "},
    ),
    "count-emptied": (empty_count, {"form": "cell 2 was not run, its execution_count is empty"}),
    "count-and-output-emptied": (
        empty_count_and_output,
        {"form": "cell 2 was not run", "cell 2": r"there are 1 outputs \(stdout\), stored are 0"},
    ),
    "cells-swapped": (
        swap_cells,
        {
            "form": "cell 2 was run out of order, its execution_count is 5 instead of 2",
            "cell 3": "NameError",
            "cell 4": "NameError",
        },
    ),
    "stderr-stored": (
        store_stderr,
        {
            "form": "cell 2 stores a message on stderr .'Warning: overflow'.",
            "cell 2": r"there are 1 outputs \(stdout\), stored are 2 \(stdout, stderr\)",
        },
    ),
    "stderr-fresh": (warn_unnoticed, {"cell 2": "the cell writes to stderr"}),
    "tag": (add_tag, {"form": "cell 2 has the tag 'nbval-ignore-output'"}),
    "tag-and-digit": (
        add_tag_and_change_digit,
        {"form": "cell 2 has the tag", "cell 2": "has other text"},
    ),
    "raises-tag": (
        raise_unnoticed,
        {
            "form": "cell 2 has the tag 'raises-exception'",
            "cell 2": r"caused an exception[^|]*1 / 0",
        },
    ),
    "comment": (add_comment, {"form": "cell 2 has the comment '# NBVAL_IGNORE_OUTPUT'"}),
    "source-changed": (change_source, {"cell 2": "has other text", "cell 3": "differs in"}),
    "alt-text-removed": (
        remove_alt_text,
        {"form": "cell 3 has a figure without alt text", "cell 3": "has another alt text"},
    ),
    "kernel": (rename_kernel, {"form": "the kernel is named 'my-own-kernel' instead of 'python3'"}),
    "long-cell": (lengthen, {"form": "cell 4 has 21 lines, more than 20"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, refreshed: dict[str, NotebookNode]) -> Path:
    """Return a folder with the good notebook, all its tampered copies, and two not to collect."""
    folder = tmp_path_factory.mktemp("home") / "tampered"
    folder.mkdir()
    nbformat.write(refreshed["good"], folder / "good.ipynb")
    for name, (tamper, _) in TAMPERINGS.items():
        book = copy.deepcopy(refreshed["good"])
        if tamper.__qualname__.startswith("figure_from"):
            tamper(book, refreshed)
        else:
            tamper(book)
        nbformat.write(book, folder / f"{name}.ipynb")
    for skipped in (".ipynb_checkpoints", "release"):
        (folder / skipped).mkdir()
        nbformat.write(notebook("1 / 0"), folder / skipped / "skipped.ipynb")
    return folder


@pytest.fixture(scope="module")
def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    return run_pytest(folder, str(folder))[1]


def test_the_untouched_notebook_passes(verdicts: dict[str, dict[str, str]]) -> None:
    items = ["form", *(f"cell {number}" for number in range(1, 6))]
    assert verdicts["good"] == dict.fromkeys(items, "")


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_fails_for_its_own_reason(verdicts: dict[str, dict[str, str]], name: str) -> None:
    expected = TAMPERINGS[name][1]
    assert failures(verdicts[name]) == list(expected)
    for item, pattern in expected.items():
        assert re.search(pattern, verdicts[name][item]), verdicts[name][item]


def test_checkpoints_and_releases_are_not_collected(verdicts: dict[str, dict[str, str]]) -> None:
    assert set(verdicts) == {"good", *TAMPERINGS}


def test_a_failing_cell_shows_source_and_both_outputs(verdicts: dict[str, dict[str, str]]) -> None:
    lines = verdicts["digit"]["cell 2"].splitlines()
    assert '   2  print(f"mean {x.mean():.4f}")' in lines
    row = lines.index("> mean 0.5001".ljust(56) + " | mean 0.5000")
    assert lines[row + 1] == "            ^".ljust(56) + " |           ^"


def test_a_figure_that_differs_is_saved(folder: Path, verdicts: dict[str, dict[str, str]]) -> None:
    saved = re.findall(r"\S+\.png", verdicts["point-moved"]["cell 3"])
    stem = ".pytest_cache/figures/point-moved/3-1-"
    assert saved == [f"{stem}{name}.png" for name in ("stored", "fresh", "difference")]
    sizes = {Image.open(folder / path).size for path in saved}
    assert len(sizes) == 1


def test_text_only_compares_text_but_no_pixels(folder: Path) -> None:
    chosen = [str(folder / f"{name}.ipynb") for name in ("digit", "figure-replaced")]
    printed, verdicts = run_pytest(folder, "--text-only", "-n", "0", *chosen)
    assert failures(verdicts["figure-replaced"]) == []
    assert failures(verdicts["digit"]) == ["cell 2"]
    assert "the pixels of figures are NOT compared" in printed


def test_every_cell_has_a_minute_and_laxity_is_refused(request: pytest.FixtureRequest) -> None:
    assert request.config.getoption("nbval_cell_timeout") == 60
    with pytest.raises(pytest.UsageError, match="--nbval-lax compares nothing"):
        validation.pytest_configure(SimpleNamespace(getoption=lambda name: name == "nbval_lax"))


# ---------------------------------------------------------------- the parts, one by one


def display(alt: str = ALT, **data: str) -> NotebookNode:
    data = {mime.replace("_", "/"): content for mime, content in data.items()}
    return new_output("display_data", data=data, metadata={"image/png": {"alt": alt}})


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (new_output("error", ename="KeyError", evalue="'k'"), "stores the error KeyError"),
        (display(text_plain="<object at 0x7f4c>"), "shows a memory address"),
        (display(image_png="", alt="A line."), "alt text ('A line.') is shorter than 40"),
        (
            new_output(
                "display_data",
                data={validation.WIDGET: {"model_id": "5"}, "text/plain": "Output()"},
            ),
            "shows an Output widget",
        ),
    ],
    ids=["error", "address", "short alt text", "Output widget"],
)
def test_form_rejects_an_output(output: NotebookNode, problem: str) -> None:
    book = notebook("something")
    code(book, 1).update(execution_count=1, outputs=[output])
    (found,) = validation.form_problems(book)
    assert found.startswith("cell 1 ")
    assert problem in found


@pytest.mark.parametrize("tag", [*validation.nbval.plugin.metadata_tags, "skip-execution"])
@pytest.mark.parametrize("position", [0, 1])
def test_form_rejects_every_tag_that_hides_a_cell(tag: str, position: int) -> None:
    book = notebook("1")
    code(book, 1).execution_count = 1
    assert validation.form_problems(book) == []
    book.cells[position].metadata["tags"] = ["claim-P6", tag]
    (found,) = validation.form_problems(book)
    assert f"has the tag {tag!r}" in found


@pytest.mark.parametrize("marker", validation.nbval.plugin.comment_markers)
def test_form_rejects_every_comment_that_hides_a_cell(marker: str) -> None:
    book = notebook(f"x = 1\n  #{marker}\nx")
    code(book, 1).execution_count = 1
    (found,) = validation.form_problems(book)
    assert "which hides it from comparison" in found


def png(pixels: int = 0, level: int = 0, size: tuple[int, int] = (40, 30), **options: int) -> str:
    """Return a black picture in which this many pixels have this level in one channel."""
    picture = Image.new("RGBA", size, (0, 0, 0, 255))
    for k in range(pixels):
        picture.putpixel((k % size[0], k // size[0]), (0, level, 0, 255))
    file = io.BytesIO()
    picture.save(file, "PNG", **options)
    return base64.b64encode(file.getvalue()).decode()


@pytest.mark.parametrize(
    ("pixels", "level", "same"),
    [(0, 0, True), (10, 255, True), (11, 255, False), (300, 25, True), (300, 26, False)],
)
def test_figures_are_the_same_up_to_the_stated_tolerance(
    pixels: int, level: int, same: bool
) -> None:
    assert (validation.figure_difference(png(), png(pixels, level)) is None) == same


def test_a_figure_of_another_size_differs() -> None:
    sentence, _ = validation.figure_difference(png(size=(40, 30)), png(size=(41, 30)))
    assert sentence == "is now 41 × 30 pixels, stored are 40 × 30"


def test_a_stored_figure_that_is_none_differs() -> None:
    for spoiled in ("not base64", base64.b64encode(b"not a picture").decode(), png()[:40]):
        assert validation.figure_difference(spoiled, png()) == ("cannot be read as a PNG", None)


def test_another_alt_text_is_a_difference_even_if_the_figure_is_the_same() -> None:
    stored, fresh = display(image_png=png()), display(image_png=png(), alt=ALT + "..")
    assert validation.output_differences(stored, fresh) == ["has another alt text"]
    assert validation.output_differences(stored, stored) == []


def test_only_neighbouring_writes_to_one_stream_are_joined() -> None:
    one, two, three = (new_output("stream", name="stdout", text=text) for text in "123")
    between = display(text_plain="between")
    joined = [new_output("stream", name="stdout", text="12"), between, three]
    assert validation.merged([one, two, between, three]) == joined
    assert one.text == "1"


def test_random_widget_ids_are_no_difference_but_other_content_is() -> None:
    stored, fresh, other = (
        new_output("display_data", data={validation.WIDGET: {"model_id": k}, "text/plain": text})
        for k, text in ((1, "IntSlider(value=7)"), (2, "IntSlider(value=7)"), (2, "IntSlider()"))
    )
    assert validation.output_differences(stored, fresh) == []
    assert validation.output_differences(stored, other) == ["has other text/plain"]


def explorer(**changes: object) -> NotebookNode:
    """Return what displaying an explorer gives in a run: live view, still picture and text."""
    data = {validation.WIDGET: {"model_id": "5"}, "image/png": png(), "text/plain": ALT} | changes
    return new_output("execute_result", data=data, metadata={"image/png": {"alt": ALT}})


def stored_explorer(**changes: object) -> NotebookNode:
    output = explorer(**changes)
    del output.data[validation.WIDGET]
    return output


def test_an_explorer_stored_without_its_live_view_is_the_same() -> None:
    assert validation.output_differences(stored_explorer(), explorer()) == []
    assert validation.output_differences(explorer(), explorer()) == []


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"text/plain": "another line"}, "has other text/plain"),
        ({"image/png": png(300, 255)}, "differs in 300 pixels"),
        ({"text/html": "<p>more</p>"}, "is now result of image/png + text/html + text/plain"),
    ],
    ids=["text", "pixels", "kind"],
)
def test_an_explorer_that_shows_something_else_differs(change: dict, difference: str) -> None:
    (found,) = validation.output_differences(stored_explorer(), explorer(**change))
    assert found.startswith(difference)


def test_a_live_view_without_a_still_picture_must_be_stored() -> None:
    data = {validation.WIDGET: {"model_id": "5"}, "text/plain": "IntSlider(value=7)"}
    fresh = new_output("execute_result", data=data)
    stored = new_output("execute_result", data={"text/plain": "IntSlider(value=7)"})
    assert validation.output_differences(stored, fresh) != []


def test_form_rejects_a_stored_live_view_of_an_explorer() -> None:
    book = notebook("explorer")
    code(book, 1).update(execution_count=1, outputs=[stored_explorer()])
    assert validation.form_problems(book) == []
    code(book, 1).outputs = [explorer()]
    (found,) = validation.form_problems(book)
    assert "stores the live view of an explorer" in found


def test_refresh_stores_an_explorer_without_its_live_view() -> None:
    stored, fresh = notebook("explorer"), notebook("explorer")
    code(fresh, 1).outputs = [explorer()]
    (kept,) = code(refresh.tidied(stored, fresh), 1).outputs
    assert kept.data == stored_explorer().data


def test_side_by_side_clips_long_outputs_around_the_first_difference() -> None:
    stored = [f"line {k}" for k in range(100)]
    fresh = [*stored[:60], "x" * 200 + "!", *stored[61:]]
    stored[60] = "x" * 200 + "?"
    lines = validation.side_by_side(stored, fresh, width=30, height=10).splitlines()
    (marked,) = (line for line in lines if line.startswith(">"))
    assert "?" in marked
    assert "!" in marked
    assert max(map(len, lines)) <= 2 + 30 + 3 + 30
    assert len(lines) <= 2 + 1 + 10 + 1 + 1


# ---------------------------------------------------------------- the refresh tool


@pytest.fixture
def good(tmp_path: Path, refreshed: dict[str, NotebookNode]) -> Path:
    path = tmp_path / "good.ipynb"
    path.write_text(nbformat.writes(refreshed["good"]) + "\n", encoding="utf-8")
    return path


def test_refresh_stores_a_stable_form_and_a_second_run_changes_no_byte(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = json.loads(good.read_text(encoding="utf-8"))
    clean = good.read_bytes()
    book["nbformat_minor"] = 4
    book["metadata"] = {"kernelspec": {"name": "x"}, "language_info": {}, "widgets": {"state": 1}}
    for cell in book["cells"]:
        del cell["id"]
        cell["metadata"] = {"execution": {"iopub.status.busy": "2024"}, "tags": ["kept"]}
    good.write_text(json.dumps(book), encoding="utf-8")

    assert refresh.main([str(good)]) == 0
    assert "rewritten" in capsys.readouterr().out
    first = good.read_bytes()
    assert refresh.main([str(good)]) == 0
    assert "unchanged" in capsys.readouterr().out
    assert good.read_bytes() == first

    book = json.loads(first)
    assert [cell.pop("id") for cell in book["cells"]] == [f"cell-{k:02}" for k in range(1, 7)]
    assert all(cell.pop("metadata") == {"tags": ["kept"]} for cell in book["cells"])
    expected = json.loads(clean)
    for cell in expected["cells"]:
        del cell["id"], cell["metadata"]
    assert book == expected
    assert book["metadata"]["kernelspec"] == refresh.KERNELSPEC
    assert book["metadata"]["language_info"] == {"name": "python"}
    assert first.decode().endswith("\n}\n")


def test_refresh_refuses_what_raises_or_warns_and_goes_on(
    tmp_path: Path, good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = {
        "raises": "print('before')\nx = 1 / 0",
        "warns": "import sys\nprint('mind the gap', file=sys.stderr)",
        "tagged": "raise KeyError('k')",
    }
    paths = [tmp_path / f"{name}.ipynb" for name in sources]
    for path, source in zip(paths, sources.values(), strict=True):
        book = notebook("1", source)
        book.cells[-1].metadata["tags"] = ["raises-exception"] if path.stem == "tagged" else []
        nbformat.write(book, path)
    broken = tmp_path / "broken.ipynb"
    broken.write_text("{}", encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    assert refresh.main(list(map(str, [*paths, broken, good]))) == 1
    printed = capsys.readouterr().out
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert "raises.ipynb" in printed
    assert "cell 2 must be mended first" in printed
    assert "    x = 1 / 0\n" in printed
    assert "ZeroDivisionError: division by zero" in printed
    assert "it wrote to stderr: mind the gap" in printed
    assert "KeyError: 'k'" in printed
    assert "cannot be read as a notebook: KeyError('cells')" in printed
    assert re.search(r"good.ipynb: .* unchanged", printed)
    assert "4 of 5 notebooks were refused" in printed


def test_an_interrupted_refresh_leaves_the_notebook_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "slow.ipynb"
    wait = (
        "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(50)"
    )
    nbformat.write(notebook(wait), path)
    before = path.read_bytes()
    command = [sys.executable, "-m", "tools.refresh", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=30)
    assert process.returncode == 1
    assert printed.strip() == "Stopped: the notebook at hand is as it was."
    kernel = Path("/proc") / (tmp_path / "pid").read_text()
    until(lambda: not kernel.exists())
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pid", "slow.ipynb"]


def until(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "this did not happen in time"
        time.sleep(0.05)


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
            refresh.replace(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]
    refresh.replace(path, "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["new"]


def test_refresh_keeps_the_stored_bytes_of_a_figure_that_looks_the_same() -> None:
    stored, same, other = (
        display(image_png=picture)
        for picture in (png(5, 255), png(5, 255, compress_level=0), png(50, 255))
    )
    assert stored != same
    assert validation.keep_stored([stored], [same]) == [stored]
    assert validation.keep_stored([stored], [other]) == [other]
    assert validation.keep_stored([], [other]) == [other]


def test_missing_and_repeated_cell_ids_are_named_by_position() -> None:
    cells = [{"id": "cell-02"}, {}, {"id": "cell-02"}, {"id": "claim-P6"}]
    refresh.name_cells(cells)
    assert [cell["id"] for cell in cells] == ["cell-02", "cell-03", "cell-04", "claim-P6"]
