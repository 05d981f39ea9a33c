"""Runs a submission twice: once for what the student will see, once for the judgement.

The first run gives the outputs of the feedback. In the second, nothing the code shows leaves the
sandbox; at each question the student's function is called on the hidden cases. The first has ended
when the second is asked its first question, and the feedback is drawn in a sandbox of its own: what
the second learns of hidden cases reaches nobody but the grader.

This is the part that may happen on another machine: ``assess`` takes a file and returns what came
of it. What is expected is not known here. The one who asked compares (``scoring``).
"""

from __future__ import annotations

import functools
import itertools
import pickle
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from lincourse.grader.inside.render import verbatim
from lincourse.grader.sandbox import Sandbox, SandboxConfig
from lincourse.grader.session import FATES, Lender, Session
from lincourse.grader.template_merge import (
    CellDict,
    UngradableError,
    is_answer,
    is_test,
    merge_with_template,
)

MOST_OUTPUT = 5  # times the output of one cell may be kept of a whole notebook
TOO_LARGE = (
    "it needs more memory or time to be read than any notebook: clear its outputs, save it, and "
    "hand in that file."
)


@dataclass(frozen=True)
class Examinee:
    """What a sandbox is told of a question: which name to call, and with what."""

    name: str  # the student's function
    cases: tuple[str, ...]  # arguments, as text
    seconds: float  # for one case
    stub: str = ""  # the cell of the template that the answer replaces
    examples: tuple[str, ...] = ()  # of the cases, those that the question itself shows


@dataclass(frozen=True)
class Plan:
    """All that is needed to assess a submission, and nothing that tells what is right."""

    template: list[CellDict]
    questions: dict[str, Examinee]
    others: dict[str, set[str]]  # the given texts of every other homework
    config: SandboxConfig
    homework: str = ""

    def packed(self) -> bytes:
        """Return the plan as it travels."""
        return zlib.compress(pickle.dumps(self))


@dataclass
class Assessment:
    """What came of one submission; a reply is ``None`` where its sandbox was ended."""

    problem: str = ""
    notes: list[str] = field(default_factory=list)
    replies: dict[str, list[str | None]] = field(default_factory=dict)
    examples: dict[str, list[str | None]] = field(default_factory=dict)  # replies, where no
    # hidden case was ever asked: what they say may be shown
    late: bool = False
    ended: set[str] = field(default_factory=set)  # cells that ended their sandbox
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)  # answer: how its cell ended
    cells: list[CellDict] = field(default_factory=list)  # as they ran, with outputs
    pages: list[dict[str, str]] = field(default_factory=list)  # the same as HTML
    instead: dict[str, str] = field(default_factory=dict)  # written question: its work as HTML,
    # with our functions in place of wrong ones
    seconds: float = 0.0


@functools.lru_cache(maxsize=4)
def unpacked(packed_plan: bytes) -> Plan:
    plan: Plan = pickle.loads(zlib.decompress(packed_plan))
    return plan


def assess(packed_plan: bytes, file: bytes) -> Assessment:
    """Return what comes of a notebook file, whatever it is."""
    started = time.monotonic()
    result, plan = Assessment(), unpacked(packed_plan)
    first = outputs_before_answers(packed_plan)
    sandbox = Sandbox(plan.config, runs=2)
    try:
        with Session(plan.config, sandbox=sandbox) as session:
            merged = merge_with_template(
                read(session, file, plan.homework),
                plan.template,
                {label: question.name for label, question in plan.questions.items()},
                plan.others,
            )
            cells, result.notes = merged
            result.cells = [{**cell, "outputs": []} for cell in cells]
            show(plan, session, result, first)
        if not result.late:
            with Session(plan.config, quiet=True, sandbox=sandbox) as session:
                result.replies = replies(plan, session, cells, result.ended)
                result.late = session.late
    except UngradableError as problem:
        result.problem = str(problem)
    finally:
        sandbox.close()
    if not result.problem:
        draw(plan, result)
        result.notes += [FATES["late"]] if result.late else []
    result.seconds = round(time.monotonic() - started, 2)
    return result


def read(session: Session, file: bytes, homework: str) -> list[CellDict]:
    """Return the cells of a file; UngradableError where there are none."""
    ran = session.read(file, homework)
    if ran.fate != "done":
        raise UngradableError(TOO_LARGE)
    if "problem" in ran.answer:
        raise UngradableError(ran.answer["problem"])
    cells: list[CellDict] = ran.answer["cells"]
    return cells


def assess_again(
    packed_plan: bytes,
    earlier: Assessment,
    references: dict[str, str],
    lent: dict[str, list[str]],
) -> dict[str, list[str | None]]:
    """Return new replies to some questions, with references in the place of earlier answers.

    ``lent`` names them, and for each the questions whose references take the place. References
    run in a sandbox where no student's code runs; only what they return goes to the student's.
    """
    plan = unpacked(packed_plan)
    found: dict[str, list[str | None]] = {}
    sandbox = Sandbox(plan.config, runs=len(lent))
    try:
        with Session(plan.config, quiet=True) as ours:
            run_references(plan, ours, references)
            for label, names in lent.items():
                with Session(plan.config, quiet=True, sandbox=sandbox) as session:
                    lenders = lenders_of(plan, ours, names)
                    found |= replies(
                        plan, session, earlier.cells, earlier.ended, only=label, lenders=lenders
                    )
    finally:
        sandbox.close()
    return found


def work_again(
    packed_plan: bytes,
    earlier: Assessment,
    references: dict[str, str],
    lent: dict[str, list[str]],
) -> dict[str, str]:
    """Return the work beside some written answers as HTML, with references in place of answers.

    ``lent`` names the written questions, and for each the questions whose references take the
    place. What the student's code shows here it may show: no hidden case is asked.
    """
    plan = unpacked(packed_plan)
    drawn: dict[str, list[str]] = {}
    cells = []
    with Session(plan.config, quiet=True) as ours:
        run_references(plan, ours, references)
        for label, names in lent.items():
            work = {cell["id"] for cell in work_of(earlier.cells, label)}
            lenders = lenders_of(plan, ours, names)
            with Session(plan.config) as session:
                for cell in earlier.cells:
                    if cell["type"] != "code" or not cell["source"].strip() or is_test(cell):
                        continue
                    if lend(plan, session, cell, lenders) or cell["id"] in earlier.ended:
                        continue
                    ran = session.run(cell["source"], quiet=cell["id"] not in work)
                    if cell["id"] in work:
                        outputs = [
                            *ran.outputs,
                            *([stopped(ran.fate)] if ran.fate != "done" else []),
                        ]
                        one = {**cell, "id": f"{label} {cell['id']}", "outputs": outputs}
                        cells.append(one)
                        drawn.setdefault(label, []).append(one["id"])
    with Session(plan.config, pages=True) as session:
        html = session.render(cells) or {cell["id"]: plain(cell) for cell in cells}
    return {label: "".join(html[one] for one in ids) for label, ids in drawn.items()}


def work_of(cells: list[CellDict], label: str) -> list[CellDict]:
    """Return the code between a written question and its answer: given cells, and the student's."""
    ids = [cell["id"] for cell in cells]
    if f"{label}-question" not in ids or label not in ids:
        return []
    between = cells[ids.index(f"{label}-question") : ids.index(label)]
    return [cell for cell in between if cell["type"] == "code" and cell["source"].strip()]


def run_references(plan: Plan, session: Session, references: Mapping[str, str]) -> None:
    for cell in plan.template:
        if cell["type"] == "code" and not is_test(cell):
            session.run(references.get(cell["id"]) or cell["source"])


def lenders_of(plan: Plan, session: Session, names: Sequence[str]) -> dict[str, Lender]:
    """Return for each question the function that has its reference carried out elsewhere."""
    return {one: functools.partial(session.ask, plan.questions[one].name) for one in names}


def lend(plan: Plan, session: Session, cell: CellDict, lenders: Mapping[str, Lender]) -> bool:
    """Put a reference in the place of an answer, if one is lent; return whether it is."""
    label, _, part = cell["id"].partition("-part-")
    if not is_answer(cell) or label not in lenders:
        return False
    if not part:
        session.lend(plan.questions[label].name, plan.questions[label].stub, lenders[label])
    return True


def show(plan: Plan, session: Session, result: Assessment, first: Mapping[str, Any]) -> None:
    """Run the notebook and store its outputs.

    ``first`` has the outputs of the given cells before the first answer. As long as nothing of
    the student's ran, they are the same for everybody, and no picture need be drawn again.
    """
    most = MOST_OUTPUT * plan.config.limits.output
    kept = 0  # characters of output so far
    untouched = True
    for cell in result.cells:
        if cell["type"] != "code" or not cell["source"].strip():
            continue
        untouched = untouched and cell["id"] in first
        if untouched and session.run(cell["source"], quiet=True).fate == "done":
            cell["outputs"] = first[cell["id"]]
            continue
        ran = session.run(cell["source"])
        kept += len(str(ran.outputs))
        fate = ran.fate
        cell["outputs"] = ran.outputs
        if kept > most:
            fate = "loud"
            cell["outputs"] = []
        label = cell["id"].removesuffix("-tests").partition("-part-")[0]
        if is_answer(cell) and ran.error:
            keys = ("ename", "evalue", "line", "missing")
            result.errors[label] = {key: str(ran.error.get(key) or "")[:300] for key in keys}
        if fate != "done":
            cell["outputs"].append(stopped(fate))
            result.notes.append(f"{cell['id']}: {FATES[fate]}")
        if ran.fate != "done":
            result.ended.add(cell["id"])
            if is_answer(cell):
                result.errors[label] = {"evalue": FATES[ran.fate]}
        elif is_test(cell):
            question = plan.questions[label]
            result.examples[label] = ask(session, question, question.examples)
    result.late = session.late


def stopped(fate: str) -> NotebookNode:
    """Return an output that says why a cell was stopped."""
    said = FATES[fate]
    made: NotebookNode = new_output("error", ename="Stopped", evalue=said, traceback=[said])
    return made


def replies(
    plan: Plan,
    session: Session,
    cells: list[CellDict],
    ended: set[str],
    only: str = "",
    lenders: Mapping[str, Lender] | None = None,
) -> dict[str, list[str | None]]:
    """Return the replies to every question, or to ``only`` one.

    Cells that ``ended`` their sandbox before do not run again. Answers to questions that have
    lenders do not run: who calls them calls the lender.
    """
    lenders = lenders or {}
    found: dict[str, list[str | None]] = {}
    for cell in cells:
        if cell["type"] != "code" or not cell["source"].strip():
            continue
        label = cell["id"].removesuffix("-tests")
        question = plan.questions.get(label)
        if not lend(plan, session, cell, lenders) and cell["id"] not in ended:
            session.run(cell["source"])
        if is_test(cell) and question and only in ("", label):
            found[label] = ask(session, question, question.cases)
            if only:
                break
    return found


def ask(session: Session, question: Examinee, cases: Sequence[str]) -> list[str | None]:
    """Return the replies to the cases, up to the first that does not come back."""
    found: list[str | None] = []
    for arguments in cases:
        found.append(session.ask(question.name, arguments, question.seconds))
        if found[-1] is None:
            break
    return found


@functools.lru_cache(maxsize=4)
def outputs_before_answers(packed_plan: bytes) -> dict[str, list[NotebookNode]]:
    """Return what the given cells before the first answer output, the same for everybody."""
    plan = unpacked(packed_plan)
    outputs: dict[str, list[NotebookNode]] = {}
    with Session(plan.config) as session:
        for cell in itertools.takewhile(lambda cell: not is_answer(cell), plan.template):
            if cell["type"] == "code":
                outputs[cell["id"]] = session.run(cell["source"]).outputs
    return outputs


def draw(plan: Plan, result: Assessment) -> None:
    """Make the pages in a sandbox of their own; what cannot be drawn in time is shown as it is."""
    with Session(plan.config, pages=True) as session:
        drawn = session.render(result.cells)
    if drawn is None:
        result.notes.append("The page could not be drawn in time; it shows plain text.")
        drawn = {cell["id"]: plain(cell) for cell in result.cells}
    result.pages = [{"id": c["id"], "html": drawn[c["id"]]} for c in result.cells]


def plain(cell: CellDict) -> str:
    """Return a cell as its bare text, of which nothing is read."""
    outputs = [o.get("text") or o.get("data", {}).get("text/plain") for o in cell["outputs"]]
    return "".join(verbatim(str(text), "code") for text in (cell["source"], *outputs) if text)
