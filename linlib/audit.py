"""A proof that can be broken: every line of both proofs, asked at every update of a run.

:func:`linlib.proof_table` evaluates a theorem, so that its hypotheses must hold. Here nothing is
taken for granted: the rule that calls a row a mistake, the data, the witness w*, its γ and R are
whatever is given, and the numbers say which lines of the proofs hold, and which fails first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.frozen import Frozen
from linlib.rows import signed_rows
from linlib.shown import Shown, number

ROUNDING = 1e-9  # a line that fails by less, beside the size of its terms, is an equality
RULES: dict[str, Callable[[float], bool]] = {
    "<= 0": lambda product: product <= 0,
    "< 0": lambda product: product < 0,
    "always": lambda product: True,
}
LINES = (
    "z·w(k−1) ≤ 0",
    "z·w* ≥ γ",
    "‖z‖ ≤ R",
    "w(k)·w* ≥ kγ",
    "‖w(k)‖² ≤ kR²",
    "w(k)·w* ≤ ‖w(k)‖",
    "‖w − a w*‖² falls by R²",
    "k ≤ R²/γ²",
)
END = "it ends with Zw > 0"


@dataclass(frozen=True, eq=False, repr=False)
class ProofAudit(Frozen, Shown):
    """Both proofs, line by line, for one run from zero weights with step 1.

    ``slack[k − 1]`` has how much room each of ``LINES`` left at update k, below 0 where it fails.
    ``failures`` names for every line, and for the ``END``, the first update at which it fails, or
    None. ``ended`` tells whether the rule found nothing more to correct.
    """

    mistakes: IntArray
    weights: FloatArray
    slack: FloatArray
    failures: Mapping[str, int | None]
    ended: bool
    radius: float
    margin: float
    bound: float

    @property
    def updates(self) -> int:
        """How many updates the run made."""
        return len(self.mistakes)

    @property
    def first(self) -> tuple[str, int] | None:
        """The line that fails first and its update; of several, the first in the proof."""
        found = [(line, at) for line, at in self.failures.items() if at is not None]
        return min(found, key=lambda failure: failure[1]) if found else None

    def _facts(self) -> Mapping[str, str]:
        facts = {"updates": str(self.updates), "bound": number(self.bound)}
        if self.first is None:
            return facts | {"status": "Every line holds."}
        line, at = self.first
        return facts | {"status": f"The first line to fail: {line}, at update {at}."}


def audit_proof(
    X: ArrayLike,
    y: ArrayLike,
    reference: ArrayLike,
    *,
    rule: str = "<= 0",
    margin: float | None = None,
    radius: float | None = None,
    bias: bool = True,
    max_updates: int = 1000,
) -> ProofAudit:
    """Run a perceptron and ask every line of both proofs at every update.

    ``rule`` says which product z · w makes a row a mistake: "<= 0", "< 0", or "always" any.
    ``margin`` and ``radius`` are the γ and R of the proof, without them the true ones. From zero,
    in the printed order, with "<= 0" the run is that of :func:`linlib.pla`.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]
    >>> audit_proof(X, y, [-3, 2, 2])
    ProofAudit(updates 18; bound 51; Every line holds.)
    >>> audit_proof(X, y, [-3, 2, 2], rule="< 0").first
    ('it ends with Zw > 0', 0)
    >>> audit_proof(X, y, [-3, 2, 2], radius=2**0.5).first
    ('‖z‖ ≤ R', 2)
    """
    Z = signed_rows(X, y, bias=bias)
    u = checks.vector(reference, "reference", Z.shape[1])
    if not u.any():
        raise ValueError("reference: is zero and has no direction; give some other weights.")
    u = u / np.linalg.norm(u)
    rule = checks.choice(rule, "rule", list(RULES))
    R = float(np.linalg.norm(Z, axis=1).max()) if radius is None else radius
    gamma = _true_margin(Z @ u) if margin is None else margin
    R, gamma = checks.positive(R, "radius"), checks.positive(gamma, "margin")
    mistakes, ended = _walk(Z, rule, checks.count(max_updates, "max_updates"))
    path = np.add.accumulate(np.vstack([np.zeros(Z.shape[1]), Z[mistakes]]))
    slack, fails = _lines(Z[mistakes], path, u, gamma, R)
    failures = {line: _first(fails[:, j]) for j, line in enumerate(LINES)}
    right = bool(np.all(Z @ path[-1] > 0))
    failures[END] = len(mistakes) if ended and not right else None
    bound = (R / gamma) ** 2
    return ProofAudit(mistakes, path[-1], slack, failures, ended, R, gamma, bound)


def _true_margin(products: FloatArray) -> float:
    worst = int(np.argmin(products))
    if not products[worst] > 0:
        raise ValueError(
            f"margin: the reference gets row {worst} wrong, so no γ above 0 can be taken from it; "
            f"give the margin that the proof is to claim."
        )
    return float(products[worst])


def _walk(Z: FloatArray, rule: str, most: int) -> tuple[IntArray, bool]:
    """Visit the rows in turn; return those corrected, and whether a whole pass corrected none."""
    weights, used, clean = np.zeros(Z.shape[1]), list[int](), 0
    for i in itertools.cycle(range(len(Z))):
        if clean == len(Z) or len(used) == most:
            break
        clean += 1
        if RULES[rule](float(Z[i] @ weights)):
            weights, clean = weights + Z[i], 0
            used.append(i)
    return np.array(used, dtype=np.int64), clean == len(Z)


def _lines(
    z: FloatArray, path: FloatArray, u: FloatArray, gamma: float, R: float
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return for update k = 1, 2, … the room that each line leaves, and whether it fails."""
    k, none = np.arange(1.0, len(path)), np.zeros(len(z))
    before, after = path[:-1], path[1:]
    length = np.linalg.norm(path, axis=1)
    size = np.linalg.norm(z, axis=1)
    potential = ((path - R**2 / gamma * u) ** 2).sum(axis=1)
    product = (z * before).sum(axis=1)
    pairs = [  # what is at most what, and how large the terms are
        (product, none, size * length[:-1]),
        (gamma + none, z @ u, size),
        (size, R + none, size),
        (k * gamma, after @ u, length[1:]),
        (length[1:] ** 2, k * R**2, k * R**2),
        (after @ u, length[1:], length[1:]),
        (potential[1:], potential[:-1] - R**2, potential[:-1]),
        (k, (R / gamma) ** 2 + none, k),
    ]
    slack = np.column_stack([large - small for small, large, _ in pairs])
    sizes = np.column_stack([terms for _, _, terms in pairs])
    return slack, slack < -ROUNDING * sizes


def _first(fails: NDArray[np.bool_]) -> int | None:
    """Return the number of the first update at which a line fails."""
    return int(fails.argmax()) + 1 if fails.any() else None
