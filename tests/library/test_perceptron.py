"""The perceptron and its relatives against the textbook loop, the books' figures and their laws."""

from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron, SGDClassifier

from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import signed_rows
from linlib.perceptron.algorithm import corrections, pla, pla_rows
from linlib.perceptron.variants import averaged, batch, pocket
from tests import naive

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
few = settings(fuzz, max_examples=25)

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([-1, -1, -1, 1])
XOR = np.array([-1, 1, 1, -1])

VISITING = ["cyclic", "shuffled", "sequence"]
ORDERS = [*VISITING, "random", "worst"]
# Rows are scored in blocks of 16, 32, 64, … 4096: sizes on both sides of every kind of boundary.
SMALL_SHAPES = [(1, 1), (2, 1), (3, 2), (5, 2), (15, 3), (16, 3), (17, 2), (31, 1), (33, 4)]
MIDDLE_SHAPES = [(47, 3), (48, 3), (49, 2), (112, 2), (113, 4), (260, 3)]
LARGE_SHAPES = [(4095, 1), (4097, 2), (8200, 2), (9001, 1)]
SLOW_SHAPES = [
    pytest.param(shape, marks=pytest.mark.slow) for shape in MIDDLE_SHAPES + LARGE_SHAPES[:2]
]
SHAPES = SMALL_SHAPES + SLOW_SHAPES[:-2]
KINDS = ["separable", "inseparable"]


def dataset(n, d, kind, seed=0):
    """Return small integers with labels from a line (never through a point), or from a coin."""
    rng = np.random.default_rng([n, d, seed])
    X = rng.integers(-6, 7, (n, d))
    if kind == "separable":
        w0, w = rng.integers(-3, 4), rng.integers(-4, 5, d)
        return X, np.where(2 * (X @ w + w0) + 1 > 0, 1, -1)
    return X, rng.choice([-1, 1], n)


def settings_for(d, seed):
    """Return starts, steps and bias of every kind, all of them exact in binary."""
    rng = np.random.default_rng([d, seed])
    return [
        {},
        {"step": 3.0},
        {"bias": False},
        {"start": rng.integers(-9, 10, d + 1)},
        {"start": rng.integers(-9, 10, d + 1) / 4, "step": 0.125},
        {"start": rng.integers(-9, 10, d) / 8, "step": 2.5, "bias": False},
    ]


def order_for(name, n):
    """Return the order itself and a fresh generator: a sequence visits some rows twice."""
    rng = np.random.default_rng(n)
    if name == "sequence":
        return np.r_[rng.permutation(n), rng.integers(0, n, n // 3)], None
    return name, rng


def told(options):
    """Split options into the signed rows' own (bias) and the loop's."""
    rest = dict(options)
    return rest.pop("bias", True), rest


def assert_same_run(run, trace, about=""):
    """Compare a run with the naive loop's, part by part and to the last bit."""
    assert np.array_equal(run.mistakes, trace.mistakes), f"other mistakes, or order {about}"
    assert np.array_equal(run.visits, trace.visits), f"mistakes made at other visits {about}"
    assert np.array_equal(run.path, trace.path), f"other weights along the way {about}"
    assert run.updates == len(trace.mistakes), f"another number of updates {about}"
    assert run.passes == trace.passes, f"another number of passes {about}"


def planted(n, d, seed):
    """Return separable integer data and integer weights (w0, w) that separate it."""
    rng = np.random.default_rng([n, d, seed])
    w = rng.integers(-4, 5, d + 1)
    X = rng.integers(-6, 7, (n, d))
    scores = 2 * (X @ w[1:] + w[0]) + 1
    return X, np.sign(scores), 2 * w + np.r_[1, np.zeros(d, dtype=int)]


@st.composite
def integer_data(draw, most=12):
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-5, 5), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X), np.array(y)


LEARNERS = {
    "pla": lambda X, y, **options: pla(X, y, max_updates=60, **options),
    "pocket": lambda X, y, **options: pocket(X, y, max_updates=60, **options),
    "averaged": lambda X, y, **options: averaged(X, y, max_passes=8, **options),
    "batch": lambda X, y, **options: batch(X, y, max_updates=60, **options),
}
each_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def same_mistakes(a, b):
    return len(a.mistakes) == len(b.mistakes) and all(
        np.array_equal(one, other) for one, other in zip(a.mistakes, b.mistakes, strict=True)
    )


# === 1. Equal to the naive loop, bit for bit on integer data ====================================


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pla_equals_the_textbook_loop(shape, kind, order):
    X, y = dataset(*shape, kind)
    for options in settings_for(shape[1], seed=1):
        bias, rest = told(options)
        rows, rng = order_for(order, len(X))
        run = pla(X, y, order=rows, rng=rng, max_updates=50, **options)
        rows, rng = order_for(order, len(X))
        Z = naive.signed_rows(X, y, bias)
        trace = naive.pla(Z, order=rows, rng=rng, max_updates=50, **rest)
        assert_same_run(run, trace, f"with {options}")
        assert np.array_equal(run.weights, trace.weights), f"other final weights with {options}"
        assert run.converged is trace.converged, f"another verdict with {options}"
        assert run.errors == naive.errors(Z, trace.weights), f"other errors with {options}"


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", LARGE_SHAPES, ids=str)
def test_pla_equals_the_textbook_loop_beyond_the_largest_block(shape, kind, order):
    X, y = dataset(*shape, kind)
    budget = 5 if order in ("random", "worst") else 20
    rows, rng = order_for(order, len(X))
    run = pla(X, y, order=rows, rng=rng, max_updates=budget)
    rows, rng = order_for(order, len(X))
    trace = naive.pla(naive.signed_rows(X, y), order=rows, rng=rng, max_updates=budget)
    assert_same_run(run, trace)
    assert np.array_equal(run.weights, trace.weights)
    assert run.converged is trace.converged


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pocket_equals_the_textbook_loop(shape, kind, order):
    X, y = dataset(*shape, kind, seed=2)
    for options in settings_for(shape[1], seed=2)[::2]:
        bias, rest = told(options)
        rows, rng = order_for(order, len(X))
        run = pocket(X, y, order=rows, rng=rng, max_updates=40, **options)
        rows, rng = order_for(order, len(X))
        Z = naive.signed_rows(X, y, bias)
        best, history, trace = naive.pocket(Z, order=rows, rng=rng, max_updates=40, **rest)
        assert_same_run(run, trace, f"with {options}")
        assert np.array_equal(run.weights, best), f"another pocket with {options}"
        assert np.array_equal(run.best_errors, history), f"another history with {options}"
        assert run.converged is trace.converged, f"another verdict with {options}"


@pytest.mark.parametrize("order", VISITING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_averaged_equals_the_textbook_loop(shape, kind, order):
    X, y = dataset(*shape, kind, seed=3)
    for passes, options in zip([1, 2, 3, 4, 6, 9], settings_for(shape[1], seed=3), strict=True):
        bias, rest = told(options)
        rows, rng = order_for(order, len(X))
        run = averaged(X, y, order=rows, rng=rng, max_passes=passes, **options)
        rows, rng = order_for(order, len(X))
        Z = naive.signed_rows(X, y, bias)
        mean, trace = naive.averaged(Z, order=rows, rng=rng, passes=passes, **rest)
        assert_same_run(run, trace, f"with {options}")
        assert np.array_equal(run.weights, mean), f"another mean with {options}"
        assert np.array_equal(run.last, trace.weights), f"other last weights with {options}"
        done = trace.converged and naive.errors(Z, mean) == 0
        assert run.converged is done, f"another verdict with {options}"


@pytest.mark.slow
@pytest.mark.parametrize("shape", LARGE_SHAPES, ids=str)
def test_averaged_equals_the_textbook_loop_beyond_the_largest_block(shape):
    X, y = dataset(*shape, "separable")
    run = averaged(X, y, max_passes=3)
    mean, trace = naive.averaged(naive.signed_rows(X, y), passes=3)
    assert_same_run(run, trace)
    assert np.array_equal(run.weights, mean)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SMALL_SHAPES + SLOW_SHAPES, ids=str)
def test_batch_equals_the_textbook_loop(shape, kind):
    X, y = dataset(*shape, kind, seed=4)
    for options in settings_for(shape[1], seed=4):
        bias, rest = told(options)
        budget = 25 if len(X) < 1000 else 2
        run = batch(X, y, max_updates=budget, **options)
        trace = naive.batch(naive.signed_rows(X, y, bias), max_updates=budget, **rest)
        assert [rows.tolist() for rows in run.mistakes] == trace.mistakes, f"with {options}"
        assert np.array_equal(run.path, trace.path), f"other weights on the way with {options}"
        assert np.array_equal(run.weights, trace.weights), f"other final weights with {options}"
        assert run.updates == len(trace.mistakes), f"another number of updates with {options}"
        assert run.passes == trace.passes, f"another number of passes with {options}"
        assert run.converged is trace.converged, f"another verdict with {options}"


BOUNDARIES = sorted({16 * (2**k - 1) for k in range(1, 10)} | {8176 + 4096, 8192, 4096})
NEAR = sorted({row + by for row in BOUNDARIES for by in (-1, 0, 1)} | {0, 12_999})


@pytest.mark.parametrize("wrong", NEAR)
def test_a_single_mistake_is_found_wherever_it_is(wrong):
    # All rows are e0, right at once; row `wrong` is e1, whose score 0 is the only mistake.
    Z = np.zeros((13_000, 2))
    Z[:, 0] = 1
    Z[wrong] = [0, 1]
    run = pla_rows(Z, start=[1, 0])
    assert run.mistakes.tolist() == [wrong], "blocks of rows must neither skip nor repeat a row"
    assert run.visits.tolist() == [wrong + 1], "visits are counted from one"
    assert (run.passes, run.converged) == (2, True)


@pytest.mark.parametrize("after", [1, 2, 15, 16, 17, 18, 48, 49, 50, 112, 113, 114, 8176, 8177])
@pytest.mark.parametrize("first", [0, 15, 16, 47, 48, 100])
def test_the_next_mistake_is_found_wherever_it_is(first, after):
    Z = np.zeros((9000, 3))
    Z[:, 0] = 1
    Z[first], Z[first + after] = [0, 1, 0], [0, 0, 1]
    run = pla_rows(Z, start=[1, 0, 0])
    assert run.mistakes.tolist() == [first, first + after]
    assert run.visits.tolist() == [first + 1, first + after + 1]


def test_visits_go_on_counting_in_later_passes():
    run = pla(CORNERS, AND)
    trace = naive.pla(naive.signed_rows(CORNERS, AND))
    assert run.visits.tolist() == trace.visits
    assert run.visits[-1] > 4 * 7, "the last update of AND falls in the eighth pass"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_pla_stopped_after_any_number_of_updates_is_the_beginning_of_the_longer_run(kind, order):
    X, y = dataset(20, 2, kind, seed=5)
    rows, rng = order_for(order, len(X))
    full = pla(X, y, order=rows, rng=rng, max_updates=45)
    for k in range(full.updates + 3 if full.converged else full.updates):
        rows, rng = order_for(order, len(X))
        run = pla(X, y, order=rows, rng=rng, max_updates=k)
        rows, rng = order_for(order, len(X))
        trace = naive.pla(naive.signed_rows(X, y), order=rows, rng=rng, max_updates=k)
        assert_same_run(run, trace, f"with max_updates={k}")
        assert np.array_equal(run.mistakes, full.mistakes[:k]), f"with max_updates={k}"
        assert np.array_equal(run.weights, full.path[min(k, full.updates)])
        assert run.converged is (full.converged and k >= full.updates), f"with max_updates={k}"


@pytest.mark.parametrize("kind", KINDS)
def test_pocket_and_batch_obey_every_budget(kind):
    X, y = dataset(20, 2, kind, seed=6)
    Z = naive.signed_rows(X, y)
    for k in range(30):
        best, history, trace = naive.pocket(Z, max_updates=k)
        run = pocket(X, y, max_updates=k)
        assert np.array_equal(run.weights, best), f"pocket with max_updates={k}"
        assert np.array_equal(run.best_errors, history), f"pocket with max_updates={k}"
        assert run.converged is trace.converged, f"pocket with max_updates={k}"
        trace, run = naive.batch(Z, max_updates=k), batch(X, y, max_updates=k)
        assert run.updates == len(trace.mistakes) <= k, f"batch with max_updates={k}"
        assert np.array_equal(run.weights, trace.weights), f"batch with max_updates={k}"
        assert (run.passes, run.converged) == (trace.passes, trace.converged), f"batch, {k}"


@pytest.mark.parametrize("order", ORDERS)
def test_corrections_are_the_stream_behind_pla(order):
    X, y = dataset(30, 3, "separable", seed=7)
    rows, rng = order_for(order, len(X))
    stream = list(corrections(signed_rows(X, y), np.zeros(4), order=rows, rng=rng))
    rows, rng = order_for(order, len(X))
    run = pla(X, y, order=rows, rng=rng)
    assert [c.row for c in stream] == run.mistakes.tolist()
    assert [c.visit for c in stream] == run.visits.tolist()
    assert stream[-1].number_of_pass + 1 == run.passes
    assert np.array_equal([c.weights for c in stream], run.path[1:])


@pytest.mark.parametrize("order", ORDERS)
def test_pla_rows_is_pla_on_rows_already_signed(order):
    X, y = dataset(30, 3, "separable", seed=8)
    rows, rng = order_for(order, len(X))
    run = pla(X, y, order=rows, rng=rng)
    rows, rng = order_for(order, len(X))
    again = pla_rows(signed_rows(X, y), order=rows, rng=rng)
    assert same_mistakes(run, again)
    assert np.array_equal(run.weights, again.weights)


# === 2. Published figures =======================================================================


def test_and_ends_at_the_published_weights():
    run = pla(CORNERS, AND)
    assert run.weights.tolist() == [-4, 3, 2]
    assert run.updates == 18
    assert run.passes == 9, "the ninth pass is the clean one"
    assert run.converged


THREE = np.array([1, -1, 1])
NEARER, FARTHER = [[-1, -1], [1, 0], [-1, 1.5]], [[-1, -1], [1, 0], [-1, 10]]
FROM_X1, FROM_X2 = [0, 1, 2], [1, 2, 0]


@pytest.mark.parametrize(
    ("X", "order", "start", "mistakes", "weights"),
    [
        (NEARER, FROM_X1, [0, 0], 2, [-2, 0.5]),
        (FARTHER, FROM_X1, [0, 0], 6, [-6, 5]),
        (NEARER, FROM_X2, [0, 0], 1, [-1, 0]),
        (FARTHER, FROM_X2, [0, 0], 1, [-1, 0]),
        (NEARER, FROM_X1, [-1, -1], 1, None),
        (FARTHER, FROM_X1, [-1, -1], 5, None),
    ],
    ids=[
        "near third point, from x1",
        "far third point, from x1",
        "near third point, from x2",
        "far third point, from x2",
        "near third point, start (-1, -1)",
        "far third point, start (-1, -1)",
    ],
)
def test_the_three_point_example_makes_the_published_mistakes(X, order, start, mistakes, weights):
    run = pla(X, THREE, order=order, start=start, bias=False)
    assert run.converged
    assert run.updates == mistakes
    if weights is not None:
        assert run.weights.tolist() == weights


def test_the_three_point_example_is_the_same_in_cyclic_order():
    run = pla(FARTHER, THREE, bias=False)
    assert (run.updates, run.weights.tolist()) == (6, [-6, 5])


# === 3. Agreement with scikit-learn =============================================================


def sklearn_perceptron(X, y, passes):
    return Perceptron(shuffle=False, tol=None, max_iter=passes, eta0=1.0).fit(X, y)


@pytest.mark.parametrize("shape", [(10, 2), (40, 3), (200, 5), (5000, 3)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_pla_gives_scikit_learns_weights(shape, seed):
    X, y, _ = planted(*shape, seed=seed)
    run = pla(X, y, max_updates=100_000)
    assert run.converged
    theirs = sklearn_perceptron(X, y, run.passes)
    assert np.array_equal(run.weights[1:], theirs.coef_[0])
    assert run.weights[0] == theirs.intercept_[0]


def test_and_gives_scikit_learns_weights():
    run = pla(CORNERS, AND)
    theirs = sklearn_perceptron(CORNERS, AND, run.passes)
    assert (theirs.intercept_[0], *theirs.coef_[0]) == (-4, 3, 2) == tuple(run.weights)


@pytest.mark.parametrize("passes", [1, 2, 5, 20])
def test_the_last_weights_of_averaged_are_scikit_learns_even_if_inseparable(passes):
    X, y = dataset(60, 3, "inseparable")
    run, theirs = averaged(X, y, max_passes=passes), sklearn_perceptron(X, y, passes)
    assert np.array_equal(run.last[1:], theirs.coef_[0])
    assert run.last[0] == theirs.intercept_[0]


@pytest.mark.parametrize("kind", KINDS)
def test_averaged_agrees_with_scikit_learns_averaged_perceptron(kind):
    X, y = dataset(60, 3, kind, seed=9)
    theirs = SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        average=True,
        shuffle=False,
        tol=None,
        max_iter=12,
    ).fit(X, y)
    run = averaged(X, y, max_passes=12)
    assert np.allclose(run.weights[1:], theirs.coef_[0], rtol=1e-9)
    assert np.isclose(run.weights[0], theirs.intercept_[0], rtol=1e-9)


# === 4. Defining properties =====================================================================


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(4))
def test_on_separable_data_pla_ends_with_no_errors(order, seed):
    X, y, _ = planted(60, 2, seed=seed)
    rows, rng = order_for(order, len(X))
    run = pla(X, y, order=rows, rng=rng, max_updates=100_000)
    assert run.converged
    assert run.errors == 0
    assert (run.Z @ run.weights > 0).all(), "a converged run scores every signed row above zero"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(4))
def test_pla_makes_no_more_mistakes_than_novikoffs_bound(order, seed):
    X, y, reference = planted(60, 2, seed=seed)
    Z = signed_rows(X, y)
    radius2, margin = (Z**2).sum(axis=1).max(), (Z @ reference).min()
    rows, rng = order_for(order, len(X))
    run = pla(X, y, order=rows, rng=rng, max_updates=100_000)
    assert run.updates <= radius2 * (reference @ reference) / margin**2


@fuzz
@given(integer_data(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from(["cyclic", "worst"]))
def test_every_update_answers_a_mistake_and_gains_its_squared_length(data, step, order):
    run = pla(*data, step=step, order=order, max_updates=60)
    assert np.array_equal(run.weights, run.path[-1]), "the path must end at the weights"
    for row, (before, after) in zip(run.Z[run.mistakes], pairwise(run.path), strict=True):
        assert row @ before <= 0, "only a row whose score is not above zero may be corrected"
        assert np.array_equal(after, before + step * row), "the correction is step · y · (1, x)"
        assert row @ after - row @ before == step * (row @ row)


def test_a_score_of_exactly_zero_is_a_mistake():
    run = pla([[1, 0]], [1], start=[0, 0, 1])
    assert run.mistakes.tolist() == [0], "start scores the point 0, which is not above 0"
    assert run.weights.tolist() == [1, 1, 1]


def test_from_zero_the_first_row_visited_is_always_a_mistake():
    for row in range(4):
        order = np.roll(np.arange(4), -row)
        assert pla(CORNERS, AND, order=order).mistakes[0] == row


def test_one_update_need_not_repair_the_point():
    run = pla([[1]], [1], start=[0, -3])
    assert run.path.tolist() == [[0, -3], [1, -2], [2, -1]], "here the second one does"


@pytest.mark.parametrize("kind", KINDS)
def test_worst_corrects_the_row_with_the_lowest_score(kind):
    run = pla(*dataset(40, 2, kind, seed=10), order="worst", max_updates=60)
    for row, before in zip(run.mistakes, run.path, strict=False):
        assert row == np.argmin(run.Z @ before), "the lowest score, the first of equals"


def test_random_can_pick_any_mistake_and_only_mistakes():
    seen = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        run = pla(CORNERS, AND, order="random", rng=rng, max_updates=2)
        seen.add(int(run.mistakes[0]))
        assert run.Z[run.mistakes[1]] @ run.path[1] <= 0
    assert seen == {0, 1, 2, 3}, "from zero all four corners are mistakes"


def test_shuffled_takes_a_fresh_order_every_pass():
    # A zero row is wrong at every visit, so the mistakes are the visiting order itself.
    run = pla_rows(np.zeros((6, 1)), order="shuffled", rng=np.random.default_rng(3), max_updates=30)
    passes = run.mistakes.reshape(5, 6)
    assert (np.sort(passes) == np.arange(6)).all(), "each pass visits every row once"
    assert len({tuple(one) for one in passes}) > 1, "all passes had the same order"


def test_the_same_seed_gives_the_same_run():
    X, y = dataset(30, 2, "inseparable")
    for order in ("random", "shuffled"):
        one, two = (
            pla(X, y, order=order, rng=np.random.default_rng(5), max_updates=50) for _ in "ab"
        )
        assert same_mistakes(one, two), f"order={order!r} must draw from rng only"


def test_different_orders_find_different_separators():
    runs = [pla(CORNERS, AND, order=order) for order in ([0, 1, 2, 3], [3, 2, 1, 0], [3, 0, 1, 2])]
    assert all(run.errors == 0 for run in runs)
    assert len({tuple(run.weights) for run in runs}) > 1, "separating lines are not unique"


def test_mistakes_per_row_counts_the_updates_of_every_row():
    run = pla(CORNERS, AND)
    counts = [list(run.mistakes).count(i) for i in range(4)]
    assert run.mistakes_per_row.tolist() == counts
    untouched = pla(CORNERS, AND, start=[-3, 2, 2])
    assert untouched.mistakes_per_row.tolist() == [0, 0, 0, 0], "rows without mistakes count too"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_pocket_never_gets_worse_and_reports_its_own_errors(order, seed):
    X, y = dataset(40, 2, "inseparable", seed=seed)
    rows, rng = order_for(order, len(X))
    run = pocket(X, y, order=rows, rng=rng, max_updates=150)
    wrong = (run.Z @ run.path.T <= 0).sum(axis=0)
    assert len(run.best_errors) == run.updates + 1, "one entry before and one after every update"
    assert (np.diff(run.best_errors) <= 0).all(), "best_errors must never rise"
    assert run.errors == run.best_errors[-1] == wrong.min()
    assert np.array_equal(run.weights, run.path[wrong.argmin()]), "the earliest of the best"


def test_the_pocket_keeps_better_weights_than_the_last():
    X, y = dataset(40, 2, "inseparable", seed=1)
    kept, last = pocket(X, y, max_updates=100), pla(X, y, max_updates=100)
    assert same_mistakes(kept, last), "the pocket only watches, it does not steer"
    assert kept.errors < last.errors, "on this data the last weights are not the best"


def test_on_separable_data_the_pocket_ends_where_pla_does():
    kept, run = pocket(CORNERS, AND), pla(CORNERS, AND)
    assert kept.converged
    assert np.array_equal(kept.weights, run.weights)


def test_averaged_of_two_points_by_hand():
    # (1, 1) after the first visit and (0, 2) after the second.
    assert averaged([[1], [-1]], [1, -1], max_passes=1).weights.tolist() == [0.5, 1.5]


@pytest.mark.parametrize("order", VISITING)
def test_averaged_counts_clean_visits_too(order):
    X, y = dataset(32, 2, "separable", seed=2)
    rows, _ = order_for(order, len(X))
    visits = len(X) if order != "sequence" else len(rows)
    clean = pla(X, y, order=rows, rng=np.random.default_rng(1)).passes
    sums = []
    for passes in (clean, clean + 1, clean + 2):
        run = averaged(X, y, max_passes=passes, order=rows, rng=np.random.default_rng(1))
        sums.append(run.weights * passes * visits)
    for one, two in pairwise(sums):
        assert np.allclose(two - one, visits * run.last), "a clean pass adds its weights n times"


def test_averaged_makes_exactly_the_passes_it_is_told():
    X, y = dataset(32, 2, "inseparable")
    for passes in (1, 2, 5):
        run = averaged(X, y, max_passes=passes)
        assert run.passes == passes
        assert run.visits.max() <= passes * len(X), "an update after the last pass was counted"


def test_averaged_says_converged_once_a_pass_was_clean():
    needed = pla(CORNERS, AND).passes
    for passes in (needed, needed + 1, needed + 10):
        assert averaged(CORNERS, AND, max_passes=passes).converged, f"with passes={passes}"


def test_averaged_does_not_say_converged_while_the_mean_errs():
    run = averaged([[2], [1]], [-1, 1])
    assert run.last.tolist() == [3.0, -2.0], "which is right"
    assert (run.errors, run.converged) == (1, False)
    assert run.status == "Averaged over the last 20 of 20 visits: 1 of 2 rows wrong."


def test_averaged_does_not_say_converged_while_its_last_weights_err():
    for passes in range(1, pla(CORNERS, AND).passes - 1):
        run = averaged(CORNERS, AND, max_passes=passes)
        assert (run.Z @ run.last <= 0).any()
        assert not run.converged, f"with passes={passes}"


def test_averaged_does_not_say_converged_if_none_of_its_passes_was_clean():
    passes = pla(CORNERS, AND).passes - 1
    run = averaged(CORNERS, AND, max_passes=passes)
    assert run.visits[-1] > 4 * (passes - 1), "the last of these passes has a mistake"
    assert not run.converged, "converged means a clean pass, and none was made"


@fuzz
@given(integer_data(), st.sampled_from([0.5, 1.0, 3.0]))
def test_batch_adds_every_mistake_at_once(data, step):
    run = batch(*data, step=step, max_updates=25)
    for rows, (before, after) in zip(run.mistakes, pairwise(run.path), strict=True):
        assert np.array_equal(rows, np.flatnonzero(run.Z @ before <= 0))
        assert np.array_equal(after, before + step * run.Z[rows].sum(axis=0))
    assert run.converged is bool((run.Z @ run.weights > 0).all())


@each_learner
def test_hyperplane_of_a_run_has_its_weights(learner):
    X, y = dataset(20, 2, "separable", seed=4)
    run = learner(X, y)
    assert isinstance(run.hyperplane, Hyperplane)
    assert np.array_equal(run.hyperplane.weights, run.weights), "offset first"
    through_origin = learner(X, y, bias=False)
    assert np.array_equal(through_origin.hyperplane.w, through_origin.weights)
    assert through_origin.hyperplane.w0 == 0, "without bias the boundary passes the origin"


@each_learner
def test_errors_count_rows_the_hyperplane_does_not_predict(learner):
    X, y = dataset(40, 2, "inseparable", seed=11)
    run = learner(X, y)
    assert run.errors == np.count_nonzero(run.hyperplane.predict(X) != y)


@each_learner
def test_the_fields_of_a_run_cannot_be_replaced(learner):
    run = learner(CORNERS, AND)
    with pytest.raises(FrozenInstanceError):
        run.weights = np.zeros(3)


# === 5. Invariances =============================================================================


@pytest.mark.slow
@fuzz
@given(integer_data(), st.randoms(use_true_random=False))
def test_permuting_rows_together_with_the_order_changes_nothing(data, random):
    X, y = data
    shuffle = np.array(random.sample(range(len(X)), len(X)))
    place = np.argsort(shuffle)  # where each old row went
    order = random.sample(range(len(X)), len(X))
    for learn in (LEARNERS["pla"], LEARNERS["pocket"], LEARNERS["averaged"]):
        run = learn(X, y, order=order)
        again = learn(X[shuffle], y[shuffle], order=place[order])
        assert np.array_equal(shuffle[again.mistakes], run.mistakes)
        assert np.array_equal(again.path, run.path)
        assert np.array_equal(again.weights, run.weights)


@fuzz
@given(integer_data(), st.randoms(use_true_random=False))
def test_batch_does_not_depend_on_the_order_of_rows(data, random):
    X, y = data
    shuffle = random.sample(range(len(X)), len(X))
    run, again = LEARNERS["batch"](X, y), LEARNERS["batch"](X[shuffle], y[shuffle])
    assert np.array_equal(again.path, run.path)


@pytest.mark.slow
@each_learner
@few
@given(data=integer_data(), exponent=st.integers(-10, 10))
def test_scaling_all_rows_by_a_power_of_two_scales_the_weights(learner, data, exponent):
    X, y = data
    factor = 2.0**exponent
    run, scaled = learner(X, y, bias=False), learner(X * factor, y, bias=False)
    assert same_mistakes(run, scaled), "from zero only the direction of the rows matters"
    assert np.array_equal(scaled.path, factor * run.path)
    assert np.array_equal(scaled.weights, factor * run.weights)


@each_learner
@few
@given(data=integer_data(), exponent=st.integers(-10, 10))
def test_from_zero_the_step_only_rescales_the_weights(learner, data, exponent):
    X, y = data
    step = 3 * 2.0**exponent
    run, stepped = learner(X, y), learner(X, y, step=step)
    assert same_mistakes(run, stepped), "from zero the step changes no mistake"
    assert np.array_equal(stepped.path, step * run.path)
    assert np.allclose(stepped.weights, step * run.weights, rtol=1e-15)
    assert stepped.converged is run.converged


def test_from_another_start_the_step_changes_the_run():
    small, large = (pla(CORNERS, AND, start=[5, 5, 5], step=step) for step in (1.0, 4.0))
    assert not same_mistakes(small, large), "the step matters unless the start is zero"


@pytest.mark.slow
@each_learner
@few
@given(data=integer_data())
def test_negating_points_and_labels_leaves_the_run_through_the_origin(learner, data):
    X, y = data
    run, mirrored = learner(X, y, bias=False), learner(-X, -y, bias=False)
    assert same_mistakes(run, mirrored)
    assert np.array_equal(mirrored.weights, run.weights)


@pytest.mark.slow
@each_learner
@few
@given(data=integer_data())
def test_negating_points_and_labels_mirrors_the_offset(learner, data):
    X, y = data
    run, mirrored = learner(X, y), learner(-X, -y)
    flip = np.r_[-1, np.ones(X.shape[1])]
    assert same_mistakes(run, mirrored)
    assert np.array_equal(mirrored.weights, flip * run.weights)


@each_learner
@few
@given(data=integer_data())
def test_flipping_all_labels_negates_the_weights(learner, data):
    X, y = data
    run, flipped = learner(X, y), learner(X, -y)
    assert same_mistakes(run, flipped), "from zero neither class is preferred"
    assert np.array_equal(flipped.weights, -run.weights)


@pytest.mark.parametrize("order", ["cyclic", [2, 0, 1, 3, 3]], ids=str)
def test_a_run_can_be_continued_from_its_weights_after_whole_passes(order):
    X, y = dataset(4, 2, "inseparable", seed=3)
    half = averaged(X, y, order=order, max_passes=3)
    rest = averaged(X, y, order=order, start=half.last, max_passes=3)
    whole = averaged(X, y, order=order, max_passes=6)
    assert np.array_equal(np.r_[half.mistakes, rest.mistakes], whole.mistakes)
    assert np.array_equal((half.weights + rest.weights) / 2, whole.weights)


def test_a_worst_run_can_be_continued_from_its_weights_at_any_moment():
    X, y = dataset(9, 2, "inseparable", seed=3)
    whole = pla(X, y, order="worst", max_updates=12)
    for k in range(12):
        rest = pla(X, y, order="worst", start=whole.path[k], max_updates=12 - k)
        assert np.array_equal(rest.mistakes, whole.mistakes[k:]), "it depends on weights alone"


def test_a_sequence_order_of_all_rows_is_the_cyclic_order():
    X, y = dataset(50, 3, "separable", seed=5)
    cyclic = pla(X, y)
    for order in (range(50), list(range(50)), tuple(range(50)), np.arange(50, dtype=np.uint8)):
        run = pla(X, y, order=order)
        assert same_mistakes(run, cyclic), f"order given as {type(order).__name__}"
        assert np.array_equal(run.weights, cyclic.weights)


# === 6. Inseparable data and budgets ============================================================


@each_learner
def test_on_xor_no_learner_says_converged(learner):
    run = learner(CORNERS, XOR)
    assert not run.converged
    assert run.errors > 0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("budget", [0, 1, 7, 500])
def test_on_xor_pla_and_pocket_stop_at_their_budget(order, budget):
    for learn in (pla, pocket):
        rows, rng = order_for(order, 4)
        run = learn(CORNERS, XOR, order=rows, rng=rng, max_updates=budget)
        assert run.updates == budget, f"{learn.__name__} must stop exactly at its budget"
        assert not run.converged


@pytest.mark.parametrize("budget", [0, 1, 7, 500])
def test_on_xor_batch_stops_at_its_budget(budget):
    run = batch(CORNERS, XOR, max_updates=budget)
    assert (run.updates, run.passes, run.converged) == (budget, budget, False)


@pytest.mark.parametrize("order", VISITING)
def test_on_xor_averaged_stops_after_its_passes(order):
    rows, rng = order_for(order, 4)
    run = averaged(CORNERS, XOR, order=rows, rng=rng, max_passes=25)
    visits = 25 * (4 if isinstance(rows, str) else len(rows))
    assert run.visits.max() <= visits
    assert not run.converged


def test_on_xor_batch_from_zero_never_moves():
    run = batch(CORNERS, XOR, max_updates=5)
    assert not run.path.any(), "the four signed corners cancel exactly"


def test_on_xor_the_weights_stay_bounded():
    lengths = np.linalg.norm(pla(CORNERS, XOR, max_updates=10_000).path, axis=1)
    assert lengths.max() == lengths[:100].max(), "after the first updates nothing new is reached"
    assert lengths.max() < 4


def test_on_xor_the_integer_path_revisits_a_state_and_then_repeats_itself():
    run = pla(CORNERS, XOR, max_updates=400)
    # What comes next depends on the weights and on the row of the last visit, nothing else.
    states = [(row, *weights) for row, weights in zip(run.mistakes, run.path[1:], strict=True)]
    again = next(k for k, state in enumerate(states) if state in states[:k])
    period = again - states.index(states[again])
    assert states[again:] == states[again - period : -period], "from there on it goes in circles"


@pytest.mark.parametrize("learn", [pla, pocket, batch])
def test_a_budget_of_exactly_the_needed_updates_is_enough(learn):
    needed = learn(CORNERS, AND).updates
    assert learn(CORNERS, AND, max_updates=needed).converged
    assert not learn(CORNERS, AND, max_updates=needed - 1).converged


# === 7. Degenerate cases ========================================================================


@pytest.mark.parametrize("start", [[0, 0, 0], [1, -5, 2], [-40, 3, -7], [3, 1, 1]], ids=str)
def test_one_row_alone_takes_as_many_updates_as_its_score_says(start):
    # With n = 1 nothing can undo a correction: floor(−m / ‖z‖²) + 1 of them repair a score m ≤ 0.
    z = np.array([1, 2, -1])
    m = int(z @ start)
    run = pla([[2, -1]], [1], start=start)
    assert run.updates == (-m // int(z @ z) + 1 if m <= 0 else 0)
    assert run.converged


@pytest.mark.parametrize("label", [-1, 1])
@each_learner
def test_one_row_is_learnt_by_every_learner(learner, label):
    run = learner([[3, -2]], [label])
    assert run.converged
    assert run.hyperplane.predict([3, -2]) == label


@pytest.mark.parametrize("label", [-1, 1])
@each_learner
def test_one_class_alone_is_always_separable(learner, label):
    # Weights (label, 0) separate it: the offset alone can put every point on one side.
    X, _ = dataset(30, 3, "inseparable")
    run = learner(X, np.full(30, label))
    assert run.converged
    assert run.errors == 0


@each_learner
def test_duplicates_with_one_label_do_no_harm(learner):
    X, y = np.repeat([[3, 1], [-2, 1]], 10, axis=0), np.repeat([1, -1], 10)
    run = learner(X, y)
    assert run.converged
    assert run.errors == 0


@each_learner
def test_duplicates_with_opposite_labels_can_never_be_learnt(learner):
    # The same point would have to lie on both sides at once.
    run = learner([[1, 2], [1, 2], [5, 0]], [1, -1, 1])
    assert not run.converged
    assert run.errors >= 1


@pytest.mark.parametrize("learn", [pla, pocket, batch])
def test_without_updates_the_start_is_returned(learn):
    run = learn(CORNERS, AND, start=[1, 2, 3], max_updates=0)
    assert run.weights.tolist() == [1, 2, 3]
    assert run.path.tolist() == [[1, 2, 3]]
    assert (run.updates, run.passes, run.converged) == (0, 0, False)


@pytest.mark.parametrize("learn", [pla, pocket, batch])
@pytest.mark.parametrize("budget", [0, 100])
def test_a_start_that_separates_is_left_alone_after_one_clean_pass(learn, budget):
    run = learn(CORNERS, AND, start=[-3, 2, 2], max_updates=budget)
    assert run.weights.tolist() == [-3, 2, 2]
    assert (run.updates, run.passes, run.converged) == (0, 1, True)


def test_the_mean_over_clean_visits_only_is_the_start():
    run = averaged(CORNERS, AND, start=[-3, 2, 2], max_passes=4)
    assert run.weights.tolist() == [-3, 2, 2]
    assert run.updates == 0


@pytest.mark.parametrize("order", [*VISITING, "random"])
def test_a_row_of_zeros_without_bias_is_never_right(order):
    # Its score is 0 whatever the weights, and 0 is a mistake; correcting it moves nothing.
    rows, rng = order_for(order, 3)
    X, y = [[0, 0], [2, 1], [-1, 3]], [1, 1, -1]
    run = pla(X, y, bias=False, order=rows, rng=rng, max_updates=60)
    assert (run.updates, run.converged) == (60, False)
    assert run.errors == 1, "the other two rows are learnt all the same"


def test_in_worst_order_a_first_row_of_zeros_is_corrected_for_ever():
    # From zero every row scores 0, the first of equals is the row of zeros, and nothing moves.
    run = pla([[0, 0], [2, 1]], [1, 1], bias=False, order="worst", max_updates=9)
    assert run.mistakes.tolist() == [0] * 9
    assert not run.converged


@each_learner
def test_a_row_of_zeros_with_bias_is_an_ordinary_point(learner):
    assert learner([[0, 0], [2, 1]], [-1, 1]).converged


@each_learner
def test_only_rows_of_zeros_leave_the_weights_at_zero(learner):
    run = learner([[0, 0], [0, 0]], [1, -1], bias=False)
    assert not run.weights.any()
    assert run.errors == 2
    assert not run.converged


@pytest.mark.parametrize("order", ORDERS)
def test_a_run_without_updates_still_has_its_arrays(order):
    rows, rng = order_for(order, 4)
    run = pla(CORNERS, AND, start=[-3, 2, 2], order=rows, rng=rng)
    assert run.mistakes.shape == run.visits.shape == (0,)
    assert run.mistakes.dtype.kind == "i"
    assert run.path.shape == (1, 3)


# === 8. Inputs stay as they were ================================================================


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
@each_learner
def test_inputs_are_never_modified(learner, writeable, bias):
    X, y = dataset(30, 2, "inseparable")
    X, y, start = X.astype(float), y.astype(float), np.arange(2.0 + bias)
    before = [array.copy() for array in (X, y, start)]
    for array in (X, y, start):
        array.setflags(write=writeable)
    learner(X, y, start=start, bias=bias)
    for name, array, copy in zip(["X", "y", "start"], (X, y, start), before, strict=True):
        assert np.array_equal(array, copy), f"{name} was modified"
        assert array.flags.writeable is writeable, f"{name}'s write flag was changed"


@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_the_order_and_the_signed_rows_are_never_modified(writeable):
    X, y = dataset(30, 2, "inseparable")
    Z, order = signed_rows(X, y), np.random.default_rng(1).permutation(30)
    before = Z.copy(), order.copy()
    Z.setflags(write=writeable)
    order.setflags(write=writeable)
    pla_rows(Z, order=order, max_updates=50)
    assert np.array_equal(Z, before[0])
    assert np.array_equal(order, before[1])


@each_learner
def test_a_later_change_of_the_start_does_not_reach_the_run(learner):
    start = np.array([1.0, 2.0, 3.0])
    run = learner(CORNERS, XOR, start=start)
    start[:] = 99
    assert run.path[0].tolist() == [1, 2, 3]


@each_learner
def test_lists_integers_and_strided_arrays_give_the_same_run(learner):
    X, y = dataset(30, 2, "inseparable")
    run = learner(X, y)
    wide = np.asfortranarray(np.repeat(X.astype(np.float32), 2, axis=0))
    for other in ((X.tolist(), y.tolist()), (X.astype(np.int8), y.astype(np.int8)), (wide[::2], y)):
        assert same_mistakes(learner(*other), run)
        assert np.array_equal(learner(*other).weights, run.weights)


def test_converged_means_a_clean_textbook_pass_whatever_a_product_says():
    # Row 16 has a score of about 1e-17 whose sign depends on how the product is blocked; summed
    # from its first term to its last it is positive.
    w = np.array([-0.1, -0.8, 0.9])
    Z = np.ones((17, 3)) * np.sign(w)
    Z[16] = [-0.4, 0.5, 0.4]
    run = pla(Z, np.ones(17), bias=False, start=w)
    assert_same_run(run, naive.pla(Z.tolist(), start=w))
    assert (run.updates, run.errors, run.converged) == (0, 0, True)


@each_learner
def test_the_arrays_of_a_result_cannot_be_written(learner):
    run = learner(*dataset(20, 2, "separable", seed=4))
    for name in ("weights", "Z", "start", "path"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, name)[0] = 1.0


def test_rows_passed_in_stay_writeable():
    Z = np.array([[1.0, 2.0], [-1.0, 0.0]])
    pla_rows(Z)
    Z[0] = 5.0
    assert Z[0, 0] == 5
