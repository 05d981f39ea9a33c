"""Decides about one submission: what came of it is compared with what is expected, and kept."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lincourse.grader import RefusedError, bwrap, judge, report
from lincourse.grader.hidden import questions
from lincourse.grader.judge import Assessment, Examinee, Plan
from lincourse.grader.marks import Again, is_empty
from lincourse.grader.records import Details, Record, Records
from lincourse.grader.release import assignments, released
from lincourse.grader.rubric import written_questions
from lincourse.grader.rules import Rules, read_rules
from lincourse.grader.sandbox import Limits, SandboxConfig
from lincourse.grader.session import FATES
from lincourse.grader.source import model_answers, source
from lincourse.grader.submission import Submission
from lincourse.grader.template_merge import CellDict, answers_of, given_sources, is_answer
from lincourse.grader.verdicts import (
    NOT_THERE,
    Verdict,
    decoded,
    found_and_expected,
    packed_arguments,
    verdict_on,
)
from lincourse.grader.workers import Call
from linlib.notebook.question import Question


@dataclass(frozen=True)
class Options:
    """How to grade; the defaults are this machine's."""

    limits: Limits = field(default_factory=Limits)
    jobs: int | None = None
    scheduler: str | None = None
    sandbox: bool = True
    rules: Path | None = None
    again: Again | None = None
    visible: bool = False  # only the tests that students see, and nothing is kept


class Grading:
    """One homework, one folder of results."""

    def __init__(self, homework: str, out: Path, options: Options) -> None:
        self.homework, self.out, self.options = homework, out, options
        self.questions = questions(homework)
        self.template = released(homework)  # what students got
        self.records = Records(out / "records")
        self.rules: Rules = read_rules(options.rules)
        self.cells = [plain_cell(cell) for cell in self.template.cells]
        graded = [cell for cell in self.cells if cell["grade"]]
        self.possible = {c["id"].removesuffix("-tests"): c["points"] for c in graded}
        self.by_hand = [cell["id"] for cell in graded if cell["solution"]]  # what a person marks
        self.written = written_questions(homework)
        if [plain_cell(c)["id"] for c in source(homework).cells] != [c["id"] for c in self.cells]:
            raise RefusedError(
                f"{homework}: its template is of another source: run `make homework`."
            )
        self.packed = self.make_plan().packed()
        self.deciding = threading.Lock()  # our own answers run with warnings and prints off

    def make_plan(self) -> Plan:
        """Return what a worker has to know."""
        stubs = {cell["id"]: cell["source"] for cell in self.cells}
        examinees = {
            label: Examinee(
                question.name,
                tuple(packed_arguments(case) for case in question.cases),
                question.seconds,
                stubs[label],
                tuple(packed_arguments(case) for case in question.cases if case.example),
            )
            for label, question in self.questions.items()
        }
        others = {
            name: given_sources([plain_cell(cell) for cell in released(name).cells])
            for name in assignments()
            if name != self.homework
        }
        config = SandboxConfig(self.options.limits, self.options.sandbox)
        return Plan(self.cells, examinees, others, config, self.homework)

    # ------------------------------------------------------------ one submission

    def judged(self, data: bytes, call: Call) -> tuple[Assessment, dict[str, Verdict]]:
        """Have a notebook run by ``call``, and decide about it."""
        assessment: Assessment = call(judge.assess, self.packed, data)
        if assessment.problem:
            return assessment, {}
        with self.deciding:
            verdicts = {
                label: self.judge(label, assessment.replies.get(label, []), assessment)
                for label in self.questions
            }
        lent = self.earlier_wrong(assessment, verdicts)
        if lent and not assessment.late:
            cells = [{**cell, "outputs": []} for cell in assessment.cells]
            ran = Assessment(cells=cells, ended=assessment.ended)
            again = call(judge.assess_again, self.packed, ran, model_answers(self.homework), lent)
            with self.deciding:
                for label, names in lent.items():
                    verdict = self.judge(label, again.get(label, []), assessment)
                    if verdict.share > verdicts[label].share:
                        said = f"Judged with our answer to {', '.join(names)} in place of yours."
                        message = f"{verdict.message} {said}".strip()
                        verdicts[label] = replace(verdict, message=message)
        assessment.instead = self.work_with_ours(assessment, verdicts, call)
        return assessment, verdicts

    def work_with_ours(
        self, assessment: Assessment, verdicts: dict[str, Verdict], call: Call
    ) -> dict[str, str]:
        """Return the work beside written answers as it comes out with our functions, as HTML.

        A question that a person marks may need the student's earlier functions, for a plot or a
        table. Where one of them is wrong, the work is run again with ours in place of all that are.
        """
        wrong = [
            label
            for label, verdict in verdicts.items()
            if not verdict.passed and self.questions[label].is_function
        ]
        names = [question.name for question in self.questions.values() if question.is_function]
        needed = {
            label: wrong
            for label in self.by_hand
            if wrong
            and any(
                mentions(cell["source"], name)
                for cell in judge.work_of(assessment.cells, label)
                for name in names
            )
        }
        if not needed or assessment.late:
            return {}
        cells = [{**cell, "outputs": []} for cell in assessment.cells]
        ran = Assessment(cells=cells, ended=assessment.ended)
        found: dict[str, str] = call(
            judge.work_again, self.packed, ran, model_answers(self.homework), needed
        )
        return found

    def earlier_wrong(
        self, assessment: Assessment, verdicts: dict[str, Verdict]
    ) -> dict[str, list[str]]:
        """Return, for each wrong answer, the earlier wrong ones that the student's code calls.

        Such a question is asked again with our answers in their place: a mistake costs once.
        """
        found: dict[str, list[str]] = {}
        wrong: list[str] = []
        for label, verdict in verdicts.items():
            if verdict.passed:
                continue
            called = [
                one for one in wrong if calls(assessment.cells, self.questions[one].name, one)
            ]
            if called:
                found[label] = called
            if self.questions[label].is_function:
                wrong.append(label)
        return found

    def judge(self, label: str, replies: Sequence[str | None], assessment: Assessment) -> Verdict:
        """Return the verdict on one question; this happens here, whoever ran the code."""
        question = self.questions[label]
        outcomes = [decoded(reply, case) for reply, case in zip_longest(replies, question.cases)]
        verdict = verdict_on(question, outcomes)
        if all(outcome.kind == "missing" for outcome in outcomes) and label in assessment.errors:
            return Verdict(False, undefined(question, assessment.errors[label]))
        late = assessment.late and any(outcome.kind == "stopped" for outcome in outcomes)
        return Verdict(False, FATES["late"]) if late else verdict

    def save(
        self,
        submission: Submission,
        assessment: Assessment,
        verdicts: dict[str, Verdict],
        *,
        final: bool = True,
    ) -> Record:
        """Write down what was decided; what is not ``final`` is tried again by the next run."""
        s = submission
        record = Record(
            s.student,
            s.name,
            s.digest if final else "",
            attempt=s.attempt,
            handed_in=s.handed_in,
            made_by=self.records.fingerprint,
            platform=s.platform,
            problem=assessment.problem,
            notes=assessment.notes,
            points={
                label: round(v.share * self.possible[label], 2) for label, v in verdicts.items()
            },
            remarks={label: v.message for label, v in verdicts.items() if v.message},
            examples={
                label: said
                for label, v in verdicts.items()
                if not v.passed
                and (
                    said := found_and_expected(
                        self.questions[label], assessment.examples.get(label, [])
                    )
                )
            },
            known=[label for label, v in verdicts.items() if v.hint],
            seconds=assessment.seconds,
        )
        details = details_of(assessment, self.template)
        self.records.save(s.key, record, details)
        return record


def calls(cells: list[CellDict], name: str, label: str) -> bool:
    """Return whether the student's code names a function outside the answer that defines it."""
    for cell in cells:
        own = is_answer(cell) or cell["id"].startswith("own-")
        elsewhere = cell["type"] == "code" and cell["id"].partition("-part-")[0] != label
        if own and elsewhere and mentions(cell["source"], name):
            return True
    return False


def mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def details_of(assessment: Assessment, template: NotebookNode) -> Details:
    """Return what pages will need of a submission."""
    drawn = {page["id"]: page["html"] for page in assessment.pages}
    written: dict[str, str] = {}
    work = ""  # the student's own cells before an answer, with their pictures: they belong to it
    for cell in assessment.cells:
        label, shown = cell["id"], drawn.get(cell["id"], "")
        if is_answer(cell) and cell["type"] == "markdown":
            written[label] = work + ("" if is_empty(cell["source"]) else shown)
        own = label.startswith("own-") or label.endswith("-work")
        answered = label.removeprefix("own-").rpartition("-")[0]
        if own and answered in written:  # a plot below the answer belongs to it as well
            written[answered] += shown
        work = work + shown if own else ""
    notebook = report.notebook(template, assessment.cells)
    answers = answers_of(assessment.cells)
    return Details(assessment.pages, answers, written, assessment.instead, notebook)


def undefined(question: Question, error: dict[str, Any]) -> str:
    """Return why a name is not defined: what became of the cell that should define it."""
    start = f"`{question.name}` is not defined, because its cell"
    name, said = error.get("ename", ""), error.get("evalue", "").partition("\n")[0]
    if error.get("line"):
        said = said.partition(" (<")[0]
        return f"{start} has a {name} in line {error['line']}: {said}. Nothing in it was run."
    if name == "NotImplementedError":
        return f"`{question.name}` is not answered yet."
    package = error.get("missing", "").partition(".")[0]
    if package in bwrap.HIDDEN_PACKAGES or package == "linlib":
        return f"{start} imports {package}: {NOT_THERE}"
    return f"{start} ended with {name}: {said}" if name else f"{start} was stopped: {said}"


def plain_cell(cell: NotebookNode) -> CellDict:
    """Return a cell of a template as it is worked with."""
    label = cell.metadata.nbgrader
    return {
        "id": str(label.grade_id),
        "type": cell.cell_type,
        "source": cell.source,
        "grade": bool(label.grade),
        "solution": bool(label.solution),
        "points": float(label.get("points", 0)),
    }
