"""The mutation run itself: what it changes, what it samples, and that its list is in order."""

import ast
import signal
from importlib.util import module_from_spec

import pytest

from linlib import features, loop
from tools import mutants
from tools.mutants import EQUIVALENT, Mutant, equivalents, sampled, sites, stale

MODULES = mutants.modules()


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


def mutant(module, function, change):
    return next(m for m in mutants.mutants(module) if (m.function, m.change) == (function, change))


def test_a_function_gets_the_code_of_the_mutant_and_its_file_stays_as_it_is():
    path, code = mutants.source("features"), features.quadratic.__code__
    before = path.read_bytes()
    try:
        mutants.transplant(mutant("features", "quadratic", "array ** 2  →  array * 2"))
        assert features.quadratic([[2, 3]]).tolist() == [[2, 3, 12, 4, 6]]
    finally:
        features.quadratic.__code__ = code
    assert features.quadratic([[2, 3]]).tolist() == [[2, 3, 12, 4, 9]]
    assert path.read_bytes() == before


def test_a_change_outside_functions_is_made_when_the_module_is_loaded():
    spec = mutants.Mutated(mutant("loop", "", "2048  →  2049")).find_spec("linlib.loop")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (module.FEW, loop.FEW) == (2049, 2048)


def test_a_verdict_holds_until_the_module_or_its_test_changes(tmp_path):
    tests = tmp_path / "test_features.py"
    tests.write_text("def test_it(): ...")
    killed, left = mutants.mutants("features")[:2]

    def book():
        return mutants.Book("features", [tests], tmp_path / "verdicts", tmp_path)

    assert book().verdict(killed) is None
    book().tell(killed, {"failed": "tests/test_features.py::test_it"})
    book().enter(killed, 1 << 8, 0.1)
    book().tell(left, {"failed": ""})
    book().enter(left, 0, 0.1)
    assert book().verdict(left) == ""
    assert book().verdict(killed) is None, "no test of that name is there"
    with (tmp_path / "verdicts").open("a") as file:
        file.write('{"key": "cut o')
    assert book().verdict(left) == "", "an interrupted line is passed over"
    tests.write_text("def test_it_better(): ...")
    assert book().verdict(left) is None, "other tests may notice it"


def test_what_a_test_reads_belongs_to_it():
    tests = mutants.ROOT / "tests"
    found = mutants.read_by([tests / "test_shown.py", tests / "test_loop.py"])
    assert tests / "shown" / "perceptron.txt" in found
    assert {path.parent for path in found} == {tests / "shown"}


def test_what_was_stopped_by_the_clock_is_told_apart(tmp_path):
    book = mutants.Book("features", [], tmp_path / "verdicts", tmp_path)
    slow = mutants.mutants("features")[0]
    book.enter(slow, signal.SIGPROF, 3.0)
    book.read()
    assert book.verdict(slow) == "time"
    text, enough = mutants.report("features", {slow: "time"}, [])
    assert text.startswith("features: 1 mutants, 1 killed (1 caught by time)\n  by time  ")
    assert enough


def test_a_module_needs_nineteen_of_twenty():
    twenty = [Mutant("m", place, place, "", "", "") for place in range(20)]
    verdicts = dict.fromkeys(twenty, "tests/test_m.py::test_it") | {twenty[3]: ""}
    text, enough = mutants.report("m", verdicts, [])
    assert (text.splitlines()[0], enough) == ("m: 20 mutants, 19 killed, 1 survived", True)
    verdicts[twenty[4]] = ""
    assert not mutants.report("m", verdicts, [])[1]
    assert mutants.report("m", verdicts, twenty[:1])[0].startswith("m: 21 mutants, 18 killed, 1 eq")
