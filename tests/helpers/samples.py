"""What several files of tests share: samples, what counts as the same, and a rule for all."""

import numpy as np
import pytest

from linlib import data


def noisy(n=40, d=4, seed=0):
    """Return correlated features and labels that no hyperplane separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.8 * rng.normal(size=(n, 1)) + rng.normal(size=d)
    return X, np.where(X[:, 0] - X[:, -1] / 2 + rng.normal(size=n) > 0, 1, -1)


def close_to(found, expected, tolerance=1e-9):
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance)


def overlapping(n=60, d=2, seed=3):
    """Return two round clouds that overlap."""
    return data.two_clouds(n, np.random.default_rng(seed), distance=2.0, d=d)


def messy(seed):
    """Return few integer points with random labels: duplicates, ties and clashes abound."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    X, y = rng.integers(-3, 4, size=(n, d)), rng.choice([-1, 1], size=n)
    y[:2] = 1, -1
    return X, y


def dependent(n=20):
    """Return three features of which the third is the sum of the others."""
    X, y = noisy(n, 2)
    return np.column_stack([X, X.sum(axis=1)]), y


far = pytest.mark.parametrize("shift", [0, 10**2, 10**4, 10**6, 10**9, -(10**9)])


def on_a_grid(n, d, seed):
    """Return points that stay exact when moved by whole numbers up to 10⁹, and labels."""
    rng = np.random.default_rng(seed)
    return np.round(64 * rng.normal(size=(n, d))) / 64, rng.choice([-1, 1], size=n)


class Always:
    """A rule that names one class, whatever it is shown; keeps what it was learnt from."""

    def __init__(self, label, X=None):
        self.label, self.X = label, X

    def predict(self, X):
        return np.full(len(X), self.label)


def say(label):
    return lambda X, y: Always(label, X)


# --- samples of two classes, each kind named after what makes it hard -------------------------


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


KINDS = [
    few_integers,
    random_plane,
    random_labels,
    points_on_the_boundary,
    one_point_on_the_boundary,
    collinear,
    in_a_flat,
    duplicates_that_disagree,
    one_ulp_apart,
    one_ulp_beside_a_threshold,
    nearly_touching,
    one_class,
    all_the_same_point,
    constant_features,
]
by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def sets_of(kind, count, seed=0):
    """Yield data sets of a kind, n up to 20 and d up to 6, each with whether to use a bias."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        X, y = kind(rng, int(rng.integers(1, 21)), int(rng.integers(1, 7)))
        yield X, y, number % 4 > 0
