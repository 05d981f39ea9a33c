"""Why the perceptron stops: the lines of both proofs, and the best witness."""

from __future__ import annotations

from typing import Any

import numpy as np

from linlib.derivations.course.points import numbers, perpendicular, scale, sometimes, unit
from linlib.derivations.derivation import Derivation

MISTAKE = "w @ z <= 0           # the row was a mistake"
MARGIN = "z @ w_star >= gamma    # every row has a product of γ or more with w*"
RADIUS = "norm(z) <= R         # no row is longer than R"
LENGTH = "norm(w_star) == 1      # w* has length 1"


def correction(rng: np.random.Generator) -> dict[str, Any]:
    """Weights before a correction, the row z that is added, and a separator.

    γ and R are sometimes not those of the rows, so that each hypothesis can be dropped.
    """
    Z = numbers(rng, 3, 2) * scale(rng)
    z = Z[0]
    w_star = unit(numbers(rng, 2))
    w = numbers(rng, 2)
    if sometimes(rng):
        w = np.zeros(2)  # the first correction
    elif sometimes(rng):
        w = perpendicular(w, z)  # a score of exactly 0
    if sometimes(rng, 0.2):
        w_star = 2 * w_star
    gamma = float((Z @ w_star).min()) if not sometimes(rng) else float(rng.normal())
    R = float(np.linalg.norm(Z, axis=1).max()) * (0.5 if sometimes(rng) else 1.0)
    return {"w": w, "z": z, "w_star": w_star, "gamma": gamma, "R": R}


alignment = Derivation(
    correction,
    given=MARGIN,
    lines="""
        (w + z) @ w_star
        =  w @ w_star + z @ w_star     # multiply out
        >= w @ w_star + gamma          # whichever row was the mistake
    """,
    mistakes="""
        3: w @ w_star + gamma*norm(z)
           # γ is the smallest product z·w* itself; the length of z is in it already.
    """,
)

length = Derivation(
    correction,
    given=f"{MISTAKE}\n{RADIUS}",
    lines="""
        norm(w + z)**2
        =  norm(w)**2 + 2*w @ z + norm(z)**2    # multiply out the square
        <= norm(w)**2 + norm(z)**2              # the row was a mistake
        <= norm(w)**2 + R**2                    # no row is longer than R
    """,
    mistakes="""
        2: norm(w)**2 + w @ z + norm(z)**2
           # The middle term of a square comes twice.
        4: norm(w)**2 + R
           # R bounds the length; its square bounds the square.
    """,
)


def run(rng: np.random.Generator) -> dict[str, Any]:
    """Weights of a perceptron from zero after k corrections, and a separator."""
    d = int(rng.integers(2, 4))
    Z = np.eye(d) if sometimes(rng, 0.2) else numbers(rng, 3, d)
    if sometimes(rng, 0.2):
        Z = Z[:1]  # with one row every line is attained
    Z = Z * scale(rng)
    w_star = Z.sum(axis=0)
    if sometimes(rng, 0.7):
        w_star = w_star + 0.1 * rng.normal(size=d)
    w_star = unit(w_star)
    w, k, most = np.zeros(d), 0, int(rng.integers(1, 30))
    while k < most and np.any(Z @ w <= 0):
        w = w + Z[rng.choice(np.flatnonzero(Z @ w <= 0))]
        k += 1
    if sometimes(rng, 0.15):
        w_star = 2 * w_star
    if sometimes(rng, 0.15):
        w = numbers(rng, d)
    R = float(np.linalg.norm(Z, axis=1).max())
    return {"w": w, "k": float(k), "w_star": w_star, "gamma": float((Z @ w_star).min()), "R": R}


squeeze = Derivation(
    run,
    given=f"""
        w @ w_star >= k*gamma      # k corrections, each adds γ or more
        norm(w)**2 <= k*R**2       # k corrections, each adds R² or less
        {LENGTH}
        gamma > 0                  # w* separates
    """,
    lines="""
        k*gamma
        <= w @ w_star               # the alignment after k corrections
        <= norm(w)                  # Cauchy–Schwarz, with ‖w*‖ = 1
        <= sqrt(k)*R                # the length after k corrections
        => sqrt(k) <= R/gamma       # from first to last; divide by √k γ, which is positive
        <=> k <= R**2/gamma**2      # both sides are positive: square them
    """,
    mistakes="""
        6: k <= R**2/gamma
           # An exponent is lost: γ is squared as R is, else the bound would change with the
           # unit in which the features are measured.
        4: k*R
           # ‖w‖² is at most k R², so ‖w‖ is at most its root, √k R.
    """,
)


potential = Derivation(
    correction,
    given=f"{MISTAKE}\n{MARGIN}\n{RADIUS}\ngamma > 0   # w* separates",
    let="a = R**2/gamma",
    lines="""
        norm(w + z - a*w_star)**2
        =  norm(w - a*w_star)**2 + 2*w @ z - 2*a*z @ w_star + norm(z)**2   # multiply out
        <= norm(w - a*w_star)**2 - 2*a*z @ w_star + norm(z)**2             # the row was a mistake
        <= norm(w - a*w_star)**2 - 2*a*gamma + R**2                        # margin and radius
        =  norm(w - a*w_star)**2 - R**2                                    # a γ = R²
    """,
)


def near_target(rng: np.random.Generator) -> dict[str, Any]:
    """A correction, and a target in the direction of w* at any distance a > 0."""
    return correction(rng) | {"a": float(rng.choice([-0.5, 0.1, 0.5, 1.0, 3.0]))}


near = Derivation(
    near_target,
    given=f"{MISTAKE}\n{MARGIN}\n{RADIUS}\na > 0   # the target lies in the direction of w*",
    lines="""
        norm(w + z - a*w_star)**2
        =  norm(w - a*w_star)**2 + 2*w @ z - 2*a*z @ w_star + norm(z)**2   # multiply out
        <= norm(w - a*w_star)**2 - 2*a*gamma + R**2                        # a mistake, γ and R
    """,
)


def hull(rng: np.random.Generator) -> dict[str, Any]:
    """Two rows, a mixture of them, and a direction of length 1."""
    z1, z2 = numbers(rng, 2), numbers(rng, 2)
    share = float(rng.choice([0.0, 0.25, 0.5, 1.0])) if sometimes(rng) else float(rng.random())
    u = unit(numbers(rng, 2))
    if sometimes(rng):
        u = unit(share * z1 + (1 - share) * z2)
    if sometimes(rng):
        u = unit(np.array([-(z1 - z2)[1], (z1 - z2)[0]]))  # both rows have the same product
    if sometimes(rng, 0.1):
        u = 2 * u
    if sometimes(rng, 0.2):
        share = float(rng.choice([-0.5, 1.5]))
    other = 2 * float(rng.random()) if sometimes(rng) else 1 - share
    return {"z1": z1, "z2": z2, "lam1": share, "lam2": other, "u": u}


no_larger_margin = Derivation(
    hull,
    given="""
        lam1 >= 0             # multipliers are not negative
        lam2 >= 0             # multipliers are not negative
        lam1 + lam2 == 1      # and add up to 1
        norm(u) == 1          # u has length 1
    """,
    let="p = lam1*z1 + lam2*z2",
    lines="""
        min(z1 @ u, z2 @ u)
        <= lam1*z1 @ u + lam2*z2 @ u    # an average is at least the smallest
        =  p @ u                        # p is the same mixture of the rows
        <= norm(p)                      # Cauchy–Schwarz, with ‖u‖ = 1
    """,
)


def beyond(rng: np.random.Generator) -> dict[str, Any]:
    """A point p, and a row z whose product with p is less than that of p itself."""
    p, z = numbers(rng, 2), numbers(rng, 2)
    if sometimes(rng):
        z = p + 0.5 * numbers(rng, 2)  # near p: the whole way is the best way
    return {"p": p, "z": z}


nearest_point = Derivation(
    beyond,
    given="z @ p < norm(p)**2       # a row whose margin along p is less than ‖p‖",
    let="""
        c = norm(p)**2 - z @ p
        t = min(1, c/norm(z - p)**2)
    """,
    lines="""
        norm(p + t*(z - p))**2
        =  norm(p)**2 + 2*t*p @ (z - p) + t**2*norm(z - p)**2    # multiply out the square
        =  norm(p)**2 - 2*t*c + t**2*norm(z - p)**2              # p·(z − p) = −c
        <= norm(p)**2 - 2*t*c + t*c      # t ‖z − p‖² ≤ c, because t is at most their ratio
        =  norm(p)**2 - t*c              # collect
        <  norm(p)**2                    # t and c are positive: p was not the nearest point
    """,
    mistakes="""
        2: norm(p)**2 + t*p @ (z - p) + t**2*norm(z - p)**2
           # The middle term of a square comes twice.
    """,
)
