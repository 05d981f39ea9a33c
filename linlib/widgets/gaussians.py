"""Explorer 6: two Gaussian classes to drag and shape, and the boundaries they imply."""

from __future__ import annotations

from typing import NamedTuple

import ipywidgets
import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.gaussian import LDA, QDA, fit_lda, fit_qda
from linlib.hyperplane import Hyperplane
from linlib.plotting import BLACK, PURPLE
from linlib.widgets import scene
from linlib.widgets.base import Explorer
from linlib.widgets.points import OWN, chooser
from linlib.widgets.scene import Item, say, vector

VIEW: scene.View = ((-5.0, 5.0), (-4.0, 4.0))
SAMPLE, SEED = 200, 7
GRID = (151, 121)  # where QDA's log odds are computed to draw its curve
THINNEST = 0.15  # the shortest semi-axis: no covariance is singular
START = 0.5


class Shape(NamedTuple):
    """A class: its mean, one semi-axis of its ellipse, and the length of the other."""

    mean: tuple[float, float]
    axis: tuple[float, float]
    width: float

    @property
    def axes(self) -> FloatArray:
        """Both semi-axes as columns; ``axes @ axes.T`` is the covariance."""
        x, y = self.axis
        share = self.width / float(np.hypot(x, y))
        return np.array([[x, -share * y], [y, share * x]])

    @property
    def covariance(self) -> FloatArray:
        """The covariance matrix."""
        return np.asarray(self.axes @ self.axes.T)


PRESETS = {
    "different shapes": (Shape((-1.4, -0.8), (1.1, 0.5), 0.6), Shape((1.2, 0.6), (-0.4, 1.0), 0.5)),
    "same shape": (Shape((-1.4, -0.6), (1.2, 0.6), 0.6), Shape((1.4, 0.6), (1.2, 0.6), 0.6)),
    "small in large": (Shape((0.0, 0.0), (1.9, 0.0), 1.6), Shape((0.4, 0.2), (0.6, 0.0), 0.5)),
    "crossed": (Shape((0.0, 0.0), (2.0, 0.0), 0.5), Shape((0.8, 0.6), (0.0, 1.6), 0.5)),
}


class GaussianExplorer(Explorer):
    """Two Gaussian classes, a sample of them, and what LDA and QDA make of that sample.

    The sample's own means and covariances are exactly those of the handles, and the share of class
    1 in it is the prior: what is fitted is what was shaped.

    >>> explorer = GaussianExplorer("same shape")
    >>> bool(np.allclose(explorer.qda.A, 0))
    True
    """

    name = "Explorer of Gaussian classes"

    def __init__(self, classes: str = "different shapes") -> None:
        self.started = checks.choice(classes, "classes", tuple(PRESETS))
        self.preset = chooser("Start with", [*PRESETS, OWN], classes)
        self.prior = ipywidgets.FloatSlider(
            value=START, min=0.05, max=0.95, step=0.05, description="prior of class 1, π₁"
        )
        self.prior.style.description_width = "initial"
        self.prior.layout.width = "360px"
        self._noise = np.random.default_rng(SEED).normal(size=(2, SAMPLE, 2))
        self._load(classes)
        super().__init__(
            self.preset,
            self.prior,
            self.button("Equal shapes", self.equalise, "Give class 1 the shape of class 0"),
            self.button("Reset", self.reset, "Put classes and prior back as they were"),
        )
        self.watch(self.preset, self._load)
        self.watch(self.prior, lambda _: self._learn())

    # ---- the model

    def _load(self, name: str) -> None:
        if name != OWN:
            self.started = name
            self.shapes = PRESETS[name]
            self._learn()

    def _learn(self) -> None:
        """Draw the sample and fit both models to it."""
        self.X, self.y = self._sample()
        self.lda: LDA = fit_lda(self.X, self.y)
        self.qda: QDA = fit_qda(self.X, self.y)
        self.curves = curves(self.qda)

    def _sample(self) -> tuple[FloatArray, IntArray]:
        positive = round(SAMPLE * self.prior.value)
        counts = (SAMPLE - positive, positive)
        clouds = [
            np.array(shape.mean) + _standard(noise[:count]) @ shape.axes.T
            for shape, noise, count in zip(self.shapes, self._noise, counts, strict=True)
        ]
        return np.vstack(clouds), np.repeat([0, 1], counts)

    @property
    def hyperplane(self) -> Hyperplane | None:
        """LDA's line, or None where the means coincide."""
        return None if self.shapes[0].mean == self.shapes[1].mean else self.lda.hyperplane

    @property
    def errors(self) -> tuple[int, int]:
        """How many points of the sample LDA and QDA get wrong."""
        guess = np.full(SAMPLE, int(self.prior.value > 0.5))
        decided = self.lda.predict(self.X) if self.hyperplane else guess
        return int((decided != self.y).sum()), int((self.qda.predict(self.X) != self.y).sum())

    # ---- what the reader does

    def equalise(self) -> None:
        """Give class 1 the shape of class 0."""
        self.act(self._change, 1, self.shapes[0]._replace(mean=self.shapes[1].mean))

    def reset(self) -> None:
        """Put classes and prior back as they were."""
        self.act(self._reset)

    def _reset(self) -> None:
        self.prior.value = START
        self._load(self.started)
        self.preset.value = self.started

    def _change(self, k: int, shape: Shape) -> None:
        first, second = self.shapes
        self.shapes = (shape, second) if k == 0 else (first, shape)
        self.preset.value = OWN
        self._learn()

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move a mean, turn and stretch an ellipse by its axis, or change its width."""
        what, k = id[:-1], int(id[-1])
        shape = self.shapes[k]
        if what == "mean":
            self._change(k, shape._replace(mean=(x, y)))
            return
        reach = np.array([x, y]) - shape.mean
        if what == "axis":
            length = float(np.linalg.norm(reach))
            way = reach / length if length > 0 else np.array(shape.axis) / np.hypot(*shape.axis)
            right, up = (max(length, THINNEST) * way).tolist()
            self._change(k, shape._replace(axis=(right, up)))
        else:
            across = shape.axes[:, 1] / shape.width
            self._change(k, shape._replace(width=max(abs(float(across @ reach)), THINNEST)))

    # ---- what is seen

    def sentence(self) -> str:
        """Return the boundaries and how many points of the sample they get wrong."""
        (zero, one), (line, curve) = self.shapes, self.errors
        words = (
            f"Class 0 around {vector(zero.mean)}, class 1 around {vector(one.mean)} with prior "
            f"{say(self.prior.value)}: of the {SAMPLE} points shown LDA gets {_wrong(line)} wrong, "
            f"QDA {_wrong(curve)}. {self._line_in_words()} {self._curve_in_words()}"
        )
        outside = SAMPLE - int(_inside(self.X).sum())
        lie = "point lies" if outside == 1 else "points lie"
        return words + (f" {outside} {lie} outside the picture." if outside else "")

    def _line_in_words(self) -> str:
        h = self.hyperplane
        if h is None:
            rest = "cannot decide" if self.prior.value == 0.5 else "picks the more frequent class"
            return f"The means coincide: LDA has no line and {rest}."
        seen = "" if scene.line(h, VIEW) else ", which lies outside the picture"
        return f"LDA's line has w = {vector(h.w)} and w₀ = {say(h.w0)}{seen}."

    def _curve_in_words(self) -> str:
        kind = conic(self.qda)
        if kind == "line":
            return "The shapes are equal: QDA draws the same line as LDA."
        seen = "" if self.curves else ", none of it inside the picture"
        article = "an" if kind == "ellipse" else "a"
        return f"QDA's boundary is {article} {kind}{seen}."

    def panels(self) -> list[Item]:
        """Return the sample, both ellipses with their handles, and both boundaries."""
        drawn: list[Item] = []
        for k, label in ((0, -1), (1, 1)):
            marker, colour = scene.CLASS_LOOK[label]
            rows = self.X[(self.y == k) & _inside(self.X)]
            look: Item = {"marker": marker, "colour": colour, "size": 3.2}
            drawn.append(scene.marks(rows, label=f"class {k}", name=f"sample{k}", **look))
            shape = self.shapes[k]
            edge: Item = {"colour": colour, "name": f"ellipse{k}"}
            drawn.append(scene.ellipse(shape.mean, shape.axes, **edge))
        for xy in self.curves:
            look = {"colour": PURPLE, "width": 3.4, "label": "QDA"}
            drawn.append(scene.path(xy, name="qda", **look))
        h = self.hyperplane
        drawn += scene.line(h, VIEW, dash=scene.DASHED, label="LDA", name="lda") if h else []
        title = "one standard deviation: large ring turns, small ring widens"
        return [scene.panel(VIEW, drawn, self._handles(), title=title, width=560, step=0.1)]

    def _handles(self) -> list[Item]:
        """Return the handles of the shapes, then those of the means, which lie on top."""
        handles, means = [], []
        for k, label in ((0, -1), (1, 1)):
            marker, colour = scene.CLASS_LOOK[label]
            shape = self.shapes[k]
            axis, width = (_reachable(shape.mean, column) for column in shape.axes.T)
            rail = shape.axes[:, 1] / shape.width
            name = f"class {k},"
            handles.append(scene.handle(f"axis{k}", f"{name} turning axis,", axis, colour=colour))
            look: Item = {"colour": colour, "size": 5.5, "rail": rail}
            handles.append(scene.handle(f"wide{k}", f"{name} width,", width, **look))
            look = {"marker": marker, "colour": BLACK, "size": 9.0}
            means.append(scene.handle(f"mean{k}", f"{name} mean,", shape.mean, **look))
        return handles + means


def curves(model: QDA) -> list[FloatArray]:
    """Return the pieces of QDA's boundary inside the picture, from its log odds on a grid."""
    across, up = (np.linspace(*limits, number) for limits, number in zip(VIEW, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    odds = model.log_odds(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    pieces = contour_generator(across, up, odds).lines(0.0)
    return [np.asarray(piece) for piece in pieces if len(piece) > 1]


def conic(model: QDA) -> str:
    """Return what kind of curve ``xᵀAx + b·x + c = 0`` is, by the signs of A's eigenvalues."""
    values = np.linalg.eigvalsh(model.A)
    steepest = float(np.abs(np.linalg.inv(model.covariances)).max())
    signs = np.sign(np.where(np.abs(values) < 1e-9 * steepest, 0.0, values))
    if not signs.any():
        return "line"
    return {1: "ellipse", -1: "hyperbola", 0: "parabola"}[int(signs.prod())]


def _standard(noise: FloatArray) -> FloatArray:
    """Return the points moved and sheared so that their mean is 0 and their covariance 1."""
    centred = noise - noise.mean(axis=0)
    L = np.linalg.cholesky(centred.T @ centred / len(centred))
    return np.asarray(np.linalg.solve(L, centred.T).T)


def _inside(X: FloatArray) -> NDArray[np.bool_]:
    (left, right), (low, high) = VIEW
    x, y = X.T
    return np.asarray((x >= left) & (x <= right) & (y >= low) & (y <= high))


def _reachable(mean: tuple[float, float], axis: FloatArray) -> FloatArray:
    """Return an end of the axis inside the picture, or where the axis leaves it."""
    ends = np.array([np.array(mean) + axis, np.array(mean) - axis])
    inside = np.flatnonzero(_inside(ends))
    return ends[inside[0]] if len(inside) else scene.clamp(ends[0], VIEW)


def _wrong(number: int) -> str:
    return f"{number} ({say(100 * number / SAMPLE, 1)} %)"
