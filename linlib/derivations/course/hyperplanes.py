"""A hyperplane, the nearest point on it, and the distance; what one correction gains."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import numbers, scale, sometimes
from linlib.derivations.derivation import Derivation


def plane(rng: np.random.Generator) -> dict[str, Any]:
    """A plane, a point x and another point v of the plane."""
    w, x, v = (numbers(rng, 2) * scale(rng) for _ in range(3))
    if w @ w == 0:
        w = np.array([1.0, 2.0])
    w0 = float(numbers(rng, 1)[0])
    if not sometimes(rng, 0.2):
        v = v - (w @ v + w0) / (w @ w) * w
    if sometimes(rng, 0.2):
        v = x - (w @ x + w0) / (w @ w) * w  # the nearest point itself
    return {"w": w, "w0": w0, "x": x, "v": v}


FOOT = "p = x - (w @ x + w0)/norm(w)**2*w"

foot = Derivation(
    plane,
    let=FOOT,
    symbols={"w0": "w_0"},
    lines="""
        w @ p + w0
        = w @ x - (w @ x + w0)/norm(w)**2*w @ w + w0    # the definition of p
        = w @ x - (w @ x + w0) + w0                     # w·w = ‖w‖²
        = 0                                             # p lies on the plane
    """,
)

nearest = Derivation(
    plane,
    given="w @ v + w0 == 0       # v lies on the plane, too",
    let=FOOT,
    symbols={"w0": "w_0"},
    lines="""
        norm(x - v)**2
        =  norm(x - p)**2 + 2*(x - p) @ (p - v) + norm(p - v)**2   # x − v = (x − p) + (p − v)
        =  norm(x - p)**2 + norm(p - v)**2                         # x − p is a multiple of w
        >= norm(x - p)**2                                          # no point v is nearer than p
    """,
)

distance = Derivation(
    plane,
    let=FOOT,
    symbols={"w0": "w_0"},
    lines="""
        norm(x - p)
        = norm((w @ x + w0)/norm(w)**2*w)       # the definition of p
        = abs(w @ x + w0)/norm(w)**2*norm(w)    # a number leaves a length as its absolute value
        = abs(w @ x + w0)/norm(w)               # cancel
    """,
    mistakes="""
        4: abs(w @ x + w0)/norm(w)**2
           # One length in the denominator cancels.
        4: abs(w @ x + w0)
           # That is the score; it is the distance only if w has length 1.
        4: (w @ x + w0)/norm(w)
           # That has a sign; a distance has none.
    """,
)


def mistake(rng: np.random.Generator) -> dict[str, Any]:
    """Weights, and a row that is added to them."""
    label = float(rng.choice([-1.0, 1.0, 2.0]))
    return {"w": numbers(rng, 2), "x": numbers(rng, 2), "y": label}


gain = Derivation(
    mistake,
    given="y**2 == 1       # labels are +1 and −1",
    lines="""
        y*(w + y*x) @ x
        = y*w @ x + y**2*norm(x)**2     # multiply out
        = y*w @ x + norm(x)**2          # y² = 1
    """,
    mistakes="""
        3: y*w @ x + y*norm(x)**2
           # The label comes twice, and y² = 1.
        3: y*w @ x + norm(x)
           # x·x is the square of the length.
    """,
)
