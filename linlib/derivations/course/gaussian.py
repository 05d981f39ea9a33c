"""Gaussian classes: log odds, whitening, and the estimates of greatest likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import covariance, numbers, sometimes
from linlib.derivations.derivation import Derivation

DENSITIES = """
    p1 = exp(-1/2*(x - mu1) @ inv(Sigma1) @ (x - mu1))/sqrt(det(2*pi*Sigma1))
    p0 = exp(-1/2*(x - mu0) @ inv(Sigma0) @ (x - mu0))/sqrt(det(2*pi*Sigma0))
"""
SYMBOLS = {
    "p1": r"p(\mathbf{x} \mid 1)",
    "p0": r"p(\mathbf{x} \mid 0)",
    "w0": "w_0",
    "pi1": r"\pi_1",
    "pi0": r"\pi_0",
}
WORDS = {"p1": "p of x given class 1", "p0": "p of x given class 0"}


def classes(rng: np.random.Generator) -> dict[str, Any]:
    """A point and two Gaussian classes, whose covariances are mostly the same."""
    share = float(rng.uniform(0.1, 0.9))
    Sigma = covariance(rng)
    other = Sigma if sometimes(rng, 0.7) else covariance(rng)
    means = {"mu1": numbers(rng, 2), "mu0": numbers(rng, 2)}
    shares = {"pi1": share, "pi0": 1 - share}
    return {"x": numbers(rng, 2)} | means | shares | {
        "Sigma": Sigma, "Sigma1": Sigma, "Sigma0": other,
    }  # fmt: skip


def unequal(rng: np.random.Generator) -> dict[str, Any]:
    """A point and two Gaussian classes with covariances of their own."""
    return classes(rng) | {"Sigma1": covariance(rng), "Sigma0": covariance(rng)}


lda = Derivation(
    classes,
    given="Sigma0 == Sigma       # both classes have the covariance Σ",
    symbols=SYMBOLS | {"Sigma1": r"\Sigma", "Sigma0": r"\Sigma_0"},
    words=WORDS,
    let=DENSITIES
    + """
        w  = inv(Sigma) @ (mu1 - mu0)
        w0 = log(pi1/pi0) - 1/2*(mu1 + mu0) @ inv(Sigma) @ (mu1 - mu0)
    """,
    lines="""
        log(pi1*p1/(pi0*p0))
        = log(pi1/pi0) + log(p1) - log(p0)      # the logarithm of a product
        = log(pi1/pi0) - 1/2*(x - mu1) @ inv(Sigma) @ (x - mu1)
          + 1/2*(x - mu0) @ inv(Sigma) @ (x - mu0)              # the roots cancel
        = log(pi1/pi0) + x @ inv(Sigma) @ (mu1 - mu0)
          - 1/2*mu1 @ inv(Sigma) @ mu1 + 1/2*mu0 @ inv(Sigma) @ mu0     # the squares of x cancel
        = log(pi1/pi0) + x @ inv(Sigma) @ (mu1 - mu0)
          - 1/2*(mu1 + mu0) @ inv(Sigma) @ (mu1 - mu0)          # a² − b² = (a + b)(a − b)
        = w @ x + w0            # the definitions of w and w₀
    """,
    mistakes="""
        4: log(pi1/pi0) + x @ (mu1 - mu0) - 1/2*mu1 @ mu1 + 1/2*mu0 @ mu0
           # That is right for round clouds only; the inverse of Σ is missing.
        5: log(pi0/pi1) + x @ inv(Sigma) @ (mu1 - mu0) - 1/2*(mu1 + mu0) @
           inv(Sigma) @ (mu1 - mu0)
           # A rarer class 1 makes class 1 less probable: the shares are upside down.
        5: log(pi1/pi0) + x @ inv(Sigma) @ (mu1 - mu0) - 1/2*(mu1 - mu0) @
           inv(Sigma) @ (mu1 - mu0)
           # a² − b² is (a + b)(a − b): the midpoint of the means is their sum, halved.
    """,
)

qda = Derivation(
    unequal,
    symbols=SYMBOLS,
    words=WORDS,
    let=DENSITIES
    + """
        A = 1/2*(inv(Sigma0) - inv(Sigma1))
        b = inv(Sigma1) @ mu1 - inv(Sigma0) @ mu0
        m = 1/2*(mu1 @ inv(Sigma1) @ mu1 - mu0 @ inv(Sigma0) @ mu0)
        c = log(pi1/pi0) - 1/2*log(det(Sigma1)/det(Sigma0)) - m
    """,
    lines="""
        log(pi1*p1/(pi0*p0))
        = log(pi1/pi0) + log(p1) - log(p0)      # the logarithm of a product
        = log(pi1/pi0) - 1/2*log(det(Sigma1)/det(Sigma0)) - 1/2*(x - mu1) @ inv(Sigma1) @ (x - mu1)
          + 1/2*(x - mu0) @ inv(Sigma0) @ (x - mu0)     # powers of 2π cancel, determinants do not
        = x @ A @ x + b @ x + c     # sort by powers of x
    """,
    mistakes="""
        3: log(pi1/pi0) - 1/2*(x - mu1) @ inv(Sigma1) @ (x - mu1) + 1/2*(x - mu0) @
           inv(Sigma0) @ (x - mu0)
           # With two covariances the determinants do not cancel.
    """,
)


def white(rng: np.random.Generator) -> dict[str, Any]:
    """Two points, a covariance, and a matrix W that whitens it (or not)."""
    Sigma = covariance(rng)
    W = np.linalg.inv(np.linalg.cholesky(Sigma))
    turn = float(rng.uniform(0, 2 * np.pi))
    W = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ W
    if sometimes(rng, 0.2):
        W = covariance(rng)
    return {"x": numbers(rng, 2), "mu": numbers(rng, 2), "Sigma": Sigma, "W": W, "I": np.eye(2)}


whitening = Derivation(
    white,
    given="W @ Sigma @ W.T == I       # W whitens Σ",
    lines="""
        norm(W @ (x - mu))**2
        = (x - mu) @ W.T @ W @ (x - mu)         # a length as a product
        = (x - mu) @ inv(Sigma) @ (x - mu)      # W Σ Wᵀ = I, so WᵀW is the inverse of Σ
    """,
)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """A few points of one class, a mean and a covariance; sometimes those of the points."""
    X = numbers(rng, 4, 2) + 0.3 * rng.normal(size=(4, 2))
    mean = X.mean(axis=0)
    S = covariance(rng)
    mu = mean if sometimes(rng, 0.4) else mean + 1e-3 * rng.normal(size=2)
    return {"X": X, "mu": mu, "m": mean, "Sigma": S, "n": 4.0}


mean = Derivation(
    sample,
    words={"X": "", "m": "the mean of x"},
    symbols={"X": "", "m": r"\bar{\mathbf{x}}"},
    lines="""
        grad(-1/2*sum((x - mu) @ inv(Sigma) @ (x - mu) for x in X), mu) == 0
        <=> inv(Sigma) @ sum(x - mu for x in X) == 0    # the gradient of a square
        <=> sum(x - mu for x in X) == 0                 # multiply by Σ
        <=> mu == m                                     # the mean of the points
    """,
)


def spread(rng: np.random.Generator) -> dict[str, Any]:
    """A few points, and a covariance that is sometimes theirs."""
    X = numbers(rng, 5, 2) + 0.5 * rng.normal(size=(5, 2))
    X = X - X.mean(axis=0)
    C = X.T @ X / 5
    S = C if sometimes(rng, 0.4) else C + 1e-3 * covariance(rng)
    if sometimes(rng, 0.2):
        S = np.diag([1.0, -1.0])
    return {"X": X, "P": np.linalg.inv(S), "C": C, "n": 5.0}


likelihood_of_spread = Derivation(
    spread,
    words={"X": "", "P": "Lambda", "C": "Sigma hat"},
    symbols={"X": "", "P": r"\Lambda", "C": r"\hat{\Sigma}"},
    given="det(P) > 0      # Λ is the inverse of a covariance",
    lines="""
        grad(n/2*log(det(P)) - 1/2*sum(x @ P @ x for x in X), P) == 0
        <=> n/2*inv(P) - 1/2*sum(outer(x, x) for x in X) == 0    # Λ is symmetric
        <=> inv(P) == 1/n*sum(outer(x, x) for x in X)            # solve for the inverse of Λ
        <=> inv(P) == C                                          # the covariance, divisor n
    """,
    mistakes="""
        3: inv(P) == 1/(n - 1)*sum(outer(x, x) for x in X)
           # n − 1 makes the estimate unbiased; the greatest likelihood has n.
    """,
)


def shares(rng: np.random.Generator) -> dict[str, Any]:
    """Counts of two classes, and a share that is sometimes their own, and sometimes none."""
    n1, n0 = float(rng.integers(1, 9)), float(rng.integers(1, 9))
    own = n1 / (n1 + n0)
    share = own if sometimes(rng, 0.4) else float(np.clip(own + rng.normal() * 0.1, 0.05, 0.95))
    if sometimes(rng, 0.2):
        share = float(rng.choice([-0.3, 1.3]))
    return {"p": share, "n1": n1, "n0": n0}


prior = Derivation(
    shares,
    symbols={"p": r"\pi_1"},
    words={"p": "pi 1"},
    given="""
        p > 0       # a share between 0 and 1
        p < 1       # a share between 0 and 1
    """,
    lines="""
        grad(n1*log(p) + n0*log(1 - p), p) == 0
        <=> n1/p - n0/(1 - p) == 0       # the gradient of each logarithm
        <=> n1*(1 - p) == n0*p           # multiply by π₁(1 − π₁), which is positive
        <=> p == n1/(n1 + n0)            # solve for the share
    """,
    mistakes="""
        4: p == n1/n0
           # Those are the odds; a share is a part of all points.
    """,
)
