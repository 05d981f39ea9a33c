"""Explorer 3: both proofs that the perceptron stops, on points that can be moved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from linlib.base.checks import FloatArray
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice
from linlib.explorers.kit.geometry import UNIT, line_of
from linlib.explorers.kit.points import NO_POINTS
from linlib.explorers.kit.sentences import beside, brief, from_to, many, mark, without_rounding
from linlib.explorers.kit.state import computed
from linlib.explorers.perceptron import HULLS, PerceptronExplorer, PerceptronState, snapshot
from linlib.explorers.perceptron.snapshot import BUDGET, why_never
from linlib.explorers.proof import picture as proof_picture
from linlib.explorers.proof.picture import TALL
from linlib.margins.certificates import Inseparable
from linlib.margins.hard_margin import MaxMargin, max_margin
from linlib.notebook.colours import PURPLE
from linlib.perceptron.proof import ProofTable, proof_table

PROOFS, WEIGHTS = "both proofs", "weight space"


class Proof(NamedTuple):
    """The separator whose bound is smallest, and both proofs at every update with it."""

    best: MaxMargin
    table: ProofTable


@dataclass(frozen=True, kw_only=True, eq=False)
class ProofState(PerceptronState):
    """A run of the perceptron, and both proofs that it ends."""

    name: ClassVar = "Proof monitor"
    enlarged: ClassVar = 1.26
    shows: ClassVar = (PROOFS, WEIGHTS, HULLS)
    own_controls: ClassVar = PerceptronState.own_controls | {"show": Choice("Show", shows)}

    show: str = PROOFS

    # ---- what follows from it

    @computed("X", "y", "order", "offset")
    def proof(self) -> Proof | None:
        """Both proofs, or None where nothing separates the points or the margin is too small."""
        if not (self.run and self.verdict and self.verdict.separable):
            return None
        try:
            best = max_margin(self.X, self.y, augmented=True, bias=self.offset)
            run = replace(self.run, Z=self.run.Z / UNIT)
            return Proof(best, proof_table(run, best.weights))
        except ValueError:  # a margin too small for floats: the sentence says so
            return None

    @property
    def best(self) -> MaxMargin | None:
        """The separator whose bound is smallest."""
        return self.proof.best if self.proof else None

    @property
    def table(self) -> ProofTable | None:
        """Both proofs at every update."""
        return self.proof.table if self.proof else None

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the points, and beside them both proofs, or the first with the weights."""
        proofs = self.k, self.lengths, self.table
        points = self.points_panel(TALL)
        squeeze = proof_picture.squeeze(*proofs, self._why_none("no w*: no floor, no wall"))
        if self.show == WEIGHTS:
            return [points, snapshot.weights_panel(self, TALL), squeeze]
        potential = proof_picture.potential(*proofs, self._why_none("no w*: no potential"))
        return [points, squeeze, potential]

    @property
    def lengths(self) -> FloatArray:
        """How long the weights are, before the first update and after each."""
        return np.asarray(np.linalg.norm(self.path, axis=1))

    def lines(self) -> list[scene.Drawable]:
        """Return the line of the weights, and the line of the best ones."""
        drawn = snapshot.lines(self, "line of w(k)", before=False)
        best = self.best.weights if self.best else None
        if h := line_of(best, bias=self.offset):
            look = partial(scene.line, colour=PURPLE, dash=scene.DASHED, name="best-line")
            drawn += look(h, self.view, label="line of w*")
        return drawn

    def _why_none(self, endless: str) -> str:
        """Return why there is no table: in most cases because nothing separates the points."""
        if isinstance(self.verdict, Inseparable):
            return endless
        return "the margin is too small" if self.run else "no points"

    # ---- what it says

    def sentence(self) -> str:
        """Return the two inequalities, the potential, and the bound beside the mistakes."""
        if self.run is None:
            return NO_POINTS
        total = f"{self.run.updates}" if self.run.converged else f"more than {BUDGET}"
        if isinstance(self.verdict, Inseparable):
            words = f"After {many(self.k, 'update')}: {self._never(self.verdict)}"
        else:
            updates = "update" if total == "1" else "updates"
            made = f"After {self.k} of {total} {updates}:" if self.k else "Before the first update:"
            words = f"{made} {self._bounded(total)}"
        return words + self.hulls_in_words()

    def _never(self, verdict: Inseparable) -> str:
        spent = f", and the budget of {BUDGET} updates is spent" if self.k == BUDGET else ""
        length = mark("length", brief(float(self.lengths[: self.k + 1].max())))
        return (
            f"there is no w*, so no bound and no end: {why_never(verdict)} "
            f"‖w‖ was at most {length} so far{spent}."
        )

    def _bounded(self, total: str) -> str:
        if self.table is None:
            return (
                "A line separates the points, but by a margin too small to compute: the bound is "
                "beyond all numbers worth printing. Move a point away."
            )
        return f"{self._proofs(self.table)} {self._wall(self.table, total)}"

    def _proofs(self, table: ProofTable) -> str:
        k = self.k
        chain = [table.alignment_floor[k], table.alignment[k]]
        chain += [np.sqrt(table.squared_length[k]), np.sqrt(table.length_ceiling[k])]
        names = ("kγ", "w·w*", "‖w‖", "√k R")
        drawn = ("floor", "alignment", "length", "ceiling")
        squeezed = " ≤ ".join(
            f"{name} = {mark(curve, brief(float(value)))}"
            for name, curve, value in zip(names, drawn, chain, strict=True)
        )
        begun = float(table.potential[0])
        now = without_rounding(table.potential[k], of=begun)
        if k:
            fell = f"‖w − a w*‖² fell {mark('potential', from_to(begun, now))}"
        else:
            fell = f"‖w − a w*‖² is {mark('potential', brief(begun))}"
        return f"{squeezed}. {fell}; every update takes at least R² = {brief(table.least_drop)}."

    def _wall(self, table: ProofTable, total: str) -> str:
        assert self.run
        updates = self.run.updates
        bound = beside(table.bound, updates)
        words = (
            f"With R = {brief(table.radius)} and γ = {brief(table.margin)} the bound R²/γ² is "
            f"{mark('wall', bound)}; the run makes {total} mistake{'' if total == '1' else 's'}"
        )
        if not (self.run.converged and updates):
            return f"{words}."
        if bound == str(updates):
            return f"{words}, as many as the bound allows."
        return f"{words}: the wall is {beside(table.bound / updates, 1)} times as far."

    def python(self) -> str:
        """Return the lines that make the run and both proofs."""
        if self.run is None:
            return self.data_alone()
        learner, run = self.run_in_python()
        lines = f"{self.data_in_python()}{run}"
        bias = "" if self.offset else ", bias=False"
        if self.table is None:
            return (
                f"from linlib import certify, {learner}\n{lines}"
                f"certify(X, y{bias}), run.path[{self.k}]\n"
            )
        return (
            f"from linlib import max_margin, {learner}, proof_table\n{lines}"
            f"reference = max_margin(X, y, augmented=True{bias}).weights\n"
            f"table = proof_table(run, reference)\ntable.bound, run.path[{self.k}]\n"
        )


class ProofExplorer(PerceptronExplorer):
    """The perceptron stepper, with :func:`linlib.proof_table` drawn up to update ``k``.

    The reference is the separator whose bound is smallest, ``max_margin(..., augmented=True)``.

    >>> explorer = ProofExplorer()
    >>> explorer.to_end()
    >>> explorer.k, round(explorer.table.bound)
    (18, 51)
    >>> explorer.move("p3", 0.6, 0.6)
    >>> explorer.k, round(explorer.table.bound)
    (28, 642)
    """

    kind = ProofState
