"""Logistic regression: its slope and its curvature. Many classes: softmax, and Kesler's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import numbers, perpendicular, sometimes
from linlib.derivations.derivation import Derivation


def score(rng: np.random.Generator) -> dict[str, Any]:
    """A score t, and weights and a row with a direction v to look in."""
    z, v = numbers(rng, 2), numbers(rng, 2)
    if sometimes(rng):
        v = perpendicular(v, z)
    return {
        "t": float(numbers(rng, 1)[0]),
        "w": numbers(rng, 2),
        "z": z,
        "v": v,
        "s": float(rng.normal()),
    }


slope = Derivation(
    score,
    symbols={"P": "P(t)"},
    let="P = 1/(1 + exp(-t))",
    lines="""
        grad(1/(1 + exp(-t)), t)
        = exp(-t)/(1 + exp(-t))**2                      # the derivative of 1/u is −u′/u²
        = 1/(1 + exp(-t))*(exp(-t)/(1 + exp(-t)))       # two factors
        = P*(1 - P)                                     # the second factor is 1 − P
    """,
)

curvature = Derivation(
    score,
    let="P = 1/(1 + exp(-(w + s*v) @ z))",
    symbols={"P": "P"},
    lines="""
        grad(-(v @ z)/(1 + exp((w + s*v) @ z)), s)
        =  (v @ z)**2*exp((w + s*v) @ z)/(1 + exp((w + s*v) @ z))**2     # the derivative of 1/u
        =  P*(1 - P)*(v @ z)**2                                          # the slope, once more
        >= 0                                                             # so the loss is convex
    """,
)


def many(rng: np.random.Generator) -> dict[str, Any]:
    """A point, the weights of three classes (one row each), and the class as a unit vector."""
    return {
        "x": numbers(rng, 2),
        "W": numbers(rng, 3, 2),
        "y": np.eye(3)[rng.integers(3)],
    }


softmax = Derivation(
    many,
    symbols={"W": "W"},
    let="p = 1/sum(exp(w @ x) for w in W)*exp(W @ x)",
    lines="""
        grad(log(sum(exp(w @ x) for w in W)) - y @ W @ x, W)
        = 1/sum(exp(w @ x) for w in W)*outer(exp(W @ x), x) - outer(y, x)    # chain rule
        = outer(p, x) - outer(y, x)                                           # the definition of p
        = outer(p - y, x)            # probability minus truth
    """,
)


def three_classes(rng: np.random.Generator) -> dict[str, Any]:
    """The weights of three classes, a point, and one long row built from it."""
    W, x = numbers(rng, 3, 2), numbers(rng, 2)
    if rng.random() < 0.3:
        W[1] = W[0]  # a tie
    return {"W": W, "x": x, "a": W[0], "b": W[1], "c": W[2]}


kesler = Derivation(
    three_classes,
    let="""
        right = a @ x
        other = b @ x
    """,
    symbols={
        "right": "g_1",
        "other": "g_2",
        "a": r"\mathbf{w}_1",
        "b": r"\mathbf{w}_2",
        "c": r"\mathbf{w}_3",
    },
    lines="""
        right > other
        <=> a @ x > b @ x                          # the scores of class 1 and class 2
        <=> a @ x - b @ x > 0                      # bring both to one side
        <=> a @ x + b @ (-x) + c @ (0*x) > 0    # one product with (x, −x, 0)
    """,
)
