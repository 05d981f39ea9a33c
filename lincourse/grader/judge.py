"""Runs a submission twice: once for what the student will see, once for the judgement.

The first run gives the outputs of the feedback. In the second, nothing the code shows leaves the
sandbox; at each question the student's function is called on the hidden cases. This is the part
that may happen on another machine: ``assess`` takes a file and returns what came of it.
What is expected is not known here. The one who asked compares.
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

from lincourse.grader.fork_server import SandboxConfig
from lincourse.grader.inside.render import verbatim
from lincourse.grader.sandbox import FATES, Lender, Session
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
class Asked:
    """A question as a sandbox meets it: a name, arguments as text, seconds for one case."""

    name: str
    cases: tuple[str, ...]
    seconds: float
    stub: str = ""  # the cell of the template that the answer replaces
    examples: tuple[str, ...] = ()  # of the cases, those that the question itself shows


@dataclass(frozen=True)
class Plan:
    """All that is needed to assess a submission, and nothing that tells what is right."""

    template: list[CellDict]
    asked: dict[str, Asked]
    others: dict[str, set[str]]
    config: SandboxConfig

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
    seconds: float = 0.0


@functools.lru_cache(maxsize=4)
def unpacked(plan: bytes) -> Plan:
    found: Plan = pickle.loads(zlib.decompress(plan))
    return found


def assess(plan: bytes, data: bytes) -> Assessment:
    """Return what comes of a notebook file, whatever it is."""
    started = time.monotonic()
    result, work = Assessment(), unpacked(plan)
    try:
        names = {label: asked.name for label, asked in work.asked.items()}
        outputs = given(plan)
        with Session(work.config) as session:
            ran = session.read(data)
            if ran.fate != "done" or "problem" in ran.answer:
                raise UngradableError(ran.answer["problem"] if ran.answer else TOO_LARGE)
            read = ran.answer["cells"]
            cells, result.notes = merge_with_template(read, work.template, names, work.others)
            result.cells = [{**cell, "outputs": []} for cell in cells]
            show(work, session, result, outputs)
        if not result.late:
            result.replies = replies(work, cells, result)
        draw(work, result)
        result.notes += [FATES["late"]] if result.late else []
    except UngradableError as problem:
        result.problem = str(problem)
    result.seconds = round(time.monotonic() - started, 2)
    return result


def again(
    plan: bytes, earlier: Assessment, references: dict[str, str], lent: list[str], asked: str
) -> list[str | None]:
    """Return the replies to one question with references in the place of earlier answers.

    ``lent`` names the questions whose references take the place. They run in a sandbox where no
    student's code runs; only what they return goes to the student's.
    """
    work = unpacked(plan)
    with Session(work.config, quiet=True) as ours:
        for cell in itertools.takewhile(lambda cell: cell["id"] != asked, work.template):
            if cell["type"] == "code" and not is_test(cell):
                ours.run(references.get(cell["id"]) or cell["source"])
        lenders = {label: functools.partial(ours.ask, work.asked[label].name) for label in lent}
        found = replies(work, earlier.cells, earlier, asked, lenders)
    return found.get(asked, [])


def show(plan: Plan, session: Session, result: Assessment, first: Mapping[str, Any]) -> None:
    """Run the notebook and store its outputs.

    ``first`` has the outputs of the given cells before the first answer. As long as nothing of
    the student's ran, they are the same for everybody, and no picture need be drawn again.
    """
    kept, same = 0, True
    for cell in result.cells:
        if cell["type"] != "code" or not cell["source"].strip():
            continue
        same = same and cell["id"] in first
        if same and session.run(cell["source"], quiet=True).fate == "done":
            cell["outputs"] = first[cell["id"]]
            continue
        ran = session.run(cell["source"])
        label = cell["id"].partition("-part-")[0]
        kept += len(str(ran.outputs))
        fate = "loud" if kept > MOST_OUTPUT * plan.config.limits.output else ran.fate
        cell["outputs"] = ran.outputs if fate != "loud" else []
        if is_answer(cell) and ran.error:
            keys = ("ename", "evalue", "line", "missing")
            result.errors[label] = {key: str(ran.error.get(key) or "")[:300] for key in keys}
        if fate != "done":
            said = FATES[fate]
            error = new_output("error", ename="Stopped", evalue=said, traceback=[said])
            cell["outputs"].append(error)
            result.notes.append(f"{cell['id']}: {said}")
        if ran.fate != "done":
            result.ended.add(cell["id"])
            if is_answer(cell):
                result.errors[label] = {"evalue": FATES[ran.fate]}
        elif is_test(cell):
            label = label.removesuffix("-tests")
            question = plan.asked[label]
            result.examples[label] = asked(session, question, question.examples)
    result.late = session.late


def replies(
    plan: Plan,
    cells: list[CellDict],
    result: Assessment,
    only: str | None = None,
    lenders: Mapping[str, Lender] | None = None,
) -> dict[str, list[str | None]]:
    """Return the replies to every question; what ended its sandbox before does not run again."""
    found: dict[str, list[str | None]] = {}
    with Session(plan.config, quiet=True) as session:
        for cell in cells:
            if cell["type"] != "code" or not cell["source"].strip():
                continue
            label, _, part = cell["id"].removesuffix("-tests").partition("-part-")
            if lenders and label in lenders and is_answer(cell):
                if not part:
                    asked_for = plan.asked[label]
                    session.lend(asked_for.name, asked_for.stub, lenders[label])
            elif cell["id"] not in result.ended:
                session.run(cell["source"])
            if not is_test(cell) or (only and label != only):
                continue
            found[label] = asked(session, plan.asked[label], plan.asked[label].cases)
            if only:
                break
        result.late = session.late
    return found


def asked(session: Session, question: Asked, cases: Sequence[str]) -> list[str | None]:
    """Return the replies to the cases, up to the first that does not come back."""
    found: list[str | None] = []
    for arguments in cases:
        found.append(session.ask(question.name, arguments, question.seconds))
        if found[-1] is None:
            break
    return found


@functools.lru_cache(maxsize=4)
def given(plan: bytes) -> dict[str, list[NotebookNode]]:
    """Return what the given cells before the first answer output, the same for everybody."""
    work = unpacked(plan)
    outputs: dict[str, list[NotebookNode]] = {}
    with Session(work.config) as session:
        for cell in itertools.takewhile(lambda cell: not is_answer(cell), work.template):
            if cell["type"] == "code":
                outputs[cell["id"]] = session.run(cell["source"]).outputs
    return outputs


def draw(plan: Plan, result: Assessment) -> None:
    """Make the pages in a sandbox of their own; what cannot be drawn in time is shown as it is."""
    with Session(plan.config) as session:
        drawn = session.render(result.cells)
    if drawn is None:
        result.notes.append("The page could not be drawn in time; it shows plain text.")
        drawn = {cell["id"]: plain(cell) for cell in result.cells}
    result.pages = [{"id": c["id"], "html": drawn[c["id"]]} for c in result.cells]


def plain(cell: CellDict) -> str:
    """Return a cell as its bare text, of which nothing is read."""
    outputs = [o.get("text") or o.get("data", {}).get("text/plain") for o in cell["outputs"]]
    return "".join(verbatim(str(text), "code") for text in (cell["source"], *outputs) if text)
