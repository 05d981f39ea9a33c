"""Explorer 5: the street between two classes, and what λ trades for its width."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from linlib.base import checks
from linlib.base.checks import EPS, FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import Centre, signed_rows
from linlib.descent.losses import hinge_loss
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice, Slider
from linlib.explorers.kit.geometry import hulls, hulls_in_words, line_of
from linlib.explorers.kit.points import PointsExplorer, PointsState, apart, overlapping
from linlib.explorers.kit.sentences import brief, from_to, mark
from linlib.explorers.kit.state import Challenge, Verdict, computed, start
from linlib.margins.linear_svm import SoftMargin, offset_range, soft_margin
from linlib.notebook.colours import GREY, PURPLE

BUDGET = 1000  # steps; a fit that needs more is shown as it is then
START = 0.1
STREET, HULLS = "street", "street and hulls"
WIDTH = 4  # digits of the street's width: a small move of a support vector is seen in the fourth
COARSEST = 1e-3  # a fit that has not converged is described as it is drawn


class Street(NamedTuple):
    """A soft margin looked at closely; ``weights`` have the offset in the middle of its range.

    ``support`` are the rows whose multiplier is more than rounding; of them ``edge`` lie on an edge
    of the street, ``inside`` within it or beyond (they have a loss), and ``wrong`` beyond the line.
    """

    weights: FloatArray
    lowest: float
    highest: float
    support: IntArray
    edge: IntArray
    inside: IntArray
    wrong: IntArray

    @property
    def free(self) -> bool:
        """Whether the offset can move without cost."""
        return self.highest > self.lowest


def street(fit: SoftMargin, X: FloatArray, y: IntArray, penalty: float) -> Street:
    """Return which rows hold the margin of ``fit``, found with this ``penalty`` on these points.

    The objective is strongly convex in w: with a gap g the true w is at most ``√(2 g / λ)`` away.
    A shorter w cannot be told from 0, nor can a multiplier whose row moves w by less than that; an
    agreement that this changes from above to below 1 cannot be told from 1, and offsets nearer than
    that are one.
    """
    w = fit.weights[1:]
    reach = max(float(np.linalg.norm(Centre.of(X).away(X), axis=1).max()), EPS)
    known = float(np.sqrt(2 * (fit.gap + 4 * EPS * (1 + abs(fit.value))) / penalty))
    if np.linalg.norm(w) <= min(known, COARSEST):
        w = np.zeros_like(w)
    tolerance = 2 * known * reach + 8 * EPS * float(np.abs(X @ w).max(initial=1.0))
    tolerance = min(tolerance, COARSEST)
    lowest, highest = offset_range(X, y, w)
    middle = (lowest + highest) / 2
    if highest - lowest <= tolerance:
        lowest = highest = middle
    agreement = y * (X @ w + middle)
    support = fit.multipliers * reach > min(known, COARSEST)
    has_loss = agreement < 1 - tolerance
    edge, wrong = (
        support & ~has_loss & (agreement <= 1 + tolerance),
        has_loss & (agreement <= tolerance),
    )
    rows = map(np.flatnonzero, (support | has_loss, edge, has_loss, wrong))
    return Street(np.concatenate([[middle], w]), lowest, highest, *rows)


def free_offset(now: MarginState) -> Verdict:
    """Judge "an offset that is not unique"."""
    if now.fit is None or now.street is None or now.hyperplane is None:
        return "there must be a street.", False
    if not now.street.free:
        return "no other offset w₀ is as good.", False
    if not now.fit.converged:
        return "the budget is spent before the line is found.", False
    room = now.street.highest - now.street.lowest
    return f"w₀ can move by {brief(room)} without cost.", True


@dataclass(frozen=True, kw_only=True, eq=False)
class MarginState(PointsState):
    """Points, the λ with which their soft margin is found, and whether hulls are shown."""

    name: ClassVar = "Margin explorer"
    tasks: ClassVar = (
        "Drag a point into the street.",
        "Slide λ: a larger λ gives a wider street and more loss.",
    )
    presets: ClassVar = {"apart": apart, "overlapping": overlapping}
    own_controls: ClassVar = {
        **PointsState.own_controls,
        "lam": Slider("λ", -3, 1, 0.1, log=True),
        "show": Choice("Show", [STREET, HULLS]),
    }
    challenges: ClassVar = {
        "a free offset": Challenge("make the offset w₀ free to move without cost", free_offset)
    }

    lam: float = START
    show: str = STREET

    # ---- what follows from it

    @computed("X", "y", "lam")
    def fit(self) -> SoftMargin | None:
        """The soft margin, or None without two classes."""
        if len(set(self.y.tolist())) < 2:
            return None
        return soft_margin(self.X, self.y, penalty=self.lam, max_updates=BUDGET)

    @computed("X", "y", "lam")
    def street(self) -> Street | None:
        """Who holds the margin."""
        return street(self.fit, self.X, self.y, self.lam) if self.fit else None

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The line, in the middle of its range, or None where there is no fit or its w is zero."""
        return line_of(self.street.weights if self.street else None)

    @property
    def losses(self) -> FloatArray:
        """The hinge loss of every point."""
        if self.street is None:
            return np.zeros(len(self.X))
        return np.asarray(hinge_loss.of(signed_rows(self.X, self.y) @ self.street.weights))

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the plane with line, street, support vectors and losses."""
        drawn = hulls(self.X, self.y, self.looks) if self.show == HULLS else []
        drawn += self._street() + self._supports()
        return [self.panel_of_points(f"the street at λ = {brief(self.lam)}", drawn)]

    def _street(self) -> list[scene.Drawable]:
        h, view = self.hyperplane, self.view
        if h is None:
            return []
        drawn = scene.sides(h, view, opacity=0.1)
        near, far = Hyperplane(h.w, h.w0 + 1), Hyperplane(h.w, h.w0 - 1)
        area = scene.clip(scene.clip(scene.corners(view), near), far, -1)
        if len(area):
            drawn.append(scene.polygon(area, fill=GREY, opacity=0.2, name="street"))
        edge = partial(scene.line, width=1.6, dash=scene.DASHED, label="edges, score ±1")
        drawn += edge(near, view, name="edge-1")
        drawn += edge(far, view, name="edge+1")
        return drawn + self._other_lines(h) + scene.line(h, view, label="line, score 0")

    def _other_lines(self, h: Hyperplane) -> list[scene.Drawable]:
        """Return the first and the last of the lines that cost the same."""
        assert self.street
        if not self.street.free:
            return []
        look = partial(scene.line, colour=PURPLE, width=1.4, dash=scene.DOTTED, name="range")
        ends = (Hyperplane(h.w, w0) for w0 in (self.street.lowest, self.street.highest))
        return [item for end in ends for item in look(end, self.view, label="as good")]

    def _supports(self) -> list[scene.Drawable]:
        """Return a ring for each support vector, and its way to the edge where it has a loss."""
        drawn: list[scene.Drawable] = []
        h = self.hyperplane
        if self.street is None or h is None:
            return drawn
        with_loss = set(self.street.inside.tolist())
        for row in self.street.support.tolist():
            x, label = self.X[row], float(self.y[row])
            if row in with_loss:
                foot = Hyperplane(h.w, h.w0 - label).project(x)
                look = partial(scene.Path, colour=PURPLE, width=3.2, label="loss / ‖w‖")
                drawn.append(look([x, foot], name="loss"))
            drawn.append(scene.Ring(x, size=13, label="support vector", name="support"))
        return drawn

    # ---- what it says

    def sentence(self) -> str:
        """Return the street, who holds it, and what is lost."""
        if self.fit is None or self.street is None:
            return self.no_fit("a street needs")
        h = self.hyperplane
        lam = f"λ = {brief(self.lam)}"
        if h is None:
            words = (
                f"{lam}: the best w is zero, so there is no street and no line. Make λ smaller or "
                f"move the classes apart."
            )
        else:
            words = (
                f"{lam}: the street is {mark('street', brief(2 / h.norm, WIDTH))} wide, "
                f"{brief(1 / h.norm)} on either side of the line. {self._support(self.street)}"
            )
            words += _range(self.street)
            words += "" if scene.line(h, self.view) else " The line lies outside the picture."
        words = f"{words} {self._objective(self.fit, self.street)}"
        return words + (hulls_in_words(self.X, self.y) if self.show == HULLS else "")

    def _support(self, found: Street) -> str:
        number = mark("support", f"{len(found.support)}")
        verb = "supports" if len(found.support) == 1 else "support"
        return (
            f"{number} of {len(self.X)} points {verb} it: {len(found.edge)} on its edges, "
            f"{mark('loss', str(len(found.inside)))} within it or beyond, "
            f"{len(found.wrong)} of them wrong."
        )

    def _objective(self, fit: SoftMargin, found: Street) -> str:
        w = found.weights[1:]
        loss = float(self.losses[found.inside].sum()) / len(self.X)  # the rest is rounding
        penalty = 0.5 * self.lam * float(w @ w)
        words = (
            f"Mean hinge loss {mark('loss', brief(loss))} plus "
            f"λ/2 ‖w‖² = {brief(penalty, of=loss)} makes {brief(loss + penalty)}."
        )
        if not fit.converged:
            words += f" The budget is spent: the minimum is at most {brief(fit.gap, 2)} lower."
        return words

    def python(self) -> str:
        """Return the lines that find this street."""
        if self.fit is None:
            return self.data_alone()
        return (
            f"from linlib import soft_margin\n{self.data_in_python()}"
            f"fit = soft_margin(X, y, penalty={self.lam!r}, max_updates={BUDGET})\nfit\n"
        )


def _range(found: Street) -> str:
    """Return between which offsets the line may lie, where there is a choice."""
    if not found.free:
        return ""
    return (
        f" Its offset is not unique: every w₀ {from_to(found.lowest, found.highest)} costs the "
        f"same, and the line drawn is the middle one."
    )


class MarginExplorer(PointsExplorer):
    """The line, street and support vectors of :func:`linlib.soft_margin` on the points shown.

    >>> explorer = MarginExplorer(penalty=0.001)
    >>> explorer.street.support
    array([ 4,  6, 17])
    """

    kind = MarginState

    def __init__(self, points: str = "apart", *, penalty: float = START) -> None:
        super().__init__(start(MarginState, points, lam=checks.positive(penalty, "penalty")))
