"""Many classes: Kesler's rows and the linear machine, one against the rest, pair by pair."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.linear_model import LinearRegression, Ridge

from linlib import (
    Hyperplane,
    augment,
    certify,
    data,
    kesler_rows,
    least_squares,
    linear_machine,
    max_margin,
    mistake_bound,
    one_vs_one,
    one_vs_rest,
    pla,
)

fuzz = settings(max_examples=40, deadline=None, derandomize=True, database=None)
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


def short_pla(X, y):
    return pla(X, y, max_updates=60)


def halves_pla(X, y):
    """Start at (½, … ½), so that w is never zero and every number is still exact."""
    return pla(X, y, start=np.full(X.shape[1] + 1, 0.5), max_updates=60)


def by_hyperplane(X, y):
    return short_pla(X, y).hyperplane


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


def naive_machine(X, y, max_updates):
    """Correct the own class up and one other down, point by point, other classes in order."""
    classes = range(max(y) + 1)
    w = [[0] * (X.shape[1] + 1) for _ in classes]
    pairs = []
    while True:
        clean = True
        for i, (x, own) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
            point = [1, *x]
            for other in classes:
                if other == own:
                    continue
                lead = sum((a - b) * v for a, b, v in zip(w[own], w[other], point, strict=True))
                if lead <= 0:
                    if len(pairs) == max_updates:
                        return w, pairs, False
                    w[own] = [a + v for a, v in zip(w[own], point, strict=True)]
                    w[other] = [b - v for b, v in zip(w[other], point, strict=True)]
                    pairs.append((i, other))
                    clean = False
        if clean:
            return w, pairs, True


def nearest(x, means, candidates):
    """Return the candidate whose mean is closest, the first of equals."""
    return min(candidates, key=lambda k: (((x - means[k]) ** 2).sum(), k))


def a_linear_program_finds_a_machine(X, y):
    """Ask SciPy for weights with w_own · (1, x) − w_other · (1, x) ≥ 1 throughout."""
    rows = -np.array(naive_kesler(X, y), dtype=float)
    answer = linprog(
        np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(rows)), bounds=(None, None)
    )
    return answer.status == 0


def separates(X, y):
    rows = kesler_rows(X, y)
    return certify(rows, np.ones(len(rows)), bias=False).separable


# --- Kesler's construction ---------------------------------------------------------------------


@fuzz
@given(seeds)
def test_kesler_rows_are_those_of_a_double_loop(seed):
    X, y = integer_classes(seed)
    assert kesler_rows(X, y).tolist() == naive_kesler(X, y)


@fuzz
@given(seeds)
def test_a_kesler_product_is_the_lead_of_the_own_class(seed):
    X, y = integer_classes(seed)
    k = y.max() + 1
    W = np.random.default_rng(seed).integers(-9, 10, size=(k, X.shape[1] + 1))
    scores = augment(X) @ W.T
    leads = [s[own] - s[j] for s, own in zip(scores, y, strict=True) for j in range(k) if j != own]
    assert (kesler_rows(X, y) @ W.ravel()).tolist() == leads


def test_kesler_rows_hold_no_negative_zeros():
    rows = kesler_rows([[0.0], [0.0], [1.0]], [0, 1, 2])
    assert not np.signbit(rows[rows == 0]).any(), "−0.0 is untidy in print"


@fuzz
@given(seeds)
def test_the_linear_machine_equals_the_naive_multiclass_perceptron_bit_for_bit(seed):
    X, y = integer_classes(seed)
    weights, pairs, converged = naive_machine(X, y, max_updates=300)
    machine = linear_machine(X, y, max_updates=300)
    others = [[j for j in range(y.max() + 1) if j != own] for own in y]
    mistakes = [i * y.max() + others[i].index(j) for i, j in pairs]
    assert machine.run.mistakes.tolist() == mistakes, "the same mistakes in the same order"
    assert machine.run.updates == len(pairs)
    assert machine.weights.tolist() == weights
    assert machine.converged is converged


def test_both_outcomes_of_the_comparison_above_occur():
    outcomes = [naive_machine(*integer_classes(seed), max_updates=300)[2] for seed in range(40)]
    assert 5 < sum(outcomes) < 35, "some sets must be separable and some not"


@pytest.mark.parametrize("seed", range(40))
def test_kesler_rows_are_separable_exactly_when_a_linear_machine_exists(seed):
    X, y = integer_classes(seed, most_classes=3)
    assert separates(X, y) is a_linear_program_finds_a_machine(X, y)


@pytest.mark.parametrize("seed", range(40))
def test_stacked_separating_weights_are_a_machine_without_errors(seed):
    X, y = integer_classes(seed, most_classes=3)
    rows = kesler_rows(X, y)
    verdict = certify(rows, np.ones(len(rows)), bias=False)
    if verdict.separable:
        scores = augment(X) @ verdict.weights.reshape(y.max() + 1, -1).T
        assert np.array_equal(scores.argmax(axis=1), y)
    else:
        assert not linear_machine(X, y, max_updates=300).converged


@pytest.mark.parametrize("seed", range(20))
def test_the_perceptron_on_kesler_rows_keeps_its_mistake_bound(seed):
    rng = np.random.default_rng(seed)
    X, y = data.clouds(6 * rng.normal(size=(4, 3)), 8, rng, spread=0.3)
    rows = kesler_rows(X, y)
    best = max_margin(rows, np.ones(len(rows)), bias=False).weights
    machine = linear_machine(X, y)
    assert machine.converged
    assert 0 < machine.run.updates <= mistake_bound(rows, best)


def test_a_converged_machine_claims_every_training_point_for_its_own_class_alone():
    X, y = data.clouds([[0, 0], [9, 0], [0, 9], [9, 9]], 10, np.random.default_rng(1))
    machine = linear_machine(X, y)
    assert machine.converged
    assert np.array_equal(machine.claims(X), np.eye(4, dtype=bool)[y])
    assert np.array_equal(machine.predict(X), y)


def test_an_exhausted_budget_is_admitted():
    corners, labels = data.xor_gate()
    machine = linear_machine(corners, labels, max_updates=25)
    assert machine.converged is False
    assert machine.run.updates == 25
    assert machine.weights.shape == (2, 3)


def test_a_budget_of_zero_leaves_every_point_in_doubt_and_the_nearest_mean_decides():
    X, y = corners()
    machine = linear_machine(X, y, max_updates=0)
    assert machine.ambiguous(X).all()
    assert machine.predict(X).tolist() == [nearest(x, machine.means, range(3)) for x in X]


# --- which separability implies which ----------------------------------------------------------


def one_against_the_rest_separable(X, y):
    return all(certify(X, np.where(y == k, 1, -1)).separable for k in np.unique(y))


def pairwise_separable(X, y):
    pairs = ((y == a, (y == a) | (y == b)) for a, b in combinations(np.unique(y), 2))
    return all(certify(X[rows], np.where(own[rows], 1, -1)).separable for own, rows in pairs)


@pytest.mark.parametrize("seed", range(60))
def test_one_against_the_rest_implies_a_linear_machine_implies_pairwise(seed):
    X, y = integer_classes(seed, most_classes=3)
    rest, machine, pairs = (
        test(X, y) for test in (one_against_the_rest_separable, separates, pairwise_separable)
    )
    assert machine or not rest, "one-vs-rest separable must give a linear machine"
    assert pairs or not machine, "a linear machine must separate every pair"


def test_three_in_a_row_have_a_linear_machine_but_are_not_separable_one_against_the_rest():
    X, y = np.array([[0], [1], [2]]), np.array([0, 1, 2])
    assert separates(X, y)
    assert not one_against_the_rest_separable(X, y)


def test_pairwise_separable_classes_need_not_have_a_linear_machine():
    X = np.array([[-2, -2], [0, 2], [-1, -1], [3, -2], [1, -1], [0, 3]])
    y = np.array([0, 0, 1, 1, 2, 2])
    assert pairwise_separable(X, y)
    rows, ones = kesler_rows(X, y), np.ones(12)
    verdict = certify(rows, ones, bias=False)
    assert not verdict.separable
    assert verdict.check(rows, ones, exact=True), "and that is proven in exact arithmetic"


# --- least squares -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_the_least_squares_machine_is_linear_regression_on_indicators(name):
    X, y, *_ = data.load(name)
    machine = linear_machine(X, y, learner="least_squares")
    indicators = (y[:, None] == np.arange(3)).astype(float)
    theirs = LinearRegression().fit(X, indicators)
    rows = np.column_stack([np.ones(len(X)), X])
    assert np.allclose(machine.weights.T, np.linalg.lstsq(rows, indicators)[0])
    assert np.allclose(machine.weights[:, 1:], theirs.coef_)
    assert np.allclose(machine.weights[:, 0], theirs.intercept_)
    assert np.array_equal(machine.predict(X), theirs.predict(X).argmax(axis=1))


def test_the_ridge_of_the_least_squares_machine_spares_the_offsets():
    X, y = corners()
    machine = linear_machine(X, y, learner="least_squares", penalty=3.0)
    theirs = Ridge(alpha=3.0).fit(X, np.eye(3)[y])
    assert np.allclose(machine.weights, np.column_stack([theirs.intercept_, theirs.coef_]))


def test_least_squares_scores_sum_to_one():
    X, y = corners()
    assert np.allclose(linear_machine(X, y, learner="least_squares").scores(plane()).sum(axis=1), 1)


def test_the_least_squares_machine_has_converged_and_no_run():
    machine = linear_machine(*corners(), learner="least_squares")
    assert machine.converged is True
    assert machine.run is None


@pytest.mark.parametrize("seed", range(10))
def test_least_squares_masks_the_middle_of_three_in_a_row(seed):
    X, y = data.three_in_a_row(25, np.random.default_rng(seed))
    masked = linear_machine(X, y, learner="least_squares")
    assert set(masked.predict(X)) == {0, 2}, "the middle class must never win"
    assert set(masked.predict(plane(seed=seed))) == {0, 2}, "nor anywhere in the plane"
    assert np.allclose(masked.scores(plane())[:, 1], 1 / 3), "its score is 1/3 everywhere"


@pytest.mark.parametrize("seed", range(10))
def test_the_perceptron_machine_does_not_mask_it(seed):
    X, y = data.three_in_a_row(25, np.random.default_rng(seed))
    machine = linear_machine(X, y)
    assert machine.converged
    assert np.array_equal(machine.predict(X), y)


# --- the regions of a linear machine -----------------------------------------------------------


@pytest.mark.parametrize("learn", ["perceptron", "least_squares"])
def test_predict_is_the_class_with_the_largest_score(learn):
    X, y = corners()
    machine = linear_machine(X, y, learner=learn, max_updates=200)
    winners = [int(np.argmax([w[0] + w[1:] @ x for w in machine.weights])) for x in plane()]
    assert len(set(winners)) == 3, "every class must win somewhere"
    assert machine.predict(plane()).tolist() == winners


def test_a_linear_machine_leaves_no_point_of_the_plane_in_doubt():
    machine = linear_machine(*corners(), max_updates=200)
    assert not machine.ambiguous(plane()).any()


def test_adding_one_vector_to_all_weights_changes_no_prediction():
    X, y = corners()
    machine = linear_machine(X, y, max_updates=200)
    moved = replace(machine, weights=machine.weights + np.array([5.0, -3.0, 8.0]))
    assert np.array_equal(machine.predict(plane()), moved.predict(plane()))


@pytest.mark.parametrize("learn", ["perceptron", "least_squares"])
def test_regions_are_convex(learn):
    machine = linear_machine(*corners(), learner=learn, max_updates=200)
    ends, t = plane(), np.linspace(0, 1, 21)[:, None]
    winner = machine.predict(ends)
    tried = 0
    for a, b in combinations(range(60), 2):
        if winner[a] == winner[b]:
            segment = (1 - t) * ends[a] + t * ends[b]
            assert (machine.predict(segment) == winner[a]).all(), "a segment left its region"
            tried += 1
    assert tried > 300


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
        naive = [run.weights @ [1, *x] > 0 for run in learned]
        assert claims.tolist() == naive
        assert doubt == (sum(naive) != 1)


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


def test_one_against_the_rest_learns_one_hyperplane_a_class_and_pairs_one_a_pair():
    X, y = data.clouds(6 * np.eye(5), 4, np.random.default_rng(1))
    assert len(one_vs_rest(X, y, pla).hyperplanes) == 5
    assert list(one_vs_one(X, y, pla).hyperplanes) == list(combinations(range(5), 2))


@pytest.mark.parametrize("build", [one_vs_rest, one_vs_one])
def test_learners_get_float_labels_plus_one_for_the_class_asked_about(build):
    X, y = corners(each=4)
    asked = []

    def learn(points, labels):
        asked.append((points, labels))
        return Hyperplane([1.0, 0.0])

    build(X, y, learn)
    groups = [(k, [0, 1, 2]) for k in range(3)] if build is one_vs_rest else None
    groups = groups or [(a, [a, b]) for a, b in combinations(range(3), 2)]
    for (own, among), (points, labels) in zip(groups, asked, strict=True):
        rows = np.isin(y, among)
        assert np.array_equal(points, X[rows])
        assert labels.tolist() == [1.0 if label == own else -1.0 for label in y[rows]]


# --- points in doubt ---------------------------------------------------------------------------


@every_scheme
def test_the_claimed_class_wins_and_in_doubt_the_nearest_mean_among_the_candidates(name):
    X, y = corners()
    scheme = schemes(X, y)[name]
    for x, claims, answer in zip(
        plane(), scheme.claims(plane()), scheme.predict(plane()), strict=True
    ):
        candidates = np.flatnonzero(claims) if claims.any() else range(3)
        assert answer == nearest(x, scheme.means, candidates)


def test_the_means_are_those_of_the_classes():
    X, y = corners()
    for scheme in schemes(X, y).values():
        assert np.allclose(scheme.means, [X[y == k].mean(axis=0) for k in range(3)])


def test_one_against_the_rest_leaves_regions_claimed_by_none_and_by_several():
    scheme = one_vs_rest(*corners(), least_squares)
    counts = scheme.claims(plane()).sum(axis=1)
    assert {0, 1, 2} <= set(counts)
    assert np.array_equal(scheme.ambiguous(plane()), counts != 1)


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
def test_a_learner_may_return_a_run_or_its_hyperplane(build):
    X, y = corners()
    run, plain = build(X, y, short_pla), build(X, y, by_hyperplane)
    assert np.array_equal(run.claims(plane()), plain.claims(plane()))


@pytest.mark.parametrize("build", [one_vs_rest, one_vs_one])
@pytest.mark.parametrize("learn", [pla, least_squares, max_margin, certify])
def test_every_learner_of_linlib_will_do(build, learn):
    X, y = data.clouds([[0, 0], [9, 0], [4, 9]], 10, np.random.default_rng(1))
    assert np.array_equal(build(X, y, learn).predict(X), y)


# --- two classes -------------------------------------------------------------------------------


@fuzz
@given(seeds)
def test_for_two_classes_all_three_are_the_binary_rule(seed):
    X, y = integer_classes(seed, most_classes=2)
    run = short_pla(X, 2 * y - 1)
    off = X[run.hyperplane.score(X) != 0] if run.weights[1:].any() else X[:0]
    if not len(off):
        return
    expected = (run.hyperplane.score(off) > 0).astype(int).tolist()
    for build in (one_vs_rest, one_vs_one):
        scheme = build(X, y, short_pla)
        assert scheme.predict(off).tolist() == expected
        assert not scheme.ambiguous(off).any()
    machine = linear_machine(X, y, max_updates=60)
    assert machine.predict(off).tolist() == expected
    assert machine.run.mistakes.tolist() == run.mistakes.tolist(), "Kesler is then plain PLA"
    assert (machine.weights[1] - machine.weights[0]).tolist() == (2 * run.weights).tolist()


def test_on_the_boundary_of_two_classes_the_nearest_mean_decides():
    X, y = np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([0, 1])
    on = [[1.0, 0.0], [3.0, 0.0]]
    for build in (one_vs_rest, one_vs_one):
        scheme = build(X, y, lambda *_: Hyperplane([0.0, 1.0]))
        assert scheme.ambiguous(on).all()
        assert scheme.predict(on).tolist() == [0, 1]


# --- names and order of classes, inputs --------------------------------------------------------


@every_scheme
def test_renaming_classes_in_the_same_order_renames_the_predictions(name):
    X, y = corners()
    words = np.array(["ant", "bee", "cat"])
    numbers, named = schemes(X, y)[name], schemes(X, words[y])[name]
    assert named.classes.tolist() == ["ant", "bee", "cat"]
    assert np.array_equal(named.predict(plane()), words[numbers.predict(plane())])


@pytest.mark.parametrize("name", ["one_vs_rest", "one_vs_one", "least_squares"])
@pytest.mark.parametrize("new_name", [[2, 0, 1], [1, 0, 2]])
def test_permuting_the_names_permutes_claims_and_predictions(name, new_name):
    X, y = corners()
    new_name = np.array(new_name)
    before, after = schemes(X, y)[name], schemes(X, new_name[y])[name]
    assert np.array_equal(before.claims(plane()), after.claims(plane())[:, new_name])
    assert np.array_equal(new_name[before.predict(plane())], after.predict(plane()))


@every_scheme
def test_inputs_may_be_read_only_and_stay_as_they_are(name):
    X, y = corners()
    copies = X.copy(), y.copy()
    X.setflags(write=False)
    y.setflags(write=False)
    scheme = schemes(X, y)[name]
    scheme.predict(X)
    scheme.ambiguous(X)
    assert np.array_equal(X, copies[0])
    assert np.array_equal(y, copies[1])


BAD_CALLS = [
    (lambda X, y: one_vs_rest(X, np.zeros(len(X)), pla), "y", "only the class"),
    (lambda X, y: one_vs_one(X, y[:-1], pla), "y", "labels for"),
    (lambda X, y: linear_machine(X, np.ones(len(X))), "y", "only the class"),
    (lambda X, y: kesler_rows(X, ["a"] * len(X)), "y", "only the class 'a'"),
    (lambda X, y: kesler_rows([[np.nan]], [0]), "X", "row 0, column 0"),
    (lambda X, y: linear_machine(X[:, 0], y), "X", "shape"),
    (lambda X, y: linear_machine(X, y, learner="svm"), "learner", "'perceptron', 'least_squares'"),
    (lambda X, y: linear_machine(X, y, learner=pla), "learner", "'perceptron', 'least_squares'"),
    (lambda X, y: linear_machine(X, y, max_updates=-1), "max_updates", "at least 0"),
    (lambda X, y: linear_machine(X, y, penalty=100), "penalty", "the perceptron has none"),
    (lambda X, y: linear_machine(X, y, penalty="strong"), "penalty", "expected a number"),
    (
        lambda X, y: linear_machine(X, y, learner="least_squares", penalty=-1),
        "penalty",
        "zero or more",
    ),
    (lambda X, y: one_vs_rest(X, y, "perceptron"), "learner", "expected a function"),
    (lambda X, y: one_vs_one(X, y, lambda *_: None), "learner", "returned None"),
    (lambda X, y: one_vs_rest(X, y, lambda X, y: pla(X, y, max_updates=0)), "learner", "w = 0"),
]


def assert_one_sentence(message, argument):
    assert message.startswith(f"{argument}: "), f"must begin with {argument!r}: {message}"
    assert message.endswith("."), f"must end with a period: {message}"
    assert ". " not in message, f"one sentence is enough: {message}"


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*corners())
    assert_one_sentence(str(caught.value), argument)
    assert reason in str(caught.value)


@every_scheme
@pytest.mark.parametrize(
    ("X", "reason"), [([[1.0]], "1 features"), ([[np.nan, 1]], "row 0"), ([1.0, 2.0], "shape")]
)
@pytest.mark.parametrize("method", ["predict", "claims", "ambiguous"])
def test_bad_points_are_refused_with_one_sentence(name, X, reason, method):
    scheme = schemes(*corners())[name]
    with pytest.raises(ValueError, match="X: ") as caught:
        getattr(scheme, method)(X)
    assert_one_sentence(str(caught.value), "X")
    assert reason in str(caught.value)


def test_a_scheme_says_its_classes_and_features():
    scheme = one_vs_rest([[0, 1], [1, 1], [5, 0], [6, 0]], ["a", "a", "b", "b"], least_squares)
    assert repr(scheme) == "OneVsRest(classes a, b; features 2; Learned 2 hyperplanes.)"


def test_a_linear_machine_on_clashing_points_spends_its_budget_of_ten_thousand():
    machine = linear_machine([[0], [0]], ["a", "b"])
    assert (machine.run.updates, machine.converged) == (10_000, False)
    assert machine.status.startswith("Stopped: max_updates=10000 ran out")


def test_a_machine_says_how_many_features_it_has_and_how_many_it_was_given():
    machine = linear_machine([[0.0, 1.0], [4.0, 0.0], [9.0, 2.0]], ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"^X: has 3 features where the machine has 2; "):
        machine.scores([[1.0, 2.0, 3.0]])


def test_a_scheme_says_whether_its_hyperplanes_were_learned_to_the_end():
    X, y = corners()
    for scheme, count in ((one_vs_rest, 3), (one_vs_one, 3)):
        done = scheme(X, y, least_squares)
        assert (done.converged, done.status) == (True, f"Learned {count} hyperplanes.")
        short = scheme(X, y, lambda X, y: pla(X, y, max_updates=1))
        assert not short.converged
        assert short.status.startswith(f"Learned {count} hyperplanes, but {count} did not converge")
        assert short.status in repr(short)
