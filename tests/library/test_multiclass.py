"""Many classes: Kesler's rows and the linear machine, one against the rest, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge

from linlib import (
    Hyperplane,
    certify,
    data,
    kesler_rows,
    least_squares,
    linear_machine,
    max_margin,
    one_vs_one,
    one_vs_rest,
    pla,
)
from tests.helpers import naive
from tests.helpers.sentences import assert_one_sentence

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)


def integer_classes(seed, most_classes=4):
    """Return a few integer points with at least two classes, in mixed order."""
    rng = np.random.default_rng(seed)
    k, d = rng.integers(2, most_classes + 1), rng.integers(1, 4)
    y = rng.permutation(np.concatenate([np.arange(k), rng.integers(k, size=rng.integers(1, 12))]))
    return rng.integers(-5, 6, size=(len(y), d)), y


def corners(each=15, seed=3):
    """Return three clouds that overlap a little."""
    return data.clouds([[0, 0], [4, 0], [1, 4]], each, np.random.default_rng(seed), spread=1.3)


def plane(n=400, seed=5, d=2):
    return np.random.default_rng(seed).uniform(-10, 12, size=(n, d))


def halves_pla(X, y):
    """Start at (½, … ½), so that w is never zero and every number is still exact."""
    return pla(X, y, start=np.full(X.shape[1] + 1, 0.5), max_updates=60)


def schemes(X, y):
    return {
        "one_vs_rest": one_vs_rest(X, y, least_squares),
        "one_vs_one": one_vs_one(X, y, least_squares),
        "perceptron": linear_machine(X, y, max_updates=200),
        "least_squares": linear_machine(X, y, learner="least_squares"),
    }


every_scheme = pytest.mark.parametrize("name", schemes(*corners()))


# --- the naive references ----------------------------------------------------------------------


def naive_kesler(X, y):
    rows = []
    for x, own in zip(X, y, strict=True):
        for other in range(max(y) + 1):
            if other != own:
                blocks = [[0] * (len(x) + 1) for _ in range(max(y) + 1)]
                blocks[own] = [1, *x]
                blocks[other] = [-1, *(-x)]
                rows.append([value for block in blocks for value in block])
    return rows


def nearest(x, means, candidates):
    """Return the candidate whose mean is closest, the first of equals."""
    return min(candidates, key=lambda k: (((x - means[k]) ** 2).sum(), k))


# --- Kesler's construction ---------------------------------------------------------------------


@fuzz
@given(seeds)
def test_kesler_rows_are_those_of_a_double_loop(seed):
    X, y = integer_classes(seed)
    rows = kesler_rows(X, y)
    assert rows.tolist() == naive_kesler(X, y)
    assert not np.signbit(rows[rows == 0]).any(), "−0.0 is untidy in print"


@fuzz
@given(seeds, st.sampled_from([1.0, 0.1, 1 / 3]))
def test_the_linear_machine_is_the_textbooks_perceptron_on_keslers_rows(seed, scale):
    X, y = integer_classes(seed)
    machine = linear_machine(X * scale, y, max_updates=150)
    trace = naive.pla(naive_kesler(X * scale, y), max_updates=150)
    assert machine.run.mistakes.tolist() == trace.mistakes
    assert machine.run.visits.tolist() == trace.visits
    assert machine.run.path.tolist() == trace.path
    assert machine.run.passes == trace.passes
    assert machine.weights.ravel().tolist() == trace.weights
    assert machine.converged is machine.run.converged is trace.converged


def test_a_budget_of_zero_leaves_every_point_in_doubt_and_the_nearest_mean_decides():
    X, y = corners()
    machine = linear_machine(X, y, max_updates=0)
    assert machine.ambiguous(X).all()
    assert machine.predict(X).tolist() == [nearest(x, machine.means, range(3)) for x in X]


# --- least squares -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_the_least_squares_machine_is_linear_regression_on_indicators(name):
    X, y, *_ = data.load(name)
    machine = linear_machine(X, y, learner="least_squares")
    indicators = (y[:, None] == np.arange(3)).astype(float)
    theirs = LinearRegression().fit(X, indicators)
    assert machine.converged
    assert machine.run is None
    assert np.allclose(machine.weights[:, 1:], theirs.coef_)
    assert np.allclose(machine.weights[:, 0], theirs.intercept_)
    assert np.array_equal(machine.predict(X), theirs.predict(X).argmax(axis=1))


def test_the_ridge_of_the_least_squares_machine_spares_the_offsets():
    X, y = corners()
    machine = linear_machine(X, y, learner="least_squares", penalty=3.0)
    theirs = Ridge(alpha=3.0).fit(X, np.eye(3)[y])
    assert np.allclose(machine.weights, np.column_stack([theirs.intercept_, theirs.coef_]))


# --- the regions of a linear machine -----------------------------------------------------------


@pytest.mark.parametrize("learn", ["perceptron", "least_squares"])
def test_predict_is_the_class_with_the_largest_score(learn):
    X, y = corners()
    machine = linear_machine(X, y, learner=learn, max_updates=200)
    winners = [int(np.argmax([w[0] + w[1:] @ x for w in machine.weights])) for x in plane()]
    assert len(set(winners)) == 3, "every class must win somewhere"
    assert machine.predict(plane()).tolist() == winners


def test_the_boundary_of_two_classes_is_where_their_scores_tie():
    machine = linear_machine(*corners(), max_updates=200)
    for a, b in combinations(range(3), 2):
        h, scores = machine.boundary(a, b), machine.scores(plane())
        assert np.allclose(h.score(plane()), scores[:, a] - scores[:, b])
        on = machine.scores(h.project(plane()))
        assert np.allclose(on[:, a], on[:, b])


# --- claims and votes against naive loops ------------------------------------------------------


@fuzz
@given(seeds)
def test_claims_of_one_against_the_rest_are_the_positive_sides(seed):
    X, y = integer_classes(seed)
    scheme = one_vs_rest(X, y, halves_pla)
    learned = [halves_pla(X, [1 if label == k else -1 for label in y]) for k in range(y.max() + 1)]
    for x, claims, doubt in zip(X, scheme.claims(X), scheme.ambiguous(X), strict=True):
        positive = [run.weights @ [1, *x] > 0 for run in learned]
        assert claims.tolist() == positive
        assert doubt == (sum(positive) != 1)


@fuzz
@given(seeds)
def test_votes_of_pairs_are_counted_as_in_a_double_loop(seed):
    X, y = integer_classes(seed)
    k = y.max() + 1
    scheme = one_vs_one(X, y, halves_pla)
    votes = [[0] * k for _ in X]
    for a in range(k):
        for b in range(a + 1, k):
            rows = [i for i in range(len(X)) if y[i] in (a, b)]
            run = halves_pla(X[rows], [1 if y[i] == a else -1 for i in rows])
            for i, x in enumerate(X):
                score = run.weights @ [1, *x]
                votes[i][a] += int(score > 0)
                votes[i][b] += int(score < 0)
    claims = [[v == max(row) for v in row] for row in votes]
    assert scheme.votes(X).tolist() == votes
    assert scheme.claims(X).tolist() == claims, "a class claims with the most votes"
    assert scheme.ambiguous(X).tolist() == [sum(row) != 1 for row in claims]


# --- points in doubt ---------------------------------------------------------------------------


@every_scheme
def test_the_claimed_class_wins_and_in_doubt_the_nearest_mean_among_the_candidates(name):
    X, y = corners()
    scheme = schemes(X, y)[name]
    assert np.allclose(scheme.means, [X[y == k].mean(axis=0) for k in range(3)])
    counts = scheme.claims(plane()).sum(axis=1)
    assert np.array_equal(scheme.ambiguous(plane()), counts != 1)
    if name == "one_vs_rest":
        assert {0, 1, 2} <= set(counts), "regions claimed by none and by several"
    for x, claims, answer in zip(
        plane(), scheme.claims(plane()), scheme.predict(plane()), strict=True
    ):
        candidates = np.flatnonzero(claims) if claims.any() else range(3)
        assert answer == nearest(x, scheme.means, candidates)


def test_a_point_claimed_twice_goes_to_the_nearer_claimant_even_if_a_third_mean_is_nearer():
    planes = iter(
        [Hyperplane([0.0, 1.0], 100), Hyperplane([0.0, 1.0], 100), Hyperplane([0.0, 1.0], -100)]
    )
    X = np.array([[0.0, 0.0], [10.0, 0.0], [4.0, 0.0]])
    scheme = one_vs_rest(X, ["far", "farther", "near"], lambda *_: next(planes))
    assert scheme.claims([[4.1, 0.0]]).tolist() == [[True, True, False]]
    assert scheme.predict([[4.1, 0.0]]).tolist() == ["far"]


def test_a_cycle_of_votes_goes_to_the_nearest_mean():
    # a beats b, b beats c, c beats a, everywhere.
    sides = iter(
        [Hyperplane([0.0, 1e-9], 1), Hyperplane([0.0, 1e-9], -1), Hyperplane([0.0, 1e-9], 1)]
    )
    X = np.array([[0.0, 0.0], [5.0, 0.0], [10.0, 0.0]])
    scheme = one_vs_one(X, ["a", "b", "c"], lambda *_: next(sides))
    assert scheme.votes([[6.0, 0.0]]).tolist() == [[1, 1, 1]]
    assert scheme.ambiguous([[6.0, 0.0]]).tolist() == [True]
    assert scheme.predict([[1.0, 0.0], [6.0, 0.0], [9.0, 0.0]]).tolist() == ["a", "b", "c"]


# --- learners ----------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [one_vs_rest, one_vs_one])
@pytest.mark.parametrize(
    "learn", [pla, least_squares, max_margin, certify, lambda X, y: pla(X, y).hyperplane]
)
def test_every_learner_of_linlib_will_do(build, learn):
    X, y = data.clouds([[0, 0], [9, 0], [4, 9]], 10, np.random.default_rng(1))
    assert np.array_equal(build(X, y, learn).predict(X), y)


# --- names and order of classes, inputs --------------------------------------------------------


BAD_CALLS = [
    (lambda X, y: kesler_rows(X, ["a"] * len(X)), "y", "only the class 'a'"),
    (lambda X, y: linear_machine(X, y, learner=pla), "learner", "'perceptron', 'least_squares'"),
    (lambda X, y: linear_machine(X, y, penalty=100), "penalty", "the perceptron has none"),
    (lambda X, y: one_vs_one(X, y, lambda *_: None), "learner", "returned None"),
    (lambda X, y: one_vs_rest(X, y, lambda X, y: pla(X, y, max_updates=0)), "learner", "w = 0"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(lambda: call(*corners()), argument, reason)


def test_a_linear_machine_on_clashing_points_spends_its_budget_of_ten_thousand():
    machine = linear_machine([[0], [0]], ["a", "b"])
    assert (machine.run.updates, machine.converged) == (10_000, False)
    assert machine.status.startswith("Stopped: max_updates=10000 ran out")


def test_a_scheme_says_whether_its_hyperplanes_were_learned_to_the_end():
    X, y = corners()
    for scheme, count in ((one_vs_rest, 3), (one_vs_one, 3)):
        done = scheme(X, y, least_squares)
        assert done.converged
        assert repr(done).endswith(f"(classes 0, 1, 2; features 2; Learned {count} hyperplanes.)")
        short = scheme(X, y, lambda X, y: pla(X, y, max_updates=1))
        assert not short.converged
        assert short.status.startswith(f"Learned {count} hyperplanes, but {count} did not converge")
        assert short.status in repr(short)
