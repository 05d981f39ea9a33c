"""What the visible tests say about a submission, in seconds.

Only the tests that stand in the template are run, in a sandbox; nothing hidden is asked, and
nothing is written down. It answers whoever hands in or collects; it is no grade.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from lincourse.grader import judge, workers
from lincourse.grader.judge import unpacked
from lincourse.grader.marks import is_empty
from lincourse.grader.sandbox import Sandbox
from lincourse.grader.scoring import Grading, Options
from lincourse.grader.session import FATES, Ran, Session
from lincourse.grader.submission import Submission, find, handed_in_by, unpack
from lincourse.grader.template_merge import (
    UngradableError,
    answers_of,
    is_answer,
    is_test,
    merge_with_template,
)

LAST = "Other tests decide, with other data; written answers are marked by a person."


@dataclass
class Seen:
    """What the visible tests say: a sentence for each question that does not pass."""

    problem: str = ""
    faults: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


def seen(packed_plan: bytes, file: bytes) -> Seen:
    """Return what the visible tests say about a notebook file, whatever it is."""
    plan, found = unpacked(packed_plan), Seen()
    sandbox = Sandbox(plan.config, runs=1)
    try:
        with Session(plan.config, sandbox=sandbox) as session:
            names = {label: question.name for label, question in plan.questions.items()}
            given = judge.read(session, file, plan.homework)
            cells, _ = merge_with_template(given, plan.template, names, plan.others)
            found.answers = answers_of(cells)
            failed: dict[str, str] = {}  # answer: how its cell ended
            for cell in cells:
                if cell["type"] != "code" or not cell["source"].strip():
                    continue
                said = fault(session.run(cell["source"]))
                label = cell["id"].removesuffix("-tests").partition("-part-")[0]
                if said and is_answer(cell):
                    failed[label] = said
                if said and is_test(cell):
                    found.faults[label] = failed.get(label, said)
    except UngradableError as problem:
        found.problem = str(problem)
    finally:
        sandbox.close()
    return found


def fault(ran: Ran) -> str:
    """Return how a cell ended, in one line that a terminal can show; nothing if it ended well."""
    if ran.fate != "done":
        return FATES[ran.fate]
    if ran.error is None:
        return ""
    name, said = str(ran.error.get("ename")), str(ran.error.get("evalue"))
    if name == "NotImplementedError":
        return "not answered yet."
    line = f"{name}: {said}".strip().strip(":")
    return "".join(c if c.isprintable() else " " for c in line[:300])


def check(homework: str, place: Path, options: Options, stream: TextIO) -> int:
    """Say what the visible tests find in a notebook, a folder or a zip; return how many failed."""
    with tempfile.TemporaryDirectory() as folder:
        grading = Grading(homework, Path(folder), options)
        found = submissions(homework, place, Path(folder))
        problems = 0
        with workers.workers(options.jobs, options.scheduler) as (threads, call):
            running = [
                (one, threads.submit(call, seen, grading.packed, one.data) if one.path else None)
                for one in found
            ]
            for one, work in running:
                result = work.result() if work else Seen(problem=one.problem)
                problems += bool(result.problem)
                print(*report(grading, one, result), sep="\n", file=stream, flush=True)
    print(LAST, file=stream)
    return problems


def submissions(homework: str, place: Path, folder: Path) -> list[Submission]:
    """Return what is handed in: one notebook, a folder of them, or a zip as a platform makes it."""
    if place.is_dir():
        return find(place, homework)
    if place.suffix.lower() == ".zip":
        return find(unpack(place, folder / "handed-in"), homework)
    return [handed_in_by([place], homework, exported=False)]


def report(grading: Grading, one: Submission, result: Seen) -> list[str]:
    """Return the lines about one submission."""
    who = one.student if one.name == one.student else f"{one.student} ({one.name})"
    if result.problem:
        return [f"{who}: {result.problem}"]
    code = {label: grading.possible[label] for label in grading.questions}
    earned = sum(points for label, points in code.items() if label not in result.faults)
    lines = [f"{who}: the visible tests of {earned:g} of {sum(code.values()):g} points pass."]
    lines += [f"  {label}: {said}" for label, said in result.faults.items()]
    empty = [label for label in grading.by_hand if is_empty(result.answers.get(label, ""))]
    return [*lines, *(f"  {label}: nothing is written." for label in empty)]
