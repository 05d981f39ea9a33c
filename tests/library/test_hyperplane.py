"""One linear rule: its sides, distances, projections and margins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment
from tests.helpers import naive

fuzz = settings(max_examples=30, deadline=None, derandomize=True, database=None)
whole = st.integers(-50, 50)


@st.composite
def planes_and_points(draw):
    d = draw(st.integers(1, 4))
    w = draw(st.lists(whole, min_size=d, max_size=d).filter(any))
    rows = st.lists(st.lists(whole, min_size=d, max_size=d), min_size=1, max_size=8)
    return Hyperplane(w, draw(whole)), np.array(draw(rows), dtype=float)


@fuzz
@given(planes_and_points())
def test_score_and_side_are_those_of_the_naive_sum(case):
    h, X = case
    expected = [naive.dot(h.w, x) + h.w0 for x in X]
    assert h.score(X).tolist() == expected, "score must be w·x + w0, exact on integers"
    assert h.predict(X).tolist() == np.sign(expected).tolist(), "on the boundary it is 0"


@fuzz
@given(planes_and_points())
def test_the_projection_is_the_foot_of_the_perpendicular(case):
    h, X = case
    foot, distance = h.project(X), h.distance(X)
    assert np.allclose(h.distance(foot), 0, atol=1e-11)
    assert np.allclose(X - foot, np.outer(distance, h.w / np.linalg.norm(h.w)), atol=1e-11)
    assert np.array_equal(np.sign(distance), np.sign(h.score(X)))


def test_a_hand_computed_example():
    h = Hyperplane([3, 4], -5)
    assert np.allclose(h.project([0, 0]), [0.6, 0.8]), "the foot of the origin is −w0 w / ‖w‖²"
    assert np.allclose(h.rescaled().weights, [-1, 0.6, 0.8]), "unless told otherwise to norm 1"
    assert Hyperplane([1, 2]).w0 == 0


def test_a_tiny_normal_vector_gives_the_same_distances_as_a_long_one():
    tiny = Hyperplane([3e-200, 4e-200])
    assert np.allclose(tiny.distance([[3, 4], [0, -5]]), [5, -4])
    assert np.allclose(tiny.rescaled().w, [0.6, 0.8])


def test_margin_is_the_smallest_signed_distance_times_label():
    h = Hyperplane([3, 4], 0)
    assert h.margin([[3, 4], [-6, -8], [0, -2.5]], [1, -1, -1]) == 2
    assert h.rescaled(8.0).margin([[3, 4], [0, -5]], [1, -1]) == 4


@pytest.mark.parametrize(
    ("X", "sign"), [([[2], [-2]], 1), ([[2], [0]], 0), ([[2], [1]], -1), ([[-1], [-2]], -1)]
)
def test_margin_is_positive_exactly_when_every_row_is_right(X, sign):
    assert np.sign(Hyperplane([1], 0).margin(X, [1, -1])) == sign


@fuzz
@given(planes_and_points(), st.integers(-20, 20), st.floats(1e-6, 1e6))
def test_scale_does_not_matter_and_a_negative_one_flips_the_sides(case, exponent, factor):
    h, X = case
    scaled = h.rescaled(2.0**exponent)
    assert np.array_equal(scaled.predict(X), h.predict(X))
    assert scaled.coincides(h), "the boundary itself must not move"
    assert h.coincides(Hyperplane(h.w * factor, h.w0 * factor))
    assert np.array_equal(h.rescaled(-2.0).predict(X), -h.predict(X))


def test_coincides_sees_orientation_unless_told_not_to():
    h, flipped = Hyperplane([1, 2], 3), Hyperplane([-1, -2], -3)
    assert not h.coincides(flipped), "the same line with its sides swapped is another rule"
    assert h.coincides(flipped, oriented=False)


@pytest.mark.parametrize(
    ("w", "w0"),
    [([1, 2], 3.001), ([1, 2], -3), ([1, 2.001], 3), ([2, 1], 3), ([1], 3), ([1, 2, 0], 3)],
)
@pytest.mark.parametrize("oriented", [True, False])
def test_coincides_sees_another_boundary(w, w0, oriented):
    h, other = Hyperplane([1, 2], 3), Hyperplane(w, w0)
    assert not h.coincides(other, oriented=oriented)
    assert not other.coincides(h, oriented=oriented), "coincides must be symmetric"


def test_the_tolerance_decides_how_near_is_the_same():
    h, near = Hyperplane([1, 0], 3), Hyperplane([1, 0], 3.001)
    assert h.coincides(near, tolerance=1e-2)
    assert not h.coincides(near, tolerance=1e-5)
    assert Hyperplane([3, 4], -5).coincides(Hyperplane([6, 8], -10), tolerance=0.0)
    assert not Hyperplane([3, 4], -5).coincides(Hyperplane([3, 4], -5 - 1e-14), tolerance=0.0)
    far = Hyperplane([1], 1e6)
    assert far.coincides(Hyperplane([1], 1e6 + 1e-4)), "it is relative to a large offset"
    assert not far.coincides(Hyperplane([1], 1e6 + 1e-2))


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
    h = Hyperplane.from_weights([5, 2, 3])
    assert (h.w0, h.w.tolist(), h.weights.tolist()) == (5, [2, 3], [5, 2, 3])
    assert np.array_equal(augment([[7, 11]]) @ h.weights, h.score([[7, 11]]))
    through_origin = Hyperplane.from_weights([1, 2], bias=False)
    assert (through_origin.w.tolist(), through_origin.w0) == ([1, 2], 0)


def test_a_hyperplane_does_not_follow_its_vectors():
    w = np.array([1.0, 2.0])
    h = Hyperplane(w, 3)
    copy = h.weights
    w[:] = copy[:] = 9
    assert h.weights.tolist() == [3, 1, 2]
