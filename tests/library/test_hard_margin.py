"""The maximum margin, proved by duality in fractions; hulls, and where they are nearest."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from linlib import certify
from linlib.base.rows import signed_rows
from linlib.margins import hard_margin
from linlib.margins.hard_margin import gap, hull, max_margin
from linlib.solvers.nearest_point import nearest_point
from tests.helpers import naive
from tests.helpers.exact import fractions, typed
from tests.helpers.samples import by_kind, sets_of

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([-1, -1, -1, 1])
XOR = np.array([-1, 1, 1, -1])


def streets(count, seed, least_gap=0.2):
    """Yield separable sets with both classes present and a street of at least that width."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        n, d = int(rng.integers(2, 16)), int(rng.integers(1, 5))
        w = rng.normal(size=d)
        w /= np.linalg.norm(w)
        y = np.resize([1, -1], n)
        X = rng.normal(size=(n, d))
        X += np.outer(y * (least_gap / 2 + rng.exponential(size=n)) - X @ w, w)
        yield X + rng.normal(size=d), y


def exact_bounds(best, X, y):
    """Return the margin the weights reach and the one no weights exceed, both in fractions.

    Weights with least product t reach t / ‖w‖. Mixtures of the two classes lie in the two hulls,
    so half their distance is more than any hyperplane can leave on both sides.
    """
    Z, weights = typed(naive.signed_rows(X, y)), fractions(best.weights)
    reached = float(min(Z @ weights)) / float(weights[1:] @ weights[1:]) ** 0.5
    shares = fractions(best.shares)
    totals = {sign: shares[np.asarray(y) == sign].sum() for sign in (1, -1)}
    mixed = [share / totals[int(label)] for share, label in zip(shares, y, strict=True)]
    between = Z[:, 1:].T @ mixed
    return reached, float(between @ between) ** 0.5 / 2


def assert_proved(best, X, y, digits):
    reached, limit = exact_bounds(best, X, y)
    assert reached == pytest.approx(best.margin, rel=digits), "the weights fall short"
    assert limit == pytest.approx(best.margin, rel=digits), "this is not the largest"


# --- the maximum margin ------------------------------------------------------------------------


def test_the_margin_of_three_points_known_by_hand():
    best = max_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1])
    assert best.weights.tolist() == [-1, 1, 0]
    assert (best.margin, best.support.tolist()) == (1, [0, 1])


def test_the_margin_and_its_multipliers_are_proved_by_duality():
    for X, y in streets(30, seed=22):
        best = max_margin(X, y)
        assert_proved(best, X, y, 1e-9)
        assert best.shares.min() >= 0
        assert [best.shares[y == sign].sum() for sign in (1, -1)] == pytest.approx([1, 1])
        difference = (best.shares * y) @ X
        w = 2 * difference / (difference @ difference)
        assert np.allclose(best.hyperplane.w, w, atol=1e-8)
        scores = signed_rows(X, y) @ best.weights
        assert np.allclose(scores[best.support], 1, rtol=0, atol=1e-8)
        assert scores.min() >= 1 - 1e-8
        assert best.hyperplane.margin(X, y) == pytest.approx(best.margin, rel=1e-9)
        assert np.allclose(max_margin(X, -y).weights, -best.weights, atol=1e-7)
        alone = max_margin(X[best.support], y[best.support])
        assert np.allclose(alone.weights, best.weights, rtol=1e-7, atol=1e-9)


def test_duplicates_and_constant_features_do_not_disturb_the_margin():
    for X, y in streets(10, seed=33):
        best = max_margin(X, y)
        doubled = np.repeat(np.column_stack([X, np.full(len(X), 7.0)]), 2, axis=0)
        again = max_margin(doubled, np.repeat(y, 2))
        assert again.margin == pytest.approx(best.margin, rel=1e-9)
        assert np.allclose(again.hyperplane.w, np.r_[best.hyperplane.w, 0], atol=1e-7)


def test_the_margin_in_thirty_dimensions_is_proved():
    X, target = load_breast_cancer(return_X_y=True)
    y = np.where(target == 0, 1, -1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_proved(max_margin(X, y), X, y, 1e-6)


# --- margins as small as rounding errors -------------------------------------------------------


def narrow_streets(width, shift):
    """Yield two flat clouds that far apart: the finer the street, the more rounding decides."""
    for X, y in streets(5, seed=int(-np.log10(width)), least_gap=1.0):
        w = max_margin(X, y).hyperplane.w
        w = w / np.linalg.norm(w)
        yield X + np.outer(y * width / 2 - X @ w, w) + shift, y


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e8])
def test_a_tiny_margin_is_solved_accurately_or_refused(shift):
    solved = refused = 0
    for width in 10.0 ** -np.arange(1, 15):
        for X, y in narrow_streets(width, shift):
            try:
                best = max_margin(X, y)
            except ValueError as error:
                refusal = str(error)
            else:
                solved += 1
                assert_proved(best, X, y, 1e-4)
                continue
            refused += 1
            separable = certify(X, y).separable
            reason = "too small for floats" if separable else "no hyperplane separates"
            assert reason in refusal
    assert min(solved, refused) >= 5, f"{solved} solved, {refused} refused: too one-sided a test"


@by_kind
def test_max_margin_never_claims_a_margin_that_is_not_there(kind):
    for X, y, _ in sets_of(kind, 15, seed=41):
        try:
            best = max_margin(X, y)
        except ValueError:
            continue
        assert_proved(best, X, y, 1e-4)


def test_a_translation_without_rounding_leaves_the_margin_to_twelve_digits():
    # Many points nearly touch the street, so the search must tell them apart from far away.
    for seed in range(2):
        rng = np.random.default_rng([43, seed])
        w = rng.normal(size=3)
        w /= np.linalg.norm(w)
        X, y = rng.normal(size=(200, 3)), np.resize([1, -1], 200)
        X += np.outer(y * (0.5 + 3e-7 * rng.exponential(size=200)) - X @ w, w)
        X = np.round(X * 2**23) / 2**23
        moved = X + 2.0**27
        assert np.array_equal(moved - 2.0**27, X), "the translation must be exact"
        assert max_margin(moved, y).margin == pytest.approx(max_margin(X, y).margin, rel=1e-12)


def test_a_point_that_is_no_mixture_of_the_rows_is_not_sold_as_the_largest_margin(monkeypatch):
    def too_near(lowest, start, **options):
        found = nearest_point(lowest, start, **options)
        return found._replace(point=0.99 * found.point)

    monkeypatch.setattr(hard_margin, "nearest_point", too_near)
    for options in ({}, {"augmented": True}):
        with pytest.raises(ValueError, match=r"^X: "):
            max_margin(CORNERS, AND, **options)


# --- the margin of the convergence bound, and boundaries through the origin --------------------


def test_augmented_margin_is_proved_largest_by_the_nearest_mixture_of_signed_rows():
    for X, y in streets(20, seed=51):
        best, Z = max_margin(X, y, augmented=True), signed_rows(X, y)
        reached = (Z @ best.weights).min() / np.linalg.norm(best.weights)
        assert best.margin == pytest.approx(reached, rel=1e-9)
        assert best.shares.min() >= 0
        assert best.shares.sum() == pytest.approx(1)
        assert best.margin == pytest.approx(np.linalg.norm(best.shares @ Z), rel=1e-9)


def test_augmented_margin_of_and_bounds_the_eighteen_mistakes_of_the_perceptron():
    gamma = max_margin(CORNERS, AND, augmented=True).margin
    assert 3 / gamma**2 >= 18, "R² = 3, and the perceptron makes 18 mistakes on AND"
    # 1/√17 is irrational: a few roundings of numbers near 1 lie between it and what is computed.
    assert gamma == pytest.approx(1 / np.sqrt(17), rel=1e-13), "(−3, 2, 2) reaches 1/√17"


def test_augmented_margin_of_one_class_is_the_distance_to_its_nearest_augmented_point():
    best = max_margin([[2.0], [4.0]], [1, 1], augmented=True)
    assert best.margin == pytest.approx(np.sqrt(5))


def test_without_bias_the_margin_is_measured_from_the_origins_boundary():
    best = max_margin([[1.0, 1.0], [3.0, -1.0]], [1, 1], bias=False)
    assert best.weights.tolist() == pytest.approx([0.5, 0.5])
    assert best.margin == pytest.approx(np.sqrt(2))
    assert best.hyperplane.w0 == 0


# --- refusals, and inputs that stay as they were -----------------------------------------------


@pytest.mark.parametrize("options", [{}, {"augmented": True}, {"bias": False}], ids=str)
def test_inseparable_data_have_no_margin_and_one_sentence_says_so(options):
    with pytest.raises(ValueError, match=r"^X, y: no hyperplane separates these classes.*\.$"):
        max_margin(CORNERS - 0.5, XOR, **options)


def test_a_margin_beyond_floats_is_refused_in_one_sentence():
    X = [[1e8], [np.nextafter(1e8, 1e9)]]
    with pytest.raises(ValueError, match=r"^X: the classes can be separated, but .*\.$"):
        max_margin(X, [-1, 1])


# --- hulls -------------------------------------------------------------------------------------


def test_hulls_meet_where_no_line_separates():
    square = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1]]
    assert hull(square).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]
    found = gap([[0, 0], [2, 2], [0, 2], [2, 0], [9, 9]], [1, 1, -1, -1, 1])
    assert found.distance == 0
    assert np.allclose([found.positive, found.negative], 1), "the last point has no share in it"
    found = gap([[0, 0], [0, 2], [3, 0], [4, 4]], [-1, -1, 1, 1])
    assert found.distance == pytest.approx(3)
    assert np.allclose([found.negative, found.positive], [[0, 0], [3, 0]])


@pytest.mark.parametrize("seed", range(12))
def test_corners_are_named_anticlockwise_and_once(seed):
    corners = hull(np.random.default_rng(seed).normal(size=(3 + seed, 2)))
    assert len(np.unique(corners, axis=0)) == len(corners) >= 3
    for a, b, c in zip(corners, np.roll(corners, -1, axis=0), np.roll(corners, -2, axis=0)):  # noqa: B905
        assert np.linalg.det([b - a, c - a]) > 0


def test_few_points_are_their_own_hull():
    assert hull([[3, 4], [3, 4]]).tolist() == [[3, 4]]
    assert hull([[3, 4], [1, 2]]).tolist() == [[1, 2], [3, 4]]
    assert hull([[0, 0], [2, 2], [1, 1]]).tolist() == [[0, 0], [2, 2]]
