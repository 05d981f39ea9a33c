"""Derivations: what does not follow is caught, what is printed is what was evaluated."""

import ast
import re
import time
from pathlib import Path

import numpy as np
import pytest

from linlib import derivations
from linlib.derivations import Blank, Derivation, FormulaError, faded
from linlib.derivations.expressions import close, evaluate, read, same
from linlib.derivations.printing import Latex, Words
from linlib.derivations.slips import slips
from tests.helpers import latex
from tests.helpers.planted import COURSE, LINES, OPEN_ENDS, planted, ranks

VECTORS = {"w": np.array([1.0, -2.0]), "z": np.array([3.0, 0.5]), "A": np.array([[1.0, 2], [0, 3]])}
NUMBERS = {"k": 2.0, "R": 1.5, "eta": 0.1}
NAMES = {**VECTORS, **NUMBERS}


def worth(text):
    return evaluate(read(text, set(NAMES)), NAMES, {})


# ---------------------------------------------------------------- the derivations of the course


@pytest.mark.parametrize("name", COURSE)
def test_every_line_of_the_course_follows(name):
    COURSE[name].check()


@pytest.mark.parametrize("name", COURSE)
def test_every_hypothesis_is_needed_by_some_line(name):
    idle = [need.hypothesis.text for need in COURSE[name].needs() if need.line is None]
    assert idle == [], (
        f"{name}: no line fails without {idle}; drop it, or draw points that break it"
    )


@pytest.mark.parametrize("name", COURSE)
def test_a_slip_in_any_line_is_noticed(name):
    lines = range(1, len(COURSE[name].lines) + 1)
    passed = {number: planted(name, number)[1] for number in lines}
    explained = {number for one, number in OPEN_ENDS if one == name}
    unnoticed = {k: texts for k, texts in passed.items() if texts and k not in explained}
    assert unnoticed == {}, f"{name}: nobody would notice these slips, by their lines: {unnoticed}"


@pytest.mark.parametrize(("name", "number"), sorted(OPEN_ENDS))
def test_an_exception_stands_at_the_open_end_of_a_chain(name, number):
    derivation = COURSE[name]
    relations = [line.relation for line in derivation.lines]
    assert planted(name, number)[1], f"{name}, line {number} is no exception: drop it from the list"
    values = (derivation.conclusion or len(relations) + 1) - 1
    assert number in (1, values), "it stands in the middle"
    assert {"<=", ">="} & set(relations), "no relation there gives way"


@pytest.mark.parametrize(("name", "number"), LINES)
def test_the_hidden_line_is_a_right_answer(name, number):
    derivation = COURSE[name]
    answer = Blank(derivation, number).answer(derivation.lines[number - 1].text)
    assert answer.right, answer.said


@pytest.mark.parametrize("name", COURSE)
def test_a_derivation_can_be_read_aloud(name):
    words = COURSE[name].spoken()
    assert not set("\\{}^_@*") & set(words.replace("w*", "")), words


# ---------------------------------------------------------------- what a line may not do


def lines(text, **options):
    def draw(rng):
        return {"a": float(rng.normal()), "b": float(rng.integers(-3, 4))}

    return Derivation(draw, text, **options)


def test_a_wrong_sign_cannot_be_displayed():
    wrong = lines("(a - b)**2 \n = a**2 + 2*a*b + b**2")
    with pytest.raises(
        AssertionError, match=r"^line 2, = a\*\*2 .*does not follow, at a = .*, b = "
    ):
        wrong._repr_html_()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a**2 + b**2 \n >= 2*a*b - 1", "gives something away"),
        ("a*b \n < a*b", "the two sides are equal"),
        ("a \n = sqrt(a)**2", "has no value"),
        ("a \n => a > 0", "no statement"),
        ("a == b \n = a", "a statement as if it were a value"),
        ("a**2 < 0 \n => b > 5", "about nothing"),
        ("a > b \n => a**2 > b**2", "does not follow"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(text, why):
    with pytest.raises(AssertionError, match=why):
        lines(text).check()


def test_hypotheses_that_no_point_obeys_are_refused():
    with pytest.raises(FormulaError, match=r"^given: only 0 of \d+ points obey"):
        lines("a \n = a", given="a**2 < 0").check()


# ---------------------------------------------------------------- reading and evaluating


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('ls')",
        "w.__class__",
        "(lambda: 1)()",
        "[w for w in z]",
        "w if (v := z) else w",
        "exp(w, z)",
        "open",
        "'text'",
        "True",
        "1j",
        "w[0:1]",
        "f'{w}'",
        "sum(z)",
        "sum(w for w in A)",
        "sum(z for x in A if x)",
        "grad(grad(w @ z, w) @ z, w)",
        "grad(w @ z, 3)",
        "w ^ 2",
        "w // z",
        "w < z < w",
        "9**9**9**9**9" * 50,
        "(" * 300,
        "((((((((((" * 20 + "w",
        "w\n; z",
        "q",
        "",
    ],
)
def test_what_is_no_formula_is_refused_in_a_sentence(text):
    with pytest.raises(FormulaError, match=r"\.$"):
        read(text, set(NAMES))


@pytest.mark.parametrize(
    "text", ["9**9**9**9", "1/0*k", "log(-R)", "w + R", "w*z", "A @ k", "inv(0*A)"]
)
def test_what_has_no_value_says_so(text):
    with pytest.raises(FormulaError, match=r"\.$"):
        worth(text)


def test_what_takes_too_long_is_given_up():
    text = "sum(sum(sum(k for a in M) for b in M) for c in M)"
    point = {"k": 1.0, "M": np.arange(40)}
    with pytest.raises(FormulaError, match="takes too long"):
        evaluate(read(text, set(point)), point, {})


def test_an_answer_changes_no_point():
    derivation = COURSE["convergence.length"]
    before = [
        {name: np.copy(value) for name, value in point.items()} for point in derivation.points
    ]
    for text in ("exp(w)", "norm(w)**2", "w + w", "grad(norm(w)**2, w) @ z"):
        Blank(derivation, 2).answer(text)
    for point, kept in zip(derivation.points, before, strict=True):
        for name, value in point.items():
            np.testing.assert_array_equal(value, kept[name])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("w @ z", 2.0),
        ("norm(w)**2", 5.0),
        ("w @ A @ z", 1.0),
        ("sum(a @ w for a in A)", -9.0),
        ("max(k, R)", 2.0),
        ("k if w @ z <= 0 else R", 1.5),
        ("grad(norm(w)**2, w)", [2.0, -4.0]),
        ("outer(w, z)", [[3.0, 0.5], [-6.0, -1.0]]),
        ("A[0]", [1.0, 2.0]),
    ],
)
def test_a_formula_is_worth_what_it_is_on_paper(text, value):
    assert close(worth(text), np.array(value))


def test_gradients_are_those_of_calculus():
    A = VECTORS["A"]
    assert close(worth("grad(w @ A @ w, w)"), (A + A.T) @ VECTORS["w"])
    assert close(worth("grad(log(det(A)), A)"), np.linalg.inv(A).T)


# ---------------------------------------------------------------- printing


def test_what_would_print_as_a_row_is_refused():
    printer = Latex(NAMES, {}, {})
    with pytest.raises(FormulaError, match="prints as a row"):
        printer(read("w @ A", set(NAMES)))
    assert printer(read("A.T @ w", set(NAMES))) == r"A^\top \mathbf{w}"


def random_formula(rng, rank, depth):
    """Return a random formula of a number (0) or a vector (1), as text."""
    if depth == 0:
        leaves = (["k", "R", "eta", "2", "3"], ["w", "z"])[rank]
        return str(rng.choice(leaves))

    def number():
        return random_formula(rng, 0, depth - 1)

    def vector():
        return random_formula(rng, 1, depth - 1)

    if rank == 1:
        forms = [
            lambda: f"({vector()} + {vector()})",
            lambda: f"({vector()} - {vector()})",
            lambda: f"{number()}*{vector()}",
            lambda: f"-{vector()}",
            lambda: f"A @ {vector()}",
            lambda: f"A.T @ {vector()}",
            lambda: f"{vector()}/({number()})",
        ]
    else:
        forms = [
            lambda: f"({number()} + {number()})",
            lambda: f"({number()} - {number()})",
            lambda: f"{number()}*{number()}",
            lambda: f"({number()})/({number()})",
            lambda: f"({number()})**2",
            lambda: f"-({number()})",
            lambda: f"({vector()}) @ ({vector()})",
            lambda: f"({vector()}) @ A @ ({vector()})",
            lambda: f"norm({vector()})",
            lambda: f"sqrt(({number()})**2)",
            lambda: f"log(1 + ({number()})**2)",
            lambda: f"exp(-({number()})**2)",
            lambda: f"det({number()}*A)",
        ]
    return forms[rng.integers(len(forms))]()


LETTERS = {
    r"\mathbf{w}": VECTORS["w"],
    r"\mathbf{z}": VECTORS["z"],
    "A": VECTORS["A"],
    "k": 2.0,
    "R": 1.5,
    r"\eta": 0.1,
}


@pytest.mark.parametrize("seed", range(8))
def test_a_printed_formula_is_read_back_with_the_same_value(seed):
    rng = np.random.default_rng(seed)
    printer, tried = Latex(NAMES, {}, {}), 0
    while tried < 50:
        text = random_formula(rng, int(rng.integers(2)), 3)
        try:
            value = worth(text)
            printed = printer(read(text, set(NAMES)))
        except FormulaError:
            continue  # a division by zero, or a row
        again = latex.value(printed, LETTERS)
        assert close(again, value), f"{text} is {value}, but is printed {printed}, which is {again}"
        tried += 1


def test_hypotheses_definitions_and_words_are_displayed():
    html = COURSE["convergence.potential"]._repr_html_()
    assert html.count("<li>Given") == 4
    assert "the row was a mistake (line 3 needs it)" in html
    words = "a equals the fraction R squared over gamma, end of fraction"
    assert f'<li>Where <span role="math" aria-label="{words}">' in html
    assert r"$\displaystyle {} = \frac{R^{2}}{\gamma}$" in html
    assert html.count("role=") == html.count('role="math" aria-label="') == 4 + 1 + 5 + 4


def test_in_a_terminal_it_is_plain_text():
    assert repr(LENGTH).splitlines() == [
        "given w @ z <= 0, the row was a mistake (line 3 needs it)",
        "given norm(z) <= R, no row is longer than R (line 4 needs it)",
        "1.     norm(w + z)**2",
        "2. =   norm(w)**2 + 2*w @ z + norm(z)**2   multiply out the square",
        "3. <=  norm(w)**2 + norm(z)**2             the row was a mistake",
        "4. <=  norm(w)**2 + R**2                   no row is longer than R",
    ]


def letters_of(derivation):
    """Return the LaTeX of each name of a derivation, with its value at the last point."""
    printer, point = derivation.printer(), derivation.points[-1]
    found = {}
    for name in [*point, *derivation.definitions]:
        tree = ast.Name(name, ast.Load())
        value = derivation.value(tree, point)
        if value is not None and np.ndim(value) <= 2:
            found[printer.write(tree).text] = value
    return found | {r"\pi": np.pi}


BEYOND = (r"\nabla", r"\frac{d}", r"\sum", "cases", r"\mid", "(t)")  # what the reader cannot read


def test_lines_of_the_course_are_read_back_with_their_values():
    tried = 0
    for name, derivation in COURSE.items():
        letters = letters_of(derivation)
        shown = derivation.rows()
        for number, tree in enumerate(derivation.trees, start=1):
            printed = "".join(shown[number - 1].pieces)
            if isinstance(tree, ast.Compare) or any(sign in printed for sign in BEYOND):
                continue
            again = latex.value(printed, letters)
            value = derivation.line_values[number - 1][-1]
            assert close(again, value), f"{name}, line {number}, is printed {printed}"
            tried += 1
    assert tried > 60


def test_words_name_every_sign():
    said = Words(NAMES, {}, {})(read("norm(w)**2 - 1/2*w @ z", set(NAMES)))
    assert said == "the length of open bracket w close bracket squared minus one half times w dot z"


# ---------------------------------------------------------------- answers


LENGTH = COURSE["convergence.length"]


@pytest.mark.parametrize(
    "text",
    [
        "norm(w)**2 + 2*(w @ z) + norm(z)**2",
        "w @ w + 2*z @ w + z @ z",
        "norm(z)**2 + norm(w)**2 + w @ z*2",
        "w @ w + z @ z + w @ z + z @ w",
    ],
)
def test_any_equivalent_line_is_right(text):
    answer = Blank(LENGTH, 2).answer(text)
    assert answer.right, answer.said


def test_a_square_is_not_multiplied_out():
    answer = Blank(LENGTH, 2).answer("(w + z) @ (w + z)")
    assert not answer.right, "a square is accepted where it should be multiplied out"
    assert answer.said == "Multiply it out: (w + z) @ (w + z) still has a sum inside."


def test_a_gradient_that_was_resolved_must_not_come_back():
    said = Blank(COURSE["descent.squared"], 2).answer("grad(norm(X @ w - y)**2, w)/2").said
    assert said == "Write it without grad."


def test_a_definition_that_was_resolved_must_not_come_back():
    said = Blank(COURSE["hyperplanes.foot"], 2).answer("p @ w + w0").said
    assert said == "Write it without p."


def test_a_line_that_is_there_already_is_sent_back():
    answer = Blank(LENGTH, 3).answer("norm(z)**2 + 2*w @ z + norm(w)**2")
    assert (answer.right, answer.said[:20]) == (False, "That is line 2 again")


def test_a_wrong_line_gets_a_counterexample_and_the_likely_slip():
    said = Blank(LENGTH, 2).answer("norm(w)**2 - 2*w @ z + norm(z)**2").said
    assert said.startswith("At w = (")
    assert "your line is" in said
    assert said.endswith("A sign: look at the sign before 2 * w @ z.")


def test_a_known_misconception_is_named():
    said = Blank(LENGTH, 2).answer("norm(w)**2 + w @ z + norm(z)**2").said
    assert said.endswith("The middle term of a square comes twice.")


def test_an_inequality_that_gives_more_away_is_told_so():
    said = Blank(LENGTH, 4).answer("norm(w)**2 + 2*R**2").said
    assert said.startswith("True, but it gives something away")


def test_a_forbidden_name_is_named():
    blank = Blank(COURSE["descent.squared"], 2, without={"y"})
    assert blank.answer("X.T @ (X @ w - y)").said == "Write it without y."


def test_a_counterexample_shows_only_what_is_used_and_small_whole_numbers():
    said = Blank(LENGTH, 4).answer("norm(w)**2").said
    assert said.startswith("At w = (0, 0), z = (")
    assert "w_star" not in said
    assert "gamma" not in said


def test_a_conclusion_that_gives_something_away_is_told_so():
    said = Blank(COURSE["convergence.squeeze"], 6).answer("k <= 2*R**2/gamma**2").said
    assert said.startswith("True, but it gives something away")


KNOWN = [
    (name, mistake.line, mistake.formula, mistake.said)
    for name, one in COURSE.items()
    for mistake in one.mistakes
]


@pytest.mark.parametrize(("name", "number", "wrong", "said"), KNOWN)
def test_every_documented_misconception_is_wrong_and_is_named(name, number, wrong, said):
    answer = Blank(COURSE[name], number).answer(wrong)
    assert not answer.right, f"{wrong} is no mistake"
    assert answer.said.endswith(said), answer.said


def test_a_vector_where_a_number_belongs_is_told_so():
    assert "a vector of 2" in Blank(LENGTH, 2).answer("w + z").said


def test_an_answer_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match=r"^text: is 5; give a formula as text"):
        Blank(LENGTH, 2).answer(5)


def test_nothing_is_left_of_the_blank_lines():
    shown = Blank(LENGTH, [2, 3])._repr_html_()
    assert "multiply out the square" not in shown
    assert shown.count('class="blank"') == 2


@pytest.mark.parametrize("number", [0, 5])
def test_a_line_that_is_not_there_is_refused(number):
    with pytest.raises(ValueError, match=r"^lines: there is no line \d; lines are 1 to 4\.$"):
        Blank(LENGTH, number)


# All would be the same again: each derivation's own slips are planted above.
@pytest.mark.parametrize("name", ["convergence.length", "convergence.squeeze", "logistic.kesler"])
def test_no_slip_is_taken_for_a_right_answer(name):
    derivation = COURSE[name]
    for number, tree in enumerate(derivation.trees, start=1):
        hidden = derivation.line_values[number - 1]
        blank = Blank(derivation, number)
        for slip in slips(tree, ranks(derivation)):
            text = ast.unparse(ast.fix_missing_locations(slip.formula))
            answer = blank.answer(text)
            if answer.right and not all(map(same, derivation.values(slip.formula), hidden)):
                assert answer.said.startswith("Right. It is not the line we had"), (number, text)


HOSTILE = [
    "sum(sum(sum(grad(norm(w)**2, w) @ z for a in w) for b in w) for c in w)",
    "outer(outer(outer(w, w), outer(w, w)), outer(w, w))",
    "9**9**9**9**9**9**9",
    "w.__class__.__bases__",
    "(w := z) @ w",
    "exp(exp(exp(exp(exp(norm(w))))))",
    "(w, w, w, w) @ (z, z, z, z)",
    "((w, w), (w, w)) @ ((z, z), (z, z))",
    "R.T",
    "w[10**9]",
    "w[0.5]",
    "-(R < 1)",
    "(R < 1) + 1",
    "1 if w else 2",
    "1 if R else 2",
    "(-8)**(1/3)*R",
    "nan",
    "1e999*R",
    "0xfor z",
    "w @ z if w @ z is z else z",
    "\ud800",
    "\x00",
    "ш @ щ",
    "ｗ @ ｗ",
    r"\lVert \mathbf{w} \rVert^2 + R^2",
    "$w$",
    "w·z + ‖w‖²",
    "norm(w)^2",
    "+".join(["w @ z"] * 300),
    "(" * 150 + "w" + ")" * 150,
    "-" * 390 + "R",
    "not R",
    "w @ z # a comment",
    "'; import os",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_or_careless_answer_gets_a_sentence_soon(text):
    blank = Blank(LENGTH, [2, 3])
    assert LENGTH.line_values
    before = time.process_time()
    answer = blank.answer(text)
    spent = time.process_time() - before
    assert not answer.right
    assert answer.said.endswith("."), answer.said
    assert spent < 2, f"{spent:.1f} s for {text[:60]}"


# ---------------------------------------------------------------- how to write one


def test_the_example_of_the_page_about_writing_runs():
    page = Path(derivations.__file__).parents[2] / "lincourse/publish/source/howto/derivations.md"
    example, mistake = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    names = {}
    exec(example, names)
    length = names["length"]
    length.check()
    assert [need.line for need in length.needs()] == [3]
    assert Blank(length, 2).answer("w @ w + 2*w @ z + z @ z").right
    # The misconception that the page gives is one for this very line.
    with_mistake = example.replace('lines="""', f'{mistake.strip()}, lines="""')
    exec(with_mistake, names)
    said = Blank(names["length"], 2).answer("norm(w)**2 + w @ z + norm(z)**2").said
    assert said.endswith("The middle term of a square comes twice.")


# ---------------------------------------------------------------- fading


def test_ever_more_lines_are_left_blank():
    lines = [blank.lines for blank in faded(COURSE["convergence.squeeze"])]
    assert lines == [(5,), (3, 4, 5), (2, 3, 4, 5)]
    assert [blank.lines for blank in faded(COURSE["convergence.alignment"])] == [(2,)]


@pytest.mark.parametrize("name", COURSE)
def test_a_faded_derivation_is_filled_in_by_its_own_lines(name):
    derivation = COURSE[name]
    blank = faded(derivation)[-1]
    for number in blank.lines:
        answer = blank.answer(derivation.lines[number - 1].text, line=number)
        assert answer.right, answer.said
