"""Why the perceptron stops (lecture 03): both proofs, evaluated at every update of a real run.

Let u be a unit vector with ``z_i · u >= γ > 0`` for every row and ``‖z_i‖ <= R``. Each update adds
``η z`` for a row with ``z · w <= 0``, so (Novikoff) ``w · u`` grows by at least ηγ while ``‖w‖²``
grows by at most η²R²; and (Duda, Hart & Stork) with ``a = ηR²/γ`` the potential ``‖w − a u‖²``
falls by at least η²R². Either way the number of updates from zero is at most ``R²/γ²``.

:func:`proof_table` evaluates the theorem, so its hypotheses must hold. :func:`audit_proof` takes
nothing for granted and says which line of the proofs fails first when a hypothesis is missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, number
from linlib.base.rows import signed_rows
from linlib.perceptron.runs import Run


@dataclass(frozen=True, eq=False, repr=False)
class ProofTable(Frozen):
    """One entry for each k = 0 … updates; every column is an array of that length.

    ``alignment >= alignment_floor``, ``squared_length <= length_ceiling`` and
    ``drop >= least_drop`` (from k = 1 on) are the inequalities; ``bound`` is what they imply.
    """

    k: IntArray
    alignment: FloatArray
    alignment_floor: FloatArray
    squared_length: FloatArray
    length_ceiling: FloatArray
    potential: FloatArray
    drop: FloatArray
    least_drop: float
    radius: float
    margin: float
    bound: float

    def _facts(self) -> Mapping[str, str]:
        facts = {"updates": str(len(self.k) - 1), "bound": number(self.bound)}
        return facts | {"radius": number(self.radius), "margin": number(self.margin)}


def radius_and_margin(Z: ArrayLike, reference: ArrayLike) -> tuple[float, float]:
    """Return ``R = max ‖z‖`` and ``γ = min z · w* / ‖w*‖`` for reference weights w*.

    >>> R, margin = radius_and_margin([[-1, 0, 0], [-1, 0, -1], [-1, -1, 0], [1, 1, 1]], [-3, 2, 2])
    >>> round(R**2, 9), round((R / margin) ** 2, 9)
    (3.0, 51.0)
    """
    rows = checks.points(Z, "Z")
    w = checks.vector(reference, "reference", rows.shape[1])
    products = rows @ w
    worst = int(np.argmin(products))
    if not products[worst] > 0:
        raise ValueError(
            f"reference: gets row {worst} wrong (product {products[worst]:g}); "
            f"give weights that separate, such as certify(X, y).weights."
        )
    margin = float(products[worst] / np.linalg.norm(w))
    return float(np.linalg.norm(rows, axis=1).max()), margin


def mistake_bound(Z: ArrayLike, reference: ArrayLike) -> float:
    """Return ``R²/γ²``: no run from zero makes more updates, whatever the order or the step.

    >>> and_rows = [[-1, 0, 0], [-1, 0, -1], [-1, -1, 0], [1, 1, 1]]
    >>> round(mistake_bound(and_rows, [-3, 2, 2]), 9)
    51.0
    """
    R, margin = radius_and_margin(Z, reference)
    return (R / margin) ** 2


def proof_table(run: Run, reference: ArrayLike) -> ProofTable:
    """Evaluate both proofs at every update of ``run``, against separating weights ``reference``.

    >>> from linlib.perceptron.algorithm import pla
    >>> table = proof_table(pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]), [-3, 2, 2])
    >>> round(table.bound, 9), table.k[-1]
    (51.0, np.int64(18))
    """
    if not isinstance(run, Run):
        raise TypeError(
            f"run: expected a run that corrects one row at a time, got {type(run).__name__}; "
            f"use pla, pocket or averaged."
        )
    R, margin = radius_and_margin(run.Z, reference)
    return _table(run.path, run.step, checks.vector(reference, "reference"), R, margin)


def _table(path: FloatArray, eta: float, w: FloatArray, R: float, margin: float) -> ProofTable:
    """Evaluate both proofs for the weights of a run with steps η."""
    u = w / np.linalg.norm(w)
    k = np.arange(len(path))
    potential = ((path - eta * R**2 / margin * u) ** 2).sum(axis=1)
    return ProofTable(
        k=k,
        alignment=path @ u,
        alignment_floor=path[0] @ u + eta * margin * k,
        squared_length=(path**2).sum(axis=1),
        length_ceiling=(path[0] ** 2).sum() + (eta * R) ** 2 * k,
        potential=potential,
        drop=np.concatenate([[0.0], -np.diff(potential)]),
        least_drop=(eta * R) ** 2,
        radius=R,
        margin=margin,
        bound=float(potential[0] / (eta * R) ** 2),
    )


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
class ProofAudit(Frozen):
    """Both proofs, line by line, for one run from zero weights with step 1.

    ``failures`` names for every line, and for the ``END``, the first update at which it fails, or
    None. ``ended`` tells whether the rule found nothing more to correct.
    """

    mistakes: IntArray
    weights: FloatArray
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
    if radius is None:
        radius = float(np.linalg.norm(Z, axis=1).max())
    if margin is None:
        margin = radius_and_margin(Z, u)[1]
    R, gamma = checks.positive(radius, "radius"), checks.positive(margin, "margin")
    mistakes, ended = _walk(Z, rule, checks.count(max_updates, "max_updates"))
    z = Z[mistakes]
    path = np.add.accumulate(np.vstack([np.zeros(Z.shape[1]), z]))
    table = _table(path, 1.0, u, R, gamma)
    failures = dict(zip(LINES, _failures(z, path, u, table), strict=True))
    right = bool(np.all(Z @ path[-1] > 0))
    failures[END] = len(mistakes) if ended and not right else None
    return ProofAudit(mistakes, path[-1], failures, ended, R, gamma, table.bound)


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


def _failures(
    z: FloatArray, path: FloatArray, u: FloatArray, table: ProofTable
) -> list[int | None]:
    """Return for each line the first update k = 1, 2, … at which it fails, or None."""
    k, none = table.k[1:], np.zeros(len(z))
    size, length = np.linalg.norm(z, axis=1), np.sqrt(table.squared_length)
    alignment, ceiling = table.alignment[1:], table.length_ceiling[1:]
    pairs = [  # what is at most what, and how large the terms are
        ((z * path[:-1]).sum(axis=1), none, size * length[:-1]),
        (table.margin + none, z @ u, size),
        (size, table.radius + none, size),
        (table.alignment_floor[1:], alignment, length[1:]),
        (table.squared_length[1:], ceiling, ceiling),
        (alignment, length[1:], length[1:]),
        (table.least_drop + none, table.drop[1:], table.potential[:-1]),
        (k, table.bound + none, k),
    ]
    fails = [large - small < -ROUNDING * terms for small, large, terms in pairs]
    return [int(line.argmax()) + 1 if line.any() else None for line in fails]
