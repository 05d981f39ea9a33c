"""Bad calls: each gets one sentence that names the argument, the place and the remedy."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import linlib
from linlib.base import checks
from linlib.base.frozen import frozen
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment, signed_rows
from linlib.perceptron.algorithm import pla, pla_rows
from linlib.perceptron.variants import averaged, batch, pocket

X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
Y = [-1, -1, -1, 1]
H = Hyperplane([1, 2], 3)
NAN, INF = float("nan"), float("inf")
GOAL = linlib.hinge_objective(X, Y, 0.1)
MACHINE = linlib.linear_machine([[0], [4], [9]], ["a", "b", "c"])


def spoilt(value, dtype=float):
    """Return the four corners with ``value`` at row 2, column 1."""
    array = np.array(X, dtype=dtype)
    array[2, 1] = value
    return array


def ones_and(value, dtype=float):
    """Return four labels with ``value`` at row 2."""
    array = np.array(Y, dtype=dtype)
    array[2] = value
    return array


class Refusing:
    """Something like a tensor that lies elsewhere and does not become a NumPy array."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("it lies on a device")


V, T = ValueError, TypeError
AT = "at row 2, column 1"
BIG, HUGE, THIRD = 2**53 + 1, 10**400, Fraction(1, 3)
# what is wrong: (call, exception, argument, what the sentence says of place and remedy)
BAD_CALLS = {
    # --- points
    "X has NaN": (lambda: augment(spoilt(NAN)), V, "X", f"{AT} is not a number; drop or fill"),
    "X has infinity": (lambda: augment(spoilt(INF)), V, "X", f"{AT} is infinite.*clip"),
    "X has 1e200": (lambda: augment(spoilt(1e200)), V, "X", f"{AT}.*overflows.*rescale"),
    "X has 2**53 + 1": (lambda: augment(spoilt(BIG, int)), V, "X", rf"{BIG} {AT}.*2\*\*53"),
    "X has -2**53 - 1": (lambda: augment(spoilt(-BIG, int)), V, "X", f"-{BIG} {AT}.*rescale"),
    "X has the least integer": (lambda: augment(spoilt(-(2**63), int)), V, "X", AT),
    "X has a string": (lambda: augment(spoilt("two", object)), T, "X", f"'two'.* {AT}"),
    "X is all strings": (lambda: augment([["1", "2"]]), T, "X", "'1'.*row 0, column 0.*float"),
    "X is one string": (lambda: augment("abc"), T, "X", "'abc'.*convert"),
    "X has None": (lambda: augment(spoilt(None, object)), T, "X", f"None {AT}; drop or fill"),
    "X has a fraction": (lambda: augment(spoilt(THIRD, object)), T, "X", rf"Fraction\(1, 3\) {AT}"),
    "X has True": (lambda: augment(spoilt(True, object)), T, "X", f"True {AT}"),
    "X is complex": (lambda: augment(spoilt(0, complex)), T, "X", "0j at row 0, column 0"),
    "X has 2**53 + 1 as object": (lambda: augment(spoilt(BIG, object)), V, "X", rf"{BIG} {AT}"),
    "X has NaN as object": (lambda: augment(spoilt(NAN, object)), V, "X", f"{AT} is not a number"),
    "X is a missing value": (lambda: augment(spoilt(pd.NA, object)), T, "X", f"<NA> {AT}; drop"),
    "X is None": (lambda: augment(None), T, "X", "None; pass an array"),
    "X is a set": (lambda: augment({1, 2}), T, "X", "found {1, 2}; convert"),
    "X is a generator": (lambda: augment(row for row in X), T, "X", r"generator; pass list\(X\)"),
    "X is a map": (lambda: augment(map(list, X)), T, "X", r"a map; pass list\(X\)"),
    "X is sparse": (lambda: augment(sparse.csr_matrix(X)), T, "X", r"sparse.*pass X\.toarray\(\)"),
    "X refuses": (lambda: augment(Refusing()), T, "X", "a Refusing does not.*on a device.*convert"),
    "X is masked": (lambda: augment(np.ma.masked_equal(X, 1)), V, "X", "masked.*fill|drop"),
    "X is ragged": (lambda: augment([[1, 2], [5]]), V, "X", "row 1 has 1 entries.*same length"),
    "X is ragged in depth": (lambda: augment([[1, 2, 3], [[1, 2], [3, 4]]]), V, "X", "row 1"),
    "X is flat": (lambda: augment([1, 2]), V, "X", r"\(2,\).*reshape\(-1, 1\)"),
    "X has no rows": (lambda: augment(np.ones((0, 2))), V, "X", "no rows.*at least one point"),
    "X has no columns": (lambda: augment(np.ones((3, 0))), V, "X", "no columns.*one feature"),
    # --- labels
    "labels 0": (lambda: pla(X, [1, 1, 0, 1]), V, "y", r"found 0 at row 2.*use 2 \* y - 1"),
    "labels 2": (lambda: pla(X, [1, 1, 2, 1]), V, "y", "found 2 at row 2.*relabel"),
    "labels have NaN": (lambda: pla(X, ones_and(NAN)), V, "y", "at row 2 is not a number; drop"),
    "labels are strings": (lambda: pla(X, ["yes"] * 4), T, "y", "'yes'.*row 0.*use np.where"),
    "labels are booleans": (lambda: pla(X, [True] * 4), T, "y", "True and False.*np.where"),
    "a label is None": (lambda: pla(X, ones_and(None, object)), T, "y", "None at row 2; drop"),
    "labels are True as objects": (
        lambda: pla(X, np.array([True] * 4, object)),
        T,
        "y",
        "np.where",
    ),
    "y is None": (lambda: pla(X, None), T, "y", "None; pass one label for each row"),
    "classes are None": (lambda: linlib.fit_lda(X, None), T, "y", "None; pass one label"),
    "y is a generator": (lambda: pla(X, (s for s in Y)), T, "y", r"generator; pass list\(y\)"),
    "y is the keys of a dict": (lambda: linlib.fit_lda(X, {}.keys()), T, "y", r"pass list\(y\)"),
    "y is sparse": (lambda: pla(X, sparse.csr_array([Y])), T, "y", r"pass y\.toarray\(\)"),
    "y refuses": (lambda: linlib.fit_lda(X, Refusing()), T, "y", "on a device.*convert"),
    "too few labels": (lambda: pla(X, [1, -1, 1]), V, "y", "3 labels for 4 rows.*exactly one"),
    "labels are a column": (lambda: pla(X, [[1]] * 4), V, "y", r"\(4, 1\).*y\.ravel\(\)"),
    "y is masked": (lambda: pla(X, np.ma.array(Y, mask=[0, 0, 1, 0])), V, "y", "masked"),
    "y is ragged": (lambda: pla(X, [1, -1, [1, 1], 1]), V, "y", "row 2"),
    "one class alone": (lambda: linlib.fit_lda(X, [7] * 4), V, "y", "class 7.*at least 2"),
    # --- step
    "step is 0": (lambda: pla(X, Y, step=0), V, "step", "positive.*got 0.*try step=1.0"),
    "step is infinite": (lambda: batch(X, Y, step=INF), V, "step", "finite.*got inf.*try"),
    "step is huge": (lambda: pla(X, Y, step=10**400), V, "step", "finite"),
    "step is a string": (lambda: pla(X, Y, step="1"), T, "step", "'1'.*give a plain float"),
    "step is a boolean": (lambda: pla(X, Y, step=True), T, "step", "True.*a plain float"),
    # --- order
    "order is unknown": (lambda: pla(X, Y, order="best"), V, "order", "'best'.*'cyclic', 'shuf"),
    "a row is left out": (lambda: pla(X, Y, order=[0, 1, 3]), V, "order", "never visits row 2"),
    "row 4 of 4": (lambda: pla(X, Y, order=range(5)), V, "order", "row 4 does not.*0 to 3"),
    "a negative row": (lambda: pocket(X, Y, order=[0, 1, 2, -1]), V, "order", "row -1 does not"),
    "order has floats": (lambda: pla(X, Y, order=[0.0] * 4), T, "order", r"got \[0.0, .*range\(4"),
    "order is ragged": (lambda: pla(X, Y, order=[[0], [1, 2, 3]]), V, "order", "row 1 has 3"),
    "order is a table": (lambda: pla(X, Y, order=[[0, 1], [2, 3]]), T, "order", "row numbers"),
    "order is None": (lambda: pocket(X, Y, order=None), T, "order", r"got None.*range\(4\)"),
    "averaged: worst": (lambda: averaged(X, Y, order="worst"), V, "order", "'cyclic', 'shuffled'"),
    # --- randomness
    "no rng": (lambda: pla(X, Y, order="random"), V, "rng", "'random'.*rng=np.random.default"),
    "rng is a seed": (lambda: pla(X, Y, order="random", rng=7), T, "rng", "got 7.*pass rng="),
    # --- start
    "start is short": (lambda: pla(X, Y, start=[1, 2]), V, "start", "2 entries where 3.*offset"),
    "start is a table": (lambda: pla(X, Y, start=[[0, 0, 0]]), V, "start", "flatten"),
    # --- budgets
    "updates below 0": (lambda: pla(X, Y, max_updates=-1), V, "max_updates", "at least 0"),
    "updates as float": (lambda: pocket(X, Y, max_updates=10.0), T, "max_updates", r"write .*=1"),
    "updates as bool": (lambda: pla_rows(X, max_updates=True), T, "max_updates", "got True"),
    # --- hyperplanes
    "w is zero": (lambda: Hyperplane([0, 0], 1), V, "w", "zero vector.*give a normal vector"),
    "w is empty": (lambda: Hyperplane([], 1), V, "w", r"expected a vector.*\(0,\)"),
    "w0 is infinite": (lambda: Hyperplane([1], INF), V, "w0", "infinite.*clip"),
    "w0 is a list": (lambda: Hyperplane([1], [0]), V, "w0", r"one number.*\(1,\).*a float"),
    "one weight": (lambda: Hyperplane.from_weights([1]), V, "weights", "at least one weight"),
    "few features": (lambda: H.score([[1], [2]]), V, "X", "1 features where the model has 2"),
    "rescaled by 0": (lambda: H.rescaled(0), V, "factor", "not zero.*got 0.*try 2.0"),
    "rescaled by NaN": (lambda: H.rescaled(NAN), V, "factor", "finite.*got nan.*try 2.0"),
    "coincides with a list": (lambda: H.coincides([1, 2]), T, "other", "Hyperplane"),
    "oriented is a string": (lambda: H.coincides(H, oriented="no"), T, "oriented", "'no'"),
    # --- objectives, machines, counts
    "row 4": (lambda: GOAL.gradient([0, 0, 0], 4), V, "row", "4.*from 0|from 0.*4"),
    "class 3 of 3": (lambda: MACHINE.boundary(0, 3), V, "b", "3.*from 0|from 0.*3"),
    "a class and itself": (lambda: MACHINE.boundary(1, 1), V, "b", "two classes"),
    "too many bits": (lambda: linlib.cover_count(HUGE, HUGE), V, "n, d", "bits.*choose less"),
}

table = [pytest.param(*row, id=name) for name, row in BAD_CALLS.items()]


@pytest.mark.parametrize(("call", "exception", "argument", "words"), table)
def test_a_bad_call_gets_one_sentence_with_argument_place_and_remedy(
    call, exception, argument, words
):
    with pytest.raises(exception) as caught:
        call()
    assert caught.type is exception, f"expected {exception.__name__}, got {caught.type.__name__}"
    sentence = str(caught.value)
    assert re.fullmatch(rf"{argument}: [^\n]+\.", sentence), (
        f"not of the form '{argument}: … .' on one line: {sentence!r}"
    )
    assert not re.search(r"[.!?] +[A-Z]", sentence), f"more than one sentence: {sentence!r}"
    assert re.search(words, sentence), f"{words!r} is missing in: {sentence!r}"


def test_the_first_bad_entry_is_the_one_named():
    bad = np.zeros((5, 3))
    bad[3, 0] = bad[1, 2] = bad[4, 1] = NAN
    with pytest.raises(ValueError, match="at row 1, column 2"):
        augment(bad)


# What is unusual but right must pass, or the table above would reward refusing everything.
GOOD_POINTS = {
    "booleans": np.array([[True, False]]),
    "8-bit integers": np.array([[1, 0]], dtype=np.int8),
    "unsigned integers": np.array([[1, 0]], dtype=np.uint64),
    "half floats": np.array([[1, 0]], dtype=np.float16),
    "floats in the other byte order": np.array([[1, 0]], dtype=">f8"),
    "objects that are floats": np.array([[1.0, 0.0]], dtype=object),
    "objects that are numbers of many kinds": np.array([[np.float32(1), 0]], dtype=object),
    "columns of pandas that admit missing values": pd.DataFrame({"a": [1.0], "b": [0.0]}).astype(
        "Float64"
    ),
    "such a column beside a plain one": pd.DataFrame(
        {"a": pd.Series([1.0], dtype="Float64"), "b": [0]}
    ),
    "tuples": ((1, 0),),
    "a masked array without a mask": np.ma.array([[1.0, 0.0]]),
    "a read-only array": frozen(np.array([[1.0, 0.0]])),
    "a Fortran-ordered array": np.array([[1.0, 0.0]], order="F"),
}


@pytest.mark.parametrize("points", GOOD_POINTS.values(), ids=GOOD_POINTS)
def test_unusual_but_exact_points_are_accepted(points):
    assert augment(points).tolist() == [[1, 1, 0]]
    assert augment(points).dtype == np.float64


@pytest.mark.parametrize("value", [2**53, -(2**53), 1e150, -1e150, 0, 5e-324])
def test_the_largest_and_smallest_allowed_numbers_are_accepted(value):
    assert augment([[value]])[0, 1] == value


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_labels_of_any_number_type_are_accepted(dtype):
    labels = signed_rows(X, np.array(Y, dtype=dtype))[:, 0]
    assert labels.tolist() == Y
    assert labels.dtype == np.float64


@pytest.mark.parametrize("step", [1, 0.5, np.float32(2), np.int64(3)], ids=repr)
def test_a_step_of_any_number_type_is_accepted(step):
    assert pla(X, Y, step=step).weights.tolist() == [-4 * step, 3 * step, 2 * step]


def test_budgets_may_be_numpy_integers():
    assert pla(X, Y, max_updates=np.int64(3)).updates == 3
    assert averaged(X, Y, max_passes=np.int32(2)).passes == 2


def test_an_order_may_visit_a_row_twice():
    assert pla(X, Y, order=[0, 0, 1, 2, 3, 3]).converged


# --- floats of any width ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("decimal", ["0.1", "-0.3", "1.4", "12.3", "0.00125", "5e-5", "0.0"])
def test_a_float_of_any_width_stands_for_the_decimal_that_it_prints(dtype, decimal):
    narrow = np.array([[decimal]]).astype(dtype)
    for given in (narrow, narrow.tolist() if dtype is np.float64 else [[narrow[0, 0]]]):
        assert augment(given)[0, 1] == float(decimal), f"{decimal} became {augment(given)[0, 1]!r}"
    assert checks.real(narrow[0, 0], "step") == float(decimal)
    assert augment(narrow.astype(object))[0, 1] == float(narrow.astype(object)[0, 0])


@pytest.mark.parametrize("kind", ["float32", "Float32"])
def test_a_narrow_column_of_a_table_keeps_its_decimals_beside_other_columns(kind):
    table = pd.DataFrame({"narrow": [0.1, 0.7], "whole": [1, 2], "wide": [0.3, 0.4]})
    table["narrow"] = table["narrow"].astype(kind)
    assert checks.points(table).tolist() == [[0.1, 1, 0.3], [0.7, 2, 0.4]]
    table.loc[1, "narrow"] = None
    with pytest.raises(ValueError, match=r"^X: nan at row 1, column 0 is not a number; drop"):
        checks.points(table)
    words = table.assign(whole=["a", "b"]).assign(narrow=table["wide"].astype(kind))
    with pytest.raises(TypeError, match=r"^X: expected numbers, found 'a' at row 0, column 1; "):
        checks.points(words)


# --- labels ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y", [["-1", "+1", "1"], np.array([-1, 1, "1"], dtype=object), ["no", "yes", "yes"]]
)
def test_the_advice_on_labels_keeps_their_meaning(y):
    with pytest.raises(TypeError) as caught:
        checks.signs(y, 3)
    advice = re.search(r"use (.*)\.$", str(caught.value)).group(1)
    relabelled = eval(advice, {"np": np, "y": np.asarray(y)})
    assert checks.signs(relabelled, 3).tolist() == [-1.0, 1.0, 1.0], f"{advice} inverts the classes"


def test_dir_offers_what_a_reader_calls_and_no_modules():
    offered = [name for name in dir(linlib) if not name.startswith("_")]
    assert sorted(linlib.__all__) == offered


def test_floats_and_labels_that_are_floats_already_are_not_copied():
    y = np.array([1.0, -1.0, 1.0])
    assert checks.vector(y, "w") is checks.signs(y, 3) is y
    assert checks.signs(y.astype(int), 3).dtype == np.float64


@pytest.mark.parametrize("dtype", ["Int64", "Float64", object])
def test_labels_of_pandas_and_objects_are_accepted_if_all_are_numbers(dtype):
    labels = pd.Series([-1, 1, 1], dtype=dtype)
    for given in (labels, labels.to_numpy(dtype=object)):
        assert checks.signs(given, 3).tolist() == [-1.0, 1.0, 1.0]
        names, codes = checks.classes(given, 3)
        assert (names.tolist(), codes.tolist()) == ([-1, 1], [0, 1, 1])
        assert names.dtype.kind == ("f" if dtype == "Float64" else "i")


def test_classes_are_numbers_or_strings_throughout():
    with pytest.raises(TypeError, match=r"^y: labels are mixed objects; "):
        checks.classes(np.array(["a", 1, None], dtype=object), 3)
    for kind in (object, np.dtypes.StringDType()):
        names, codes = checks.classes(np.array(["b", "a", "bb"], dtype=kind), 3)
        assert (names.tolist(), codes.tolist()) == (["a", "b", "bb"], [1, 0, 2])
