"""What moving, stretching or reordering the points must not change, at offsets up to 1e9.

The points are whole numbers and every change of them is exact, so that only the learners round.
"""

import numpy as np
import pytest

import linlib

SHIFTS = [1e3, -1e6, 1e9]
RNG = np.random.default_rng(11)
CENTRES = np.array([[4, 1, -2], [-4, 0, 3]])


def clouds(each=12, spread=2):
    """Return two clouds of whole numbers in space, a little way apart."""
    noise = np.random.default_rng(5).integers(-spread, spread + 1, (2 * each, 3))
    y = np.repeat([1, -1], each)
    return (noise + np.repeat(CENTRES, each, axis=0)).astype(float), y


LEARNERS = {
    "least squares": linlib.least_squares,
    "ridge": lambda X, y: linlib.least_squares(X, y, penalty=3.0),
    "lasso": lambda X, y: linlib.lasso(X, y, penalty=0.5),
    "soft margin": lambda X, y: linlib.soft_margin(X, y, penalty=0.05),
    "logistic": lambda X, y: linlib.logistic(X, y, penalty=0.05),
    "max margin": linlib.max_margin,
    "LDA": linlib.fit_lda,
}
each_learner = pytest.mark.parametrize("learn", LEARNERS.values(), ids=LEARNERS)


def normal(result):
    return np.array(result.hyperplane.w)


@each_learner
@pytest.mark.parametrize("shift", SHIFTS)
def test_moving_all_points_moves_the_boundary_and_turns_it_by_nothing(learn, shift):
    X, y = clouds()
    w, far = normal(learn(X, y)), normal(learn(X + shift, y))
    assert np.abs(far - w).max() <= 1e-6 * np.abs(w).max()


@each_learner
def test_the_order_of_rows_and_of_features_does_not_matter(learn):
    X, y = clouds()
    rows, columns = RNG.permutation(len(X)), [2, 0, 1]
    w, other = normal(learn(X, y)), normal(learn(X[rows][:, columns], y[rows]))
    assert np.abs(other - w[columns]).max() <= 1e-7 * np.abs(w).max()


@pytest.mark.parametrize("name", ["least squares", "max margin", "LDA"])
@pytest.mark.parametrize("power", [-20, 20])
def test_stretching_all_points_shrinks_the_normal(name, power):
    X, y = clouds()
    w, other = normal(LEARNERS[name](X, y)), normal(LEARNERS[name](X * 2.0**power, y))
    assert np.abs(other * 2.0**power - w).max() <= 1e-8 * np.abs(w).max()
