"""Explorer 8: the probability that a line gives to each side, and when there is no best line."""

from __future__ import annotations

from math import log
from typing import ClassVar

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.logistic_regression.binomial import Logistic, logistic
from linlib.logistic_regression.separation import COMPLETE
from linlib.margins.hard_margin import max_margin
from linlib.widgets import odds, scene
from linlib.widgets.challenges import Challenge, no_minimum
from linlib.widgets.clouds import VIEW, apart, line_of, overlapping
from linlib.widgets.controls import chooser, penalties
from linlib.widgets.points import PointsExplorer
from linlib.widgets.scene import Item, brief, mark

START = 0.01
SLIDER, NONE = "λ/2 ‖w‖²", "none"


def _quasi() -> data.Points:
    X = [[-3, -1], [-2, 1], [-1, -2], [0, -2], [0, -0.5], [0, 0.5], [0, 2], [1, 1], [2, -1], [3, 1]]
    return data.Points(np.array(X, dtype=float), np.array([-1, -1, -1, -1, 1, -1, 1, 1, 1, 1]))


class LogisticExplorer(PointsExplorer):
    """The line of :func:`linlib.logistic` on the points shown, with lines of equal probability.

    >>> explorer = LogisticExplorer("apart")
    >>> explorer.penalty.value = "none"
    >>> explorer.fit.overlap.kind
    'complete'
    """

    name = "Logistic explorer"
    presets: ClassVar = {
        "overlapping": overlapping,
        "apart": apart,
        "apart but for a line": _quasi,
    }
    challenges: ClassVar = {
        "no minimum": Challenge(
            "lose the minimum though no line separates",
            lambda one: no_minimum(one.fit, penalised=one.penalty.value != NONE),
        )
    }

    def __init__(self, points: str = "overlapping") -> None:
        self.lam = penalties(START, -6, 1, 0.25)
        self.penalty = chooser("Penalty", [SLIDER, NONE], SLIDER)
        super().__init__(points, {"lam": self.lam, "penalty": self.penalty})

    def load(self, preset: str) -> None:
        """Show a preset."""
        X, y = self.presets[preset]()
        self.take(data.Points(X.round(2) + 0.0, y), VIEW)

    def refit(self) -> None:
        """Find the best line, or the proof that there is none."""
        self.fit: Logistic | None = None
        self.lam.disabled = self.penalty.value == NONE  # there is nothing to weigh
        if len(set(self.y.tolist())) < 2:
            return
        penalty = 0.0 if self.penalty.value == NONE else self.lam.value
        self.fit = logistic(self.X, self.y, penalty=penalty)

    @property
    def weights(self) -> FloatArray | None:
        """The best weights, or None where there are none."""
        if self.fit is None or not self.fit.converged:
            return None
        return self.fit.weights

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The line of even odds, or None where there is no fit or its w is zero."""
        return line_of(self.weights)

    @property
    def limit(self) -> Hyperplane | None:
        """Where no minimum exists: the line of the widest street, or the one with points on it."""
        if self.fit is None or self.fit.overlap is None:
            return None
        if self.fit.overlap.kind == COMPLETE:
            try:
                return max_margin(self.X, self.y).hyperplane
            except ValueError:  # the street is too narrow for floats
                return None
        w0, *w = self.fit.overlap.weights
        return Hyperplane(w, w0)

    def python(self) -> str:
        """Return the lines that find this line."""
        if self.fit is None:
            return self.data_alone()
        options = "" if self.penalty.value == NONE else f", penalty={self.lam.value!r}"
        return (
            f"from linlib import logistic\n{self.data_in_python()}"
            f"fit = logistic(X, y{options})\nfit.weights, fit.status\n"
        )

    # ---- what is seen

    def sentence(self) -> str:
        """Return the line, how fast the odds change across it, and what it costs."""
        if self.fit is None:
            return self.no_fit("odds need")
        if self.fit.overlap is not None:
            return self._nowhere()
        if self.weights is None:
            return f"{self._settings()}: {self.fit.status}"
        return f"{self._settings()}: {self._line()} {self._objective()}"

    def _settings(self) -> str:
        return "No penalty" if self.penalty.value == NONE else f"λ = {self.lam.value:.3g}"

    def _nowhere(self) -> str:
        assert self.fit
        assert self.fit.overlap
        found = self.fit.overlap
        if found.kind == COMPLETE:
            line = "whose line is shown" if self.limit else "too narrow to be shown"
            words = (
                "the classes can be separated, and the loss falls towards 0 as w grows. With a "
                "penalty that vanishes, the direction tends to that of "
                f"{mark('limit', 'the widest street')}, {line}; every probability to 0 or 1."
            )
        else:
            words = (
                f"{mark('limit', 'the line shown')} has no point on its wrong side and "
                f"{mark('clash', str(len(found.clashing)))} of {len(self.X)} on itself "
                "(quasi-complete separation). As w grows across it the loss keeps falling; only "
                "the points on the line keep probabilities between 0 and 1."
            )
        return f"No penalty: no minimum exists, for {words}"

    def _line(self) -> str:
        assert self.fit
        h, weights = self.hyperplane, self.weights
        assert weights is not None
        if h is None:
            share = float(np.mean(self.y > 0))
            return (
                f"the best w is zero, so there is no line: every point has the probability "
                f"{scene.rounded(share)} of y = +1, the share of that class."
            )
        wide = 2 * log(9) / h.norm
        wrong = "points is" if self.fit.errors == 1 else "points are"
        seen = "" if scene.line(h, self.view) else " It lies outside the picture."
        return (
            f"even odds on the line with w = {mark('line', scene.vector(h.w))} and "
            f"w₀ = {scene.rounded(h.w0)}.{seen} The probability of y = +1 rises from 0.1 to 0.9 "
            f"within {mark('level', brief(wide))}. {self.fit.errors} of {len(self.X)} {wrong} "
            f"on the wrong side."
        )

    def _objective(self) -> str:
        assert self.fit
        weights = self.weights
        assert weights is not None
        steps = scene.many(self.fit.steps, "Newton step")
        if self.penalty.value == NONE:
            return f"Mean logistic loss {brief(self.fit.value)}, after {steps}."
        price = 0.5 * self.lam.value * float(weights[1:] @ weights[1:])
        return (
            f"Mean logistic loss {brief(self.fit.value - price)} plus λ/2 ‖w‖² = {brief(price)} "
            f"makes {brief(self.fit.value)}, after {steps}."
        )

    def panels(self) -> list[Item]:
        """Return the plane with the lines of equal probability, or the line of the limit."""
        settings = "no penalty" if self.penalty.value == NONE else f"λ = {self.lam.value:.3g}"
        look: Item = {"title": f"probability of y = +1, {settings}", "width": 500.0}
        look |= {"adds": True, "step": self.step_of_keys}
        drawn: list[Item] = []
        if self.fit and self.fit.overlap:
            drawn = odds.limit(self.limit, self.fit.overlap, self.X, self.view)
        elif self.hyperplane:
            drawn = odds.levels(self.hyperplane, self.view)
        return [scene.panel(self.view, drawn, self.handles_of_points(), **look)]
