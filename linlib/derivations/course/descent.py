"""Gradients of the losses, the normal equations, and where LMS comes to rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import away_from, covariance, numbers, scale, sometimes, unit
from linlib.derivations.derivation import Derivation


def row(rng: np.random.Generator) -> dict[str, Any]:
    """Weights and a signed row; sometimes on a kink, where a gradient is not what it seems."""
    w, z = numbers(rng, 2), numbers(rng, 2) * scale(rng)
    if z @ z > 0:
        score = away_from(away_from(float(w @ z), 0.0), 1.0)
        if sometimes(rng, 0.2):
            score = float(rng.integers(2))  # on a kink
        w = w + (score - float(w @ z)) / (z @ z) * z
    return {"w": w, "z": z, "y": float(rng.choice([-1.0, 1.0]))}


def some_mistakes(rng: np.random.Generator) -> dict[str, Any]:
    """Signed rows, weights, and which of the rows are mistakes; sometimes one is on the kink."""
    Z, w = numbers(rng, 3, 2) + 0.5, numbers(rng, 2) + 0.25
    for z in Z:
        z += (away_from(float(w @ z), 0.0) - float(w @ z)) / (w @ w) * w
    if sometimes(rng, 0.2):
        Z[0] -= (w @ Z[0]) / (w @ w) * w
    Z[1] *= -np.sign(w @ Z[1])  # at least one mistake: a sum over none is a number, no vector
    scores = Z @ w
    return {
        "Z": Z, "w": w, "s": float(np.abs(scores).min()),
        "N": np.arange(3), "M": np.flatnonzero(scores <= 1e-9),
    }  # fmt: skip


perceptron = Derivation(
    some_mistakes,
    symbols={
        "Z": r"\mathbf{z}",
        "N": "",
        "M": r"\text{mistakes}",
        "s": r"\min_i \lvert \mathbf{w} \cdot \mathbf{z}_i \rvert",
    },
    words={"N": "", "M": "the mistakes", "s": "the smallest absolute value of w dot z i"},
    given="s != 0      # no score is 0, where the loss has a kink",
    lines="""
        grad(sum(max(0, -w @ Z[i]) for i in N), w)
        = grad(sum(-w @ Z[i] for i in M), w)    # only mistakes have a loss, near w as at w
        = -sum(Z[i] for i in M)                 # w·z is linear in w
    """,
    mistakes="""
        3: sum(Z[i] for i in M)
           # A sign: that is the step; the gradient points the other way.
        3: -sum(Z[i] for i in N)
           # Rows that are right have loss 0 near w, and gradient 0.
    """,
)

hinge = Derivation(
    row,
    given="w @ z != 1       # the score is not 1, where the loss has a kink",
    lines="""
        grad(max(0, 1 - w @ z), w)
        = grad(1 - w @ z, w) if w @ z <= 1 else 0*z   # one of the two is larger
        = -z if w @ z <= 1 else 0*z                   # w·z is linear in w
    """,
    mistakes="""
        3: -z if w @ z <= 0 else 0*z
           # A row counts until its score is 1, not only while it is a mistake.
        3: -z
           # A row that is far enough on its side has loss 0, and gradient 0.
    """,
)

squared_row = Derivation(
    row,
    lines="""
        grad(1/2*(y - w @ z)**2, w)
        = (y - w @ z)*grad(y - w @ z, w)      # chain rule
        = -(y - w @ z)*z                      # w·x is linear in w
    """,
    symbols={"z": r"\mathbf{x}"},
    words={"z": "x"},
    mistakes="""
        3: (y - w @ z)*z
           # A sign: w·x is subtracted, so its gradient is −x.
    """,
)


def rows(rng: np.random.Generator) -> dict[str, Any]:
    """A few signed rows, and weights."""
    return {"Z": numbers(rng, 4, 2), "w": numbers(rng, 2)}


logistic = Derivation(
    rows,
    symbols={"Z": ""},
    words={"Z": ""},
    lines="""
        grad(sum(log(1 + exp(-z @ w)) for z in Z), w)
        = sum(1/(1 + exp(-z @ w))*grad(exp(-z @ w), w) for z in Z)     # chain rule for ln
        = -sum(exp(-z @ w)/(1 + exp(-z @ w))*z for z in Z)             # chain rule for e
        = -sum(1/(1 + exp(z @ w))*z for z in Z)       # expand by exp(z·w)
    """,
    mistakes="""
        4: -sum(1/(1 + exp(-z @ w))*z for z in Z)
           # That weighs a row by the probability that it is right; it counts by the
           # probability that it is wrong.
        4: sum(1/(1 + exp(z @ w))*z for z in Z)
           # A sign: that is the step downhill.
    """,
)


def regression(rng: np.random.Generator) -> dict[str, Any]:
    """Points and labels, and weights that are sometimes, or nearly, the best."""
    X, y, w = numbers(rng, 4, 2), numbers(rng, 4), numbers(rng, 2)
    while np.linalg.det(X.T @ X) < 0.1:  # so nearly dependent that digits are lost
        X = numbers(rng, 4, 2)
    if sometimes(rng, 0.1):
        X[:, 1] = 2 * X[:, 0]
    elif sometimes(rng, 0.5):
        off = 0.0 if sometimes(rng, 0.5) else 1e-4
        w[:] = np.linalg.solve(X.T @ X, X.T @ y) + off * w
    return {"X": X, "y": y, "w": w}


squared = Derivation(
    regression,
    lines="""
        grad(1/2*norm(X @ w - y)**2, w)
        = X.T @ (X @ w - y)             # chain rule
        = X.T @ X @ w - X.T @ y         # multiply out
    """,
    mistakes="""
        2: X.T @ (y - X @ w)
           # A sign: that is the step downhill; the gradient points uphill.
        2: 2*X.T @ (X @ w - y)
           # The 2 of the square cancels with the ½.
    """,
)

normal_equations = Derivation(
    regression,
    given="det(X.T @ X) != 0    # the columns of X are independent",
    lines="""
        grad(1/2*norm(X @ w - y)**2, w) == 0
        <=> X.T @ (X @ w - y) == 0          # the gradient
        <=> X.T @ X @ w == X.T @ y          # the normal equations
        <=> w == inv(X.T @ X) @ X.T @ y     # the columns of X are independent
    """,
    mistakes="""
        4: X @ w == y
           # That asks for an error of 0 on every row; the gradient asks only that the error
           # is perpendicular to every column.
    """,
)

projection = Derivation(
    regression,
    given="det(X.T @ X) != 0    # the columns of X are independent",
    let="w_hat = inv(X.T @ X) @ X.T @ y",
    lines="""
        norm(X @ w - y)**2
        =  norm(X @ (w - w_hat))**2 + 2*(X @ (w - w_hat)) @ (X @ w_hat - y)
           + norm(X @ w_hat - y)**2                            # add and subtract X ŵ
        =  norm(X @ (w - w_hat))**2 + norm(X @ w_hat - y)**2    # residual ⟂ every column
        >= norm(X @ w_hat - y)**2                               # no w does better than ŵ
    """,
)


def passes(rng: np.random.Generator) -> dict[str, Any]:
    """One pass of LMS, an affine map of the weights; it is the same map at every pass."""
    A = covariance(rng)
    A = np.eye(2) if sometimes(rng, 0.2) else A / (1.5 * float(np.linalg.norm(A, 2)))
    b, w = numbers(rng, 2), numbers(rng, 2)
    if sometimes(rng, 0.4) and np.linalg.matrix_rank(np.eye(2) - A) == 2:
        w[:] = np.linalg.solve(np.eye(2) - A, b)
    return {"A": A, "b": b, "w": w, "I": np.eye(2)}


resting_point = Derivation(
    passes,
    given="det(I - A) != 0      # 1 is no eigenvalue of A",
    lines="""
        A @ w + b == w
        <=> (I - A) @ w == b            # collect w
        <=> w == inv(I - A) @ b         # 1 is no eigenvalue of A
    """,
)


def shrinking(rng: np.random.Generator) -> dict[str, Any]:
    """A correction with step η: weights, the row, a separator, γ and R, and sums of steps."""
    Z = numbers(rng, 2, 2) * scale(rng)
    w_star = unit(Z.sum(axis=0))
    eta = float(rng.choice([1.0, 0.5, 2.0, -0.5]))
    w, z = numbers(rng, 2), Z[0]
    if sometimes(rng):
        w = np.zeros(2)
    R = float(np.linalg.norm(Z, axis=1).max()) * (0.5 if sometimes(rng, 0.2) else 1.0)
    gamma = float((Z @ w_star).min())
    if sometimes(rng, 0.2):
        gamma += 1.0
    return {"w": w, "z": z, "w_star": w_star, "gamma": gamma, "R": R, "eta": eta}


shrinking_alignment = Derivation(
    shrinking,
    given="""
        z @ w_star >= gamma     # every row has a product of γ or more with w*
        eta > 0                 # steps are positive
    """,
    lines="""
        (w + eta*z) @ w_star
        =  w @ w_star + eta*z @ w_star    # multiply out
        >= w @ w_star + eta*gamma         # whichever row was the mistake
    """,
)

shrinking_length = Derivation(
    shrinking,
    given="""
        w @ z <= 0              # the row was a mistake
        norm(z) <= R            # no row is longer than R
        eta > 0                 # steps are positive
    """,
    lines="""
        norm(w + eta*z)**2
        =  norm(w)**2 + 2*eta*w @ z + eta**2*norm(z)**2    # multiply out the square
        <= norm(w)**2 + eta**2*R**2                        # a mistake, and no row is longer than R
    """,
    mistakes="""
        3: norm(w)**2 + eta*R**2
           # The step is squared with the row: η² R².
    """,
)


def harmonic(rng: np.random.Generator) -> dict[str, Any]:
    """K corrections with the steps η/1, η/2, … η/k: their sum, and the sum of their squares."""
    k = int(rng.integers(1, 30))
    steps = 1 / np.arange(1, k + 1)
    eta = float(rng.choice([1.0, 0.3, 2.0, -1.0]))
    d = 1 if sometimes(rng, 0.2) else 2
    z = np.abs(numbers(rng, d)) + 0.1
    w = eta * steps.sum() * z if sometimes(rng, 0.7) else numbers(rng, d)
    w_star = unit(z) if not sometimes(rng, 0.25) else 2 * unit(z)
    gamma, R = float(z @ w_star), float(np.linalg.norm(z))
    if sometimes(rng):
        w = eta * float(np.sqrt((steps**2).sum())) * R * unit(w_star)
        gamma = float(w @ w_star / (eta * steps.sum()))
    if sometimes(rng, 0.1):
        gamma = -gamma  # w* does not separate
    return {
        "w": w, "w_star": w_star, "gamma": gamma, "R": R, "eta": eta,
        "H": float(steps.sum()), "Q": float((steps**2).sum()),
    }  # fmt: skip


shrinking_squeeze = Derivation(
    harmonic,
    given="""
        w @ w_star >= eta*gamma*H          # the steps add up to η H, H = 1 + 1/2 + … + 1/k
        norm(w)**2 <= eta**2*R**2*Q        # their squares to η² Q, Q = 1 + 1/4 + … + 1/k²
        norm(w_star) == 1                  # w* has length 1
        eta > 0                            # steps are positive
        gamma > 0                          # w* separates
    """,
    lines="""
        eta*gamma*H
        <= w @ w_star            # the alignment
        <= norm(w)               # Cauchy–Schwarz
        <= eta*R*sqrt(Q)         # the length
        => H <= R/gamma*sqrt(Q)  # so k is bounded: H grows without end, Q stays below π²/6
    """,
)
