"""The homework: fair to answers of every kind, and templates that give nothing away."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import re
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import nbformat
import numpy as np
import pytest

from lincourse.grader import RefusedError, bwrap, release
from lincourse.grader.forms import FORMS, NOT_PROMISED, in_all_forms, in_form
from lincourse.grader.hidden import questions
from lincourse.grader.inside import protocol
from lincourse.grader.release import CODE_STUB, RELEASE, TEXT_STUB, assignments
from lincourse.grader.sandbox import Limits, SandboxConfig, close_all
from lincourse.grader.session import Session
from lincourse.grader.verdicts import (
    outcomes,
    outcomes_in,
    shown_error,
    verdict_on,
    wrong_outcomes,
)
from lincourse.programs import missing
from linlib.notebook.question import Case, Outcome, Question, case, disagreement
from tests.handed_in import reference_answers, released, source

HOMEWORK = ("hw1", "hw2", "hw3", "hw4", "hw5", "hw6", "hw7")
HOURS = dict(zip(HOMEWORK, ("1¼", "2¾", "2", "2½", "3", "3", "5"), strict=True))  # a ladder
CODE = [(homework, label) for homework in HOMEWORK for label in questions(homework)]


# ---------------------------------------------------------------- the shape of an assignment


def labels(homework: str, **wanted: bool) -> list[nbformat.NotebookNode]:
    cells = source(homework).cells
    return [c for c in cells if all(c.metadata.nbgrader[k] is v for k, v in wanted.items())]


@pytest.mark.parametrize("homework", HOMEWORK)
def test_an_assignment_has_code_and_written_questions_and_says_so(homework: str) -> None:
    written = labels(homework, grade=True, solution=True)
    code = labels(homework, grade=True, solution=False)
    assert 5 <= len(written) + len(code) <= 9
    assert written
    tested = [c.metadata.nbgrader.grade_id.removesuffix("-tests") for c in code]
    assert tested == list(questions(homework))
    title = source(homework).cells[0].source
    points = sum(c.metadata.nbgrader.points for c in written + code)
    for words in (f"{points} points", f"about {HOURS[homework]} hours", "**How to hand in.**"):
        assert words in title
    assert f"`{homework}.ipynb`" in title
    rules = " ".join(title.split())
    assert "where a later question fails it is asked again with our answers in place of" in rules
    assert "that changes the data it is given loses the points of its question" in rules
    assert "Validate" in title


@pytest.mark.parametrize("homework", HOMEWORK)
def test_each_question_states_its_points_and_the_expected_output(homework: str) -> None:
    text = "\n".join(c.source for c in source(homework).cells if c.cell_type == "markdown")
    for cell in labels(homework, grade=True):
        label = cell.metadata.nbgrader.grade_id.removesuffix("-tests")
        number, points = label.removeprefix("q"), cell.metadata.nbgrader.points
        heading = re.search(
            rf"## Question {number}: [^\n]+ \({points} points?\)\n(.*?)(?=\n## |\Z)", text, re.S
        )
        assert heading, f"question {number} with {points} points"
        if cell.cell_type == "code":
            assert "Expected" in heading[1], f"question {number} shows no expected output"
        else:
            rubric = cell.source.partition("**Rubric**")[2]
            parts = [float(p) for p in re.findall(r"^- ([\d.]+) points?:", rubric, re.M)]
            assert sum(parts) == points
            assert len(parts) >= 2


# ---------------------------------------------------------------- fair


@pytest.mark.parametrize(("homework", "label"), CODE)
def test_a_wrong_answer_loses_its_points_and_is_told_why(homework: str, label: str) -> None:
    question = questions(homework)[label]
    assert len(set(question.wrong.values())) == len(question.wrong) >= 5
    assert len({c.label for c in question.cases}) == len(question.cases)
    for hint, results in wrong_outcomes(question):
        verdict = verdict_on(question, results)
        assert not verdict.passed, hint
        assert verdict.share < 1, hint
        assert verdict.message.startswith(hint)


@pytest.mark.parametrize(("homework", "label"), CODE)
def test_visible_tests_catch_the_two_most_common_misconceptions(homework: str, label: str) -> None:
    """The list of wrong answers begins with them; what is read off a picture cannot be tested."""
    question = questions(homework)[label]
    if question.cases[0].arguments is None:
        return
    for hint in list(question.wrong)[:2]:
        with quiet(), pytest.raises(Exception):  # noqa: B017, PT011  # or what it trips over
            answered(homework, label, question.wrong[hint])


@pytest.mark.parametrize(("homework", "label"), CODE)
def test_parts_add_up_are_stated_and_counted(homework: str, label: str) -> None:
    question = questions(homework)[label]
    cells = {c.metadata.nbgrader.grade_id: c for c in source(homework).cells}
    several = isinstance(question.expected[0], tuple | dict)
    assert bool(question.parts) is several, "several results are several parts"
    if not several:
        return
    named = isinstance(question.expected[0], dict)
    points = cells[f"{label}-tests"].metadata.nbgrader.points
    assert sum(question.parts.values()) == points
    stated = ", ".join(
        f"{name} ({value:g} point{'s' if value != 1 else ''})"
        for name, value in question.parts.items()
    )
    assert f"Parts: {stated}." in cells[f"{label}-question"].source
    for k, (name, value) in enumerate(question.parts.items()):
        results = [Outcome("value", dict(want) if named else [*want]) for want in question.expected]
        for result in results:
            result.value[name if named else k] = "wrong"
        verdict = verdict_on(question, results)
        assert verdict.share == pytest.approx((points - value) / points)
        assert name not in verdict.message.partition("Right, and counted: ")[2].split(", ")


@pytest.mark.parametrize(("homework", "label"), CODE)
def test_right_answers_keep_their_points_however_written(homework: str, label: str) -> None:
    question = questions(homework)[label]
    for answer in question.right:
        verdict = verdict_on(question, outcomes(question, answer))
        assert verdict.passed, f"{verdict.message}\n{answer}"
        answered(homework, label, answer)  # the tests that help must not mislead
    stub = next(c.source for c in released(homework).cells if c.metadata.nbgrader.grade_id == label)
    with contextlib.suppress(NotImplementedError), quiet():
        exec(stub, namespace := before(homework, label))
    assert not verdict_on(question, outcomes_in(question, namespace)).passed


@pytest.mark.parametrize(("homework", "label"), CODE)
def test_the_model_answer_keeps_its_points_in_every_form(homework: str, label: str) -> None:
    """What a homework promises to accept must pass the tests that students see, too."""
    question = questions(homework)[label]
    names = answered(homework, label, question.answer)
    assert verdict_on(question, outcomes_in(question, names)).passed
    for form, varied in in_all_forms(question, names):
        verdict = verdict_on(question, outcomes_in(question, varied))
        assert verdict.passed, f"as {form}: {verdict.message}"
        if form not in NOT_PROMISED:
            visible = next(c for c in source(homework).cells if c.id == f"{label}-tests")
            with quiet():
                exec(open_source(visible), varied)


def test_a_form_is_another_form_of_the_same_value() -> None:
    result = (np.array([1.0, 2.0]), 3, True)
    forms = {name: in_form(result, form) for name, form in FORMS.items()}
    assert forms["lists"] == [[1.0, 2.0], 3, True]
    assert forms["tuples"] == ((1.0, 2.0), 3, True)
    assert [np.shape(one) for one in forms["columns"]] == [(2, 1), (1,), (1,)]
    assert forms["fractions"] == [[Fraction(1), Fraction(2)], 3, True]
    assert forms["whole numbers"][2].dtype.kind == "i"
    assert forms["long floating-point numbers"][0].dtype == np.longdouble
    for name in ("backwards in memory", "every second number"):
        assert not forms[name][0].flags.c_contiguous, name
    square = in_form(np.array([[1.0, 2.0], [3.0, 4.0]]), FORMS["columns first in memory"])
    assert square.flags.f_contiguous
    for name, value in forms.items():
        assert disagreement(protocol.unpack(protocol.pack(value)), result) is None, name


@contextlib.contextmanager
def quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def answered(homework: str, label: str, answer: str) -> dict[str, Any]:
    """Return the names after an answer and its visible tests."""
    namespace = before(homework, label)
    tests = next(c for c in source(homework).cells if c.id == f"{label}-tests")
    with quiet():
        exec(answer, namespace)
        exec(open_source(tests), namespace)
    return namespace


def before(homework: str, label: str) -> dict[str, Any]:
    """Return the names a student has when a question begins, with arrays that may be spoilt."""
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in names_before(homework)[label].items()
    }


@functools.cache
def names_before(homework: str) -> dict[str, dict[str, Any]]:
    """Run a homework with its reference answers; return the names at the start of each question."""
    from linlib.notebook import plotting

    mpl.use("agg")
    found: dict[str, dict[str, Any]] = {}
    namespace: dict[str, Any] = {}
    with quiet(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(plotting, "show", lambda figure, alt: mpl.pyplot.close(figure))
        for cell in source(homework).cells:
            found[cell.id] = dict(namespace)
            if cell.cell_type == "code":
                exec(reference_answers(homework).get(cell.id) or open_source(cell), namespace)
    return found


def open_source(cell: nbformat.NotebookNode) -> str:
    return "\n".join(release.split_lines(cell)[0])


def test_the_helper_given_in_hw6_is_the_one_its_wrong_answers_meet() -> None:
    cells = {c.metadata.nbgrader.grade_id: c.source for c in source("hw6").cells}
    function = cells["q6-given"].partition("\n\n\nprint(")[0]
    assert function.startswith("def separable(Z):")
    assert function.strip() in questions("hw6")["q6"].given


def test_a_sandbox_has_the_data_that_homework_loads(tmp_path: Path) -> None:
    bwrap.write_course(tmp_path, bwrap.files())
    code = (
        "from linlib import data\nprint(*(data.load(n).X.shape for n in ('penguins', 'haberman')))"
    )
    place = bwrap.environment(tmp_path / "course", tmp_path / "work")
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, env=place, check=True)
    assert run.stdout.strip() == "(342, 4) (306, 3)"


# ---------------------------------------------------------------- comparing values


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ([1, 2], np.array([1.0, 2.0])),
        ((1.0, 2.0), [1, 2]),
        (np.array([[1], [2]]), [1, 2]),
        (np.float64(3), 3),
        (np.array([3]), 3),
        (np.True_, True),
        (1, True),
        (["a", 1.0], ("A ", 1)),
        (np.zeros((0, 1)), np.zeros(0)),
        (1 + 1e-8, 1),
        ({"a": [1]}, {"a": (1,)}),
        (np.longdouble(3), 3),
        (np.array([1, 2], dtype=np.longdouble), [1, 2]),
        (np.array([1.5, 2], dtype=np.float16), [1.5, 2]),
        (np.array([1, 2], dtype=np.uint64), [1, 2]),
    ],
)
def test_reasonable_forms_of_an_answer_count(got: Any, want: Any) -> None:
    assert disagreement(protocol.unpack(protocol.pack(got)), want) is None


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (None, 1),
        (1.001, 1),
        ([1, 2, 3], [1, 2]),
        (np.array([[1, 3], [2, 4]]), np.array([[1, 2], [3, 4]])),
        (np.array([[1, 2]]).T, np.array([[1, 2]])),
        (True, 1),
        ([True, False], [1, 0]),
        (2, True),
        (float("nan"), 1),
        ("1", 1),
        ([1, [2]], [1, 2]),
        ([10**4000], [1]),
        ([2**64 - 1], [1]),
        (np.array([2**64 - 1], dtype=np.uint64), [1]),
        ((x for x in [1, 2]), [1, 2]),
        ({0: 1, 1: 2}, [1, 2]),
        ({"a": 1}, {"b": 1}),
        (object(), 1),
        ((1,), (1, 2)),
        ("ab", ("a", "b")),
        (print, 1),
    ],
)
def test_other_values_do_not_count(got: Any, want: Any) -> None:
    assert disagreement(protocol.unpack(protocol.pack(got)), want) is not None


@pytest.mark.parametrize("got", ["True", "yes", ["no"], 2])
def test_who_should_say_true_or_false_is_offered_both(got: Any) -> None:
    assert disagreement(got, True) == "should give True or False"


def test_no_given_cell_of_hw1_imports_what_measures_distances() -> None:
    names: dict[str, Any] = {}
    mpl.use("agg")
    for cell in released("hw1").cells:
        if cell.metadata.nbgrader.grade_id == "q2-question":
            break
        label = cell.metadata.nbgrader
        if cell.cell_type == "code" and not (label.solution or label.grade):
            exec(cell.source, names)
    mpl.pyplot.close("all")
    assert [name for name, one in names.items() if hasattr(one, "distance")] == []


def test_a_function_that_writes_to_its_arguments_is_told_so() -> None:
    question = Question("f", [case("a list", [3.0, 1.0])], expect=np.sort)
    verdict = verdict_on(question, outcomes(question, "def f(x):\n    x.sort()\n    return x"))
    assert not verdict.passed
    assert "copy" in verdict.message


def test_what_is_said_of_a_hidden_case_is_its_label_only() -> None:
    question = Question("f", [case("one number", 8675309)], expect=lambda x: x)
    spying = "def f(x):\n    raise type(f'E{x}', (Exception,), {})(str(x))"
    message = verdict_on(question, outcomes(question, spying)).message
    assert "one number" in message
    assert "8675309" not in message
    for spy in (
        "def f(x):\n    return type(f'L{x}', (), {})()",
        "import numpy as np\ndef f(x):\n    return np.zeros(x % 1000, dtype=f'S{x % 1000}')",
        "import numpy as np\ndef f(x):\n    return np.zeros((x % 1000, 1, 7))",
        "import numpy as np\ndef f(x):\n    return np.zeros(x // 100)",
    ):
        said = verdict_on(question, outcomes(question, spy)).message
        assert not set("0123456789") & set(said), said
    assert shown_error("ZeroDivisionError") == "ZeroDivisionError"
    assert shown_error("print") == "an error"


def test_a_value_question_asks_for_the_name_itself() -> None:
    question = Question("v", [Case("the value", None)], expect=lambda: 3)
    assert verdict_on(question, outcomes(question, "v = 3")).passed
    assert "not defined" in verdict_on(question, outcomes(question, "w = 3")).message


# ---------------------------------------------------------------- tight


@pytest.fixture(scope="module")
def fresh() -> dict[str, nbformat.NotebookNode]:
    return {homework: release.template(homework) for homework in HOMEWORK}


@pytest.mark.parametrize("homework", HOMEWORK)
def test_the_committed_template_is_the_one_the_source_makes(
    homework: str, fresh: dict[str, nbformat.NotebookNode]
) -> None:
    committed = (RELEASE / homework / f"{homework}.ipynb").read_text(encoding="utf-8")
    assert committed == nbformat.writes(fresh[homework]) + "\n", "run `make homework`"
    assert sorted(p.name for p in (RELEASE / homework).iterdir()) == [f"{homework}.ipynb"]


def test_nothing_but_the_templates_of_seven_assignments_is_released() -> None:
    assert sorted(p.name for p in RELEASE.iterdir()) == list(HOMEWORK) == assignments()


def spoilt(change: Any, tmp_path: Path) -> nbformat.NotebookNode:
    """Return the template of a source folder that was changed so."""
    notebook = copy.deepcopy(source("hw1"))
    change(tmp_path, {c.metadata.nbgrader.grade_id: c for c in notebook.cells}, notebook)
    (tmp_path / "hw1.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    return release.template("hw1", tmp_path)


def replaced(label: str, old: str, new: str) -> Any:
    def change(folder: Path, cells: dict[str, Any], notebook: Any) -> None:
        assert old in cells[label].source
        cells[label].source = cells[label].source.replace(old, new)

    return change


def without_label(folder: Path, cells: dict[str, Any], notebook: Any) -> None:
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("A remark.", id="remark"))


BEGIN, HIDDEN = "### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"
LINE = "    return (X @ w + w0) / np.linalg.norm(w)"
HINT = next(iter(questions("hw1")["q3"].wrong))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced("q2", BEGIN, "### BEGIN SOLUTON"), "cell q2"),
        (replaced("q2", BEGIN, "### Begin solution"), "cell q2"),
        (replaced("q2", "### END SOLUTION", "### END SOLUTIONS!"), "cell q2"),
        (replaced("q2", BEGIN, "# the solution"), "cell q2"),
        (replaced("q3-tests", HIDDEN, "### BEGIN HIDEN TESTS"), "cell q3-tests"),
        (replaced("q3-tests", HIDDEN, "### BEGIN HIDDEN"), "cell q3-tests"),
        (replaced("q6", BEGIN, "### BEGN SOLUTION"), "cell q6"),
        (replaced("title", "# Homework 1", f"{BEGIN}\n# Homework 1"), "cell title"),
        (replaced("title", "# Homework 1", "### BEGN SOLUTION\n# Homework 1"), "cell title"),
        (replaced("q2", f"    {BEGIN}", f"    n = norm(w)\n    {BEGIN}"), "norm(w)"),
        (replaced("q2-question", "Expected", f"{LINE}\n\nExpected"), "must stay hidden"),
        (replaced("q3-question", "Expected", f"{HINT} Expected"), "must stay hidden"),
        (without_label, "cell remark"),
    ],
)
def test_what_would_give_an_answer_away_is_caught(change: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=re.escape(said)):
        spoilt(change, tmp_path)


def test_no_output_remark_or_other_field_gets_into_a_template(
    tmp_path: Path, fresh: dict[str, nbformat.NotebookNode]
) -> None:
    def remark(folder: Path, cells: dict[str, Any], notebook: Any) -> None:
        tests = cells["q2-tests"]
        tests.execution_count, tests.outputs = 3, [nbformat.v4.new_output("stream", text="[4]")]
        for place in (notebook.metadata, tests, tests.metadata, tests.metadata.nbgrader):
            place["note"] = "divide by the norm"

    assert nbformat.writes(spoilt(remark, tmp_path)) == nbformat.writes(fresh["hw1"])


# ---------------------------------------------------------------- in a student's hands


@pytest.fixture(scope="module")
def config() -> Any:
    yield SandboxConfig(Limits(), not missing("bwrap"))
    close_all()


@pytest.mark.parametrize("homework", HOMEWORK)
def test_a_template_runs_to_the_first_unanswered_question(
    homework: str, config: SandboxConfig
) -> None:
    """In the sandbox of a student's work; a browser test opens it in JupyterLab."""
    errors = []
    with Session(config) as session:
        for cell in released(homework).cells:
            if cell.cell_type == "code":
                outputs = session.run(cell.source).outputs
                errors += [(cell.id, o.ename) for o in outputs if o.output_type == "error"]
    assert errors[0] in [("q1", "NotImplementedError"), ("q1-tests", "NotImplementedError")]
    answers = [c for c in released(homework).cells if c.metadata.nbgrader.solution]
    assert all(c.source.strip() == TEXT_STUB or CODE_STUB in c.source for c in answers)
