"""The mutation run itself: what it changes, what it samples, and that its list is in order."""

import ast

import pytest

from tools import mutants
from tools.mutants import EQUIVALENT, Mutant, equivalents, sampled, sites, stale

MODULES = sorted(path.stem for path in (mutants.ROOT / "linlib").glob("*.py"))


def changes(text):
    return [site.change for site in sites(ast.parse(text))]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("a < b", "a < b  →  a <= b"),
        ("a == b", "a == b  →  a != b"),
        ("a + b", "a + b  →  a - b"),
        ("a * b", "a * b  →  a / b"),
        ("7", "7  →  8"),
        ("True", "True  →  False"),
        ("a and b", "a and b  →  a or b"),
        ("not a", "not a  →  a"),
        ("a if b else c", "a if b else c  →  c if b else a"),
        ("np.argmin(a)", "np.argmin  →  np.argmax"),
        ("min(a)", "min  →  max"),
        ("f(a, k=b)", "f(…) without k=b"),
        ("def f():\n    return a", "return a  →  return None"),
        ("raise ValueError(a)", "raise ValueError  →  pass"),
        ("if a:\n    b", "if a  →  if not …"),
        ("a += b", "a += b  →  a -= b"),
    ],
)
def test_a_small_change_of_each_kind_is_made(text, change):
    assert change in changes(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a: Literal[7]) -> Literal[8]: ...",
        "@dataclass(frozen=True)\nclass A: ...",
        "f'{a:.4f}'",
    ],
)
def test_declarations_and_the_spelling_of_numbers_are_left_alone(text):
    assert changes(text) == []


def test_every_change_gives_a_module_that_compiles_and_differs():
    text = (mutants.ROOT / "linlib" / "loop.py").read_text("utf-8")
    plain = ast.unparse(ast.parse(text))
    for place in range(0, len(sites(ast.parse(text))), 7):
        tree = ast.parse(text)
        sites(tree)[place].apply()
        compile(ast.fix_missing_locations(tree), "loop", "exec")
        assert ast.unparse(tree) != plain


def test_a_change_knows_the_function_it_is_in():
    text = (
        "a = 1\ndef f(x=2):\n    return 3\nclass A:\n    b = 4\n    def g(self):\n        return 5"
    )
    found = {site.node.value: site.function for site in sites(ast.parse(text)) if _number(site)}
    assert found == {1: "", 2: "", 3: "f", 4: "", 5: "A.g"}


def _number(site):
    return isinstance(site.node, ast.Constant)


def test_a_sample_is_even_and_contains_the_smaller_ones():
    every = [Mutant("m", place, place, "", "", "") for place in range(200)]
    ten, forty = sampled(every, 10), sampled(every, 40)
    assert forty[:10] == ten
    assert len(set(forty)) == 40
    for part in range(0, 200, 50):
        assert 8 <= sum(part <= mutant.place < part + 50 for mutant in forty) <= 12
    assert sorted(sampled(every[:7], 40)) == every[:7]


def test_the_list_of_equivalent_mutants_is_up_to_date():
    assert stale(MODULES) == [], "listed, but no such mutant: remove it or write it anew"


def test_every_equivalent_mutant_is_listed_once_with_a_reason():
    assert all(len(why) > 20 and why.endswith(".") for why in equivalents().values())
    assert EQUIVALENT.read_text("utf-8").count("[[mutant]]") == len(equivalents())
