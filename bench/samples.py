"""Seeded samples, the same for every contestant."""

import numpy as np


def two_classes(n: int, d: int, margin: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return integer points with σ = 20 and labels from a plane, none nearer than ``margin`` σ.

    On integers every weight and score of the perceptron is exact, so "the same answer" means the
    same to the last bit.
    """
    rng = np.random.default_rng([n, d, seed])
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    X = np.empty((0, d))
    while len(X) < n:
        more = np.rint(20 * rng.normal(size=(2 * n, d)))
        X = np.vstack([X, more[np.abs(more @ normal) >= 20 * margin]])
    X = np.ascontiguousarray(X[:n])
    return X, np.where(X @ normal > 0, 1.0, -1.0)


def gaussians(n: int, d: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return k Gaussian classes with correlated features."""
    rng = np.random.default_rng([n, d, k, seed])
    y = rng.integers(k, size=n)
    mix = np.eye(d) + 0.5 * rng.normal(size=(d, d)) / np.sqrt(d)
    return rng.normal(size=(n, d)) @ mix + rng.normal(size=(k, d))[y], y
