"""Certificates proved again in fractions, the widest street proved by duality, Cover's count.

Whether a certificate is right never depends on the code that found it: :func:`reason_to_doubt`
multiplies it out in fractions. A proof either way rules the other one out (Gordan), so what passes
is the only verdict there can be: never both, never neither.
"""

import warnings
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.svm import SVC

from linlib.base.rows import signed_rows
from linlib.margins import certificates as separability
from linlib.margins import hard_margin as street
from linlib.margins.certificates import Inseparable, Separable, certify, cover_count
from linlib.margins.hard_margin import max_margin
from linlib.solvers.nearest_point import Nearest, nearest_point

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([-1, -1, -1, 1])
XOR = np.array([-1, 1, 1, -1])


# --- proofs, written without linlib ------------------------------------------------------------


def exact_rows(X, y, bias=True):
    """Return the signed rows y (1, x) of the printed decimals as fractions."""
    start = [1] if bias else []
    return [
        [Fraction(int(label)) * Fraction(str(value)) for value in [*start, *x]]
        for x, label in zip(np.asarray(X, dtype=float).tolist(), y, strict=True)
    ]


def dot(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def reason_to_doubt(verdict, X, y, bias=True):
    """Return why the certificate proves nothing, or None if it is right to the last digit."""
    Z = exact_rows(X, y, bias)
    if isinstance(verdict, Separable):
        weights = verdict.exact or [Fraction(str(w)) for w in verdict.weights.tolist()]
        least = min(dot(row, weights) for row in Z)
        if verdict.fractions(X, y) != (dict(enumerate(weights)) if least > 0 else None):
            return "fractions() are not its exact weights"
        return None if least > 0 else f"a row has product {float(least)} with the weights"
    shares = verdict.fractions(X, y)
    if not shares:
        return "the clashing rows have no exact multipliers"
    if min(shares.values()) <= 0 or sum(shares.values()) != 1:
        return f"the multipliers {shares} are not shares of a whole"
    if not set(shares) <= set(verdict.support.tolist()):
        return "exact multipliers sit on rows outside the support"
    columns = zip(*(Z[i] for i in shares), strict=True)
    totals = [dot(shares.values(), column) for column in columns]
    return f"the mixture of the rows is {totals}, not zero" if any(totals) else None


def assert_certified(X, y, bias=True):
    """Certify without a warning, prove it in fractions and by its own check, and return it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = certify(X, y, bias=bias)
    doubt = reason_to_doubt(verdict, X, y, bias)
    name = type(verdict).__name__
    assert doubt is None, f"{name} is not proved: {doubt}; X = {np.asarray(X).tolist()}, y = {y}"
    assert verdict.check(X, y), f"{name} is right, but its own check in floats says no"
    assert verdict.check(X, y, exact=True), f"{name} is right, but its own exact check says no"
    return verdict


def by_linear_program(X, y, bias=True):
    """Return the largest t with Z w >= t, |w| <= 1 from SciPy's HiGHS: 0 if inseparable."""
    Z = signed_rows(X, y, bias=bias)
    n, m = Z.shape
    answer = linprog(
        np.r_[np.zeros(m), -1.0],
        A_ub=np.column_stack([-Z, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * m + [(None, None)],
    )
    assert answer.status == 0, answer.message
    return -answer.fun


# --- data, each kind named after what makes it hard --------------------------------------------


def coin(rng, n):
    return rng.choice([-1, 1], n)


def halves(rng, X):
    return np.where(X @ rng.normal(size=X.shape[1]) > 0, 1, -1)


def few_integers(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float), coin(rng, n)


def random_plane(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, halves(rng, X)


def random_labels(rng, n, d):
    return rng.normal(size=(n, d)), coin(rng, n)


def points_on_the_boundary(rng, n, d):
    X, w = rng.integers(-4, 5, (n, d)).astype(float), rng.integers(-2, 3, d)
    side = np.sign(X @ w).astype(int)
    return X, np.where(side == 0, coin(rng, n), side)


def one_point_on_the_boundary(rng, n, d):
    """Both classes touch: one point lies exactly halfway between two of the other class."""
    X = 2.0 * rng.integers(-4, 5, (n + 2, d))
    y = halves(rng, X)
    y[0] = y[1]
    return np.vstack([X, (X[0] + X[1]) / 2]), np.append(y, -y[0])


def collinear(rng, n, d):
    X = np.outer(rng.integers(-5, 6, n), rng.integers(-3, 4, d)) + rng.integers(-3, 4, d)
    return X.astype(float), coin(rng, n) if rng.random() < 0.5 else halves(rng, X)


def in_a_flat(rng, n, d):
    X = rng.normal(size=(n, 1 + d // 2)) @ rng.normal(size=(1 + d // 2, d))
    return X, coin(rng, n) if rng.random() < 0.5 else halves(rng, X)


def duplicates_that_agree(rng, n, d):
    X, y = random_plane(rng, n, d)
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


def duplicates_that_disagree(rng, n, d):
    X, y = random_plane(rng, n, d)
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


def one_ulp_apart(rng, n, d):
    X = rng.normal(size=(n, d)) + rng.choice([0, 1, 1e8])
    return np.vstack([X, np.nextafter(X, np.inf)]), np.repeat([-1, 1], n)


def one_ulp_beside_a_threshold(rng, n, d):
    X = rng.normal(size=(n, d))
    X = np.vstack([X, np.nextafter(X, rng.choice([-np.inf, np.inf], d))])
    return X, np.where(X[:, 0] > X[0, 0], 1, -1)


def nearly_touching(rng, n, d):
    """Two copies of a flat cloud, moved apart by a few rounding errors, towards or away."""
    w = rng.normal(size=d)
    X = rng.normal(size=(n, d))
    X -= np.outer(X @ w, w) / (w @ w)
    return np.vstack([X, X + rng.choice([-1e-15, 1e-15, 1e-14]) * w]), np.repeat([-1, 1], n)


def one_class(rng, n, d):
    return rng.integers(-3, 4, (n, d)).astype(float), np.full(n, rng.choice([-1, 1]))


def all_the_same_point(rng, n, d):
    y = coin(rng, n) if rng.random() < 0.5 else np.ones(n, dtype=int)
    return np.tile(rng.normal(size=d), (n, 1)), y


def constant_features(rng, n, d):
    X, y = few_integers(rng, n, d)
    X[:, rng.random(d) < 0.5] = rng.normal()
    return X, y


def a_single_point(rng, n, d):
    return rng.integers(-1, 2, (1, d)).astype(float), coin(rng, 1)


KINDS = [
    few_integers,
    random_plane,
    random_labels,
    points_on_the_boundary,
    one_point_on_the_boundary,
    collinear,
    in_a_flat,
    duplicates_that_agree,
    duplicates_that_disagree,
    one_ulp_apart,
    one_ulp_beside_a_threshold,
    nearly_touching,
    one_class,
    all_the_same_point,
    constant_features,
    a_single_point,
]
by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def sets_of(kind, count, seed=0):
    """Yield data sets of a kind, n up to 20 and d up to 6, each with whether to use a bias."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        X, y = kind(rng, int(rng.integers(1, 21)), int(rng.integers(1, 7)))
        yield X, y, number % 4 > 0


# --- certificates are right --------------------------------------------------------------------


@by_kind
def test_certificate_is_proved_in_fractions(kind):
    for X, y, bias in sets_of(kind, 100):
        assert_certified(X, y, bias)


@by_kind
def test_certificate_is_proved_with_features_of_very_different_sizes(kind):
    for number, (X, y, bias) in enumerate(sets_of(kind, 30, seed=1)):
        rng = np.random.default_rng(number)
        assert_certified(X * 10.0 ** rng.integers(-6, 7, X.shape[1]), y, bias)


@by_kind
def test_certificate_is_proved_far_from_the_origin(kind):
    for number, (X, y, bias) in enumerate(sets_of(kind, 30, seed=2)):
        rng = np.random.default_rng(number)
        assert_certified(X + 10.0 ** rng.integers(3, 9) * rng.choice([-1, 1], X.shape[1]), y, bias)


@pytest.mark.parametrize(
    "kind",
    [random_plane, random_labels, few_integers, in_a_flat, duplicates_that_disagree, one_ulp_apart],
    ids=lambda kind: kind.__name__,
)
def test_certificate_is_proved_in_thirty_dimensions(kind):
    assert_certified(*kind(np.random.default_rng(30), 75, 30))


def test_certificate_is_proved_at_the_ends_of_the_float_range():
    rng = np.random.default_rng(3)
    sizes = 10.0 ** np.array([-320, -300, -160, -20, 0, 100, 149])
    for number in range(300):
        n, d = rng.integers(1, 9), rng.integers(1, 4)
        X = rng.integers(-3, 4, (n, d)) * rng.choice(sizes, d)
        assert_certified(X, coin(rng, n), bias=number % 2 == 0)


def test_both_verdicts_are_common_among_the_random_sets():
    verdicts = [certify(X, y, bias=b).separable for X, y, b in sets_of(few_integers, 120)]
    assert 20 < sum(verdicts) < 100, "a test set with one verdict only would prove little"


@pytest.mark.parametrize("kind", [few_integers, random_plane, random_labels, collinear])
def test_verdict_agrees_with_a_linear_program_where_that_is_clear(kind):
    clear = 0
    for X, y, bias in sets_of(kind, 60, seed=4):
        t = by_linear_program(X, y, bias)
        if t > 1e-6 or t < 1e-10:
            clear += 1
            assert certify(X, y, bias=bias).separable == (t > 1e-6), f"HiGHS finds t = {t}"
    assert clear > 50, "nearly all of these sets are clear cases"


@by_kind
def test_a_separable_set_has_a_positive_margin_even_if_floats_cannot_see_it(kind):
    for X, y, bias in sets_of(kind, 30, seed=5):
        verdict = certify(X, y, bias=bias)
        assert not verdict.separable or verdict.margin > 0


def test_the_margin_is_the_least_product_over_the_length_of_the_weights():
    verdict = certify(CORNERS, AND)
    Z = signed_rows(CORNERS, AND)
    assert verdict.margin == pytest.approx(
        (Z @ verdict.weights).min() / np.linalg.norm(verdict.weights)
    )


def test_xor_is_refuted_by_equal_shares_of_all_four_corners():
    verdict = certify(CORNERS, XOR)
    assert verdict.multipliers == pytest.approx([0.25] * 4, rel=1e-12)  # they are solved for
    assert verdict.check(CORNERS, XOR, exact=True)


def test_a_refutation_names_few_rows():
    for X, y, bias in sets_of(random_labels, 60, seed=6):
        verdict = certify(X, y, bias=bias)
        if not verdict.separable:
            assert len(verdict.support) <= X.shape[1] + bias + 1, (
                "Carathéodory: columns + 1 suffice"
            )


def test_the_hyperplane_of_a_certificate_predicts_every_label():
    for X, y, bias in sets_of(random_plane, 40, seed=7):
        verdict = certify(X, y, bias=bias)
        if verdict.separable and len(set(y)) == 2:
            assert np.array_equal(verdict.hyperplane.predict(X), y)


def test_without_bias_the_boundary_has_to_pass_through_the_origin():
    X, y = [[1], [2]], [-1, 1]
    assert assert_certified(X, y, bias=True).separable
    assert not assert_certified(X, y, bias=False).separable


def test_a_point_at_the_origin_cannot_be_classified_without_bias():
    verdict = assert_certified([[1, 2], [0, 0]], [1, 1], bias=False)
    assert verdict.multipliers.tolist() == [0, 1]


def test_a_label_read_off_one_ulp_makes_the_difference():
    x = 0.1
    above = np.nextafter(x, 1)
    assert assert_certified([[x], [above]], [-1, 1]).separable
    assert not assert_certified([[x], [x]], [-1, 1]).separable
    assert not assert_certified([[x], [above], [np.nextafter(above, 1)]], [-1, 1, -1]).separable


def test_fractions_are_kept_only_where_floats_near_them_do_not_separate():
    kept = 0
    for X, y, bias in sets_of(one_ulp_beside_a_threshold, 200, seed=8):
        verdict = certify(X, y, bias=bias)
        if verdict.separable and verdict.exact:
            kept += 1
            floats = replace(verdict, exact=None)
            assert reason_to_doubt(floats, X, y, bias), "these floats would have been enough"
            assert rejected(floats, X, y), "these floats do not separate"
    assert kept > 5, "the sets must include some that only fractions separate"


# --- many columns ------------------------------------------------------------------------------

WIDE = 100


def test_wide_separable_data_get_weights_proved_in_fractions():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, WIDE))
    assert assert_certified(X, halves(rng, X)).separable


def test_wide_inseparable_data_get_multipliers_that_balance_to_nine_digits():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(600, WIDE)), coin(rng, 600)
    verdict = certify(X, y)
    assert not verdict.separable
    shares = [Fraction(share) for share in verdict.multipliers.tolist()]
    assert min(shares) >= 0
    for column in zip(*exact_rows(X, y), strict=True):
        assert abs(float(dot(shares, column))) < 1e-9
    assert verdict.check(X, y)


def test_wide_data_one_ulp_apart_are_still_separable():
    X = np.random.default_rng(11).normal(size=(2, WIDE))
    X[1] = X[0]
    X[1, 7] = np.nextafter(X[1, 7], 9)
    assert assert_certified(X, [-1, 1]).separable


def test_wide_duplicates_that_disagree_are_refuted_exactly():
    X = np.random.default_rng(12).normal(size=(5, WIDE))
    X[4] = X[0]
    verdict = assert_certified(X, [1, -1, 1, -1, -1])
    assert verdict.support.tolist() == [0, 4]


# --- what the search finds counts only if it is proved -----------------------------------------


def lost(lowest, start, **options):
    """Search so badly that nothing it returns is true."""
    name, vertex = lowest(-start)
    return Nearest(-vertex, [name], np.ones(1))


@pytest.mark.parametrize("columns", [2, WIDE])
def test_a_search_that_fails_costs_time_but_never_the_verdict(monkeypatch, columns):
    monkeypatch.setattr(separability, "nearest_point", lost)
    rng = np.random.default_rng(13)
    for number in range(20 if columns == 2 else 2):
        X = rng.integers(-3, 4, (4 + number % 2, columns)).astype(float)
        X[-1] = X[0]
        y = np.resize([1, -1, -1, 1], len(X))
        y[-1] = y[0] if number % 2 else -y[0]
        assert_certified(X, y)


def test_a_simplex_that_holds_the_origin_by_a_rounding_error_is_settled_in_fractions(monkeypatch):
    """The last point lies in a face of the simplex of the others, moved out of it by one ulp."""
    verdicts = []
    for number in range(300):
        rng = np.random.default_rng([14, number])
        d = int(rng.integers(1, 5))
        X, y = rng.normal(size=(d + 2, d)), np.ones(d + 2, dtype=int)
        y[-1] = -1
        X[-1] = rng.dirichlet(np.ones(d)) @ X[:d] if d > 1 else X[0]
        X[-1] = np.nextafter(X[-1], rng.choice([-np.inf, np.inf], d))
        whole = Nearest(np.zeros(d + 1), list(range(d + 2)), np.full(d + 2, 1 / (d + 2)))
        monkeypatch.setattr(separability, "nearest_point", lambda *_, found=whole, **__: found)
        verdicts.append(assert_certified(X, y).separable)
    assert 50 < sum(verdicts) < 250, "an ulp should lead outside about as often as inside"


def test_ordinary_data_are_decided_without_rational_arithmetic(monkeypatch):
    """Exactness is for the doubtful: a search that left everything to it would be slow."""

    def never(*_, **__):
        raise AssertionError("an ordinary set was left to rational arithmetic")

    monkeypatch.setattr(separability.exact, "alternative", never)
    for n, d, bias in product([5, 80], [1, 2, 6, WIDE], [True, False]):
        rng = np.random.default_rng([n, d])
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-12, 13, d)
        assert certify(X, halves(rng, X), bias=bias).separable
        certify(X, coin(rng, n), bias=bias)
        certify(X + 100 * X[0], coin(rng, n))


def test_the_margin_settled_in_fractions_is_of_the_same_kind(monkeypatch):
    monkeypatch.setattr(separability, "nearest_point", lost)
    verdict = certify(CORNERS, AND)
    length = np.linalg.norm(verdict.weights)
    assert length > 1.1, "of length 1 it would not matter what is done with it"
    assert verdict.margin == pytest.approx(
        (signed_rows(CORNERS, AND) @ verdict.weights).min() / length
    )


def test_a_constant_feature_leaves_nothing_to_rational_arithmetic(monkeypatch):
    def never(*_, **__):
        raise AssertionError("a constant feature was kept")

    monkeypatch.setattr(separability.exact, "alternative", never)
    X = np.column_stack([CORNERS, np.full(4, 3.0)])
    assert not certify(X, XOR).separable
    assert certify(X, AND).weights[3] == 0


def test_the_search_ends_once_weights_separate(monkeypatch):
    looks = {"to the end": 0, "until they separate": 0}

    def counted(lowest, start, **options):
        def look(u, why):
            looks[why] += 1
            return lowest(u)

        nearest_point(lambda u: look(u, "to the end"), start)
        return nearest_point(lambda u: look(u, "until they separate"), start, **options)

    monkeypatch.setattr(separability, "nearest_point", counted)
    rng = np.random.default_rng(16)
    X = rng.normal(size=(60, 6))
    assert certify(X, halves(rng, X)).separable
    assert looks["until they separate"] < looks["to the end"]


def test_shares_that_rounding_could_turn_negative_are_not_trusted():
    def shares(least):  # a segment of length 1/1000 around the origin, nearly at one end of it
        return separability._surely_balanced(np.array([[1e-3], [-1e-3 * least]]))

    assert shares(0.25) == pytest.approx([0.2, 0.8])
    assert shares(1e-10) is None


def test_wide_data_with_repeated_columns_are_refuted_exactly():
    rng = np.random.default_rng(15)
    X, y = rng.normal(size=(60, 15)), coin(rng, 60)
    assert not assert_certified(np.column_stack([X, X]), y).separable


def beside_a_face(d, gap, rng):
    """Return d + 1 positive corners of a simplex and a negative point by ``gap`` inside a face.

    The corners have one decimal and the shares of the face two, so that the point is where it
    should be by its digits, of which there are no more than fourteen.
    """
    corners = np.rint(10 * rng.normal(size=(d + 1, d))).astype(int)
    face = corners[:d].sum(axis=0) + corners[0] * (100 - d)
    inward = 100 * corners[d] - face
    scaled = 10**9 * face + int(gap * 10**9) * inward
    X = [[float(f"{entry}e-1") for entry in corner] for corner in corners.tolist()]
    X.append([float(f"{entry}e-12") for entry in scaled.tolist()])
    return np.array(X), np.r_[np.ones(d + 1, dtype=int), -1]


@pytest.mark.parametrize(("d", "gap"), [(8, 1e-6), (30, 1e-6), (30, 1e-9)])
def test_a_gap_below_all_rounding_is_decided_rightly_and_proved(d, gap):
    for sign in (1, -1):
        X, y = beside_a_face(d, sign * gap, np.random.default_rng(16))
        verdict = certify(X, y)
        assert verdict.separable == (sign < 0)
        assert verdict.check(X, y, exact=True)


# --- tampered certificates are rejected --------------------------------------------------------


def rejected(verdict, X, y):
    return not verdict.check(X, y) and not verdict.check(X, y, exact=True)


def tampered(verdict, **changes):
    return replace(verdict, **{name: np.array(value) for name, value in changes.items()})


def test_weights_moved_until_they_touch_a_point_are_rejected():
    for X, y, _ in sets_of(few_integers, 60, seed=15):
        verdict = certify(X, y)
        if verdict.separable:
            weights = np.round(verdict.weights * 64) / 64
            weights[0] = -(X[-1] @ weights[1:])  # the last point is now exactly on the boundary
            touching = replace(verdict, weights=weights, exact=None)
            assert rejected(touching, X, y), "a product of exactly 0 is not positive"


@pytest.mark.parametrize("exact", [False, True])
def test_weights_that_are_right_only_by_rounding_are_rejected(exact):
    big = 2.0**53
    X, y = [[big, 2.0, -(big + 2)]], [1]
    fake = Separable(np.array([-1.0, 1.0, 1.0, 1.0]), 1.0, bias=True)
    assert not fake.check(X, y, exact=exact), "the exact product is −1"


def test_weights_with_the_wrong_sign_or_of_nothing_are_rejected():
    verdict = certify(CORNERS, AND)
    assert rejected(tampered(verdict, weights=-verdict.weights), CORNERS, AND)
    assert rejected(tampered(verdict, weights=np.zeros(3)), CORNERS, AND)


@pytest.mark.parametrize(
    ("multipliers", "why"),
    [
        ([0.4, 0.1, 0.25, 0.25], "it moves weight from one row to another"),
        ([0.25, 0.25, 0.25, 0.25 + 1e-6], "the sum is not 1"),
        ([0.5, 0.5, 0.5, 0.5], "the sum is 2"),
        ([0.0, 0.0, 0.0, 0.0], "nothing is mixed"),
        ([-0.25, -0.25, -0.25, -0.25], "all are negative"),
        ([0.5, 0.5, 0.5, -0.5], "one is negative"),
        ([0.5, 0.0, 0.0, 0.5], "the clash is not among these rows"),
        ([np.nan] * 4, "they are not numbers"),
        ([0.25, 0.25, 0.25], "a row has none"),
    ],
)
def test_multipliers_that_prove_nothing_are_rejected(multipliers, why):
    fake = tampered(certify(CORNERS, XOR), multipliers=multipliers)
    assert rejected(fake, CORNERS, XOR), f"accepted although {why}"


def test_a_negative_multiplier_is_rejected_even_if_all_balances():
    X, y = [[0.0], [1.0], [3.0]], [1, 1, -1]
    shares = np.array([-1.0, 1.5, 0.5])
    assert shares.sum() == 1
    assert not (shares @ signed_rows(X, y)).any(), "the example must balance"
    assert certify(X, y).separable
    assert rejected(Inseparable(shares, bias=True), X, y)


def test_multipliers_changed_by_a_millionth_are_rejected():
    for X, y, _ in sets_of(random_labels, 60, seed=16):
        verdict = certify(X, y)
        if not verdict.separable:
            shares = verdict.multipliers.copy()
            shares[verdict.support[0]] *= 1 + 1e-6
            assert rejected(tampered(verdict, multipliers=shares / shares.sum()), X, y)


def test_tiny_features_are_no_excuse_for_multipliers_that_do_not_balance():
    X, y = 1e-30 * CORNERS, XOR
    fake = Inseparable(np.array([0.5, 0.5, 0.0, 0.0]), bias=True)
    assert rejected(fake, X, y)


def test_multipliers_that_balance_only_by_rounding_fail_the_exact_check():
    X, y = [[1.0], [np.nextafter(1.0, 2.0)]], [-1, 1]
    fake = Inseparable(np.array([0.5, 0.5]), bias=True)
    assert fake.check(X, y), "to nine digits these two points are one"
    assert not fake.check(X, y, exact=True), "they are not: one ulp lies between them"


@pytest.mark.parametrize("labels", [AND, XOR], ids=["separable", "inseparable"])
@pytest.mark.parametrize("row", range(4))
def test_a_certificate_does_not_hold_for_a_flipped_label(labels, row):
    flipped = labels.copy()
    flipped[row] *= -1
    assert rejected(certify(CORNERS, labels), CORNERS, flipped)


@pytest.mark.parametrize("labels", [AND, XOR], ids=["separable", "inseparable"])
def test_a_certificate_does_not_hold_for_other_data(labels):
    verdict = certify(CORNERS, labels)
    assert rejected(verdict, CORNERS * np.array([[1, 1], [5, 1], [1, 1], [-9, 1]]), labels)
    assert rejected(verdict, np.roll(CORNERS, 1, axis=0), labels)


def test_a_certificate_does_not_hold_for_data_of_another_shape():
    assert rejected(certify(CORNERS, AND), CORNERS[:, :1], AND)
    assert rejected(certify(CORNERS, XOR), CORNERS[:3], XOR[:3])


# --- invariances -------------------------------------------------------------------------------


@st.composite
def integer_sets(draw):
    n, d = draw(st.integers(1, 10)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-3, 3), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X), np.array(y)


@fuzz
@given(integer_sets(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_change_the_verdict(case, bias, random):
    X, y = case
    order = random.sample(range(len(X)), len(X))
    other = assert_certified(X[order], y[order], bias)
    assert other.separable == certify(X, y, bias=bias).separable


@fuzz
@given(integer_sets(), st.data())
def test_scaling_signed_rows_by_positive_factors_does_not_change_the_verdict(case, data):
    Z = signed_rows(*case)
    factor = st.integers(1, 50)
    factors = data.draw(st.lists(factor, min_size=len(Z), max_size=len(Z)))
    ones = np.ones(len(Z), dtype=int)
    scaled = assert_certified(np.array(factors)[:, None] * Z, ones, bias=False)
    assert scaled.separable == certify(*case).separable


@fuzz
@given(integer_sets(), st.booleans(), st.data())
def test_repeating_rows_does_not_change_the_verdict(case, bias, data):
    X, y = case
    rows = np.r_[: len(X), data.draw(st.lists(st.integers(0, len(X) - 1), max_size=8))].astype(int)
    repeated = assert_certified(X[rows], y[rows], bias)
    assert repeated.separable == certify(X, y, bias=bias).separable


@fuzz
@given(integer_sets(), st.booleans())
def test_flipping_every_label_does_not_change_the_verdict(case, bias):
    X, y = case
    flipped = assert_certified(X, -y, bias)
    assert flipped.separable == certify(X, y, bias=bias).separable


@fuzz
@given(integer_sets(), st.lists(st.integers(-(10**9), 10**9), min_size=3, max_size=3))
def test_translating_the_points_does_not_change_the_verdict(case, shift):
    X, y = case
    moved = assert_certified(X + shift[: X.shape[1]], y)
    assert moved.separable == certify(X, y).separable


@fuzz
@given(integer_sets(), st.integers(0, 10**6))
def test_mapping_the_points_one_to_one_does_not_change_the_verdict(case, seed):
    X, y = case
    d = X.shape[1]
    rng = np.random.default_rng(seed)
    # Integer matrices with ones on the diagonal and nothing beyond it have an inverse.
    A = np.tril(rng.integers(-3, 4, (d, d)), -1) + np.eye(d, dtype=int)
    assert assert_certified(X @ A, y).separable == certify(X, y).separable


@fuzz
@given(integer_sets())
def test_adding_a_point_never_makes_an_inseparable_set_separable(case):
    X, y = case
    if certify(X, y).separable:
        assert all(certify(np.delete(X, i, 0), np.delete(y, i)).separable for i in range(1, len(X)))


# --- real data ---------------------------------------------------------------------------------


def test_breast_cancer_is_separable_with_all_thirty_features():
    X, target = load_breast_cancer(return_X_y=True)
    assert assert_certified(X, np.where(target == 0, 1, -1)).separable


def test_breast_cancer_is_not_separable_with_its_first_ten_features():
    X, target = load_breast_cancer(return_X_y=True)
    assert not assert_certified(X[:, :10], np.where(target == 0, 1, -1)).separable


def test_versicolor_is_not_separable_from_virginica():
    X, target = load_iris(return_X_y=True)
    X, y = X[target > 0], np.where(target[target > 0] == 1, 1, -1)
    verdict = assert_certified(X, y)
    assert not verdict.separable
    assert len(verdict.support) <= 6, "six flowers at most are enough to prove it"


def test_setosa_is_separable_from_the_rest():
    X, target = load_iris(return_X_y=True)
    assert assert_certified(X, np.where(target == 0, 1, -1)).separable


# --- Cover's count -----------------------------------------------------------------------------


def in_general_position(n, d):
    """Return points of the moment curve (t, t², …, t^d): no d + 1 of them share a hyperplane."""
    return np.power.outer(np.arange(n) - n // 2, np.arange(1, d + 1))


def separable_labelings(n, d):
    X = in_general_position(n, d)
    return sum(certify(X, np.array(y)).separable for y in product([-1, 1], repeat=n))


def test_cover_counts_in_the_plane_are_the_published_ones():
    assert [cover_count(n, 2) for n in range(1, 7)] == [2, 4, 8, 14, 22, 32]


@pytest.mark.parametrize(("n", "d"), [(n, d) for d in (1, 2, 3) for n in range(1, 7)])
def test_cover_count_equals_the_labelings_that_can_be_certified(n, d):
    assert separable_labelings(n, d) == cover_count(n, d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_half_of_all_labelings_of_twice_the_columns_points_are_separable(d):
    n = 2 * (d + 1)
    assert 2 * cover_count(n, d) == 2**n
    assert 2 * separable_labelings(n, d) == 2**n


def test_every_labeling_of_at_most_one_point_more_than_dimensions_is_separable():
    assert all(cover_count(n, d) == 2**n for d in range(1, 12) for n in range(1, d + 2))


def test_cover_counts_of_more_dimensions_than_points_end_at_once():
    assert cover_count(3, 10**400) == 8
    assert cover_count(10**400, 1) == 2 * 10**400


def test_counts_of_too_many_bits_are_refused():
    # 10⁴⁰⁰ has 1329 bits: 752 factors of this size are below a million bits, 753 are above.
    assert cover_count(10**400, 2).bit_length() > 2 * 1328
    with pytest.raises(ValueError, match=r"^n, d: the count would have more than 1000000 bits; "):
        cover_count(10**400, 753)


def test_cover_counts_obey_their_recurrence():
    for n, d in product(range(1, 20), range(2, 8)):
        assert cover_count(n + 1, d) == cover_count(n, d) + cover_count(n, d - 1)


def test_points_not_in_general_position_have_fewer_separable_labelings():
    X = np.array([[0, 0], [1, 1], [2, 2]])
    found = sum(certify(X, y).separable for y in product([-1, 1], repeat=3))
    assert found == 6 < cover_count(3, 2), "on a line the middle point cannot stand alone"


# --- the widest street -------------------------------------------------------------------------


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


def by_quadratic_program(X, y):
    """Return the primal solution: the shortest w with y (w · x + w0) >= 1, by SLSQP."""
    Z = signed_rows(X, y)
    start = certify(X, y).weights
    return minimize(
        lambda v: 0.5 * v[1:] @ v[1:],
        start / (Z @ start).min(),
        jac=lambda v: np.r_[0.0, v[1:]],
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    ).x


def exact_bounds(best, X, y):
    """Return the margin the weights reach and the one no weights exceed, both in fractions.

    Weights with least product t reach t / ‖w‖. Mixtures of the two classes lie in the two hulls,
    so half their distance is more than any hyperplane can leave on both sides.
    """
    Z = exact_rows(X, y)
    weights = [Fraction(w) for w in best.weights.tolist()]
    least = min(dot(row, weights) for row in Z)
    reached = float(least) / float(dot(weights[1:], weights[1:])) ** 0.5
    shares = [Fraction(share) for share in best.shares.tolist()]
    total = {
        sign: sum(s for s, label in zip(shares, y, strict=True) if label == sign)
        for sign in (1, -1)
    }
    mixed = [s / total[int(label)] for s, label in zip(shares, y, strict=True)]
    gap = [dot(mixed, column) for column in zip(*(row[1:] for row in Z), strict=True)]
    return reached, float(dot(gap, gap)) ** 0.5 / 2


def test_the_street_of_three_points_known_by_hand():
    best = max_margin([[0, 0], [2, 0], [5, 5]], [-1, 1, 1])
    assert best.weights.tolist() == [-1, 1, 0]
    assert (best.margin, best.support.tolist()) == (1, [0, 1])


def test_street_equals_the_quadratic_programs_solution():
    for X, y in streets(20, seed=20):
        best, reference = max_margin(X, y), by_quadratic_program(X, y)
        assert best.margin == pytest.approx(1 / np.linalg.norm(reference[1:]), rel=1e-6)
        assert np.allclose(best.weights, reference, rtol=1e-4, atol=1e-4)


def test_street_equals_the_support_vector_machines():
    for X, y in streets(20, seed=21):
        machine = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
        reference = np.r_[machine.intercept_, machine.coef_[0]]
        assert np.allclose(max_margin(X, y).weights, reference, rtol=1e-4, atol=1e-4)


def test_margin_is_proved_largest_by_the_nearest_points_of_the_two_hulls():
    for X, y in streets(60, seed=22):
        best = max_margin(X, y)
        reached, limit = exact_bounds(best, X, y)
        assert reached == pytest.approx(best.margin, rel=1e-9), "the weights do not reach it"
        assert limit == pytest.approx(best.margin, rel=1e-9), "the hulls are farther apart"


def test_multipliers_are_shares_within_each_class():
    for X, y in streets(30, seed=23):
        shares = max_margin(X, y).shares
        assert shares.min() >= 0
        assert shares[y > 0].sum() == pytest.approx(1)
        assert shares[y < 0].sum() == pytest.approx(1)


def test_the_normal_is_twice_the_mixture_over_its_squared_length():
    for X, y in streets(30, seed=24):
        best = max_margin(X, y)
        gap = (best.shares * y) @ X
        assert np.allclose(best.hyperplane.w, 2 * gap / (gap @ gap), atol=1e-8)


def test_support_rows_score_exactly_one_and_no_row_scores_less():
    for X, y in streets(60, seed=25):
        best = max_margin(X, y)
        scores = signed_rows(X, y) @ best.weights
        assert np.allclose(scores[best.support], 1, rtol=0, atol=1e-8)
        assert scores.min() >= 1 - 1e-8


def test_removing_a_row_outside_the_support_changes_nothing():
    removed = 0
    for X, y in streets(25, seed=26):
        best = max_margin(X, y)
        for i in set(range(len(X))) - set(best.support.tolist()):
            again = max_margin(np.delete(X, i, 0), np.delete(y, i))
            assert np.allclose(again.weights, best.weights, rtol=1e-7, atol=1e-9)
            removed += 1
    assert removed > 50


def test_removing_all_rows_but_the_support_changes_nothing():
    for X, y in streets(25, seed=27):
        best = max_margin(X, y)
        again = max_margin(X[best.support], y[best.support])
        assert np.allclose(again.weights, best.weights, rtol=1e-7, atol=1e-9)


def test_no_hyperplane_near_or_far_has_a_wider_street():
    rng = np.random.default_rng(28)
    for X, y in streets(20, seed=28):
        best = max_margin(X, y)
        far = rng.normal(size=(500, len(best.weights)))
        near = best.weights + far * np.repeat([1e-6, 1e-3, 1e-1, 1, 10], 100)[:, None]
        rivals = np.vstack([far, near])
        reached = (rivals @ signed_rows(X, y).T).min(axis=1) / np.linalg.norm(rivals[:, 1:], axis=1)
        assert reached.max() <= best.margin * (1 + 1e-9)


def test_margin_is_that_of_its_own_hyperplane():
    for X, y in streets(20, seed=29):
        best = max_margin(X, y)
        assert best.hyperplane.margin(X, y) == pytest.approx(best.margin, rel=1e-9)


def test_translating_the_points_translates_the_street():
    for X, y in streets(20, seed=30):
        best, shift = max_margin(X, y), np.arange(1.0, X.shape[1] + 1) * 100
        moved = max_margin(X + shift, y)
        assert moved.margin == pytest.approx(best.margin, rel=1e-9)
        assert np.allclose(moved.hyperplane.w, best.hyperplane.w, atol=1e-7)
        offset = best.hyperplane.w0 - best.hyperplane.w @ shift
        assert moved.hyperplane.w0 == pytest.approx(offset, rel=1e-7, abs=1e-5)


@pytest.mark.parametrize("factor", [1e-6, 0.5, 3.0, 1e6])
def test_scaling_the_points_scales_the_margin(factor):
    for X, y in streets(10, seed=31):
        assert max_margin(factor * X, y).margin == pytest.approx(factor * max_margin(X, y).margin)


def test_flipping_the_labels_flips_the_weights():
    for X, y in streets(20, seed=32):
        assert np.allclose(max_margin(X, -y).weights, -max_margin(X, y).weights, atol=1e-7)


def test_two_points_meet_halfway():
    best = max_margin([[1.0, 1.0], [4.0, 5.0]], [-1, 1])
    assert best.margin == pytest.approx(2.5)
    assert best.hyperplane.score([2.5, 3.0]) == pytest.approx(0, abs=1e-12)


def test_duplicates_and_constant_features_do_not_disturb_the_street():
    for X, y in streets(20, seed=33):
        best = max_margin(X, y)
        doubled = np.repeat(np.column_stack([X, np.full(len(X), 7.0)]), 2, axis=0)
        again = max_margin(doubled, np.repeat(y, 2))
        assert again.margin == pytest.approx(best.margin, rel=1e-9)
        assert np.allclose(again.hyperplane.w, np.r_[best.hyperplane.w, 0], atol=1e-7)


def test_the_street_in_thirty_dimensions_is_proved():
    X, target = load_breast_cancer(return_X_y=True)
    y = np.where(target == 0, 1, -1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    reached, limit = exact_bounds(max_margin(X, y), X, y)
    assert reached == pytest.approx(limit, rel=1e-6)


# --- margins as small as rounding errors -------------------------------------------------------


def narrow_streets(width, shift):
    """Yield two flat clouds that far apart: the finer the street, the more rounding decides."""
    for X, y in streets(10, seed=int(-np.log10(width)), least_gap=1.0):
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
                reached, limit = exact_bounds(best, X, y)
                assert reached == pytest.approx(best.margin, rel=1e-4), "the weights fall short"
                assert limit == pytest.approx(best.margin, rel=1e-4), "this is not the largest"
                continue
            refused += 1
            separable = assert_certified(X, y).separable
            reason = "too small for floats" if separable else "no hyperplane separates"
            assert reason in refusal
    assert min(solved, refused) >= 10, f"{solved} solved, {refused} refused: too one-sided a test"


@by_kind
def test_max_margin_never_claims_a_street_that_is_not_there(kind):
    for X, y, _ in sets_of(kind, 30, seed=41):
        try:
            best = max_margin(X, y)
        except ValueError:
            continue
        reached, limit = exact_bounds(best, X, y)
        assert reached == pytest.approx(best.margin, rel=1e-4), "the weights fall short"
        assert limit == pytest.approx(best.margin, rel=1e-4), "this is not the largest"


def test_an_ordinary_margin_far_from_the_origin_is_not_refused():
    for X, y in streets(10, seed=42, least_gap=2.0):
        assert max_margin(X + 1e7, y).margin == pytest.approx(max_margin(X, y).margin, rel=1e-6)


def test_a_translation_without_rounding_leaves_the_margin_to_twelve_digits():
    """Many points nearly touch the street, so the search must tell them apart from far away."""
    for seed in range(4):
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

    monkeypatch.setattr(street, "nearest_point", too_near)
    for options in ({}, {"augmented": True}):
        with pytest.raises(ValueError, match=r"^X: "):
            max_margin(CORNERS, AND, **options)


# --- the margin of the convergence bound, and boundaries through the origin --------------------


def test_augmented_margin_is_the_least_product_over_the_length_of_all_weights():
    for X, y in streets(30, seed=50):
        best, Z = max_margin(X, y, augmented=True), signed_rows(X, y)
        reached = (Z @ best.weights).min() / np.linalg.norm(best.weights)
        assert best.margin == pytest.approx(reached, rel=1e-9)


def test_augmented_margin_is_proved_largest_by_the_nearest_mixture_of_signed_rows():
    for X, y in streets(30, seed=51):
        best = max_margin(X, y, augmented=True)
        assert best.shares.min() >= 0
        assert best.shares.sum() == pytest.approx(1)
        mixture = best.shares @ signed_rows(X, y)
        assert best.margin == pytest.approx(np.linalg.norm(mixture), rel=1e-9)


def test_no_weights_beat_the_augmented_margin():
    rng = np.random.default_rng(52)
    for X, y in streets(20, seed=52):
        best = max_margin(X, y, augmented=True)
        far = rng.normal(size=(500, len(best.weights)))
        near = best.weights + far * np.repeat([1e-6, 1e-3, 1e-1, 1, 10], 100)[:, None]
        rivals = np.vstack([far, near])
        reached = (rivals @ signed_rows(X, y).T).min(axis=1) / np.linalg.norm(rivals, axis=1)
        assert reached.max() <= best.margin * (1 + 1e-9)


def test_augmented_margin_lies_between_the_street_seen_from_the_origin_and_the_street():
    """The offset only adds to the length, so every hyperplane's augmented margin is the smaller."""
    for X, y in streets(40, seed=53):
        street, gamma = max_margin(X, y), max_margin(X, y, augmented=True).margin
        w, weights = street.hyperplane.w, street.weights
        seen = street.margin * np.linalg.norm(w) / np.linalg.norm(weights)
        assert seen * (1 - 1e-9) <= gamma <= street.margin * (1 + 1e-9)


def test_both_margins_agree_when_the_street_runs_through_the_origin():
    X, y = np.array([[2.0, 1.0], [2.0, -3.0], [-2.0, 0.0], [-5.0, 4.0]]), [1, 1, -1, -1]
    street, gamma = max_margin(X, y), max_margin(X, y, augmented=True)
    assert street.hyperplane.w0 == pytest.approx(0, abs=1e-12)
    assert gamma.margin == pytest.approx(street.margin)
    assert gamma.hyperplane.coincides(street.hyperplane)


def test_the_augmented_margin_is_in_general_another_line():
    X, y = np.array([[0, 0], [2, 0], [5, 5]]) + 10.0, [-1, 1, 1]
    street, gamma = max_margin(X, y), max_margin(X, y, augmented=True)
    assert not street.hyperplane.coincides(gamma.hyperplane, tolerance=1e-3)


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


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], [-1, -1, -1, -1]], ids=str)
def test_one_class_has_no_street_and_one_sentence_says_so(labels):
    with pytest.raises(ValueError, match=r"^y: holds one class only.*; give both classes\.$"):
        max_margin(CORNERS, labels)


def test_a_margin_beyond_floats_is_refused_in_one_sentence():
    X = [[1e8], [np.nextafter(1e8, 1e9)]]
    with pytest.raises(ValueError, match=r"^X: the classes can be separated, but .*\.$"):
        max_margin(X, [-1, 1])


@pytest.mark.parametrize("call", [certify, max_margin], ids=["certify", "max_margin"])
def test_inputs_are_never_modified(call):
    X, y = CORNERS * 1.5, AND * 1.0
    X.setflags(write=False)
    y.setflags(write=False)
    before = X.copy(), y.copy()
    call(X, y)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_results_cannot_be_changed_behind_their_back():
    for result, name in (
        (certify(CORNERS, AND), "weights"),
        (certify(CORNERS, XOR), "multipliers"),
        (max_margin(CORNERS, AND), "weights"),
        (max_margin(CORNERS, AND), "shares"),
    ):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[0] = 1.0
        with pytest.raises(FrozenInstanceError):
            setattr(result, name, None)


@pytest.mark.parametrize("X", [[[3.0, -2.0], [5.0, 1.0]], [[0.0], [0.0]], [[7.0]]], ids=str)
@pytest.mark.parametrize("label", [-1, 1])
def test_the_verdict_on_one_class_has_a_hyperplane(X, label):
    y = [label] * len(X)
    verdict = certify(X, y)
    assert verdict.separable
    assert verdict.check(X, y, exact=True)
    assert (verdict.hyperplane.predict(X) == label).all()
