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
    mistakes="""
        2: -exp(-t)/(1 + exp(-t))**2
           # A sign: the derivative of e to the −t has a minus, too.
        4: P**2
           # The second factor is 1 − P, not P.
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
        "K": np.arange(3),
    }


softmax = Derivation(
    many,
    symbols={"K": ""},
    words={"K": ""},
    let="p = [exp(W[k] @ x)/sum(exp(W[j] @ x) for j in K) for k in K]",
    lines="""
        grad(log(sum(exp(W[k] @ x) for k in K)) - sum(y[k]*W[k] @ x for k in K), W)
        = sum(p[k]*grad(W[k] @ x, W) for k in K) - sum(y[k]*grad(W[k] @ x, W) for k in K)
                                                  # the derivatives of ln and of e
        = sum((p[k] - y[k])*grad(W[k] @ x, W) for k in K)     # collect
        = outer(p - y, x)     # the gradient of wₖ·x has x in row k, and 0 in the others
    """,
    mistakes="""
        4: outer(y - p, x)
           # A sign: that is the step, truth minus probability.
        4: outer(p, x)
           # The score of the right class is subtracted: its gradient is missing.
    """,
)


def three_classes(rng: np.random.Generator) -> dict[str, Any]:
    """The weights of three classes, and a point."""
    W, x = numbers(rng, 3, 2), numbers(rng, 2)
    if sometimes(rng):
        W[1] = W[0]  # a tie
    return {"x": x, "w1": W[0], "w2": W[1], "w3": W[2]}


kesler = Derivation(
    three_classes,
    lines="""
        w1 @ x > w2 @ x                             # class 1 has a larger score than class 2
        <=> w1 @ x - w2 @ x > 0                     # bring both to one side
        <=> w1 @ x + w2 @ (-x) + w3 @ (0*x) > 0     # the third class has no part in it
        <=> (w1, w2, w3) @ (x, -x, 0*x) > 0         # one product: one long row for each pair
    """,
    mistakes="""
        4: (w1, w2, w3) @ (x, x, 0*x) > 0
           # A sign: the score of class 2 is subtracted.
        4: (w1, w2, w3) @ (-x, x, 0*x) > 0
           # Its sign: this says that class 2 is ahead.
    """,
)
