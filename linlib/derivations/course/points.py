"""Points at which derivations are tried: what their samplers share."""

from __future__ import annotations

import numpy as np

from linlib.base.checks import FloatArray

WHOLE = 0.5  # of the draws are small whole numbers, so that counterexamples are easy to read


def numbers(rng: np.random.Generator, *shape: int) -> FloatArray:
    """Return an array of small whole numbers, or of numbers with many digits."""
    if rng.random() < WHOLE:
        return rng.integers(-3, 4, shape).astype(np.float64)
    return rng.normal(size=shape)


def scale(rng: np.random.Generator) -> float:
    """Return a factor that is mostly 1: at another one R² and R³ can be told apart."""
    return float(rng.choice([1.0, 1.0, 0.1]))


def unit(vector: FloatArray) -> FloatArray:
    """Return a vector of length 1 in the direction of this one."""
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def perpendicular(vector: FloatArray, to: FloatArray) -> FloatArray:
    """Return a vector without its part in a direction: the two have the product 0."""
    return vector - (vector @ to) / max(float(to @ to), 1e-9) * to


def away_from(value: float, kink: float) -> float:
    """Return a value, moved off a kink if it lies so near that a numerical gradient sees it."""
    return value if abs(value - kink) > 0.05 else kink + 0.05


def sometimes(rng: np.random.Generator, share: float = 0.3) -> bool:
    """Tell whether to make an exception at this point."""
    return bool(rng.random() < share)


def covariance(rng: np.random.Generator, d: int = 2) -> FloatArray:
    """Return a covariance matrix whose features are correlated."""
    factor = rng.normal(size=(d, d))
    return factor @ factor.T + np.eye(d)
