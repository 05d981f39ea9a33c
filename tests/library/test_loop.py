"""However it scores its rows, the loop must be the textbook's walk, row by row, on any data."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib import data
from linlib.base.rows import SignedRows, signed_rows
from linlib.perceptron import algorithm as loop
from linlib.perceptron.algorithm import pla, pla_rows
from tests import naive

fuzz = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def planted(n, d, margin, seed):
    """Return floats with labels from a plane through the origin, none nearer to it than margin."""
    rng = np.random.default_rng([n, d, seed])
    w = rng.normal(size=d)
    X = rng.normal(size=(6 * n, d))
    X = X[np.abs(X @ w) >= margin * np.linalg.norm(w)][:n]
    assert len(X) == n
    return X, np.sign(X @ w)


def assert_same(run, trace):
    assert run.mistakes.tolist() == trace.mistakes
    assert run.visits.tolist() == trace.visits
    assert run.weights.tolist() == trace.weights, "the last bit of a weight differs"
    assert (run.passes, run.converged) == (trace.passes, trace.converged)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["cyclic", "shuffled", "sequence"])
@pytest.mark.parametrize(
    ("n", "d", "margin"), [(1500, 3, 0.001), (3000, 3, 0.0005), (2500, 20, 0.05)]
)
def test_the_path_on_floats_is_the_textbooks_to_the_last_bit(n, d, margin, order):
    X, y = planted(n, d, margin, seed=1)
    visiting = np.random.default_rng(3).permutation(n) if order == "sequence" else order
    run = pla(X, y, order=visiting, rng=np.random.default_rng(5), max_updates=100_000)
    Z = naive.signed_rows(X, y)
    trace = naive.pla(Z, order=visiting, rng=np.random.default_rng(5), max_updates=100_000)
    assert run.passes > 6, "late passes must be reached, where mistakes are rare"
    assert_same(run, trace)


@fuzz
@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.3, 1 / 3]))
def test_scores_that_are_rounding_are_decided_as_the_textbook_does(seed, step):
    # Tenths are not floats, so scores that ought to be 0 come out as ±1e-17, depending on how
    # they are summed: only the textbook's own sum tells what the textbook does.
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(40, 3)) / 10
    y = rng.choice([-1, 1], 40)
    run = pla(X, y, step=step, max_updates=100)
    assert_same(run, naive.pla(naive.signed_rows(X, y), step=step, max_updates=100))


def test_rounding_does_decide_in_the_comparison_above():
    doubtful = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-3, 4, size=(40, 3)) / 10, rng.choice([-1, 1], 40)
        run = pla(X, y, step=0.1, max_updates=100)
        scores = (run.Z[run.mistakes] * run.path[:-1]).sum(axis=1)
        doubtful += np.count_nonzero((scores != 0) & (np.abs(scores) < 1e-12))
    assert doubtful > 10


@fuzz
@given(st.integers(0, 10_000), st.integers(0, 5), st.booleans())
def test_few_or_many_rows_at_a_time_make_no_difference(seed, power, separable):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, size=(200, 2))
    y = np.where(2 * (X @ [3, 2]) + 1 > 0, 1, -1) if separable else rng.choice([-1, 1], 200)
    trace = naive.pla(naive.signed_rows(X, y), max_updates=80)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "SMALLEST", 2**power)
        patch.setattr(loop, "ENTRIES", 3 * 2**power)
        patch.setattr(loop, "LARGEST", 4 * 2**power)
        patch.setattr(loop, "FEW_ENTRIES", 0)
        assert_same(pla(X, y, max_updates=80), trace)


@pytest.mark.parametrize("bias", [True, False])
def test_rows_are_signed_rows(bias):
    X, y = planted(50, 3, 0.1, seed=3)
    X[0] = 0
    for given_X in (X, X.tolist(), np.asfortranarray(X), X.astype(np.float32).astype(float)):
        Z = SignedRows.of(given_X, y, bias=bias).Z
        expected = signed_rows(given_X, y, bias=bias)
        assert np.array_equal(Z, expected)
        assert np.array_equal(np.signbit(Z), np.signbit(expected)), "−0.0 is untidy in print"


def test_rows_do_not_follow_later_changes_of_the_sample():
    X, y = planted(50, 3, 0.1, seed=4)
    rows, before = SignedRows.of(X, y, bias=True), signed_rows(X, y)
    X[:], y[:] = 7.0, 1.0
    assert np.array_equal(rows.Z, before)


@pytest.mark.parametrize("entry", [np.nan, np.inf, 1e200])
def test_an_entry_that_is_no_number_is_found(entry):
    X, y = planted(50, 3, 0.1, seed=5)
    X[4, 2] = entry
    with pytest.raises(ValueError, match=r"^X: .* at row 4, column 2"):
        SignedRows.of(X, y, bias=True)


def test_enormous_numbers_do_not_go_round_in_circles():
    X, y = planted(2000, 2, 0.05, seed=6)
    ours = pla(X * 1e149, y, max_updates=20)
    assert np.array_equal(ours.mistakes, naive.pla((ours.Z).tolist(), max_updates=20).mistakes)


@pytest.mark.parametrize("order", ["cyclic", "worst"])
@pytest.mark.parametrize("few", [0, 10**6], ids=["blocks", "singly"])
def test_a_step_that_overflows_ends_without_a_warning(order, few):
    X, y = planted(40, 2, 0.05, seed=8)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr(loop, "FEW_ENTRIES", few)
        warnings.simplefilter("error")
        run = pla(X, y, order=order, step=1e308, max_updates=20)
        assert run.path.shape == (run.updates + 1, 3)
        assert run.converged is (run.errors == 0), "weights that are no numbers get nothing right"


WAYS = ["one_by_one", "in_blocks"]


def force(monkeypatch, way):
    """Let every run visit its rows in one of the two ways."""
    visit = getattr(loop, way)
    for name in WAYS:
        monkeypatch.setattr(loop, name, visit)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["cyclic", "shuffled", "sequence", "worst", "random"])
@pytest.mark.parametrize("kind", ["floats", "tenths"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_visiting_is_the_textbooks_to_the_last_bit(way, kind, order, monkeypatch):
    force(monkeypatch, way)
    for seed in range(5):
        rng = np.random.default_rng([seed, 40])
        bias = seed % 2 == 0
        shape = (40, 3 - bias)
        X = rng.normal(size=shape) if kind == "floats" else rng.integers(-3, 4, shape) / 10
        y = rng.choice([-1, 1], 40)
        rows = [*rng.permutation(40), 3, 3] if order == "sequence" else order
        options = {"order": rows, "start": [0.1, -0.2, 0.3], "step": 0.1, "max_updates": 90}
        run = pla(X, y, bias=bias, rng=np.random.default_rng(seed), **options)
        Z = naive.signed_rows(X, y, bias)
        assert_same(run, naive.pla(Z, rng=np.random.default_rng(seed), **options))
        assert run.errors == naive.errors(Z, run.weights.tolist())


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_visiting_ends_after_its_clean_pass(way, monkeypatch):
    force(monkeypatch, way)
    X, y = planted(60, 2, 0.1, seed=7)
    run, trace = pla(X, y), naive.pla(naive.signed_rows(X, y))
    assert run.converged
    assert_same(run, trace)
    events = list(getattr(loop, way)(run.rows, np.zeros(3), [None] * 50, lambda k: 1.0))
    assert events[-1][:3] == (trace.passes, 60 * trace.passes, None)
    assert list(events[-1][3]) == trace.weights
    assert all(row is not None for _, _, row, _ in events[:-1])


def test_few_entries_are_visited_in_plain_python(monkeypatch):
    seen = []
    for name in WAYS:
        monkeypatch.setattr(loop, name, lambda *_, name=name: seen.append(name) or iter(()))
    for shape in [(682, 3), (683, 3), (512, 4), (513, 4)]:
        loop.pla_rows(np.ones(shape))
    assert seen == ["one_by_one", "in_blocks", "one_by_one", "in_blocks"]


def test_blocks_grow_while_nothing_is_wrong_and_are_small_after_a_mistake():
    sizes = []

    class Watched(SignedRows):
        def scores(self, which, weights):
            sizes.append(which.stop - which.start)
            return super().scores(which, weights)

    Z = np.ones((30_000, 4))
    Z[20_000] = -1
    events = loop.in_blocks(Watched(Z), np.ones(4), [None], lambda k: 1e-9)
    next(events)
    assert sizes == [2048, 4096, 4096, 4096, 4096, 4096]
    sizes.clear()
    next(events, None)
    assert sizes[:2] == [2048, 4096]
    wide = Watched(np.ones((40, 2000)))
    sizes.clear()
    list(loop.in_blocks(wide, np.ones(2000), [None], lambda k: 1.0))
    assert sizes == [16, 24], "at least so many rows, however wide"


@pytest.mark.parametrize("seed", range(6))
def test_worst_and_random_pick_as_the_textbook_does_where_scores_are_rounding(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(700, 3)) / 10
    y = rng.choice([-1, 1], 700)
    Z = naive.signed_rows(X, y)
    for order in ("worst", "random"):
        options = {"order": order, "step": 0.1, "max_updates": 6}
        run = pla(X, y, rng=np.random.default_rng(seed), **options)
        assert_same(run, naive.pla(Z, rng=np.random.default_rng(seed), **options))


def test_the_schedules_are_those_of_the_lecture():
    constant, shrinking = loop.SCHEDULES["constant"](3.0), loop.SCHEDULES["1/k"](3.0)
    assert [constant(k) for k in (1, 2, 3)] == [3.0, 3.0, 3.0]
    assert [shrinking(k) for k in (1, 2, 3)] == [3.0, 1.5, 1.0]


# --- budgets ---

RIGHT = SignedRows(np.array([[1.0, 2.0], [1.0, 3.0]]))
XOR = SignedRows.of(*data.xor_gate(), bias=True)


def test_unless_told_otherwise_ten_thousand_updates_are_made_from_zero_with_a_bias():
    run = pla_rows(XOR)
    assert run.updates == 10_000
    assert run.status.startswith("Stopped: max_updates=10000 ran out in pass ")
    assert run.start.tolist() == [0, 0, 0]
    assert pla_rows(RIGHT).hyperplane.w0 == pla_rows(RIGHT).weights[0], "the offset comes first"


def test_a_budget_of_nothing_is_used_up_before_the_first_pass():
    run = pla_rows(XOR, max_updates=0)
    assert (run.updates, run.passes, run.converged) == (0, 0, False)


def test_a_run_without_mistakes_has_empty_lists_of_row_numbers():
    run = pla_rows(RIGHT, start=[1.0, 1.0])
    assert (run.updates, run.passes, run.converged) == (0, 1, True)
    for numbers in (run.mistakes, run.visits):
        assert (numbers.dtype, numbers.shape) == (np.int64, (0,))
