"""The perceptron and its variants against the textbook loop, the books' figures and their words."""

import numpy as np
import pytest

from linlib import data
from linlib.base.rows import signed_rows
from linlib.perceptron import algorithm as loop
from linlib.perceptron.algorithm import corrections, pla, pla_rows
from linlib.perceptron.runs import Run
from linlib.perceptron.variants import averaged, batch, pocket
from tests.helpers import naive

AND, XOR = data.and_gate(), data.xor_gate()
VISITING = ["cyclic", "shuffled", "sequence"]
ORDERS = [*VISITING, "random", "worst"]
KINDS = ["separable", "inseparable"]
SMALL = [(1, 1), (2, 1), (3, 2), (15, 3), (33, 4)]
# More than 2048 entries are scored in blocks: of 16, 32, 64 … rows if they are wide, of thousands
# if they are not. These shapes end on both sides of a block's end.
WIDE = [(15, 599), (16, 599), (48, 599), (49, 599), (113, 599)]
TALL = [(683, 2), (4095, 1), (4097, 2), (9001, 1)]
LARGE = [(17, 599), *(pytest.param(shape, marks=pytest.mark.slow) for shape in WIDE + TALL)]
SOME = [*SMALL, pytest.param((113, 4), marks=pytest.mark.slow)]


def dataset(n, d, kind="inseparable", seed=0):
    """Return small integers with labels from a line (never through a point), or from a coin."""
    rng = np.random.default_rng([n, d, seed])
    X = rng.integers(-6, 7, (n, d))
    if kind == "separable":
        w0, w = rng.integers(-3, 4), rng.integers(-4, 5, d)
        return X, np.where(2 * (X @ w + w0) + 1 > 0, 1, -1)
    return X, rng.choice([-1, 1], n)


def settings_for(d, seed):
    """Return bias, start, step and schedule of every kind, all exact in binary but 3 / k."""
    rng = np.random.default_rng([d, seed])
    return [
        (True, {}),
        (False, {"step": 3.0}),
        (True, {"start": rng.integers(-9, 10, d + 1) / 4, "step": 0.125}),
        (False, {"start": rng.integers(-9, 10, d) / 8, "step": 2.5}),
        (True, {"start": rng.integers(-9, 10, d + 1), "step": 3.0, "schedule": "1/k"}),
    ]


def visits(order, n):
    """Return the order and a fresh generator; a sequence visits some rows twice."""
    rng = np.random.default_rng(n)
    if order == "sequence":
        return {"order": np.r_[rng.permutation(n), rng.integers(0, n, n // 3)]}
    return {"order": order, "rng": rng}


def assert_equal(run, Z, trace, about=""):
    """Compare a run with the naive loop's, part by part and to the last bit."""
    found = [rows.tolist() for rows in run.mistakes]  # one row an update, or all of a batch
    assert found == trace.mistakes, f"other mistakes, or order {about}"
    if trace.visits:
        assert run.visits.tolist() == trace.visits, f"mistakes made at other visits {about}"
    assert np.array_equal(run.path, trace.path), f"other weights along the way {about}"
    assert (run.updates, run.passes) == (len(trace.mistakes), trace.passes), about
    assert np.array_equal(run.weights, trace.weights), about
    assert (run.errors, run.converged) == (len(naive.wrong(Z, trace.weights)), trace.converged)


def assert_equal_to_pocket(run, Z, about="", **options):
    trace, history = naive.pocket(Z, **options)
    assert_equal(run, Z, trace, about)
    assert run.best_errors.tolist() == history, about


def assert_equal_to_averaged(run, Z, about="", **options):
    mean, trace = naive.averaged(Z, **options)
    if options.get("schedule", "constant") == "constant":  # 3 / k is not exact in binary
        assert np.array_equal(run.weights, mean), about
    assert np.allclose(run.weights, mean, rtol=1e-12, atol=1e-13), about
    assert np.array_equal(run.last, trace.weights), about
    converged = trace.converged and not naive.wrong(Z, run.weights.tolist())
    assert_equal(run, Z, trace._replace(weights=run.weights.tolist(), converged=converged), about)


# --- equal to the textbook loop, bit for bit on integers ---------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SOME, ids=str)
def test_pla_and_pocket_equal_the_textbook_loop(shape, kind, order):
    X, y = dataset(*shape, kind)
    for bias, options in settings_for(shape[1], seed=1):
        Z = naive.signed_rows(X, y, bias)
        options = options | {"max_updates": 40}
        run = pla(X, y, bias=bias, **options, **visits(order, len(X)))
        trace = naive.pla(Z, **options, **visits(order, len(X)))
        assert_equal(run, Z, trace, f"with {options}")
        kept = pocket(X, y, bias=bias, **options, **visits(order, len(X)))
        assert_equal_to_pocket(kept, Z, f"with {options}", **options, **visits(order, len(X)))


@pytest.mark.parametrize("order", VISITING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SOME, ids=str)
def test_averaged_equals_the_textbook_loop(shape, kind, order):
    X, y = dataset(*shape, kind, seed=3)
    n = len(visits(order, len(X))["order"]) if order == "sequence" else len(X)
    recents = [None, 1, n, 3 * n - 1, 1000]
    for recent, (bias, options) in zip(recents, settings_for(shape[1], seed=3), strict=True):
        Z = naive.signed_rows(X, y, bias)
        options = options | {"recent": recent}
        run = averaged(X, y, bias=bias, max_passes=6, **options, **visits(order, len(X)))
        assert_equal_to_averaged(
            run, Z, f"with {options}", passes=6, **options, **visits(order, len(X))
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [*SOME, pytest.param((4097, 2), marks=pytest.mark.slow)], ids=str)
def test_batch_equals_the_textbook_loop(shape, kind):
    X, y = dataset(*shape, kind, seed=4)
    for bias, options in settings_for(shape[1], seed=4):
        Z, options = naive.signed_rows(X, y, bias), options | {"max_updates": 5}
        run = batch(X, y, bias=bias, **options)
        assert_equal(run, Z, naive.batch(Z, **options), f"with {options}")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_blocks_of_rows_make_no_difference(shape, order):
    X, y = dataset(*shape, "separable")
    Z = naive.signed_rows(X, y)
    options = {"max_updates": 5 if order in ("random", "worst") else 20}
    trace = naive.pla(Z, **options, **visits(order, len(X)))
    assert_equal(pla(X, y, **options, **visits(order, len(X))), Z, trace)


BOUNDARIES = sorted({16 * (2**k - 1) for k in range(1, 10)} | {2730, 6826, 10_922, 4096, 8192})
NEAR = sorted({row + by for row in BOUNDARIES for by in (-1, 0, 1)} | {0, 12_999})


@pytest.mark.parametrize("wrong", NEAR)
def test_a_single_mistake_is_found_wherever_it_is(wrong):
    # All rows are e0, right at once; row `wrong` is e1, whose score 0 is the only mistake.
    Z = np.zeros((13_000, 3))
    Z[:, 0] = 1
    Z[wrong] = [0, 1, 0]
    run = pla_rows(Z, start=[1, 0, 0])
    assert run.mistakes.tolist() == [wrong], "blocks of rows must neither skip nor repeat a row"
    assert run.visits.tolist() == [wrong + 1], "visits are counted from one"
    assert (run.passes, run.converged) == (2, True)
    follower = (wrong + 2730) % 13_000
    Z[follower] = [0, 0, 1]
    assert pla_rows(Z, start=[1, 0, 0]).mistakes.tolist() == sorted([wrong, follower])


def test_few_entries_are_visited_singly(monkeypatch):
    monkeypatch.setattr(loop, "in_blocks", lambda *_: iter([]))
    assert pla_rows(np.ones((512, 4))).converged, "2048 entries are few"
    assert not pla_rows(np.ones((513, 4))).converged


def orders(order, n, passes=30):
    """Return the rows of each epoch in the order of their visits; None means as listed."""
    rng = np.random.default_rng(n)
    each = {
        "cyclic": lambda: None,
        "shuffled": lambda: rng.permutation(n),
        "sequence": lambda: np.r_[np.arange(n)[::-1], 0, n - 1],
    }
    return [each[order]() for _ in range(passes)]


@pytest.mark.parametrize("order", VISITING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [*SMALL, (200, 3), (900, 4)], ids=str)
def test_both_visitors_make_the_same_corrections_of_integer_rows(shape, kind, order):
    Z = signed_rows(*dataset(*shape, kind, seed=8))
    step = lambda k: 0.5 if k % 2 else 3.0  # noqa: E731
    start = np.zeros(Z.shape[1])
    singly, together = (
        [(epoch, visit, row, list(weights)) for epoch, visit, row, weights in events]
        for events in (
            loop.one_by_one(Z, start, orders(order, len(Z)), step),
            loop.in_blocks(Z, start, orders(order, len(Z)), step),
        )
    )
    pairs = zip(singly, together, strict=False)
    apart = next((pair for pair in pairs if pair[0] != pair[1]), None)
    assert apart is None, f"the first (epoch, visit, row, weights) that differ: {apart}"
    assert len(singly) == len(together)
    assert len(singly) > 1, "from zero weights the first row is a mistake"


@pytest.mark.slow
@pytest.mark.parametrize("order", VISITING)
@pytest.mark.parametrize(("n", "d", "margin"), [(1500, 3, 0.001), (2500, 20, 0.05)])
def test_late_passes_are_the_textbooks(n, d, margin, order):
    rng = np.random.default_rng([n, d])
    w, X = rng.normal(size=d), rng.normal(size=(6 * n, d))
    X = X[np.abs(X @ w) >= margin * np.linalg.norm(w)][:n]
    y = np.sign(X @ w)
    X = np.round(1000 * X)  # whole numbers are added exactly in any order
    Z = naive.signed_rows(X, y)
    run = pla(X, y, max_updates=100_000, **visits(order, n))
    assert run.passes > 6, "late passes must be reached, where mistakes are rare"
    assert_equal(run, Z, naive.pla(Z, max_updates=100_000, **visits(order, n)))


DEGENERATE = {
    "one row": ([[3, -2]], [-1], True),
    "one class": ([[3, 1], [0, 0], [-2, 5]], [1, 1, 1], True),
    "duplicates that agree": ([[3, 1], [3, 1], [-2, 1], [-2, 1]], [1, 1, -1, -1], True),
    "duplicates that clash": ([[1, 2], [1, 2], [5, 0]], [1, -1, 1], True),
    "a row of zeros": ([[0, 0], [2, 1]], [-1, 1], True),
    "a row of zeros, no bias": ([[0, 0], [2, 1], [-1, 3]], [1, 1, -1], False),
    "zeros only, no bias": ([[0, 0], [0, 0]], [1, -1], False),
    "XOR": (*XOR, True),
}


@pytest.mark.parametrize("start", [None, 1], ids=["from zero", "from one"])
@pytest.mark.parametrize(("X", "y", "bias"), DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_samples_are_treated_as_the_textbook_does(X, y, bias, start):
    Z = naive.signed_rows(X, y, bias)
    options = {"start": None if start is None else np.ones(2 + bias)}
    for order in ORDERS:
        made = options | {"max_updates": 15}
        run = pla(X, y, bias=bias, **made, **visits(order, len(X)))
        assert_equal(run, Z, naive.pla(Z, **made, **visits(order, len(X))), order)
    assert_equal_to_pocket(pocket(X, y, bias=bias, **made), Z, **made)
    assert_equal(batch(X, y, bias=bias, **made), Z, naive.batch(Z, **made))
    run = averaged(X, y, bias=bias, max_passes=4, **options)
    assert_equal_to_averaged(run, Z, passes=4, **options)


# --- budgets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_budget_of_updates_and_of_passes_is_kept(kind, order):
    X, y = dataset(14, 2, kind, seed=5)
    Z = naive.signed_rows(X, y)
    needed = pla(X, y, max_updates=25, **visits(order, 14))
    budgets = [{"max_updates": k} for k in range(needed.updates + 2)]
    budgets += [{"max_passes": k} for k in range(1, min(needed.passes, 20) + 2)]
    for budget in [*budgets, {"max_updates": 2, "max_passes": 7}, {"max_updates": None}]:
        if budget == {"max_updates": None} and not needed.converged:
            continue
        plain = {name: most for name, most in budget.items() if most is not None}
        trace = naive.pla(Z, **plain, **visits(order, 14))
        assert_equal(pla(X, y, **budget, **visits(order, 14)), Z, trace, str(budget))
        assert_equal(pla_rows(Z, **budget, **visits(order, 14)), Z, trace, str(budget))


@pytest.mark.parametrize("kind", KINDS)
def test_pocket_and_batch_keep_every_budget(kind):
    X, y = dataset(20, 2, kind, seed=6)
    Z = naive.signed_rows(X, y)
    for k in range(25):
        assert_equal_to_pocket(pocket(X, y, max_updates=k), Z, f"{k}", max_updates=k)
        assert_equal_to_pocket(pocket(X, y, max_passes=k + 1), Z, f"{k}", max_passes=k + 1)
        assert_equal(batch(X, y, max_updates=k), Z, naive.batch(Z, max_updates=k), f"{k}")


def test_the_budgets_of_the_lecture():
    assert pla(*XOR).updates == pla_rows(signed_rows(*XOR)).updates == 10_000
    assert pocket(*XOR).updates == 1_000
    assert batch(*XOR).updates == 10_000
    assert averaged(*XOR).passes == 10


def test_a_run_without_mistakes_has_empty_arrays_of_row_numbers():
    run = pla(*AND, start=[-3, 2, 2])
    for numbers in (run.mistakes, run.visits):
        assert (numbers.dtype, numbers.shape) == (np.int64, (0,))
    assert (run.sizes.dtype, run.sizes.shape) == (np.float64, (0,))
    assert run.mistakes_per_row.tolist() == [0, 0, 0, 0]


# --- published figures, and scikit-learn -------------------------------------------------------


def test_and_ends_at_the_published_weights():
    run = pla(*AND)
    assert (run.weights.tolist(), run.updates, run.passes) == ([-4, 3, 2], 18, 9)
    assert run.mistakes_per_row.tolist() == np.bincount(run.mistakes, minlength=4).tolist()


NEARER, FARTHER = [[-1, -1], [1, 0], [-1, 1.5]], [[-1, -1], [1, 0], [-1, 10]]


@pytest.mark.parametrize(
    ("X", "order", "start", "mistakes", "weights"),
    [
        (NEARER, [0, 1, 2], [0, 0], 2, [-2, 0.5]),
        (FARTHER, [0, 1, 2], [0, 0], 6, [-6, 5]),
        (NEARER, [1, 2, 0], [0, 0], 1, [-1, 0]),
        (FARTHER, [1, 2, 0], [0, 0], 1, [-1, 0]),
        (NEARER, [0, 1, 2], [-1, -1], 1, None),
        (FARTHER, [0, 1, 2], [-1, -1], 5, None),
    ],
)
def test_the_three_point_example_makes_the_published_mistakes(X, order, start, mistakes, weights):
    run = pla(X, [1, -1, 1], order=order, start=start, bias=False)
    assert run.converged
    assert run.updates == mistakes
    assert weights is None or run.weights.tolist() == weights


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(10, 2), (200, 5), (5000, 3)], ids=str)
def test_pla_gives_scikit_learns_weights(shape):
    from sklearn.linear_model import Perceptron  # takes longer than most tests of this file

    X, y = dataset(*shape, "separable", seed=1)
    run = pla(X, y, max_updates=100_000)
    assert run.converged
    theirs = Perceptron(shuffle=False, tol=None, max_iter=run.passes).fit(X, y)
    assert run.weights.tolist() == [theirs.intercept_[0], *theirs.coef_[0]]


@pytest.mark.slow
def test_averaged_agrees_with_scikit_learns_averaged_perceptron():
    from sklearn.linear_model import SGDClassifier

    X, y = dataset(60, 3, seed=9)
    options = {"penalty": None, "learning_rate": "constant", "eta0": 1.0, "average": True}
    theirs = SGDClassifier(loss="perceptron", shuffle=False, tol=None, max_iter=12, **options)
    theirs.fit(X, y)
    run = averaged(X, y, max_passes=12)
    assert np.allclose(run.weights, [theirs.intercept_[0], *theirs.coef_[0]], rtol=1e-9)


# --- the stream of corrections -----------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_corrections_are_the_stream_behind_pla(order):
    X, y = dataset(30, 3, "separable", seed=7)
    options = {"step": 0.5, "schedule": "1/k"}
    start = np.arange(4.0)
    stream = list(corrections(signed_rows(X, y), start, **options, **visits(order, 30)))
    run = pla(X, y, start=start, **options, **visits(order, 30))
    assert [i for i, _ in stream] == run.mistakes.tolist()
    assert np.array_equal([weights for _, weights in stream], run.path[1:])
    plain = [weights for _, weights in corrections(signed_rows(X, y), np.zeros(4))]
    assert np.array_equal(plain, pla(X, y).path[1:]), "unless told otherwise with the same steps"


def test_rows_and_weights_of_a_stream_belong_to_their_owners():
    Z = np.array(naive.signed_rows(*AND))
    stream = corrections(Z, [0, 0, 0])
    Z[:] = 0.0
    rows = []
    for i, weights in stream:
        rows.append(i)
        weights[:] = 99.0
    assert rows == pla(*AND).mistakes.tolist()


# --- fluctuation -------------------------------------------------------------------------------


def steady(path, window, tolerance):
    """Look at the lengths one window after the other, as the docstring says it."""
    lengths = [naive.dot(weights, weights) ** 0.5 for weights in path]
    for k in range(window, len(path)):
        seen = lengths[k - window : k + 1]
        if max(seen) - min(seen) <= tolerance * sum(seen) / len(seen):
            return k
    return None


def constructed(lengths):
    """Return a run in one dimension whose weights are these numbers, one after the other."""
    moves = np.diff(np.array(lengths, dtype=float))
    return Run(
        weights=np.array(lengths[-1:], dtype=float),
        errors=0,
        converged=False,
        status="Made by hand.",
        passes=1,
        Z=moves[:, None],
        schedule="constant",
        start=np.array(lengths[:1], dtype=float),
        step=1.0,
        mistakes=np.arange(len(moves)),
        visits=np.arange(len(moves)) + 1,
    )


def test_steady_after_is_the_first_window_without_fluctuation():
    kinds = set()
    for seed in range(4):
        run = pla(*dataset(20, 2, seed=seed), max_updates=80)
        for window in (1, 3, 10):
            for tolerance in (0.07, 0.23, 0.61):
                after = run.steady_after(window=window, tolerance=tolerance)
                assert after == steady(run.path.tolist(), window, tolerance)
                kinds.add("never" if after is None else "at once" if after == window else "later")
    assert kinds >= {"never", "later"}, "otherwise nothing was compared"


def test_windows_have_50_updates_and_5_per_cent_of_the_mean_length():
    still = pla_rows(np.zeros((3, 2)), max_updates=50)
    assert still.steady_after(tolerance=0.0) == 50
    assert pla_rows(np.zeros((3, 2)), max_updates=49).steady_after() is None, "too few updates"
    assert constructed([100, 96] * 26).steady_after() == 50
    assert constructed([100, 95] * 26).steady_after() is None, "5 is more than 5 % of 97.5"
    assert constructed([1, 3]).steady_after(window=1, tolerance=1.0) == 1, "exactly is enough"


# --- what a run keeps and says -----------------------------------------------------------------

LEARNERS = {
    "pla": lambda X, y, **options: pla(X, y, max_updates=60, **options),
    "pocket": lambda X, y, **options: pocket(X, y, max_updates=60, **options),
    "averaged": lambda X, y, **options: averaged(X, y, max_passes=8, **options),
    "batch": lambda X, y, **options: batch(X, y, max_updates=60, **options),
}
each_learner = pytest.mark.parametrize("learn", LEARNERS.values(), ids=LEARNERS)


@each_learner
@pytest.mark.parametrize("bias", [True, False])
def test_a_run_has_the_rows_and_the_hyperplane_of_its_sample(learn, bias):
    X, y = dataset(20, 2, "separable", seed=4)
    run = learn(X, y, bias=bias)
    assert run.bias is bias
    assert run.Z.tolist() == naive.signed_rows(X, y, bias)
    assert run.hyperplane.weights.tolist() == [0] * (not bias) + run.weights.tolist()


@pytest.mark.parametrize("learn", [pla, pocket, averaged])
def test_sizes_are_the_steps_of_the_updates_made(learn):
    run = learn(*XOR, step=3.0, schedule="1/k")
    assert (run.step, run.schedule) == (3.0, "1/k")
    assert run.sizes.tolist() == [3.0 / k for k in range(1, run.updates + 1)]
    assert set(learn(*XOR, step=0.5).sizes.tolist()) == {0.5}


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")
@pytest.mark.parametrize("learn", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("n", [3, 900])
def test_a_score_that_is_no_number_is_never_right(learn, n):
    X = np.resize([[1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]], (n, 2)) * 1e150
    y = np.resize([1, -1, 1], n)
    run = learn(X, y, step=1e308)
    assert not np.isfinite(run.path).all(), "this sample must overflow"
    assert run.converged is (run.errors == 0)


CLEAN, OVER = "Converged: pass {} was clean, after {}.", "Averaged over the last {} visits: {}."
STOPPED = (
    "Stopped: {} ran out in pass {}, after {}. Raise it; or the classes overlap, which "
    "certify(X, y) can prove, and then pocket keeps the best weights."
)
KEPT = "Kept: the weights after update 5 of 20, with 1 of 4 rows wrong. "
KEPT += "A larger budget may find better ones."


def test_the_status_says_how_a_run_ended_and_what_to_try():
    for run, status in [
        (pla(*AND), CLEAN.format(9, "18 updates")),
        (pocket(*AND), CLEAN.format(9, "18 updates")),
        (pla([[1]], [1]), CLEAN.format(2, "1 update")),
        (batch([[1]], [1]), CLEAN.format(2, "1 update")),
        (pla(*AND, start=[-3, 2, 2]), CLEAN.format(1, "0 updates")),
        (pocket([[0], [1], [2], [3]], [-1, 1, -1, 1], max_updates=20), KEPT),
        (pla(*XOR, max_updates=7), STOPPED.format("max_updates=7", 2, "7 updates")),
        (pla(*XOR, max_updates=1), STOPPED.format("max_updates=1", 1, "1 update")),
        (pla(*XOR, max_passes=3), STOPPED.format("max_passes=3", 3, "12 updates")),
        (batch(*XOR, max_updates=7), STOPPED.format("max_updates=7", 7, "7 updates")),
        (averaged(*AND), OVER.format("40 of 40", "every row is right")),
        (averaged(*AND, max_passes=2, recent=3), OVER.format("3 of 8", "1 of 4 rows wrong")),
    ]:
        assert run.status == status


@pytest.mark.parametrize("learn", [pla, pocket, batch])
def test_the_hyperplane_of_zero_weights_says_what_happened(learn):
    run = learn(*AND, max_updates=0)
    with pytest.raises(ValueError, match=r"^hyperplane: the learner ended with w = 0") as caught:
        _ = run.hyperplane
    assert run.status in str(caught.value)
    with pytest.raises(ValueError, match=r"^hyperplane: .* w = 0"):
        _ = pla([[0, 0]], [1]).hyperplane  # an offset alone is no boundary
