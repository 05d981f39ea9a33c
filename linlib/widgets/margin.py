"""Explorer 5: the street between two classes, and what λ pays for it."""

from __future__ import annotations

from typing import ClassVar

import ipywidgets
import numpy as np

from linlib import data
from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane
from linlib.losses import hinge_loss, zero_one_loss
from linlib.objectives import hinge_objective
from linlib.plotting import GREY, PURPLE
from linlib.rows import signed_rows
from linlib.soft_margin import SoftMargin, soft_margin
from linlib.widgets import scene
from linlib.widgets.points import Look, PointsExplorer
from linlib.widgets.scene import Item, say

BUDGET = 1000  # pairs of multipliers; a fit that needs more is shown as it is then
FLAT = 1e-9  # a w shorter than this has no direction, only rounding
START = 0.1
VIEW: scene.View = ((-4.5, 5.0), (-3.3, 3.7))


def _apart() -> data.Points:
    rng = np.random.default_rng(26)
    X, y = data.clouds([[-1.9, 0.0], [1.9, 0.6]], 14, rng, spread=0.85)
    return data.Points(X, np.where(y == 1, 1, -1))


def _overlapping() -> data.Points:
    return data.two_clouds(40, np.random.default_rng(7), distance=2.6)


class MarginExplorer(PointsExplorer):
    """The line, street and support points of :func:`linlib.soft_margin` on the points shown.

    >>> explorer = MarginExplorer()
    >>> explorer.lam.value = 0.001
    >>> explorer.fit.support
    array([ 4,  6, 17])
    """

    name = "Margin explorer"
    presets: ClassVar = {"apart": _apart, "overlapping": _overlapping}
    looks: ClassVar = {
        label: Look(*scene.CLASS_LOOK[label], name)
        for label, name in ((1, "y = +1"), (-1, "y = −1"))
    }

    def __init__(self, points: str = "apart") -> None:
        self.lam = ipywidgets.FloatLogSlider(
            value=START, base=10, min=-3, max=1, step=0.1, description="λ", readout_format=".3g"
        )
        self.lam.style.description_width = "initial"
        super().__init__(points, self.lam)
        self.watch(self.lam, lambda _: self.learn())

    def restore(self) -> None:
        """Put λ back."""
        self.lam.value = START

    def learn(self) -> None:
        """Find the soft-margin line of the points as they are now."""
        self.fit: SoftMargin | None = None
        if len(set(self.y.tolist())) == 2:
            self.fit = soft_margin(self.X, self.y, penalty=self.lam.value, max_updates=BUDGET)

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The line, or None where there is no fit or its w is zero."""
        if self.fit is None or np.linalg.norm(self.fit.weights[1:]) < FLAT:
            return None
        return self.fit.hyperplane

    @property
    def losses(self) -> FloatArray:
        """The hinge loss of every point."""
        if self.fit is None:
            return np.zeros(len(self.X))
        return np.asarray(hinge_loss.of(signed_rows(self.X, self.y) @ self.fit.weights))

    # ---- what is seen

    def sentence(self) -> str:
        """Return the street, who holds it, and what is lost."""
        if self.fit is None:
            which = f"All points have {self.looks[int(self.y[0])].name}" if len(self.y) else ""
            which = which or "There are no points"
            return f"{which}: a street needs both classes. Add a point, or relabel one with L."
        h = self.hyperplane
        if h is None:
            street = (
                f"λ = {self.lam.value:.3g}: the best w is zero, so there is no street and no line; "
                f"every point pays. Make λ smaller or move the classes apart."
            )
        else:
            street = (
                f"λ = {self.lam.value:.3g}: the street is {say(2 / h.norm)} wide, "
                f"{say(1 / h.norm)} on either side of the line. "
                f"{len(self.fit.support)} of {len(self.X)} points support it: {self._outside()}."
            )
            street += "" if scene.line(h, VIEW) else " The line lies outside the picture."
        return f"{street} {self._objective()}"

    def _outside(self) -> str:
        assert self.fit
        short = int(np.count_nonzero(self.losses > 1e-7))
        agreement = signed_rows(self.X, self.y) @ self.fit.weights
        wrong = int(zero_one_loss.of(agreement).sum())
        edge = len(self.fit.support) - short
        return f"{max(edge, 0)} on its edges, {short} within it or beyond, {wrong} of them wrong"

    def _objective(self) -> str:
        assert self.fit
        loss = hinge_objective(self.X, self.y, 0.0).value(self.fit.weights)
        words = (
            f"Mean hinge loss {say(loss, 3)} plus λ/2 ‖w‖² = {say(self.fit.value - loss, 3)} "
            f"makes {say(self.fit.value, 3)}."
        )
        if not self.fit.converged:
            words += f" The budget is spent: at most {self.fit.gap:.2g} could still be gained."
        return words

    def panels(self) -> list[Item]:
        """Return the plane with line, street, support points and losses."""
        title = f"the street at λ = {self.lam.value:.3g}"
        handles = self.handles_of_points()
        drawn = self._street() + self._supports()
        return [scene.panel(VIEW, drawn, handles, title=title, width=560, adds=True, step=0.1)]

    def _street(self) -> list[Item]:
        h = self.hyperplane
        if h is None:
            return []
        drawn = [*scene.side(h, VIEW, 1, opacity=0.1), *scene.side(h, VIEW, -1, opacity=0.1)]
        near, far = Hyperplane(h.w, h.w0 + 1), Hyperplane(h.w, h.w0 - 1)
        area = scene.clip(scene.clip(scene.corners(VIEW), near), far.rescaled(-1.0))
        if len(area):
            drawn.append(scene.polygon(area, fill=GREY, opacity=0.2, name="street"))
        edge: Item = {"width": 1.6, "dash": scene.DASHED, "label": "edges, score ±1"}
        drawn += scene.line(near, VIEW, name="edge-1", **edge)
        drawn += scene.line(far, VIEW, name="edge+1", **edge)
        return drawn + scene.line(h, VIEW, label="line, score 0")

    def _supports(self) -> list[Item]:
        """Return a ring for each support point, and its way to the edge where it pays."""
        drawn: list[Item] = []
        h = self.hyperplane
        if self.fit is None or h is None:
            return drawn
        losses = self.losses
        for row in self.fit.support:
            x, label = self.X[row], float(self.y[row])
            if losses[row] > 1e-7:
                foot = Hyperplane(h.w, h.w0 - label).project(x)
                look: Item = {"colour": PURPLE, "width": 2.0, "label": "loss / ‖w‖"}
                drawn.append(scene.path([x, foot], name="loss", **look))
            drawn.append(scene.ring(x, size=13, name="support"))
        return drawn
