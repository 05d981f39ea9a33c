"""Runs a submission twice: once for what the student will see, once for the judgement.

The first run gives the outputs of the feedback. In the second, nothing the code prints is kept;
at each question the judge, outside the student's interpreter, asks the student's function for its
values on the hidden cases and compares. Expected values never enter the sandbox, and hidden
arguments never meet anything that is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.question import Code, Outcome, Verdict, decoded
from grader.sandbox import FATES, Kernel, Limits, Ran


@dataclass
class Session:
    """Cells run one after another; a cell that ends its kernel is left out of the next one."""

    limits: Limits
    isolated: bool
    kernel: Kernel | None = None
    history: list[str] = field(default_factory=list)
    ends: float = 0.0

    def __enter__(self) -> Session:
        self.ends = time.monotonic() + self.limits.notebook
        return self

    def __exit__(self, *error: object) -> None:
        if self.kernel is not None:
            self.kernel.close()

    @property
    def late(self) -> bool:
        """Whether the time for the whole notebook is used up."""
        return time.monotonic() > self.ends

    def run(self, source: str) -> Ran:
        """Run a cell; if it does not end well, later cells meet a kernel that never saw it."""
        ran = self._with_kernel(lambda kernel: kernel.run(source, self._left(self.limits.cell)))
        if ran.fate == "done":
            self.history.append(source)
        return ran

    def ask(self, question: Code, index: int) -> Outcome:
        """Return what the student's function makes of one hidden case."""
        case = question.cases[index]
        seconds = self._left(question.seconds)
        ran = self._with_kernel(lambda kernel: kernel.ask(question.name, case.text, seconds))
        if ran.fate != "done":
            return Outcome("stopped")
        return decoded(ran.answer or "", case)

    def _left(self, seconds: float) -> float:
        return min(seconds, self.ends - time.monotonic())

    def _with_kernel(self, use: Callable[[Kernel], Ran]) -> Ran:
        if self.kernel is not None and self.kernel.closed:
            self.kernel = None
        if self.late:
            return Ran([], "late")
        if self.kernel is None:
            self.kernel = Kernel(self.limits, isolated=self.isolated)
            for source in list(self.history):
                if (
                    self.late
                    or self.kernel.run(source, self._left(self.limits.cell)).fate != "done"
                ):
                    return Ran([], "late" if self.late else "dead")
        return use(self.kernel)


def is_test(cell: NotebookNode) -> bool:
    """Whether this is a cell of tests that carry points."""
    label = cell.metadata.get("nbgrader", {})
    return bool(label.get("grade") and not label.get("solution"))


def show(notebook: NotebookNode, limits: Limits, *, isolated: bool) -> dict[str, str]:
    """Run the notebook and store its outputs; return which cells were stopped, and why."""
    ended = {}
    with Session(limits, isolated) as session:
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            ran = session.run(cell.source) if cell.source.strip() else Ran([], "done")
            cell.outputs, cell.execution_count = ran.outputs, None
            if ran.fate != "done":
                cell.outputs.append(stopped(FATES[ran.fate]))
                ended[cell.id] = FATES[ran.fate]
    return ended


def judge(
    notebook: NotebookNode,
    questions: Mapping[str, Code],
    limits: Limits,
    *,
    isolated: bool,
    ended: Collection[str] = (),
) -> dict[str, Verdict]:
    """Return the verdict on every code question; cells that were ``ended`` before do not run."""
    verdicts = {}
    with Session(limits, isolated) as session:
        for cell in notebook.cells:
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            if cell.id not in ended:
                session.run(cell.source)
            if is_test(cell):
                label = cell.metadata.nbgrader.grade_id.removesuffix("-tests")
                question = questions[label]
                verdict = question.verdict(asked(session, question))
                verdicts[label] = Verdict(False, FATES["late"]) if session.late else verdict
    return verdicts


def asked(session: Session, question: Code) -> list[Outcome]:
    """Return the outcome of every case; after one that does not come back, no other is tried."""
    outcomes: list[Outcome] = []
    for index in range(len(question.cases)):
        ended = any(outcome.kind == "stopped" for outcome in outcomes)
        outcomes.append(Outcome("stopped") if ended else session.ask(question, index))
    return outcomes


def stopped(sentence: str) -> NotebookNode:
    """Return an error as a cell's output."""
    return new_output("error", ename="Stopped", evalue=sentence, traceback=[sentence])


def write_verdict(cell: NotebookNode, verdict: Verdict) -> None:
    """Make a test cell's outputs say what the judge decided; nbgrader takes points from them."""
    shown = [o for o in cell.outputs if o.output_type == "stream" and o.name == "stdout"]
    if verdict.passed:
        cell.outputs = shown
        return
    errors = [o for o in cell.outputs if o.output_type == "error"]
    failed = new_output("error", ename="Tests", evalue=verdict.message, traceback=[verdict.message])
    cell.outputs = [*shown, *errors, failed]
