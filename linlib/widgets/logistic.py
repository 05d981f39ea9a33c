"""Explorer 8: the probability that a line gives to each side, and when there is no best line."""

from __future__ import annotations

from math import log
from typing import ClassVar

import ipywidgets
import numpy as np

from linlib import data
from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane
from linlib.logistic import Logistic, logistic
from linlib.overlap import COMPLETE, QUASI
from linlib.plotting import GREEN, GREY
from linlib.street import max_margin
from linlib.widgets import scene
from linlib.widgets.base import Challenge
from linlib.widgets.controls import chooser
from linlib.widgets.points import DIGITS, PointsExplorer
from linlib.widgets.scene import Item, brief, mark

FLAT = 1e-9  # a w shorter than this has no direction, only rounding
START = 0.01
VIEW: scene.View = ((-4.5, 5.0), (-3.3, 3.7))
SLIDER, NONE = "λ/2 ‖w‖²", "none"
LEVELS = (0.1, 0.5, 0.9)


def _overlapping() -> data.Points:
    return data.two_clouds(40, np.random.default_rng(7), distance=2.6)


def _apart() -> data.Points:
    X, y = data.clouds([[-1.9, 0.0], [1.9, 0.6]], 14, np.random.default_rng(26), spread=0.85)
    return data.Points(X, np.where(y == 1, 1, -1))


def _quasi() -> data.Points:
    X = [[-3, -1], [-2, 1], [-1, -2], [0, -2], [0, -0.5], [0, 0.5], [0, 2], [1, 1], [2, -1], [3, 1]]
    return data.Points(np.array(X, dtype=float), np.array([-1, -1, -1, -1, 1, -1, 1, 1, 1, 1]))


def _no_minimum(explorer: LogisticExplorer) -> tuple[str, bool]:
    """Judge "no minimum, and yet no line that separates"."""
    if explorer.penalty.value != NONE:
        return "the penalty must be none.", False
    if explorer.fit is None:
        return "both classes are needed.", False
    kind = explorer.fit.overlap.kind if explorer.fit.overlap else "overlap"
    return f"the classes are in {kind} separation.".replace("overlap sep", "no sep"), kind == QUASI


class LogisticExplorer(PointsExplorer):
    """The line of :func:`linlib.logistic` on the points shown, with lines of equal probability.

    >>> explorer = LogisticExplorer("apart")
    >>> explorer.penalty.value = "none"
    >>> explorer.fit.overlap.kind
    'complete'
    """

    name = "Logistic explorer"
    presets: ClassVar = {
        "overlapping": _overlapping,
        "apart": _apart,
        "apart but for a line": _quasi,
    }
    challenges: ClassVar = {
        "no minimum": Challenge("lose the minimum though no line separates", _no_minimum)
    }

    def __init__(self, points: str = "overlapping") -> None:
        self.lam = ipywidgets.FloatLogSlider(
            value=START, base=10, min=-6, max=1, step=0.25, description="λ", readout_format=".3g"
        )
        self.lam.style.description_width = "initial"
        self.penalty = chooser("Penalty", [SLIDER, NONE], SLIDER)
        super().__init__(points, {"lam": self.lam, "penalty": self.penalty})

    def load(self, preset: str) -> None:
        """Show a preset."""
        X, y = self.presets[preset]()
        self.take(data.Points(X.round(2) + 0.0, y), VIEW)

    def refit(self) -> None:
        """Find the best line, in whole numbers where only they can tell that there is none."""
        self.fit: Logistic | None = None
        self.lam.disabled = self.penalty.value == NONE  # there is nothing to weigh
        if len(set(self.y.tolist())) < 2:
            return
        if self.penalty.value == NONE:
            self.fit = logistic(np.rint(self.X * 10.0**DIGITS), self.y)
        else:
            self.fit = logistic(self.X, self.y, penalty=self.lam.value)

    @property
    def weights(self) -> FloatArray | None:
        """The best weights, or None where there are none."""
        if self.fit is None or not self.fit.converged:
            return None
        unit = 10.0**DIGITS if self.penalty.value == NONE else 1.0
        return np.concatenate([self.fit.weights[:1], self.fit.weights[1:] * unit])

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The line of even odds, or None where there is no fit or its w is zero."""
        weights = self.weights
        if weights is None or np.linalg.norm(weights[1:]) < FLAT:
            return None
        return Hyperplane.from_weights(weights)

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
        return Hyperplane(np.array(w) * 10.0**DIGITS, w0)

    def python(self) -> str:
        """Return the lines that find this line."""
        if self.fit is None:
            return self.data_alone()
        options = "" if self.penalty.value == NONE else f", penalty={self.lam.value!r}"
        points = f"np.rint(X * {10**DIGITS})" if self.penalty.value == NONE else "X"
        return (
            f"from linlib import logistic\n{self.data_in_python()}"
            f"fit = logistic({points}, y{options})\nfit.weights, fit.status\n"
        )

    # ---- what is seen

    def sentence(self) -> str:
        """Return the line, how fast the odds change across it, and what it costs."""
        if self.fit is None:
            which = f"All points have {self.looks[int(self.y[0])].name}" if len(self.y) else ""
            which = which or "There are no points"
            return f"{which}: odds need both classes. Add a point, or relabel one."
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
        steps = "1 Newton step" if self.fit.steps == 1 else f"{self.fit.steps} Newton steps"
        if self.penalty.value == NONE:
            return f"Mean logistic loss {brief(self.fit.value)}, after {steps}."
        price = 0.5 * self.lam.value * float(weights[1:] @ weights[1:])
        return (
            f"Mean logistic loss {brief(self.fit.value - price)} plus λ/2 ‖w‖² = {brief(price)} "
            f"makes {brief(self.fit.value)}, after {steps}."
        )

    def panels(self) -> list[Item]:
        """Return the plane with the lines of equal probability, or the line of the limit."""
        look: Item = {"title": f"probability of y = +1, {self._title()}", "width": 500.0}
        look |= {"adds": True, "step": self.step_of_keys}
        drawn = self._levels() if self.fit is None or self.fit.overlap is None else self._limit()
        return [scene.panel(self.view, drawn, self.handles_of_points(), **look)]

    def _title(self) -> str:
        return "no penalty" if self.penalty.value == NONE else f"λ = {self.lam.value:.3g}"

    def _levels(self) -> list[Item]:
        h, view = self.hyperplane, self.view
        if h is None:
            return []
        lines = {p: Hyperplane(h.w, h.w0 - log(p / (1 - p))) for p in LEVELS}
        drawn: list[Item] = []
        for p, sign in ((0.9, 1), (0.5, 1), (0.5, -1), (0.1, -1)):
            drawn += scene.side(lines[p], view, sign, opacity=0.1)
        for p, line in lines.items():
            even = p == 0.5
            look: Item = {"name": "line" if even else "level", "width": 2.2 if even else 1.6}
            look |= {"label": "even odds" if even else "odds 9 to 1"}
            look |= {} if even else {"dash": scene.DASHED}
            found = scene.line(line, view, **look)
            drawn += found
            if found:  # the number stands at the upper end, inside the picture
                top = max(found[0]["xy"], key=lambda spot: (spot[1], spot[0]))
                drawn.append(scene.text(_inside(top, view), str(p), offset=(4.0, -4.0)))
        return drawn

    def _limit(self) -> list[Item]:
        h = self.limit
        assert self.fit
        assert self.fit.overlap
        if h is None:
            return []
        apart = self.fit.overlap.kind == COMPLETE
        label = "middle of the widest street" if apart else "no point on its wrong side"
        drawn = [
            *scene.side(h, self.view, 1, opacity=0.1),
            *scene.side(h, self.view, -1, opacity=0.1),
        ]
        look: Item = {"colour": GREEN, "dash": scene.DASHED, "label": label}
        drawn += scene.line(h, self.view, name="limit", **look)
        rings = self.fit.overlap.clashing.tolist()
        return drawn + [scene.ring(self.X[i], size=13, colour=GREY, name="clash") for i in rings]


def _inside(spot: list[float], view: scene.View) -> list[float]:
    """Return a spot on the frame moved a little into the picture, with room for a label."""
    (left, right), (low, high) = view
    inset = 0.06
    x = min(max(spot[0], left + 0.01 * (right - left)), right - inset * (right - left))
    y = min(max(spot[1], low + inset * (high - low)), high - 0.02 * (high - low))
    return [x, y]
