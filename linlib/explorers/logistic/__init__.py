"""Explorer 8: the probability that a line gives to each side, and when there is no best line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log
from typing import ClassVar, Self

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import MAIN, Choice, Slider
from linlib.explorers.kit.geometry import line_of
from linlib.explorers.kit.points import PointsExplorer, PointsState, apart, overlapping
from linlib.explorers.kit.sentences import brief, many, mark, out_of, rounded, vector
from linlib.explorers.kit.state import Challenge, Verdict, computed, start
from linlib.logistic_regression.binomial import Logistic, logistic
from linlib.logistic_regression.separation import COMPLETE, QUASI, Overlap
from linlib.margins.hard_margin import max_margin
from linlib.notebook.colours import GREEN, GREY

START = 0.01
SLIDER, NONE = "λ/2 ‖w‖²", "none"
LEVELS = (0.5, 0.1, 0.9)


def _quasi() -> data.Points:
    X = [[-3, -1], [-2, 1], [-1, -2], [0, -2], [0, -0.5], [0, 0.5], [0, 2], [1, 1], [2, -1], [3, 1]]
    return data.Points(np.array(X, dtype=float), np.array([-1, -1, -1, -1, 1, -1, 1, 1, 1, 1]))


def no_minimum(fit: Logistic | None, *, penalised: bool) -> Verdict:
    """Judge "no minimum, and yet no line that separates"."""
    if penalised:
        return "the penalty must be none.", False
    if fit is None:
        return "both classes are needed.", False
    kind = fit.overlap.kind if fit.overlap else "no"
    return f"the classes are in {kind} separation.", kind == QUASI


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticState(PointsState):
    """Points, and the penalty with which their odds are fitted."""

    name: ClassVar = "Logistic explorer"
    tasks: ClassVar = (
        "Drag a point to the other side of the line.",
        "Take the penalty away, and see when no best line exists.",
    )
    presets: ClassVar = {
        "overlapping": overlapping,
        "apart": apart,
        "apart but for a line": _quasi,
    }
    own_controls: ClassVar = {
        **PointsState.own_controls,
        "lam": Slider("λ", -6, 1, 0.25, log=True),
        "penalty": Choice("Penalty", [SLIDER, NONE], MAIN),
    }
    challenges: ClassVar = {
        "no minimum": Challenge(
            "lose the minimum though no line separates",
            lambda now: no_minimum(now.fit, penalised=now.penalty != NONE),
        )
    }

    lam: float = START
    penalty: str = SLIDER

    # ---- what follows from it

    @computed("X", "y", "lam", "penalty")
    def fit(self) -> Logistic | None:
        """The best line, or the proof that there is none; None without two classes."""
        if len(set(self.y.tolist())) < 2:
            return None
        return logistic(self.X, self.y, penalty=0.0 if self.penalty == NONE else self.lam)

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

    @computed("X", "y", "lam", "penalty")
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

    # ---- what may be done

    def with_preset(self, preset: str) -> Self:
        """Return the state with the points of a preset, with decimals that a reader can type."""
        after = super().with_preset(preset)
        return after.changed(X=after.X.round(2) + 0.0)

    def disabled(self) -> set[str]:
        """Return λ where nothing is penalised."""
        return {"lam"} if self.penalty == NONE else set()

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the plane with the lines of equal probability, or the line of the limit."""
        drawn: list[scene.Drawable] = []
        if self.fit and self.fit.overlap:
            drawn = _limit_line(self.limit, self.fit.overlap, self.X, self.view)
        elif self.hyperplane:
            drawn = _levels(self.hyperplane, self.view)
        return [
            self.panel_of_points(f"probability of y = +1, {self._settings('no penalty')}", drawn)
        ]

    # ---- what it says

    def sentence(self) -> str:
        """Return the line, how fast the odds change across it, and what it costs."""
        if self.fit is None:
            return self.no_fit("odds need")
        if self.fit.overlap is not None:
            return self._nowhere(self.fit.overlap)
        settings = self._settings("No penalty")
        if self.weights is None:
            return f"{settings}: {self.fit.status}"
        return f"{settings}: {self._line(self.fit)} {self._objective(self.fit)}"

    def _nowhere(self, found: Overlap) -> str:
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

    def _line(self, fit: Logistic) -> str:
        h = self.hyperplane
        if h is None:
            share = float(np.mean(self.y > 0))
            return (
                f"the best w is zero, so there is no line: every point has the probability "
                f"{rounded(share)} of y = +1, the share of that class."
            )
        wide = 2 * log(9) / h.norm
        terms = float((np.abs(self.X) @ np.abs(h.w)).max())
        seen = "" if scene.line(h, self.view) else " It lies outside the picture."
        return (
            f"even odds on the line with w = {mark('line', vector(h.w))} and "
            f"w₀ = {rounded(h.w0, of=terms)}.{seen} "
            f"The probability of y = +1 rises from 0.1 to 0.9 within {mark('level', brief(wide))}. "
            f"{out_of(fit.errors, len(self.X), 'point')} on the wrong side."
        )

    def _objective(self, fit: Logistic) -> str:
        steps, w = many(fit.updates, "Newton step"), fit.weights[1:]
        if self.penalty == NONE:
            return f"Mean logistic loss {brief(fit.value)}, after {steps}."
        penalty = 0.5 * self.lam * float(w @ w)
        return (
            f"Mean logistic loss {brief(fit.value - penalty)} plus λ/2 ‖w‖² = {brief(penalty)} "
            f"makes {brief(fit.value)}, after {steps}."
        )

    def _settings(self, none: str) -> str:
        return none if self.penalty == NONE else f"λ = {brief(self.lam)}"

    def python(self) -> str:
        """Return the lines that find this line."""
        if self.fit is None:
            return self.data_alone()
        options = "" if self.penalty == NONE else f", penalty={self.lam!r}"
        return (
            f"from linlib import logistic\n{self.data_in_python()}"
            f"fit = logistic(X, y{options})\nfit.weights, fit.status\n"
        )


def _levels(h: Hyperplane, view: scene.View) -> list[scene.Drawable]:
    """Return the lines of equal probability, each with its number, and the shaded sides."""
    lines = {p: Hyperplane(h.w, h.w0 - log(p / (1 - p))) for p in LEVELS}
    drawn: list[scene.Drawable] = []
    for p, sign in ((0.9, 1), (0.5, 1), (0.5, -1), (0.1, -1)):
        drawn += scene.side(lines[p], view, sign, opacity=0.1)
    even = partial(scene.line, label="even odds")
    level = partial(scene.line, name="level", width=1.6, label="odds 9 to 1", dash=scene.DASHED)
    taken: list[FloatArray] = []
    room = np.array([0.07, 0.07]) * [limits[1] - limits[0] for limits in view]
    for p, line in lines.items():
        found = (even if p == 0.5 else level)(line, view)
        drawn += found
        if found:  # the number stands at the upper end, inside the picture, unless another does
            ends = scene.segment(line, scene.clip(scene.corners(view), line)).tolist()
            at = np.array(_inside(max(ends, key=lambda spot: (spot[1], spot[0])), view))
            if all((np.abs(at - other) > room).any() for other in taken):
                drawn.append(scene.Text(at, str(p), offset=(4.0, -4.0)))
                taken.append(at)
    return drawn


def _limit_line(
    h: Hyperplane | None, overlap: Overlap, X: FloatArray, view: scene.View
) -> list[scene.Drawable]:
    """Return the line towards which the best one tends, and the points on it."""
    if h is None:
        return []
    apart = overlap.kind == COMPLETE
    label = "middle of the widest street" if apart else "no point on its wrong side"
    look = partial(scene.line, colour=GREEN, dash=scene.DASHED, label=label)
    drawn = scene.sides(h, view, opacity=0.1) + look(h, view, name="limit")
    rings = overlap.clashing.tolist()
    return drawn + [scene.Ring(X[i], size=13, colour=GREY, name="clash") for i in rings]


def _inside(spot: list[float], view: scene.View) -> list[float]:
    """Return a spot on the frame moved a little into the picture, with room for a label."""
    (left, right), (low, high) = view
    inset = 0.06
    x = min(max(spot[0], left + 0.01 * (right - left)), right - inset * (right - left))
    y = min(max(spot[1], low + inset * (high - low)), high - 0.02 * (high - low))
    return [x, y]


class LogisticExplorer(PointsExplorer):
    """The line of :func:`linlib.logistic` on the points shown, with lines of equal probability.

    >>> explorer = LogisticExplorer("apart")
    >>> explorer.penalty.value = "none"
    >>> explorer.fit.overlap.kind
    'complete'
    """

    kind = LogisticState

    def __init__(self, points: str = "overlapping") -> None:
        super().__init__(start(LogisticState, points))
