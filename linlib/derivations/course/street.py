"""The street between two classes: its width, the hinge, and the dual."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import away_from, numbers, sometimes
from linlib.derivations.derivation import Derivation


def margins(rng: np.random.Generator) -> dict[str, Any]:
    """A line, a point on each of its two margin boundaries, with scores +1 and −1."""
    w = numbers(rng, 2)
    if w @ w == 0:
        w = np.array([2.0, 1.0])
    w0 = float(numbers(rng, 1)[0])
    a, b = numbers(rng, 2), numbers(rng, 2)
    if not sometimes(rng, 0.2):
        a = a + (1 - w @ a - w0) / (w @ w) * w
    if not sometimes(rng, 0.2):
        b = b + (-1 - w @ b - w0) / (w @ w) * w
    return {"w": w, "w0": w0, "a": a, "b": b}


width = Derivation(
    margins,
    symbols={"w0": "w_0"},
    given="""
        w @ a + w0 == 1       # a lies on one margin boundary
        w @ b + w0 == -1      # b lies on the other
    """,
    lines="""
        (a - b) @ w/norm(w)
        = ((w @ a + w0) - (w @ b + w0))/norm(w)     # the part of a − b across the street
        = 2/norm(w)                                 # the scores are +1 and −1
    """,
    mistakes="""
        3: 1/norm(w)
           # That is half of the street, from its middle to one side.
        3: 2*norm(w)
           # The longer w is, the narrower is the street.
        3: 2
           # That is counted in scores; a distance is a score divided by ‖w‖.
    """,
)


def soft(rng: np.random.Generator) -> dict[str, Any]:
    """A point, weights, and the strength of the penalty; sometimes on the kink of the hinge."""
    w, x = numbers(rng, 2), numbers(rng, 2)
    y, w0, lam = float(rng.choice([-1, 1])), float(numbers(rng, 1)[0]), float(rng.random() + 0.1)
    w0 = float(away_from(y * (float(w @ x) + w0), 1) * y - w @ x)
    if sometimes(rng, 0.2):
        w0 = y - float(w @ x)  # on its margin boundary
    return {"w": w, "x": x, "y": y, "w0": w0, "lam": lam}


subgradient = Derivation(
    soft,
    symbols={"w0": "w_0"},
    given="y*(w @ x + w0) != 1      # the point is not on its margin boundary",
    lines="""
        grad(lam/2*norm(w)**2 + max(0, 1 - y*(w @ x + w0)), w)
        = lam*w + grad(max(0, 1 - y*(w @ x + w0)), w)         # the gradient of half a square
        = lam*w + (-y*x if y*(w @ x + w0) <= 1 else 0*x)      # inside its margin a point counts
    """,
    mistakes="""
        3: lam*w + (-y*x if y*(w @ x + w0) <= 0 else 0*x)
           # A point counts until its score is 1, not only while it is on the wrong side.
        3: lam*w + (y*x if y*(w @ x + w0) <= 1 else 0*x)
           # A sign: y x is the direction of the step, and the gradient points the other way.
    """,
)


def two_hulls(rng: np.random.Generator) -> dict[str, Any]:
    """Two points of one class and two of the other, and a mixture of each."""
    a1, a2, b1, b2 = (numbers(rng, 2) for _ in range(4))
    s, t = float(rng.random()), float(rng.random())
    w = numbers(rng, 2)
    if sometimes(rng, 0.6):  # the normal of the street between two points
        a2, b2 = a1, b1
        w = 2 * (a1 - b1) / max(float((a1 - b1) @ (a1 - b1)), 1e-9)
    w0 = float(-w @ (a1 + b1) / 2)
    if sometimes(rng):  # one of the points is on its wrong side
        wrong = rng.integers(4)
        a1, a2, b1, b2 = (
            (numbers(rng, 2) if k == wrong else one) for k, one in enumerate((a1, a2, b1, b2))
        )
    return {"a1": a1, "a2": a2, "b1": b1, "b2": b2, "s": s, "t": t, "w": w, "w0": w0}


weak_duality = Derivation(
    two_hulls,
    symbols={"w0": "w_0"},
    given="""
        w @ a1 + w0 >= 1       # every point of one class is beyond its side of the street
        w @ a2 + w0 >= 1       # every point of one class is beyond its side of the street
        w @ b1 + w0 <= -1      # and every point of the other
        w @ b2 + w0 <= -1      # and every point of the other
    """,
    let="""
        p = s*a1 + (1 - s)*a2
        q = t*b1 + (1 - t)*b2
    """,
    lines="""
        2
        <= (w @ p + w0) - (w @ q + w0)    # averages of scores: at least 1 and at most −1
        =  w @ (p - q)                    # the offset cancels
        <= norm(w)*norm(p - q)            # Cauchy–Schwarz
        => 2/norm(w) <= norm(p - q)       # no street is wider than the hulls are apart
    """,
)


def multipliers(rng: np.random.Generator) -> dict[str, Any]:
    """Signed points (offset left out), multipliers, and any weights."""
    Z, alpha, w = numbers(rng, 3, 2), np.abs(numbers(rng, 3)), numbers(rng, 2)
    if sometimes(rng):
        w = alpha @ Z
    return {"Z": Z, "alpha": alpha, "w": w, "M": np.arange(3)}


inner_products = Derivation(
    multipliers,
    symbols={"M": "", "Z": r"\mathbf{z}"},
    words={"M": ""},
    let="v = sum(alpha[i]*Z[i] for i in M)",
    lines="""
        norm(v)**2
        = sum(alpha[i]*Z[i] @ v for i in M)                              # v once written out
        = sum(sum(alpha[i]*alpha[j]*Z[i] @ Z[j] for j in M) for i in M)  # and once more
    """,
)

dual = Derivation(
    multipliers,
    symbols={"M": "", "Z": r"\mathbf{z}"},
    words={"M": ""},
    let="v = sum(alpha[i]*Z[i] for i in M)",
    lines="""
        1/2*norm(w)**2 - sum(alpha[i]*(Z[i] @ w - 1) for i in M)
        =  1/2*norm(w)**2 - v @ w + sum(alpha[i] for i in M)  # collect the terms with w
        =  1/2*norm(w - v)**2 - 1/2*norm(v)**2 + sum(alpha[i] for i in M)  # complete the square
        >= sum(alpha[i] for i in M) - 1/2*norm(v)**2                      # least where w = v
    """,
)
