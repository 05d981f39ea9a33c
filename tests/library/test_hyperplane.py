"""One linear rule: sides, distances, projections, and the signed rows all learners work on."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment, signed_rows
from tests import naive
from tests.sentences import assert_one_sentence

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)
whole = st.integers(-50, 50)


@st.composite
def planes_and_points(draw):
    d = draw(st.integers(1, 4))
    w = draw(st.lists(whole, min_size=d, max_size=d).filter(any))
    rows = st.lists(st.lists(whole, min_size=d, max_size=d), min_size=1, max_size=8)
    return Hyperplane(w, draw(whole)), np.array(draw(rows), dtype=float)


@st.composite
def labelled_points(draw):
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    row = st.lists(whole, min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X), np.array(y)


# --- score and side ----------------------------------------------------------------------------


@fuzz
@given(planes_and_points())
def test_score_equals_the_naive_sum_exactly_on_integers(case):
    h, X = case
    expected = [naive.dot(h.w, x) + h.w0 for x in X]
    assert h.score(X).tolist() == expected, "score must be w·x + w0, exact on integers"


def test_score_and_distance_of_a_hand_computed_example():
    h = Hyperplane([3, 4], -5)
    assert h.score([[3, 4], [0, 0]]).tolist() == [20, -5]
    assert h.distance([[3, 4], [0, 0]]).tolist() == [4, -1], "distance is score / ‖w‖, here / 5"


def test_predict_gives_the_three_answers_plus_minus_and_zero_on_the_boundary():
    h = Hyperplane([1, 1], -1)
    sides = h.predict([[2, 0], [0, 0], [1, 0]])
    assert sides.tolist() == [1, -1, 0], "a point on the boundary has no side, so predict gives 0"


def test_the_positive_side_is_where_w_points():
    h = Hyperplane([2, -1], 3)
    on = h.project([0.0, 0.0])
    assert h.predict(on + h.w) == 1
    assert h.predict(on - h.w) == -1


def test_w_is_orthogonal_to_every_direction_inside_the_boundary():
    h = Hyperplane([1, 2, -2], 5)
    on = h.project(np.random.default_rng(1).normal(size=(20, 3)))
    inside = on[1:] - on[:-1]
    assert np.allclose(inside @ h.w, 0, atol=1e-12), "differences of boundary points lie in it"


# --- distance and projection -------------------------------------------------------------------


@fuzz
@given(planes_and_points())
def test_distance_is_the_distance_to_the_projection(case):
    h, X = case
    to_projection = np.linalg.norm(X - h.project(X), axis=1)
    assert np.allclose(np.abs(h.distance(X)), to_projection, rtol=1e-12, atol=1e-12)


@fuzz
@given(planes_and_points())
def test_distance_has_the_sign_of_the_score(case):
    h, X = case
    assert np.array_equal(np.sign(h.distance(X)), np.sign(h.score(X)))


@fuzz
@given(planes_and_points())
def test_project_lands_on_the_boundary(case):
    h, X = case
    assert np.allclose(h.distance(h.project(X)), 0, atol=1e-11), "a projection must have score 0"


@fuzz
@given(planes_and_points())
def test_project_leaves_points_of_the_boundary_where_they_are(case):
    h, X = case
    on = h.project(X)
    assert np.allclose(h.project(on), on, atol=1e-11)


def test_no_other_boundary_point_is_nearer_than_the_projection():
    h, rng = Hyperplane([1, -2, 2], 4), np.random.default_rng(2)
    x = rng.normal(size=3) * 10
    others = h.project(x + rng.normal(size=(500, 3)) * 5)
    nearest = np.linalg.norm(others - x, axis=1).min()
    assert np.linalg.norm(h.project(x) - x) <= nearest + 1e-12


def test_the_offset_moves_the_boundary_against_w_by_w0_over_the_norm():
    h = Hyperplane([3, 4], 10)
    assert h.distance([0, 0]) == 2, "w0 > 0 puts the origin on the positive side, w0/‖w‖ deep"
    assert np.allclose(h.project([0, 0]), [-1.2, -1.6]), "the foot of the origin is −w0 w / ‖w‖²"


def test_a_boundary_through_the_origin_needs_no_offset():
    h = Hyperplane([1, 2])
    assert h.w0 == 0
    assert h.predict([0, 0]) == 0


def test_a_tiny_normal_vector_gives_the_same_distances_as_a_long_one():
    tiny = Hyperplane([3e-200, 4e-200])
    assert np.allclose(tiny.distance([[3, 4], [0, -5]]), [5, -4])
    assert np.allclose(tiny.rescaled().w, [0.6, 0.8])


# --- margin ------------------------------------------------------------------------------------


def test_margin_is_the_smallest_signed_distance_times_label():
    h = Hyperplane([3, 4], 0)
    assert h.margin([[3, 4], [-6, -8], [0, -2.5]], [1, -1, -1]) == 2


@pytest.mark.parametrize(
    ("X", "sign"),
    [([[2], [-2]], 1), ([[2], [0]], 0), ([[2], [1]], -1), ([[-1], [-2]], -1)],
    ids=["all right", "one on the boundary", "one wrong", "the other wrong"],
)
def test_margin_is_positive_exactly_when_every_row_is_right(X, sign):
    assert np.sign(Hyperplane([1], 0).margin(X, [1, -1])) == sign


def test_margin_does_not_depend_on_the_scale_of_the_weights():
    h, X, y = Hyperplane([3, 4], -5), [[3, 4], [0, 0]], [1, -1]
    assert h.rescaled(8.0).margin(X, y) == h.margin(X, y) == 1


# --- scale and identity ------------------------------------------------------------------------


@fuzz
@given(planes_and_points(), st.integers(-20, 20))
def test_rescaling_by_a_positive_number_keeps_every_prediction(case, exponent):
    h, X = case
    scaled = h.rescaled(2.0**exponent)
    assert np.array_equal(scaled.predict(X), h.predict(X))
    assert scaled.coincides(h), "the boundary itself must not move"


@fuzz
@given(planes_and_points())
def test_rescaling_by_a_negative_number_flips_every_prediction(case):
    h, X = case
    assert np.array_equal(h.rescaled(-2.0).predict(X), -h.predict(X))


def test_rescaled_without_a_factor_has_a_unit_normal():
    unit = Hyperplane([3, 4], -10).rescaled()
    assert np.isclose(unit.norm, 1)
    assert np.allclose(unit.weights, [-2, 0.6, 0.8])


@fuzz
@given(planes_and_points(), st.floats(1e-6, 1e6))
def test_coincides_ignores_a_positive_scale(case, factor):
    h, _ = case
    assert h.coincides(Hyperplane(h.w * factor, h.w0 * factor))


def test_coincides_sees_orientation_unless_told_not_to():
    h, flipped = Hyperplane([1, 2], 3), Hyperplane([-1, -2], -3)
    assert not h.coincides(flipped), "the same line with its sides swapped is another rule"
    assert h.coincides(flipped, oriented=False)


@pytest.mark.parametrize(
    "other",
    [
        Hyperplane([1, 2], 3.001),
        Hyperplane([1, 2], -3),
        Hyperplane([1, 2.001], 3),
        Hyperplane([2, 1], 3),
        Hyperplane([1], 3),
        Hyperplane([1, 2, 0], 3),
    ],
    ids=["offset", "offset sign", "direction", "swapped", "fewer features", "more features"],
)
@pytest.mark.parametrize("oriented", [True, False])
def test_coincides_sees_another_boundary(other, oriented):
    h = Hyperplane([1, 2], 3)
    assert not h.coincides(other, oriented=oriented)
    assert not other.coincides(h, oriented=oriented), "coincides must be symmetric"


def test_coincides_tolerance_decides_how_near_is_the_same():
    h, near = Hyperplane([1, 0], 3), Hyperplane([1, 0], 3.001)
    assert h.coincides(near, tolerance=1e-2)
    assert not h.coincides(near, tolerance=1e-5)


# --- shapes, weights, immutability -------------------------------------------------------------


def test_one_point_gives_one_entry_and_n_points_give_n():
    h, X = Hyperplane([1, 2], 3), np.array([[1.0, 1.0], [-4.0, 0.0], [-3.0, 0.0]])
    for method in (h.score, h.predict, h.distance):
        assert method(X).shape == (3,), f"{method.__name__} of (3, 2) must have one entry a row"
        assert np.shape(method(X[0])) == (), f"{method.__name__} of one point must be one number"
        assert [method(x) for x in X] == method(X).tolist(), f"{method.__name__}: rows differ"
    assert h.project(X).shape == (3, 2)
    assert h.project(X[0]).shape == (2,)
    assert np.allclose([h.project(x) for x in X], h.project(X), 0, 1e-14)


def test_weights_put_the_offset_first():
    h = Hyperplane([2, 3], 5)
    assert h.weights.tolist() == [5, 2, 3]
    assert np.array_equal(augment([[7, 11]]) @ h.weights, h.score([[7, 11]]))


def test_from_weights_and_weights_undo_each_other():
    h = Hyperplane.from_weights([5, 2, 3])
    assert h.w0 == 5
    assert h.w.tolist() == [2, 3]
    assert h.weights.tolist() == [5, 2, 3]


def test_the_normal_vector_cannot_be_written():
    h = Hyperplane([1, 2], 3)
    with pytest.raises(ValueError, match="read-only"):
        h.w[0] = 9
    assert h.w.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["w", "w0"])
def test_the_fields_cannot_be_replaced(name):
    with pytest.raises(FrozenInstanceError):
        setattr(Hyperplane([1, 2], 3), name, 9)


def test_writing_into_weights_does_not_change_the_hyperplane():
    h = Hyperplane([1, 2], 3)
    copy = h.weights
    copy[:] = 9
    assert h.weights.tolist() == [3, 1, 2]


def test_the_hyperplane_keeps_its_own_copy_of_w():
    w = np.array([1.0, 2.0])
    h = Hyperplane(w, 3)
    w[:] = 9
    assert h.w.tolist() == [1, 2], "changing the caller's array must not move the boundary"


def test_integer_list_and_strided_inputs_give_the_same_answers():
    h, X = Hyperplane([1, 2], 3), np.arange(12.0).reshape(6, 2) - 5
    expected = h.score(X[::2])
    assert np.array_equal(h.score(X[::2].astype(int)), expected)
    assert np.array_equal(h.score(X[::2].tolist()), expected)
    assert np.array_equal(h.score(np.asfortranarray(X)[::2]), expected)


# --- signed rows -------------------------------------------------------------------------------


def test_augment_puts_the_constant_first():
    assert augment([[2, 3], [4, 5]]).tolist() == [[1, 2, 3], [1, 4, 5]]


@fuzz
@given(labelled_points(), st.booleans())
def test_signed_rows_equal_the_naive_ones_exactly(case, bias):
    X, y = case
    assert signed_rows(X, y, bias=bias).tolist() == naive.signed_rows(X, y, bias)


@fuzz
@given(labelled_points(), st.data())
def test_weights_are_right_exactly_when_signed_rows_score_above_zero(case, data):
    X, y = case
    d = X.shape[1]
    weights = data.draw(st.lists(whole, min_size=d + 1, max_size=d + 1))
    assume(any(weights[1:]))
    right = Hyperplane.from_weights(weights).predict(X) == y
    assert np.array_equal(signed_rows(X, y) @ weights > 0, right)


@fuzz
@given(labelled_points())
def test_flipping_all_labels_negates_the_signed_rows(case):
    X, y = case
    assert np.array_equal(signed_rows(X, -y), -signed_rows(X, y))


@fuzz
@given(labelled_points())
def test_flipping_all_labels_and_negating_all_points_leaves_the_signed_rows(case):
    X, y = case
    assert np.array_equal(signed_rows(-X, -y, bias=False), signed_rows(X, y, bias=False))
    mirrored = signed_rows(X, y) * np.r_[-1, np.ones(X.shape[1])]
    assert np.array_equal(signed_rows(-X, -y), mirrored), "only the constant's column may flip"


def test_signed_rows_print_no_negative_zeros():
    Z = signed_rows([[0, 1]], [-1])
    assert not np.signbit(Z[0, 1]), "−0.0 prints as '-0.' and puzzles readers"


# --- inputs stay as they were ------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda w, X, y: Hyperplane(w, 1),
        lambda w, X, y: Hyperplane.from_weights(w),
        lambda w, X, y: Hyperplane(w, 1).score(X),
        lambda w, X, y: Hyperplane(w, 1).predict(X),
        lambda w, X, y: Hyperplane(w, 1).distance(X),
        lambda w, X, y: Hyperplane(w, 1).project(X),
        lambda w, X, y: Hyperplane(w, 1).margin(X, y),
        lambda w, X, y: Hyperplane(w, 1).rescaled(3.0),
        lambda w, X, y: augment(X),
        lambda w, X, y: signed_rows(X, y),
        lambda w, X, y: signed_rows(X, y, bias=False),
    ],
    ids=[
        "Hyperplane",
        "from_weights",
        "score",
        "predict",
        "distance",
        "project",
        "margin",
        "rescaled",
        "augment",
        "signed_rows",
        "signed_rows without bias",
    ],
)
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_inputs_are_never_modified(call, writeable):
    given_arrays = [np.array([1.0, 2.0]), np.array([[1.0, -2.0], [0.0, 3.0]]), np.array([1.0, -1])]
    before = [array.copy() for array in given_arrays]
    for array in given_arrays:
        array.setflags(write=writeable)
    call(*given_arrays)
    for name, array, copy in zip("wXy", given_arrays, before, strict=True):
        assert np.array_equal(array, copy), f"{name} was modified"
        assert array.flags.writeable is writeable, f"{name}'s write flag was changed"


@pytest.mark.parametrize("bias", [True, False])
def test_signed_rows_do_not_share_memory_with_their_input(bias):
    X = np.array([[1.0, 2.0]])
    assert not np.shares_memory(signed_rows(X, [1], bias=bias), X)


def test_weights_without_an_offset_are_the_normal_vector():
    h = Hyperplane.from_weights([1, 2], bias=False)
    assert (h.w.tolist(), h.w0) == ([1, 2], 0)


def test_one_point_of_another_dimension_is_refused_like_many():
    h = Hyperplane([3, 4], -5)
    reason = "has 3 features where the hyperplane has 2"
    assert_one_sentence(lambda: h.score([1, 2, 3]), "X", reason)
    assert_one_sentence(lambda: h.score([[1, 2, 3]]), "X", reason)


def test_a_tolerance_of_zero_asks_for_the_same_numbers():
    h = Hyperplane([3, 4], -5)
    assert h.coincides(Hyperplane([6, 8], -10), tolerance=0.0)
    assert not h.coincides(Hyperplane([3, 4], -5 - 1e-14), tolerance=0.0)


@pytest.mark.parametrize("factor", [0.0, np.inf, np.nan])
def test_a_factor_that_leaves_no_hyperplane_is_refused(factor):
    assert_one_sentence(lambda: Hyperplane([3, 4], -5).rescaled(factor), "factor", "not zero")


def test_only_hyperplanes_coincide():
    assert_one_sentence(lambda: Hyperplane([3, 4]).coincides([3, 4]), "other", "a Hyperplane")


def test_the_tolerance_is_relative_to_a_large_offset():
    far = Hyperplane([1], 1e6)
    assert far.coincides(Hyperplane([1], 1e6 + 1e-4))
    assert not far.coincides(Hyperplane([1], 1e6 + 1e-2))
