"""Certificates of separability, proved again in fractions; Cover's count.

Whether a certificate is right never depends on the code that found it: :func:`reason_to_doubt`
multiplies it out in fractions. A proof either way rules the other one out (Gordan), so what passes
is the only verdict there can be: never both, never neither.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from linlib.base.rows import signed_rows
from linlib.margins import certificates as separability
from linlib.margins.certificates import Inseparable, Separable, certify, cover_count
from linlib.solvers.nearest_point import Nearest, nearest_point
from tests.helpers import naive
from tests.helpers.exact import assert_certified, reason_to_doubt, typed
from tests.helpers.samples import (
    by_kind,
    coin,
    few_integers,
    halves,
    one_ulp_beside_a_threshold,
    random_labels,
    sets_of,
)

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND = np.array([-1, -1, -1, 1])
XOR = np.array([-1, 1, 1, -1])


def rejected(verdict, X, y):
    return not verdict.check(X, y) and not verdict.check(X, y, exact=True)


# --- certificates are right --------------------------------------------------------------------


@by_kind
@pytest.mark.parametrize(
    "change", ["none", *(pytest.param(name, marks=pytest.mark.slow) for name in ("sizes", "place"))]
)
def test_certificate_is_proved_in_fractions(kind, change):
    for number, (X, y, bias) in enumerate(sets_of(kind, 25, seed=len(change))):
        rng = np.random.default_rng(number)
        if change == "sizes":
            X = X * 10.0 ** rng.integers(-6, 7, X.shape[1])
        if change == "place":
            X = X + 10.0 ** rng.integers(3, 9) * rng.choice([-1, 1], X.shape[1])
        assert_certified(X, y, bias)


def test_certificate_is_proved_at_the_ends_of_the_float_range():
    rng = np.random.default_rng(3)
    sizes = 10.0 ** np.array([-320, -300, -160, -20, 0, 100, 149])
    for number in range(100):
        n, d = rng.integers(1, 9), rng.integers(1, 4)
        X = rng.integers(-3, 4, (n, d)) * rng.choice(sizes, d)
        assert_certified(X, coin(rng, n), bias=number % 2 == 0)


def test_both_verdicts_are_common_among_the_random_sets():
    verdicts = [certify(X, y, bias=b).separable for X, y, b in sets_of(few_integers, 60)]
    assert 10 < sum(verdicts) < 50, "a test set with one verdict only would prove little"


def test_without_bias_the_boundary_has_to_pass_through_the_origin():
    X, y = [[1], [2]], [-1, 1]
    assert assert_certified(X, y, bias=True).separable
    assert not assert_certified(X, y, bias=False).separable


def test_fractions_are_kept_only_where_floats_near_them_do_not_separate():
    kept = 0
    for X, y, bias in sets_of(one_ulp_beside_a_threshold, 120, seed=8):
        verdict = certify(X, y, bias=bias)
        if verdict.separable and verdict.exact:
            kept += 1
            floats = replace(verdict, exact=None)
            assert reason_to_doubt(floats, X, y, bias), "these floats would have been enough"
            assert rejected(floats, X, y), "these floats do not separate"
    assert kept > 3, "the sets must include some that only fractions separate"


@pytest.mark.parametrize("X", [[[3.0, -2.0], [5.0, 1.0]], [[0.0], [0.0]], [[7.0]]], ids=str)
@pytest.mark.parametrize("label", [-1, 1])
def test_one_class_has_a_hyperplane(X, label):
    verdict = assert_certified(X, [label] * len(X))
    assert verdict.separable
    assert (verdict.hyperplane.predict(X) == label).all()


# --- many columns ------------------------------------------------------------------------------

WIDE = 100


@pytest.mark.slow
def test_multipliers_of_many_digits_balance_to_nine_of_them():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(200, 20)), coin(rng, 200)
    verdict = certify(X, y)
    assert not verdict.separable
    shares = [Fraction(share) for share in verdict.multipliers.tolist()]
    assert min(shares) >= 0
    totals = typed(naive.signed_rows(X, y)).T @ shares
    assert max(abs(float(total)) for total in totals) < 1e-9
    assert verdict.check(X, y)


def test_wide_data_one_ulp_apart_are_still_separable():
    X = np.random.default_rng(11).normal(size=(2, WIDE))
    X[1] = X[0]
    X[1, 7] = np.nextafter(X[1, 7], 9)
    assert assert_certified(X, [-1, 1]).separable


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
    # The last point lies in a face of the simplex of the others, moved out of it by one ulp.
    verdicts = []
    for number in range(100):
        rng = np.random.default_rng([14, number])
        d = int(rng.integers(1, 5))
        X, y = rng.normal(size=(d + 2, d)), np.ones(d + 2, dtype=int)
        y[-1] = -1
        X[-1] = rng.dirichlet(np.ones(d)) @ X[:d] if d > 1 else X[0]
        X[-1] = np.nextafter(X[-1], rng.choice([-np.inf, np.inf], d))
        whole = Nearest(np.zeros(d + 1), list(range(d + 2)), np.full(d + 2, 1 / (d + 2)))
        monkeypatch.setattr(separability, "nearest_point", lambda *_, found=whole, **__: found)
        verdicts.append(assert_certified(X, y).separable)
    assert 15 < sum(verdicts) < 85, "an ulp should lead outside about as often as inside"


def test_ordinary_data_that_can_be_separated_need_no_pivot(monkeypatch):
    def never(*_, **__):
        raise AssertionError("the weights of an ordinary set were left to the simplex method")

    monkeypatch.setattr(separability, "alternative", never)
    for n, d, bias in product([5, 80], [1, 2, 6, WIDE], [True, False]):
        rng = np.random.default_rng([n, d])
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-12, 13, d)
        y = halves(rng, X)
        assert certify(X, y, bias=bias).separable, f"n = {n}, d = {d}, bias = {bias}"


def test_a_constant_feature_has_no_weight():
    X = np.column_stack([CORNERS, np.full(4, 0.3)])
    assert not certify(X, XOR).separable
    assert certify(X, AND).weights[3] == 0


def test_the_margin_settled_in_fractions_is_of_the_same_kind(monkeypatch):
    monkeypatch.setattr(separability, "nearest_point", lost)
    verdict = certify(CORNERS, AND)
    length = np.linalg.norm(verdict.weights)
    assert length > 1.1, "of length 1 it would not matter what is done with it"
    assert verdict.margin == pytest.approx(
        (signed_rows(CORNERS, AND) @ verdict.weights).min() / length
    )


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


@pytest.mark.parametrize(("d", "gap"), [(8, 1e-6), (30, 1e-9)])
def test_a_gap_below_all_rounding_is_decided_rightly_and_proved(d, gap):
    for sign in (1, -1):
        X, y = beside_a_face(d, sign * gap, np.random.default_rng(16))
        verdict = certify(X, y)
        assert verdict.separable == (sign < 0)
        assert verdict.check(X, y, exact=True)


# --- tampered certificates are rejected --------------------------------------------------------


def test_weights_moved_until_they_touch_a_point_are_rejected():
    for X, y, _ in sets_of(few_integers, 30, seed=15):
        verdict = certify(X, y)
        if verdict.separable:
            weights = np.round(verdict.weights * 64) / 64
            weights[0] = -(X[-1] @ weights[1:])  # the last point is now exactly on the boundary
            touching = replace(verdict, weights=weights, exact=None)
            assert rejected(touching, X, y), "a product of exactly 0 is not positive"


@pytest.mark.parametrize("exact", [False, True])
def test_weights_that_are_right_only_by_rounding_are_rejected(exact):
    big = 2.0**53
    fake = Separable(np.array([-1.0, 1.0, 1.0, 1.0]), 1.0, bias=True)
    assert not fake.check([[big, 2.0, -(big + 2)]], [1], exact=exact), "the exact product is −1"


def test_weights_with_the_wrong_sign_or_of_nothing_are_rejected():
    verdict = certify(CORNERS, AND)
    assert rejected(replace(verdict, weights=-verdict.weights), CORNERS, AND)
    assert rejected(replace(verdict, weights=np.zeros(3)), CORNERS, AND)


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
    fake = Inseparable(np.array(multipliers), bias=True)
    assert rejected(fake, CORNERS, XOR), f"accepted although {why}"


def test_a_negative_multiplier_is_rejected_even_if_all_balances():
    X, y = [[0.0], [1.0], [3.0]], [1, 1, -1]
    shares = np.array([-1.0, 1.5, 0.5])
    assert shares.sum() == 1
    assert not (shares @ signed_rows(X, y)).any(), "the example must balance"
    assert certify(X, y).separable
    assert rejected(Inseparable(shares, bias=True), X, y)


def test_multipliers_changed_by_a_millionth_are_rejected():
    for X, y, _ in sets_of(random_labels, 30, seed=16):
        verdict = certify(X, y)
        if not verdict.separable:
            shares = verdict.multipliers.copy()
            shares[verdict.support[0]] *= 1 + 1e-6
            assert rejected(replace(verdict, multipliers=shares / shares.sum()), X, y)


def test_tiny_features_are_no_excuse_for_multipliers_that_do_not_balance():
    X, y = 1e-30 * CORNERS, XOR
    fake = Inseparable(np.array([0.5, 0.5, 0.0, 0.0]), bias=True)
    assert rejected(fake, X, y)


def test_multipliers_that_balance_only_by_rounding_fail_the_exact_check():
    X, y = [[1.0], [np.nextafter(1.0, 2.0)]], [-1, 1]
    fake = Inseparable(np.array([0.5, 0.5]), bias=True)
    assert fake.check(X, y), "to nine digits these two points are one"
    assert not fake.check(X, y, exact=True), "they are not: one ulp lies between them"


# --- Cover's count -----------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(n, d) for d in (1, 2, 3) for n in range(1, 7)])
def test_cover_count_equals_the_labelings_that_can_be_certified(n, d):
    # No d + 1 points of the moment curve (t, t², …, t^d) share a hyperplane.
    X = np.power.outer(np.arange(n) - n // 2, np.arange(1, d + 1))
    found = sum(certify(X, np.array(y)).separable for y in product([-1, 1], repeat=n))
    assert found == cover_count(n, d)


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


# --- inputs and outputs ------------------------------------------------------------------------


def test_a_certificate_shows_its_weights_or_its_shares():
    shown = "Inseparable(clashing rows 4; multipliers (0.25, 0.25, 0.25, 0.25))"
    assert repr(certify(CORNERS, XOR)) == shown
    verdict = Separable(np.array([-3.0, 2.0, 2.0]), 17**-0.5, bias=True)
    assert repr(verdict) == "Separable(weights (-3, 2, 2); margin 0.2425)"


def test_fractions_are_asked_for_only_when_an_exact_check_is(monkeypatch):
    verdict = certify(CORNERS, AND)

    def asked(*given):
        raise LookupError("fractions")

    monkeypatch.setattr(separability, "smallest", asked)
    assert verdict.check(CORNERS, AND)
    with pytest.raises(LookupError, match="fractions"):
        verdict.check(CORNERS, AND, exact=True)
