"""A pytest plugin that holds every notebook to its stored outputs, figures included.

nbval starts the kernel and runs the cells. What it would let pass is closed here:

- ``form``, one item a notebook, looks at the file: run in order, nothing hidden, figures described;
- ``cell k``, one item a code cell, compares *every* output of a fresh run with the stored one:
  their number, kind and order, text exactly, figures as decoded pixels, and their alt text.

Tags and comments that make nbval look away have no effect here, and ``form`` rejects them.
Cells are counted as JupyterLab counts them: cell k is the one whose prompt is ``[k]``.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import nbformat
import nbval.kernel
import nbval.plugin
import pytest
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError
from PIL import Image, ImageChops

# Two renderings of one figure count as the same while at most PIXELS_ALLOWED pixels differ by more
# than CHANNEL_STEP of the full range in any channel. That forgives a rounding at the edge of a
# curve; a point moved by one marker's width changes about a hundred pixels by far more.
CHANNEL_STEP = 0.10
PIXELS_ALLOWED = 10

LONGEST_CELL = 20  # lines: what fits on a screen beside its output
SHORTEST_ALT = 40  # characters: less cannot state a conclusion
NOT_COLLECTED = {".ipynb_checkpoints", "release"}  # copies, and templates without outputs
HIDING_TAGS = ("nbval", "pytest", "raises-exception", "skip")
PNG = "image/png"
WIDGET = "application/vnd.jupyter.widget-view+json"


# ---------------------------------------------------------------- what is in a notebook


def runs(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(cell.source.strip())


def merged(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring writes to one stream: where they are split depends on timing."""
    result: list[NotebookNode] = []
    for output in outputs:
        output = NotebookNode(output)  # a copy, so that joining leaves the notebook as it is
        last = result[-1] if result else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            result.append(output)
    return result


# nbval joins all writes to a stream, so text could move past a figure unseen.
nbval.plugin.coalesce_streams = merged


def kind(output: NotebookNode) -> str:
    """Return what a reader would call this output, e.g. ``stdout`` or ``display of image/png``."""
    if output.output_type == "stream":
        return output.name
    if output.output_type == "error":
        return "error"
    role = "result" if output.output_type == "execute_result" else "display"
    return f"{role} of {' + '.join(sorted(set(output.data) - live_view(output)))}"


def live_view(output: NotebookNode) -> set[str]:
    """Return the live view of an explorer, if its still picture lies beside it.

    It needs a running kernel. Without one JupyterLab shows an error in its place and hides the
    picture, so that a notebook stores the picture alone, and a run has both.
    """
    return {WIDGET} & set(output.get("data", {})) if has_figure(output) else set()


def has_figure(output: NotebookNode) -> bool:
    return PNG in output.get("data", {})


def alt_text(output: NotebookNode) -> str:
    return output.get("metadata", {}).get(PNG, {}).get("alt", "").strip()


# ---------------------------------------------------------------- the form of a notebook


def form_problems(notebook: NotebookNode) -> list[str]:
    """Return one sentence for each thing about the stored file that must not be."""
    problems = []
    kernel = notebook.metadata.get("kernelspec", {}).get("name")
    if kernel != "python3":
        problems.append(f"the kernel is named {kernel!r} instead of 'python3': run `make refresh`.")
    count = 0
    for cell in notebook.cells:
        if runs(cell):
            count += 1
            place = f"cell {count}"
            found = itertools.chain(source_problems(cell), run_problems(cell, count))
        else:
            place = f"the {cell.cell_type} cell after cell {count}"
            found = stray_output_problems(cell)
        problems += [f"{place} {problem}" for problem in itertools.chain(tag_problems(cell), found)]
    return problems


def tag_problems(cell: NotebookNode) -> Iterator[str]:
    for tag in cell.metadata.get("tags", []):
        if tag.lower().startswith(HIDING_TAGS):
            yield f"has the tag {tag!r}, which hides it from comparison: remove the tag."


def source_problems(cell: NotebookNode) -> Iterator[str]:
    lines = cell.source.rstrip().splitlines()
    if len(lines) > LONGEST_CELL:
        yield f"has {len(lines)} lines, more than {LONGEST_CELL}: split it, or move code to linlib."
    for line in map(str.strip, lines):
        comment = line.lstrip("#").strip().upper()
        if line.startswith("#") and comment in nbval.plugin.comment_markers:
            yield f"has the comment {line!r}, which hides it from comparison: remove the comment."


def run_problems(cell: NotebookNode, count: int) -> Iterator[str]:
    if cell.execution_count is None:
        yield "was not run, its execution_count is empty: run `make refresh`."
    elif cell.execution_count != count:
        yield (
            f"was run out of order, its execution_count is {cell.execution_count} "
            f"instead of {count}: run `make refresh`."
        )
    for output in cell.outputs:
        yield from output_problems(output)


def stray_output_problems(cell: NotebookNode) -> Iterator[str]:
    if cell.get("outputs"):
        yield "is empty but has stored outputs: delete the cell."


def output_problems(output: NotebookNode) -> Iterator[str]:
    if output.get("name") == "stderr":
        line = output.text.strip().partition("\n")[0]
        yield f"stores a message on stderr ({line[:60]!r}): cure its cause, then `make refresh`."
    if output.output_type == "error":
        yield f"stores the error {output.ename}: cure its cause, then `make refresh`."
    if has_figure(output) and not alt_text(output):
        yield "has a figure without alt text: display it with one that states its conclusion."
    elif has_figure(output) and len(alt_text(output)) < SHORTEST_ALT:
        yield (
            f"has a figure whose alt text ({alt_text(output)!r}) is shorter than "
            f"{SHORTEST_ALT} characters: state the figure's conclusion."
        )
    if " at 0x" in json.dumps(output):
        yield "shows a memory address, which changes with every run: print something else."
    if live_view(output):
        yield "stores the live view of an explorer, which needs a kernel: run `make refresh`."
    data = output.get("data", {})
    if WIDGET in data and "Output(" in data.get("text/plain", ""):
        yield "shows an Output widget, whose content cannot be compared: display it directly."


# ---------------------------------------------------------------- comparing outputs


def decoded(figure: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(figure))).convert("RGBA")


def figure_difference(stored: str, fresh: str) -> tuple[str, Image.Image | None] | None:
    """Compare two base64 PNGs; return a sentence and a picture of the difference, or None."""
    if stored.split() == fresh.split():
        return None
    try:
        old, new = decoded(stored), decoded(fresh)
    except (OSError, ValueError):
        return "cannot be read as a PNG", None
    if old.size != new.size:
        return "is now {} × {} pixels, stored are {} × {}".format(*new.size, *old.size), None
    channels = ImageChops.difference(old, new).split()
    change = functools.reduce(ImageChops.lighter, channels)  # each pixel's worst channel
    pixels = sum(change.histogram()[int(255 * CHANNEL_STEP) + 1 :])
    if pixels <= PIXELS_ALLOWED:
        return None
    sentence = (
        f"differs in {pixels} pixels by more than {CHANNEL_STEP:.0%} ({PIXELS_ALLOWED} may), "
        f"the largest difference is {change.getextrema()[1] / 255:.0%}"
    )
    return sentence, ImageChops.invert(change)


def output_differences(
    stored: NotebookNode, fresh: NotebookNode, *, pixels: bool = True
) -> list[str]:
    """Return a phrase for each way in which two outputs differ; none if they are the same."""
    if kind(stored) != kind(fresh):
        return [f"is now {kind(fresh)}, stored is {kind(stored)}"]
    if "data" not in stored:
        same = all(stored.get(key) == fresh.get(key) for key in ("text", "ename", "evalue"))
        return [] if same else [f"({kind(stored)}) has other text"]
    found = []
    for mime in stored.data:
        if mime == PNG:
            change = figure_difference(stored.data[PNG], fresh.data[PNG]) if pixels else None
            found += [change[0]] if change else []
        elif mime != WIDGET and stored.data[mime] != fresh.data[mime]:  # a view's id is random
            found.append(f"has other {mime}")
    if alt_text(stored) != alt_text(fresh):
        found.append("has another alt text")
    elif stored.get("metadata", {}) != fresh.get("metadata", {}):
        found.append("has other metadata")
    return found


def keep_stored(
    stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode], *, pixels: bool = True
) -> list[NotebookNode]:
    """Return the fresh outputs, but a stored one wherever the two count as the same."""
    return [
        old if old and not output_differences(old, new, pixels=pixels) else new
        for old, new in itertools.zip_longest(stored[: len(fresh)], fresh)
    ]


# ---------------------------------------------------------------- showing a difference


def rendered(outputs: Iterable[NotebookNode]) -> list[str]:
    """Return the outputs as lines of text, a figure as its digest and alt text."""
    lines = []
    for output in outputs:
        lines.append(f"[{kind(output)}]")
        if output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        lines += output.get("text", "").split("\n") if "text" in output else []
        for mime, content in sorted(output.get("data", {}).items()):
            if mime == PNG:
                digest = hashlib.sha256(content.encode()).hexdigest()[:8]
                lines += [f"figure, digest {digest}", f"alt: {alt_text(output)}"]
            elif mime != WIDGET:
                lines += (content if isinstance(content, str) else json.dumps(content)).split("\n")
    return lines


def side_by_side(
    stored: Sequence[str], fresh: Sequence[str], *, width: int = 54, height: int = 24
) -> str:
    """Return two columns with ``>`` at the first line that differs and ``^`` at its first sign."""
    rows = list(itertools.zip_longest(stored, fresh))
    first = next((k for k, (left, right) in enumerate(rows) if left != right), None)
    top = max(0, (first or 0) - height // 3)
    lines = [f"  {'stored':{width}} | fresh", f"  {'-' * width}-+-{'-' * width}"]
    if top:
        lines.append(f"  … {top} equal lines")
    for k, (left, right) in list(enumerate(rows))[top : top + height]:
        column = common_length(left or "", right or "") if k == first else 0
        start = max(0, column - width + 10)
        cells = [clipped(text or "", start, width) for text in (left, right)]
        lines.append(f"{'>' if k == first else ' '} {cells[0]:{width}} | {cells[1]}".rstrip())
        if k == first:
            caret = " " * (column - start) + "^"
            lines.append(f"  {caret:{width}} | {caret}")
    if len(rows) > top + height:
        lines.append(f"  … {len(rows) - top - height} more lines")
    return "\n".join(lines)


def common_length(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def clipped(text: str, start: int, width: int) -> str:
    """Return ``width`` signs of one line from ``start`` on, with control signs made visible."""
    text = text.translate({9: "→", 13: "␍", 27: "␛"})[start:]
    return text if len(text) <= width else text[: width - 1] + "…"


# ---------------------------------------------------------------- pytest


def relative(path: Path, config: pytest.Config) -> Path:
    return Path(os.path.relpath(path, config.rootpath))


class Form(pytest.Item):
    """The stored file itself: see ``form_problems``."""

    def runtest(self) -> None:
        path = relative(self.path, self.config)
        problems = form_problems(self.parent.nb)
        if problems:
            pytest.fail("\n".join(f"{path}: {problem}" for problem in problems), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Cell(IPyNbCell):
    """One code cell, run after those before it, with all its outputs compared."""

    stored: list[NotebookNode]

    def setup(self) -> None:
        if self.parent.timed_out:
            pytest.skip("an earlier cell of this notebook ran out of time")

    def runtest(self) -> None:
        traceback = ""
        try:
            super().runtest()
            problems = self.problems(self.stored, self.test_outputs)
        except NbCellError as error:
            problems = [f"{error}".rstrip(".") + "."]
            traceback = re.sub(r"\x1b\[[\d;]*m", "", error.inner_traceback or "")
        if problems:
            pytest.fail(self.report(problems, traceback), pytrace=False)

    def problems(self, stored: list[NotebookNode], fresh: list[NotebookNode]) -> list[str]:
        if any(kind(output) == "stderr" for output in fresh):
            return ["the cell writes to stderr: cure the cause of that message."]
        if len(stored) != len(fresh):
            now, then = (", ".join(map(kind, outputs)) or "none" for outputs in (fresh, stored))
            return [f"there are {len(fresh)} outputs ({now}), stored are {len(stored)} ({then})."]
        pixels = not self.config.getoption("text_only")
        found = []
        figure = 0
        for k, (old, new) in enumerate(zip(stored, fresh, strict=True), start=1):
            figure += has_figure(new)
            for difference in output_differences(old, new, pixels=pixels):
                name = f"figure {figure}" if has_figure(new) else f"output {k}"
                found.append(f"{name} {difference}.")
            if pixels and has_figure(old) and has_figure(new):
                found += self.saved_figures(old, new, figure)
        return found

    def saved_figures(self, stored: NotebookNode, fresh: NotebookNode, figure: int) -> list[str]:
        """Save two figures that differ for a look at them; return a sentence that says where."""
        change = figure_difference(stored.data[PNG], fresh.data[PNG])
        if not change:
            return []
        folder = self.parent.figures
        folder.mkdir(parents=True, exist_ok=True)
        paths = [
            folder / f"{self.cell_num}-{figure}-{name}.png"
            for name in ("stored", "fresh", "difference")
        ]
        for path, output in zip(paths, (stored, fresh), strict=False):
            with contextlib.suppress(ValueError):  # stored text that is not base64
                path.write_bytes(base64.b64decode(output.data[PNG]))
        if change[1]:
            change[1].save(paths[2])
        saved = [str(relative(path, self.config)) for path in paths if path.exists()]
        return [f"look at {', '.join(saved)}"]

    def report(self, problems: list[str], traceback: str) -> str:
        path = relative(self.path, self.config)
        pixels = not self.config.getoption("text_only")
        fresh = keep_stored(self.stored, self.test_outputs or [], pixels=pixels)
        source = self.cell.source.split("\n")
        return "\n".join(
            [
                *(f"{path}, cell {self.cell_num}: {problem}" for problem in problems),
                "",
                *(f"  {k:2}  {line}" for k, line in enumerate(source, start=1)),
                "",
                side_by_side(rendered(self.stored), rendered(fresh)),
                traceback,
            ]
        ).rstrip()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}, {self.name}"


class Notebook(IPyNbFile):
    """A notebook: its form, then its code cells in one fresh kernel of this environment."""

    def collect(self) -> Iterator[pytest.Item]:
        self.nb = nbformat.read(self.path, as_version=4)
        yield Form.from_parent(self, name="form")
        for number, cell in enumerate(filter(runs, self.nb.cells), start=1):
            # nbval only runs the source; its comparison, and all that switches it off, is off.
            item = Cell.from_parent(
                self,
                name=f"cell {number}",
                cell_num=number,
                cell=NotebookNode(source=cell.source, execution_count=number, outputs=[]),
                options=dict.fromkeys(("check", "check_exception", "skip"), False),
            )
            item.stored = merged(cell.outputs)
            item.output_timeout = 30  # seconds; nbval's 5 are too few on a busy machine
            yield item

    @property
    def figures(self) -> Path:
        parts = relative(self.path.with_suffix(""), self.config).parts
        inside = [part for part in parts if part != ".."]
        return self.config.rootpath.joinpath(".pytest_cache", "figures", *inside)

    def setup(self) -> None:
        shutil.rmtree(self.figures, ignore_errors=True)
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        manager = functools.partial(KernelManager, **private_channels(self.home.name))
        with (
            plain_environment(self.home.name),
            mock.patch.object(nbval.kernel, "KernelManager", manager),
        ):
            super().setup()
        # nbval runs cells outside the history; but IPython looks there for a trailing semicolon.
        self.kernel.execute_cell_input = functools.partial(
            self.kernel.kc.execute, store_history=True, stop_on_error=False
        )

    def teardown(self) -> None:
        super().teardown()
        self.home.cleanup()


@contextlib.contextmanager
def plain_environment(home: str) -> Iterator[None]:
    """Start kernels without a person's own start-up files, history and Matplotlib settings."""
    with mock.patch.dict(os.environ, IPYTHONDIR=home, MATPLOTLIBRC=os.devnull):
        os.environ.pop("MPLBACKEND", None)
        yield


def private_channels(home: str) -> dict[str, str]:
    """Return how to talk to a kernel through sockets in ``home``.

    The default, TCP, chooses free ports some time before the kernel takes them: on a busy machine
    another program is sometimes faster, and the kernel dies.
    """
    return {} if os.name == "nt" else {"transport": "ipc", "ip": f"{home}/kernel"}


Collected = Generator[None, list[pytest.Collector], list[pytest.Collector]]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(parent: pytest.Collector) -> Collected:
    """Put a ``Notebook`` wherever nbval collects one."""
    collectors = yield
    return [
        Notebook.from_parent(parent, path=found.path) if type(found) is IPyNbFile else found
        for found in collectors
    ]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if NOT_COLLECTED.intersection(relative(collection_path, config).parts) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--text-only",
        action="store_true",
        help="compare no pixels of figures, for runs with another NumPy or Matplotlib",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("nbval_lax"):
        raise pytest.UsageError("--nbval-lax compares nothing, and is not allowed here.")


TEXT_ONLY = "notebooks: the pixels of figures are NOT compared (--text-only)"


def pytest_report_header(config: pytest.Config) -> str | None:
    return TEXT_ONLY if config.getoption("text_only") else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say it at the end as well: ``-q`` hides the header."""
    if config.getoption("text_only"):
        terminalreporter.write_line(TEXT_ONLY)
