"""What a run keeps and says: its budgets, its steps, its path, and a sentence on how it ended."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from linlib import data
from linlib.base.results import Fit
from linlib.base.rows import SignedRows, augment
from linlib.multiclass.kesler import KeslerRows
from linlib.multiclass.schemes import linear_machine
from linlib.perceptron import algorithm as loop
from linlib.perceptron.algorithm import corrections, pla, pla_rows
from linlib.perceptron.runs import Run, total
from linlib.perceptron.variants import averaged, batch, pocket
from tests import naive
from tests.sentences import assert_one_sentence

AND, XOR = data.and_gate(), data.xor_gate()
VISITING = ["cyclic", "shuffled", "sequence"]
ORDERS = [*VISITING, "random", "worst"]


def sample(seed, n=14, d=2, separable=False):
    rng = np.random.default_rng([seed, n, d])
    X = rng.integers(-6, 7, (n, d))
    if separable:
        return X, np.where(2 * (X @ rng.integers(-4, 5, d)) + 1 > 0, 1, -1)
    return X, rng.choice([-1, 1], n)


def order_for(name, n):
    """Return the order and a fresh generator; a sequence visits some rows twice."""
    rng = np.random.default_rng(n)
    if name == "sequence":
        return {"order": [*range(n), 0, n // 2]}
    return {"order": name, "rng": rng}


def assert_same(run, trace):
    assert run.mistakes.tolist() == trace.mistakes
    assert run.visits.tolist() == trace.visits
    assert run.path.tolist() == trace.path
    assert (run.passes, run.converged) == (trace.passes, trace.converged)


def constructed(lengths):
    """Return a run in one dimension whose weights are these numbers, one after the other."""
    lengths = np.array(lengths, dtype=float)
    moves = np.diff(lengths)
    return Run(
        weights=lengths[-1:],
        converged=False,
        status="Made by hand.",
        passes=1,
        rows=SignedRows(moves[:, None]),
        start=lengths[:1],
        step=1.0,
        mistakes=np.arange(len(moves)),
        visits=np.arange(len(moves)) + 1,
    )


# === Steps that shrink ==========================================================================


@pytest.mark.parametrize("few", [0, loop.FEW_ENTRIES], ids=["in blocks", "one by one"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("d", [2, 4])
def test_with_schedule_1_over_k_pla_equals_the_textbook_loop(d, order, few, monkeypatch):
    monkeypatch.setattr(loop, "FEW_ENTRIES", few)
    X, y = sample(1, d=d)
    run = pla(X, y, step=3.0, schedule="1/k", max_updates=30, **order_for(order, len(X)))
    Z = naive.signed_rows(X, y)
    trace = naive.pla(Z, step=3.0, schedule="1/k", max_updates=30, **order_for(order, len(X)))
    assert_same(run, trace)
    assert run.weights.tolist() == trace.weights


def test_with_schedule_1_over_k_pocket_equals_the_textbook_loop():
    X, y = sample(2, d=3)
    run = pocket(X, y, schedule="1/k", max_updates=40)
    best, history, trace = naive.pocket(naive.signed_rows(X, y), schedule="1/k", max_updates=40)
    assert_same(run, trace)
    assert run.weights.tolist() == best
    assert run.best_errors.tolist() == history


@pytest.mark.parametrize("step", [1.0, 6.0])
def test_with_schedule_1_over_k_averaged_equals_the_textbook_loop(step):
    X, y = sample(3)
    options = {"schedule": "1/k", "step": step, "start": [3, -1, 2]}
    run = averaged(X, y, max_passes=4, **options)
    mean, trace = naive.averaged(naive.signed_rows(X, y), passes=4, **options)
    assert run.mistakes.tolist() == trace.mistakes
    assert run.last.tolist() == trace.weights
    assert np.allclose(run.weights, mean, rtol=1e-12)


def test_with_schedule_1_over_k_batch_equals_the_textbook_loop():
    X, y = sample(4)
    run = batch(X, y, step=2.0, schedule="1/k", max_updates=30)
    trace = naive.batch(naive.signed_rows(X, y), step=2.0, schedule="1/k", max_updates=30)
    assert [rows.tolist() for rows in run.mistakes] == trace.mistakes
    assert run.path.tolist() == trace.path
    assert run.weights.tolist() == trace.weights


@pytest.mark.parametrize("learn", [pla, pocket, batch])
def test_the_sizes_are_the_steps_of_the_updates_made(learn):
    constant = learn(*XOR, step=0.5, max_updates=4)
    assert constant.sizes.tolist() == [0.5, 0.5, 0.5, 0.5]
    shrinking = learn(*XOR, step=3.0, schedule="1/k", max_updates=4)
    assert shrinking.sizes.tolist() == [3.0, 1.5, 1.0, 0.75]
    assert (shrinking.step, shrinking.schedule) == (3.0, "1/k")


def test_a_run_without_updates_has_no_sizes():
    sizes = pla(*AND, start=[-3, 2, 2]).sizes
    assert sizes.shape == (0,)
    assert sizes.dtype == np.float64


# === Budgets ====================================================================================


@pytest.mark.parametrize("order", ORDERS)
def test_pla_obeys_every_budget_of_passes(order):
    X, y = sample(5, separable=True)
    Z = naive.signed_rows(X, y)
    needed = pla(X, y, **order_for(order, len(X))).passes
    for budget in range(1, needed + 2):
        run = pla(X, y, max_passes=budget, **order_for(order, len(X)))
        assert_same(run, naive.pla(Z, max_passes=budget, **order_for(order, len(X))))
        assert run.converged is (budget >= needed), "the clean pass must fit into the budget"
        assert run.passes == min(budget, needed)


@pytest.mark.parametrize("order", ORDERS)
def test_on_inseparable_data_pla_makes_exactly_the_passes_it_is_told(order):
    for budget in (1, 2, 7):
        run = pla(*XOR, max_passes=budget, **order_for(order, 4))
        assert (run.passes, run.converged) == (budget, False)
        assert_same(
            run, naive.pla(naive.signed_rows(*XOR), max_passes=budget, **order_for(order, 4))
        )


@pytest.mark.parametrize("order", ORDERS)
def test_the_pocket_obeys_a_budget_of_passes(order):
    X, y = sample(6)
    for budget in (1, 2, 5):
        run = pocket(X, y, max_passes=budget, **order_for(order, len(X)))
        best, history, trace = naive.pocket(
            naive.signed_rows(X, y), max_passes=budget, **order_for(order, len(X))
        )
        assert_same(run, trace)
        assert run.weights.tolist() == best
        assert run.best_errors.tolist() == history


def test_the_tighter_of_two_budgets_counts():
    assert pla(*XOR, max_passes=3, max_updates=2).updates == 2
    assert pla(*XOR, max_passes=1, max_updates=100).passes == 1


def test_the_budgets_of_the_lecture():
    assert pla(*XOR).updates == 10_000
    assert pocket(*XOR).updates == 1_000
    assert batch(*XOR).updates == 10_000
    assert averaged(*XOR).passes == 10
    assert pla_rows(np.zeros((2, 1))).updates == 10_000


@pytest.mark.parametrize("name", ["max_updates", "max_passes"])
@pytest.mark.parametrize("learn", [pla, pocket])
def test_a_budget_that_is_none_is_refused(learn, name):
    assert_one_sentence(lambda: learn(*AND, **{name: -1}), name)
    assert_one_sentence(lambda: learn(*AND, **{name: 2.5}), name)


def test_a_budget_of_no_pass_is_refused_for_nothing_could_be_said():
    assert_one_sentence(lambda: pla(*AND, max_passes=0), "max_passes", "at least 1")
    assert_one_sentence(lambda: averaged(*AND, max_passes=0), "max_passes", "at least 1")


# === The mean over the last visits ==============================================================


@pytest.mark.parametrize("order", VISITING)
@pytest.mark.parametrize("recent", [1, 2, 5, 13, 14, 29, 1000])
def test_recent_is_the_mean_over_the_last_visits(recent, order):
    X, y = sample(7)
    start, step = [4, 1, -2], 0.5
    run = averaged(
        X, y, max_passes=3, recent=recent, start=start, step=step, **order_for(order, len(X))
    )
    mean, trace = naive.averaged(
        naive.signed_rows(X, y),
        passes=3,
        recent=recent,
        start=start,
        step=step,
        **order_for(order, len(X)),
    )
    assert np.allclose(run.weights, mean, rtol=1e-13, atol=1e-13)
    assert run.last.tolist() == trace.weights
    assert run.mistakes.tolist() == trace.mistakes


def test_the_mean_over_the_last_visit_is_the_last_weights():
    run = averaged(*XOR, max_passes=3, recent=1)
    assert run.weights.tolist() == run.last.tolist()


def test_recent_counts_from_one():
    assert_one_sentence(lambda: averaged(*AND, recent=0), "recent", "at least 1")
    assert_one_sentence(lambda: averaged(*AND, recent=1.5), "recent")


@pytest.mark.parametrize("order", ["worst", "random", "sorted"])
def test_a_mean_over_visits_needs_an_order_of_visits(order):
    rng = np.random.default_rng(1)
    assert_one_sentence(lambda: averaged(*AND, order=order, rng=rng), "order", "'shuffled'")


# === Fluctuation ================================================================================


def steady(path, window, tolerance):
    """Look at the lengths one window after the other, as the docstring says it."""
    lengths = [naive.dot(weights, weights) ** 0.5 for weights in path]
    for k in range(window, len(path)):
        seen = lengths[k - window : k + 1]
        if max(seen) - min(seen) <= tolerance * sum(seen) / len(seen):
            return k
    return None


def test_steady_after_is_the_first_window_without_fluctuation():
    kinds = set()
    for seed in range(4):
        run = pla(*sample(seed, n=20), max_updates=80)
        for window in (1, 3, 10):
            for tolerance in (0.07, 0.23, 0.61):
                after = run.steady_after(window=window, tolerance=tolerance)
                assert after == steady(run.path.tolist(), window, tolerance)
                kinds.add("never" if after is None else "at once" if after == window else "later")
    assert kinds >= {"never", "later"}, "otherwise nothing was compared"


def test_weights_that_never_move_are_steady_after_one_window():
    still = pla_rows(np.zeros((3, 2)), max_updates=50)
    assert still.steady_after(tolerance=0.0) == 50, "the window of the lecture has 50 updates"
    assert still.steady_after(window=7, tolerance=0.0) == 7
    assert pla_rows(np.zeros((3, 2)), max_updates=49).steady_after() is None, "too few updates"


def test_the_tolerance_is_five_per_cent_of_the_mean_length():
    assert constructed([100, 96] * 26).steady_after() == 50
    assert constructed([100, 95] * 26).steady_after() is None, "5 is more than 5 % of 97.5"


def test_a_change_of_exactly_the_tolerance_is_steady():
    assert constructed([1, 3]).steady_after(window=1, tolerance=1.0) == 1


def test_bad_windows_and_tolerances_are_refused():
    run = constructed([1, 3])
    assert_one_sentence(lambda: run.steady_after(window=0), "window", "at least 1")
    assert_one_sentence(lambda: run.steady_after(tolerance=-0.1), "tolerance", "zero or more")


# === One run, many readers ======================================================================


@pytest.mark.parametrize(
    "learn",
    [
        lambda: pla(*sample(8, n=300), max_updates=200),
        lambda: batch(*sample(8, n=300), max_updates=50),
        lambda: (
            linear_machine(*data.clouds([[0, 0], [2, 0], [0, 2]], 40, np.random.default_rng(7))).run
        ),
    ],
    ids=["pla", "batch", "machine"],
)
def test_threads_that_read_one_run_read_the_same_numbers(learn):
    run = learn()
    started, fresh = Barrier(8), again(run)  # nothing of it was looked at before

    def read(_):
        started.wait()
        return fresh.errors, fresh.path.tobytes(), fresh.Z.tobytes(), fresh.updates

    with ThreadPoolExecutor(8) as pool:
        seen = set(pool.map(read, range(8)))
    assert len(seen) == 1
    assert seen == {(run.errors, run.path.tobytes(), run.Z.tobytes(), run.updates)}


def again(thing):
    return pickle.loads(pickle.dumps(thing))


ROWS = {
    "signed": lambda: SignedRows.of(*sample(9), bias=True),
    "Kesler's": lambda: KeslerRows(augment(sample(9)[0]), np.arange(14) % 3),
}


@pytest.mark.parametrize("copied", [again, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", ROWS)
def test_copied_rows_are_equal_and_frozen(name, copied):
    rows = ROWS[name]()
    other = copied(rows)
    assert type(other) is type(rows)
    assert np.array_equal(other.Z, rows.Z)
    assert (len(other), other.width, other.longest) == (len(rows), rows.width, rows.longest)
    for array in (rows.Z, other.Z):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


@pytest.mark.parametrize("copied", [again, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("learn", [pla, pocket, averaged, batch])
def test_a_copied_run_answers_as_the_run_does(learn, copied):
    run = learn(*sample(10, separable=True))
    other = copied(run)
    assert (other.errors, other.updates, other.passes) == (run.errors, run.updates, run.passes)
    assert (other.converged, other.status, repr(other)) == (run.converged, run.status, repr(run))
    for name in ("weights", "path", "Z", "start", "sizes"):
        assert np.array_equal(getattr(other, name), getattr(run, name)), name
    for name in ("weights", "path", "Z", "start"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(other, name)[0] = 1.0


def test_the_rows_of_a_run_are_those_of_its_sample():
    X, y = sample(11, separable=True)
    for learn in (pla, pocket, averaged, batch):
        assert learn(X, y).Z.tolist() == naive.signed_rows(X, y)
        assert learn(X, y, bias=False).Z.tolist() == naive.signed_rows(X, y, bias=False)


@pytest.mark.parametrize("n", [0, 1, 300, 2500])
def test_a_total_is_the_sum_of_the_rows_named(n):
    Z = np.random.default_rng(1).integers(-9, 10, (2500, 3)).astype(float)
    which = np.random.default_rng(2).integers(0, 2500, n)
    assert total(SignedRows(Z), which).tolist() == Z[which].sum(axis=0).tolist()


# === What is said ===============================================================================


def test_the_status_says_that_a_pass_was_clean():
    assert pla(*AND).status == "Converged: pass 9 was clean, after 18 updates."
    assert pla([[1]], [1]).status == "Converged: pass 2 was clean, after 1 update."
    assert pla(*AND, start=[-3, 2, 2]).status == "Converged: pass 1 was clean, after 0 updates."
    assert batch([[1]], [1]).status == "Converged: pass 2 was clean, after 1 update."


@pytest.mark.parametrize("learn", [pla, batch])
def test_the_status_says_which_budget_ran_out(learn):
    many, one = learn(*XOR, max_updates=7), learn(*XOR, max_updates=1)
    assert many.status.startswith("Stopped: max_updates=7 ran out in pass ")
    assert ", after 7 updates. " in many.status
    assert one.status.startswith("Stopped: max_updates=1 ran out in pass 1, after 1 update. ")
    for remedy in ("Raise it", "certify(X, y)", "pocket"):
        assert remedy in many.status


def test_the_status_says_that_the_passes_ran_out():
    run = pla(*XOR, max_passes=3)
    beginning = f"Stopped: max_passes=3 ran out in pass 3, after {run.updates} updates. "
    assert run.status.startswith(beginning)


def test_the_status_of_a_pocket_says_what_was_kept():
    run = pocket([[0], [1], [2], [3]], [-1, 1, -1, 1], max_updates=20)
    assert run.status == (
        "Kept: the weights after update 5 of 20, with 1 of 4 rows wrong. "
        "A larger budget may find better ones."
    )
    assert pocket(*AND).status == pla(*AND).status, "nothing better than no errors"


def test_the_status_of_an_average_says_over_what():
    every = averaged(*AND, max_passes=10).status
    assert every == "Averaged over the last 40 of 40 visits: every row is right."
    assert averaged(*AND, max_passes=2, recent=3).status == (
        "Averaged over the last 3 of 8 visits: 1 of 4 rows wrong."
    )
    order = [0, 1, 2, 3, 3]
    assert averaged(*AND, max_passes=2, order=order).status.startswith(
        "Averaged over the last 10 of 10 visits: "
    )


@pytest.mark.parametrize("learn", [pla, pocket, averaged, batch])
def test_a_run_is_shown_in_a_few_words(learn):
    for run in (learn(*AND), learn(*XOR), learn(*sample(12, n=50, d=20, separable=True))):
        text, html = repr(run), run._repr_html_()
        assert len(text) < 300
        for unwanted in ("array(", " at 0x"):
            assert unwanted not in text + html
        assert text.startswith(f"{type(run).__name__}(weights (")
        assert f"errors {run.errors}" in text
        assert run.status in text


@pytest.mark.parametrize("learn", [pla, pocket, batch])
def test_the_hyperplane_of_zero_weights_says_what_happened(learn):
    run = learn(*AND, max_updates=0)
    with pytest.raises(ValueError, match=r"^hyperplane: the learner ended with w = 0") as caught:
        _ = run.hyperplane
    assert run.status in str(caught.value)
    assert "max_updates=0" in str(pla(*AND, max_updates=0).status)


def test_an_offset_alone_is_no_boundary():
    run = pla([[0, 0]], [1])
    assert run.weights.tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match=r"^hyperplane: .* w = 0"):
        _ = run.hyperplane


def test_without_bias_the_first_weight_is_no_offset():
    run = pla([[1, 0]], [1], bias=False)
    assert run.weights.tolist() == [1, 0]
    assert run.hyperplane.w.tolist() == [1, 0]


# === The stream =================================================================================


def test_corrections_refuse_bad_input_in_one_sentence():
    Z, w = [[1, 2], [-1, 0]], [0, 0]
    for call, argument in [
        (lambda: corrections([[1, np.nan]], w), "Z"),
        (lambda: corrections([1, 2], w), "Z"),
        (lambda: corrections(Z, [0, 0, 0]), "weights"),
        (lambda: corrections(Z, [0, np.inf]), "weights"),
        (lambda: corrections(Z, w, step=0), "step"),
        (lambda: corrections(Z, w, step=-1.0), "step"),
        (lambda: corrections(Z, w, schedule="1/n"), "schedule"),
        (lambda: corrections(Z, w, order="sorted"), "order"),
        (lambda: corrections(Z, w, order=[0]), "order"),
        (lambda: corrections(Z, w, order=[0, 1, 2]), "order"),
        (lambda: corrections(Z, w, order=[0, 1, -1]), "order"),
        (lambda: corrections(Z, w, order=[0.0, 1.0]), "order"),
        (lambda: corrections(Z, w, order=[[0, 1]]), "order"),
        (lambda: corrections(Z, w, order=[[0], [0, 1]]), "order"),
        (lambda: corrections(Z, w, order="shuffled"), "rng"),
        (lambda: corrections(Z, w, order="random", rng=7), "rng"),
    ]:
        assert_one_sentence(call, argument)


def test_what_is_wrong_with_an_order_is_named():
    def refused(order):
        return lambda: pla(*AND, order=order)

    assert_one_sentence(
        refused([0, 1, 2, 3, 4]), "order", "row 4 does not exist; rows run from 0 to 3"
    )
    assert_one_sentence(refused([-1, 0, 1, 2, 3]), "order", "row -1 does not exist")
    assert_one_sentence(refused([0, 1, 3]), "order", "never visits row 2")
    assert_one_sentence(refused([0.5, 1]), "order", "got [0.5, 1]; use 'cyclic'")
    assert_one_sentence(refused(None), "order", "or range(4)")


def test_corrections_take_steps_and_schedules():
    Z, w = naive.signed_rows(*AND), [1.0, -2.0, 0.5]
    options = {"step": 0.5, "schedule": "1/k"}
    trace = naive.pla(Z, start=w, max_updates=25, **options)
    stream = corrections(Z, w, **options)
    for row, visit, weights in zip(trace.mistakes, trace.visits, trace.path[1:], strict=False):
        correction = next(stream)
        assert (correction.row, correction.visit) == (row, visit)
        assert correction.weights.tolist() == weights
        assert correction.number_of_pass == (visit + 3) // 4


def test_the_weights_of_a_correction_belong_to_the_reader():
    stream = corrections(naive.signed_rows(*XOR), [0, 0, 0])
    first = next(stream)
    first.weights[:] = 99.0
    assert (
        next(stream).weights.tolist() == naive.pla(naive.signed_rows(*XOR), max_updates=2).weights
    )


def test_corrections_do_not_follow_later_changes_of_the_rows():
    Z = np.array(naive.signed_rows(*AND))
    stream = corrections(Z, [0, 0, 0])
    Z[:] = 0.0
    assert [c.row for c in stream] == pla(*AND).mistakes.tolist()


# === Details ====================================================================================


def test_errors_of_a_run_are_counted_by_hand():
    X, y = sample(13)
    for learn in (pla, pocket, batch):
        run = learn(X, y, max_updates=7)
        assert run.errors == naive.errors(naive.signed_rows(X, y), run.weights.tolist()) > 0


def test_mistakes_per_row_has_an_entry_for_every_row():
    run = pla([[1], [5], [7]], [1, 1, 1])
    assert run.mistakes.tolist() == [0]
    assert run.mistakes_per_row.tolist() == [1, 0, 0]
    assert pla(*XOR, max_updates=6).mistakes_per_row.sum() == 6


@pytest.mark.parametrize("learn", [pla, pocket, averaged, batch])
def test_numbers_that_overflow_are_no_reason_to_warn(learn):
    X, y = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]]) * 1e150, [1, -1, 1]
    budget = {"max_passes": 4} if learn is averaged else {"max_updates": 4}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = learn(X, y, step=1e250, **budget)
        assert not np.isfinite(run.path).all(), "this sample must overflow"
        assert run.errors > 0, "a score that is no number is never right"
    assert not run.converged


def test_a_result_has_a_bias_unless_it_says_otherwise():
    fit = Fit(weights=np.array([1.0, 2.0, 3.0]), converged=True, status="Solved.", _wrong=4)
    assert fit.hyperplane.w0 == 1
    assert fit.hyperplane.w.tolist() == [2, 3]
    assert fit.errors == 4
    assert repr(fit) == "Fit(weights (1, 2, 3); errors 4; Solved.)"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("budget", [{"max_updates": 9}, {"max_passes": 2}], ids=str)
def test_every_option_of_pla_reaches_rows_that_are_signed_already(budget, order):
    Z = naive.signed_rows(*sample(14))
    options = {"start": [3, -1, 2], "step": 0.5, "schedule": "1/k", **budget}
    run = pla_rows(Z, **options, **order_for(order, len(Z)))
    assert_same(run, naive.pla(Z, **options, **order_for(order, len(Z))))


@pytest.mark.parametrize("learn", [pla, pocket, averaged, batch])
def test_the_boundary_of_a_run_without_bias_passes_through_the_origin(learn):
    X, y = sample(15, separable=True)
    run = learn(X, y, bias=False)
    assert run.bias is False
    assert (run.hyperplane.w.tolist(), run.hyperplane.w0) == (run.weights.tolist(), 0)
