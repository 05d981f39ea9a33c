"""Why the perceptron stops: both proofs, evaluated at every update of a real run.

Let u be a unit vector with ``z_i · u >= γ > 0`` for every row and ``‖z_i‖ <= R``. Each update adds
``η z`` for a row with ``z · w <= 0``, so (Novikoff) ``w · u`` grows by at least ηγ while ``‖w‖²``
grows by at most η²R²; and (Duda, Hart & Stork) with ``a = ηR²/γ`` the potential ``‖w − a u‖²``
falls by at least η²R². Either way the number of updates from zero is at most ``R²/γ²``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.frozen import Frozen
from linlib.runs import Run
from linlib.shown import Shown, number


@dataclass(frozen=True, eq=False, repr=False)
class ProofTable(Frozen, Shown):
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

    def slack(self) -> float:
        """Return the least slack of all inequalities, each relative to the size of its column.

        It is negative if one is violated, apart from rounding.
        """
        sizes = [
            (self.alignment - self.alignment_floor, self.alignment),
            (self.length_ceiling - self.squared_length, self.length_ceiling),
            (self.drop[1:] - self.least_drop, self.potential),
        ]
        # A column of zeros (no update yet, from zero) has slack 0 whatever it is divided by.
        return min(
            float(gap.min() / (np.abs(size).max() or 1.0)) for gap, size in sizes if gap.size
        )


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

    >>> from linlib.perceptron import pla
    >>> table = proof_table(pla([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1]), [-3, 2, 2])
    >>> round(table.bound, 9), table.k[-1], table.slack() >= 0
    (51.0, np.int64(18), True)
    """
    if not isinstance(run, Run):
        raise TypeError(
            f"run: expected a run that corrects one row at a time, got {type(run).__name__}; "
            f"use pla, pocket or averaged."
        )
    R, margin = radius_and_margin(run.Z, reference)
    u = checks.vector(reference, "reference")
    u = u / np.linalg.norm(u)
    eta, path = run.step, run.path
    k = np.arange(len(path))
    a = eta * R**2 / margin
    potential = ((path - a * u) ** 2).sum(axis=1)
    return ProofTable(
        k=k,
        alignment=path @ u,
        alignment_floor=run.start @ u + eta * margin * k,
        squared_length=(path**2).sum(axis=1),
        length_ceiling=(run.start**2).sum() + (eta * R) ** 2 * k,
        potential=potential,
        drop=np.concatenate([[0.0], -np.diff(potential)]),
        least_drop=(eta * R) ** 2,
        radius=R,
        margin=margin,
        bound=float(potential[0] / (eta * R) ** 2),
    )
