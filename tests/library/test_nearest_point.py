"""The nearest point of a hull: against brute force, and by the condition that proves it nearest."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linlib.solvers.nearest_point import nearest_point

fuzz = settings(max_examples=50, deadline=None, derandomize=True, database=None)


def solve(V, start=None, looks=None, **options):
    """Return the nearest point of the hull of the rows of V; names are row numbers."""

    def lowest(u):
        if looks is not None:
            looks.append(u)
        row = int(np.argmin(V @ u))
        return row, V[row]

    return nearest_point(lowest, V.sum(axis=0) if start is None else start, **options)


def by_enumeration(V):
    """Return the nearest point by trying every face: the foot of the origin on each, if inside."""
    best = None
    for size in range(1, min(V.shape) + 2):
        for rows in combinations(range(len(V)), size):
            base, spread = V[rows[0]], V[list(rows[1:])] - V[rows[0]]
            shares = np.linalg.lstsq(spread.T, -base, rcond=None)[0]
            foot = base + shares @ spread
            inside = shares.min(initial=0) >= -1e-12 and shares.sum() <= 1 + 1e-12
            if inside and (best is None or foot @ foot < best @ best):
                best = foot
    return best


def assert_nearest(V, found, tolerance=1e-10):
    """Check ``v · p >= p · p`` for every vertex: no point beyond that plane is nearer than p."""
    p, scale = found.point, np.linalg.norm(V, axis=1).max() + 1e-300
    assert_mixture(V, found, tolerance)
    missing = float(p @ p - (V @ p).min())
    assert missing <= tolerance * scale * max(np.linalg.norm(p), tolerance * scale), (
        f"the hull has points nearer than the answer: the condition fails by {missing}"
    )


def assert_mixture(V, found, tolerance=1e-10):
    """Check that the point really is a mixture of distinct, affinely independent vertices."""
    scale = np.linalg.norm(V, axis=1).max() + 1e-300
    assert len(set(found.names)) == len(found.names) <= V.shape[1] + 1
    assert found.shares.min() >= 0, "a share is negative"
    assert found.shares.sum() == pytest.approx(1, abs=1e-9), "the shares do not add up to 1"
    mixture = found.shares @ V[found.names]
    assert np.abs(mixture - found.point).max() <= tolerance * scale, "the shares give another point"


@st.composite
def integer_vertices(draw):
    d = draw(st.integers(1, 4))
    row = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    return np.array(draw(st.lists(row, min_size=1, max_size=10)), dtype=float)


# --- right answers -----------------------------------------------------------------------------


@settings(fuzz, max_examples=100)
@given(integer_vertices(), st.integers(0, 1000))
def test_no_vertex_lies_on_the_near_side_of_the_answer(V, seed):
    assert_nearest(V, solve(V))
    assert_nearest(V, solve(V, np.random.default_rng(seed).normal(size=V.shape[1])))


def test_the_answer_equals_the_best_foot_over_all_faces():
    rng = np.random.default_rng(1)
    for case in range(80):
        n, d = rng.integers(1, 7), rng.integers(1, 4)
        V = rng.integers(-3, 4, (n, d)) + (case % 3) * rng.normal(size=d)
        assert np.allclose(solve(V).point, by_enumeration(V), atol=1e-9), f"vertices\n{V}"


EXAMPLES = {
    "one vertex": ([[3, 4]], [3, 4]),
    "the same vertex thrice": ([[3, 4]] * 3, [3, 4]),
    "an end of a segment": ([[1, 1], [2, 5]], [1, 1]),
    "inside a segment": ([[-3, 2], [1, 2]], [0, 2]),
    "collinear vertices": ([[-2, 1], [-1, 1], [3, 1], [7, 1]], [0, 1]),
    "inside a triangle in space": ([[3, 0, 0], [0, 3, 0], [0, 0, 3]], [1, 1, 1]),
    "the origin is a vertex": ([[0, 0], [1, 2]], [0, 0]),
    "the origin on a segment": ([[-1, -2], [2, 4]], [0, 0]),
    "the origin inside": ([[1, 0], [-1, 1], [-1, -1]], [0, 0]),
    "on a line": ([[5], [2], [9]], [2]),
    "on both sides of a point": ([[5], [-2]], [0]),
}


@pytest.mark.parametrize(("vertices", "expected"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_hulls_with_an_answer_known_by_hand(vertices, expected):
    V = np.array(vertices, dtype=float)
    found = solve(V)
    assert_nearest(V, found)
    assert np.allclose(found.point, expected, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_exchanges_leave_the_mixture_accurate(seed):
    rng = np.random.default_rng([3, seed])
    V = rng.normal(size=(400, 40)) + (seed % 2) * 2 * rng.normal(size=40)
    assert_nearest(V, solve(V), tolerance=1e-12)


def test_a_distance_a_millionth_of_the_vertices_is_found_to_many_digits():
    rng = np.random.default_rng(4)
    for _ in range(20):
        V = rng.normal(size=(12, 3))
        V[:, 0] = 1e-6  # the hull lies in this plane, and the origin is beneath its inside
        V = np.vstack([V, -V * [-1, 1, 1]])
        found = solve(V)
        assert np.linalg.norm(found.point) == pytest.approx(1e-6, rel=1e-8)
        assert_mixture(V, found, 1e-13)


def test_a_vertex_far_away_counts_even_with_the_tiniest_share():
    # The foot of the origin is a rounding error away from one end: it still turns the answer.
    V = np.array([[1e-16, 1e-9], [-1.0, 1e-9]])
    found = solve(V)
    assert found.point[1] == pytest.approx(1e-9)
    assert abs(found.point[0]) < 1e-20, "the nearest point is (0, 1e-9), not the first vertex"
    assert sorted(found.names) == [0, 1]


# --- invariances -------------------------------------------------------------------------------


@fuzz
@given(integer_vertices(), st.sampled_from([1e-100, 1e-9, 0.3, 7.0, 1e12, 1e100]))
def test_scaling_the_vertices_scales_the_answer(V, factor):
    expected = factor * solve(V).point
    assert np.allclose(solve(factor * V).point, expected, rtol=1e-9, atol=1e-9 * factor)


# --- stopping ----------------------------------------------------------------------------------


def test_a_point_that_is_enough_ends_the_search():
    rng = np.random.default_rng(5)
    V = rng.normal(size=(50, 5)) + 1.5
    seen = []
    found = solve(V, enough=lambda point: seen.append(point) or True)
    assert len(seen) == 1, "the first point with every product positive was good enough"
    assert (V @ found.point).min() > 0
    assert_mixture(V, found)


def test_enough_is_only_asked_about_points_with_every_product_positive():
    rng = np.random.default_rng(6)
    V = rng.normal(size=(50, 5)) + 1.5
    asked = []
    solve(V, enough=lambda point: asked.append((V @ point).min()) or False)
    assert asked
    assert min(asked) > 0


@pytest.mark.parametrize("budget", [0, 1, 2, 5])
def test_a_budget_of_steps_is_kept_and_leaves_a_point_of_the_hull(budget):
    V = np.random.default_rng(7).normal(size=(200, 20)) + 0.5
    looks = []
    found = solve(V, looks=looks, max_updates=budget)
    assert len(looks) == budget + 1, "one look at the hull a step, and one to begin"
    assert_mixture(V, found)


def test_every_step_comes_strictly_nearer():
    V = np.random.default_rng(8).normal(size=(100, 10)) + 1
    lengths = [np.linalg.norm(solve(V, max_updates=k).point) for k in range(8)]
    assert all(later < earlier for earlier, later in pairwise(lengths)), lengths


@pytest.mark.parametrize("seed", [137, 194, 199, 203, 305])
def test_the_way_that_sheds_its_first_vertex_ends_at_the_nearest_point_too(seed):
    # Found by a search for hulls on whose way the first vertex is shed.
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 14)), int(rng.integers(1, 6))
    V = rng.integers(-5, 9, (n, d)) + (rng.normal(size=(n, d)) if seed % 2 else 0.0)
    assert_nearest(V, solve(V))


def test_what_is_rounding_beside_the_longest_vertex_is_the_origin():
    V = np.array([[2.0**-52], [-1.0]])
    assert solve(V, start=np.array([-1.0])).names == [0]
