"""LDA and QDA: against the densities they claim, published figures, and scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from linlib import QDA, data, fit_lda, fit_qda
from tests.helpers import exact
from tests.helpers.samples import far
from tests.helpers.sentences import assert_one_sentence

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)
both = pytest.mark.parametrize("fit", [fit_lda, fit_qda])
either_divisor = pytest.mark.parametrize("divisor", ["n", "n-k"])


def classes_of(seed, k=2, d=3, each=(12, 20)):
    """Return k stretched clouds of different sizes, labels 0 … k − 1 in mixed order."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(*each, size=k)
    clouds = [
        rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.normal(size=d) for n in sizes
    ]
    order = rng.permutation(sizes.sum())
    return np.vstack(clouds)[order], np.repeat(np.arange(k), sizes)[order]


def queries(seed, d=3, n=40):
    return 4 * np.random.default_rng(seed + 1).normal(size=(n, d))


def covariances_of(model):
    """Return one covariance for each class, for LDA the shared one again and again."""
    if isinstance(model, QDA):
        return model.covariances
    return np.array([model.covariance] * len(model.classes))


def log_joint(X, priors, means, covariances):
    """Return ln π_k + ln N(x; μ_k, Σ_k), column by column, as SciPy computes it."""
    return np.column_stack(
        [
            np.log(p) + multivariate_normal(m, S).logpdf(X)
            for p, m, S in zip(priors, means, covariances, strict=True)
        ]
    )


def against_the_first(scores):
    """Return all that matters: the scores up to a term that the classes share."""
    return scores - scores[:, :1]


# --- Bayes' rule -------------------------------------------------------------------------------


@both
@either_divisor
@pytest.mark.parametrize(("k", "priors"), [(2, [0.2, 0.8]), (4, None)])
@pytest.mark.parametrize("seed", [0, 8])
def test_scores_are_the_logarithms_of_prior_times_density(fit, divisor, k, priors, seed):
    X, y = classes_of(seed, k=k)
    model, Q = fit(X, y, divisor=divisor, priors=priors), queries(seed)
    joint = log_joint(Q, model.priors, model.means, covariances_of(model))
    expected = against_the_first(joint)
    assert np.allclose(against_the_first(model.scores(Q)), expected, rtol=1e-9, atol=1e-9)
    assert np.array_equal(model.predict(Q), joint.argmax(axis=1))
    if fit is fit_qda:
        missing = 0.5 * X.shape[1] * np.log(2 * np.pi)
        assert np.allclose(model.scores(Q) - missing, joint), "all but a power of 2π"
    if k == 2:
        odds = model.log_odds(Q)
        assert np.allclose(odds, expected[:, 1], rtol=1e-9, atol=1e-9)
        assert 0 < (odds > 0).sum() < len(Q), "the queries must fall on both sides"
        if fit is fit_lda:
            assert np.allclose(model.hyperplane.score(Q), odds)
        named = fit(X, np.where(y == 1, "second", "first"), divisor=divisor, priors=priors)
        assert np.array_equal(named.predict(Q) == "second", odds > 0)


@both
def test_a_tie_goes_to_the_first_class(fit):
    model = fit([[-2.0], [0.0], [0.0], [2.0]], ["b", "b", "a", "a"])
    assert model.scores([[0.0]])[0, 0] == model.scores([[0.0]])[0, 1]
    assert model.predict([[0.0]]).tolist() == ["a"]


# --- the explicit formulas ---------------------------------------------------------------------


def test_a_b_and_c_stay_accurate_on_badly_scaled_features():
    X, y, *_ = data.load("breast_cancer")
    model = fit_qda(X, y)
    rule = np.einsum("ni,ij,nj->n", X, model.A, X) + X @ model.b + model.c
    assert np.allclose(rule, model.log_odds(X), rtol=1e-6, atol=1e-6)


@both
def test_moments_are_those_of_plain_loops(fit):
    X, y = classes_of(4, k=3)
    model, unbiased, added = fit(X, y), fit(X, y, divisor="n-k"), fit(X, y, penalty=0.5)
    scatters = []
    for k in range(3):
        members = [x for x, label in zip(X, y, strict=True) if label == k]
        mean = sum(members) / len(members)
        scatters.append(sum(np.outer(x - mean, x - mean) for x in members))
        assert np.isclose(model.priors[k], len(members) / len(X))
        assert np.allclose(model.means[k], mean)
    sizes = np.bincount(y)[:, None, None]
    if fit is fit_lda:
        scatters, sizes = np.array([sum(scatters)] * 3), len(X)
    assert np.allclose(covariances_of(model), scatters / sizes), "the largest likelihood"
    fewer = sizes - (3 if fit is fit_lda else 1)
    assert np.allclose(covariances_of(unbiased), scatters / fewer)
    assert np.allclose(covariances_of(added), scatters / sizes + 0.5 * np.eye(3))


# --- published figures -------------------------------------------------------------------------


def test_the_first_discriminant_of_iris_is_the_published_one():
    X, y, *_ = data.load("iris")
    first = fit_lda(X, y, divisor="n-k").directions()[:, 0]
    published = np.array([0.8294, 1.5345, -2.2012, -2.8105])  # R's MASS::lda
    assert np.allclose(first * -np.sign(first[-1]), published, atol=5e-5)


@either_divisor
def test_lda_misclassifies_exactly_the_iris_flowers_71_84_and_134(divisor):
    X, y, *_ = data.load("iris")
    wrong = fit_lda(X, y, divisor=divisor).predict(X) != y
    assert (np.flatnonzero(wrong) + 1).tolist() == [71, 84, 134]


@pytest.mark.slow
@either_divisor
@pytest.mark.parametrize(("fit", "errors"), [(fit_lda, 2), (fit_qda, 1)])
def test_wine_left_out_one_by_one_gives_the_published_errors_with_either_divisor(
    fit, errors, divisor
):
    X, y, *_ = data.load("wine")
    wrong = 0
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        wrong += int(fit(X[rest], y[rest], divisor=divisor).predict(X[[i]])[0] != y[i])
    assert (len(X), wrong) == (178, errors)


def test_the_boundary_of_duda_hart_and_stork_is_their_parabola():
    plus, minus = [[3, 4], [3, 8], [2, 6], [4, 6]], [[3, 0], [1, -2], [5, -2], [3, -4]]
    model = fit_qda(plus + minus, [1] * 4 + [0] * 4)
    assert model.means.tolist() == [[3, -2], [3, 6]]
    assert model.covariances.tolist() == [[[2, 0], [0, 2]], [[0.5, 0], [0, 2]]]
    assert np.allclose(model.A[:, 1], 0), "no x2² and no x1·x2, so x2 is a function of x1"
    constant, linear, square = -np.array([model.c, model.b[0], model.A[0, 0]]) / model.b[1]
    assert np.allclose([constant, linear, square], [3.514, -1.125, 0.1875], atol=5e-4)
    assert model.predict([[3.0, 1.9], [3.0, 1.7]]).tolist() == [1, 0], "class 1 lies above it"


# --- the discriminant directions ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_directions_whiten_the_classes_and_decorrelate_the_means(seed):
    X, y = classes_of(seed, k=4, d=5)
    model = fit_lda(X, y)
    V = model.directions()
    centred = model.means - model.priors @ model.means
    between = V.T @ (centred.T * model.priors) @ centred @ V
    assert V.shape == (5, 3), "K classes have at most K − 1 directions"
    assert np.allclose(V.T @ model.covariance @ V, np.eye(3)), "within-class variance is 1"
    assert np.allclose(between, np.diag(np.diag(between)))
    assert (np.diff(np.diag(between)) < 0).all(), "the best direction comes first"
    assert (V[np.abs(V).argmax(axis=0), range(3)] > 0).all(), "its largest entry is positive"


def test_three_means_on_a_line_have_one_direction():
    X, y = data.three_in_a_row(20, np.random.default_rng(7))
    assert fit_lda(X, y).directions().shape == (2, 1)


# --- agreement with scikit-learn ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_lda_has_the_coefficients_of_scikit_learn(name):
    X, y, *_ = data.load(name)
    mine, theirs = fit_lda(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    assert np.allclose(mine.weights[:, 1:], theirs.coef_)
    assert np.allclose(mine.weights[:, 0], theirs.intercept_)


# --- bad input: one sentence each --------------------------------------------------------------

RNG = np.random.default_rng(0)
CLOUD, HALVES = RNG.normal(size=(20, 2)), np.arange(20) % 2
SUM = np.column_stack([CLOUD, CLOUD.sum(axis=1)])
# The mean of twenty times 0.1 is not 0.1 in floats: the variance is tiny but not 0.
CONSTANT = np.column_stack([CLOUD, np.full(20, 0.1)])
CONSTANT_IN_CLASSES = np.column_stack([CLOUD, np.where(HALVES, 0.1, 0.7)])
CONSTANT_IN_ONE = np.column_stack([CLOUD, np.where(HALVES, 0.1, RNG.normal(size=20))])


BAD_FITS = [
    (CONSTANT, HALVES, {}, "X", "column 2 is constant"),
    (CONSTANT_IN_CLASSES, HALVES, {}, "X", "column 2 is constant"),
    (CLOUD[:4] @ np.ones((2, 5)), [0, 0, 1, 1], {}, "X", "too few rows"),
    (RNG.normal(size=(6, 5)), [0, 0, 0, 1, 1, 1], {}, "X", "too few rows"),
    (SUM, HALVES, {}, "X", "because some features are combinations of others;"),
    (SUM + 1e6, HALVES, {}, "X", "because some features are combinations of others;"),
    (CLOUD, HALVES, {"priors": [0.2, 0.3, 0.5]}, "priors", "3 entries for 2 classes"),
    (CLOUD, HALVES, {"priors": [0.5, 0.6]}, "priors", "sum to 1"),
    (CLOUD, HALVES, {"priors": [0.0, 1.0]}, "priors", "positive"),
]


@both
@pytest.mark.parametrize(("X", "y", "options", "argument", "reason"), BAD_FITS)
def test_bad_input_is_refused_with_one_sentence(fit, X, y, options, argument, reason):
    assert_one_sentence(lambda: fit(X, y, **options), argument, reason)


BAD_QDA = [
    (
        CONSTANT_IN_ONE,
        HALVES,
        {},
        "X",
        "class 1 sample is singular because column 2 is constant within it",
    ),
    (CLOUD, [1] + [0] * 19, {}, "X", "class 1 sample is singular because it has too few rows"),
    (CLOUD, ["b"] * 2 + ["a"] * 18, {}, "X", "class 'b' sample is singular because it has too few"),
    (CLOUD, [1] + [0] * 19, {"divisor": "n-k"}, "X", "class 1 sample has too few rows"),
]


@pytest.mark.parametrize(("X", "y", "options", "argument", "reason"), BAD_QDA)
def test_qda_names_the_class_that_spoils_it(X, y, options, argument, reason):
    assert_one_sentence(lambda: fit_qda(X, y, **options), argument, reason)


def test_lda_with_one_row_a_class_has_no_freedom_left_for_divisor_n_minus_k():
    reason = "too few rows for divisor 'n-k'"
    assert_one_sentence(lambda: fit_lda(CLOUD[:2], [0, 1], divisor="n-k"), "X", reason)


@both
@pytest.mark.parametrize("X", [CONSTANT, SUM, CLOUD[:, [0, 0]]])
def test_a_penalty_cures_what_the_message_says_it_cures(fit, X):
    with pytest.raises(ValueError, match="penalty=1e-3"):
        fit(X, HALVES)
    assert np.isfinite(fit(X, HALVES, penalty=1e-3).scores(X)).all()


# --- far from the origin -----------------------------------------------------------------------


def on_a_grid(seed, n=40, d=3, k=2):
    """Return points that stay exact when moved by whole numbers up to 10⁹, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    stretch = rng.normal(size=(d, d))
    return np.round(64 * (rng.normal(size=(n, d)) @ stretch + 2 * y[:, None])) / 64, y


@far
@pytest.mark.parametrize("seed", range(3))
def test_lda_is_exact_however_far_the_points_are(shift, seed):
    X, y = on_a_grid(seed)
    model, Q = fit_lda(X + shift, y), on_a_grid(seed + 10)[0]
    expected = exact.lda_log_odds(X, y, Q)
    assert np.allclose(model.log_odds(Q + shift), expected, rtol=1e-11, atol=1e-11)
    assert np.array_equal(model.predict(Q + shift), (expected > 0).astype(int))
    (m0, m1), scatters = exact.moments(X, y)
    w = exact.solve(sum(scatters) / Fraction(len(X)), m1 - m0)
    assert np.allclose(model.hyperplane.w, w.astype(float), rtol=1e-12)
    offset = float(-w @ ((m0 + m1) / 2 + shift))
    off = abs(model.hyperplane.w0 - offset)
    assert off <= 1e-13 * (10 + abs(shift)) * np.abs(model.hyperplane.w).sum()


@pytest.mark.parametrize("shift", [0, 100, 10_000])
@pytest.mark.parametrize("seed", range(3))
def test_the_scores_of_qda_are_right_thousands_of_spreads_from_the_origin(shift, seed):
    X, y = on_a_grid(seed, k=3)
    Q = on_a_grid(seed + 10)[0]
    model = fit_qda(X + shift, y)
    constants = np.log(model.priors) - 0.5 * np.linalg.slogdet(model.covariances)[1]
    expected = constants - 0.5 * exact.qda_distances(X, y, Q)
    assert np.allclose(model.scores(Q + shift), expected, rtol=1e-9, atol=1e-9)


@both
@pytest.mark.parametrize("shift", [0, 100, 10_000])
def test_moving_scaling_permuting_and_repeating_points_change_no_score_difference(fit, shift):
    X, y = on_a_grid(4, k=3)
    Q = on_a_grid(5)[0]
    expected = against_the_first(fit(X, y).scores(Q))
    rows = np.random.default_rng(0).permutation(len(X)).repeat(2)
    moved = fit((X * [1, 4, 0.25] + shift)[rows][:, ::-1], y[rows])
    scores = moved.scores((Q * [1, 4, 0.25] + shift)[:, ::-1])
    assert np.allclose(against_the_first(scores), expected, rtol=1e-10, atol=1e-10)


# --- singular by count -------------------------------------------------------------------------


@fuzz
@given(seed=seeds, d=st.integers(1, 8), k=st.integers(2, 4), data=st.data())
def test_with_too_few_rows_lda_always_refuses(seed, d, k, data):
    n = data.draw(st.integers(k, d + k - 1))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 5, size=d)
    with pytest.raises(
        ValueError, match=rf"too few rows \({n}, where {d} features need at least {d + k}\)"
    ):
        fit_lda(X, np.arange(n) % k)


@fuzz
@given(seed=seeds, d=st.integers(1, 8), data=st.data())
def test_with_too_few_rows_in_a_class_qda_always_refuses(seed, d, data):
    n = data.draw(st.integers(1, d))
    X = np.random.default_rng(seed).normal(size=(n + 20, d))
    with pytest.raises(ValueError, match=rf"class 0 sample .* too few rows \({n},"):
        fit_qda(X, np.repeat([0, 1], [n, 20]))


@fuzz
@given(seed=seeds, d=st.integers(1, 8), each=st.integers(2, 30))
def test_repeated_rows_do_not_make_up_for_missing_ones(seed, d, each):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(d + 1, d)), each, axis=0)
    with pytest.raises(ValueError, match="singular"):
        fit_lda(X, np.repeat(np.arange(d + 1) > 0, each))


@both
@fuzz
@given(seed=seeds, d=st.integers(2, 8))
def test_a_feature_that_is_a_sum_of_others_is_noticed_whatever_their_scales(fit, seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    X = np.column_stack([X, X.sum(axis=1)])[:, rng.permutation(d + 1)]
    with pytest.raises(ValueError, match="combinations of others"):
        fit(X, np.arange(40) % 2)


@both
def test_a_constant_feature_is_noticed_at_any_size_and_a_small_honest_one_is_not(fit):
    X, y = on_a_grid(6)
    for size in (1e-9, 0.1, 1e9):
        X[:, 1] = size
        with pytest.raises(ValueError, match="column 1 is constant"):
            fit(X, y)
    X[:, 1] = 1e9 + np.arange(len(X)) ** 2 % 7 / 1024
    fit(X, y)


@both
@pytest.mark.parametrize("unit", [1, 1024, 1 / 1024])
def test_a_feature_is_constant_that_deviates_by_no_more_than_four_last_bits(fit, unit):
    y, eps = np.arange(16) % 2, np.finfo(float).eps
    column = np.arange(16) % 5
    steps = np.arange(16) // 2 % 2
    assert fit(np.column_stack([column, unit * (1 + 9 * eps * steps)]), y).means.shape == (2, 2)
    with pytest.raises(ValueError, match="column 1 is constant"):
        fit(np.column_stack([column, unit * (1 + 7 * eps * steps)]), y)


@both
@pytest.mark.parametrize("seed", range(4))
def test_means_far_from_the_origin_are_right_to_their_last_bit(fit, seed):
    X, y = 1e9 + np.random.default_rng(seed).normal(size=(301, 3)), np.arange(301) % 2
    true = exact.moments(X, y)[0]
    off = np.array([[float(m) for m in row] for row in true - exact.fractions(fit(X, y).means)])
    assert np.abs(off).max() <= 0.51 * np.spacing(1e9)


@both
def test_up_to_three_classes_show_their_means_and_more_the_number_of_features(fit):
    three, four = (repr(fit(*classes_of(0, k=k))) for k in (3, 4))
    assert "mean of 2" in three
    assert "features" not in three
    assert "mean of" not in four
    assert "features" in four


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4, 1e-5, 1e-6, 1e-7])
def test_a_status_says_when_nearly_dependent_features_cost_digits(apart):
    said = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(12, 3)), np.arange(12) % 2
        X[:, 2] = X[:, 0] + apart * X[:, 2]
        points = X[:3] + 0.1
        try:
            lda, qda = fit_lda(X, y), fit_qda(X, y)
        except ValueError:  # refused as singular
            said.append(True)
            continue
        odds = np.array(exact.lda_log_odds(X, y, points), dtype=float)
        off = np.abs(lda.log_odds(points) - odds) / np.maximum(1, np.abs(odds))
        assert off.max() < 1e-6 or lda.status != "Fitted.", f"seed {seed}"
        squares = np.array(exact.qda_distances(X, y, points), dtype=float)
        # What scores lose is lost in the squared distances.
        for k, (mean, covariance) in enumerate(zip(qda.means, qda.covariances, strict=True)):
            white = np.linalg.solve(np.linalg.cholesky(covariance), (points - mean).T)
            far = np.abs((white**2).sum(axis=0) / squares[:, k] - 1).max()
            assert far < 1e-6 or qda.status != "Fitted.", f"seed {seed}"
        said.append(lda.status != "Fitted." or qda.status != "Fitted.")
    assert any(said) == (apart < 1e-3)
    if any(said) and apart == 1e-4:
        assert "nearly combinations of others" in repr(lda) + repr(qda)
