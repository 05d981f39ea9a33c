"""Explorer 6: two Gaussian classes to drag and shape, and the boundaries they imply."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import ipywidgets
import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

from linlib import quadric
from linlib.checks import FloatArray, IntArray
from linlib.discriminants import LDA, QDA
from linlib.gaussian import fit_lda, fit_qda
from linlib.hyperplane import Hyperplane
from linlib.plotting import BLACK, PURPLE
from linlib.quadric import Quadric
from linlib.widgets import scene
from linlib.widgets.base import Challenge, Explorer
from linlib.widgets.scene import Item, mark, rounded, say, vector

VIEW: scene.View = ((-5.0, 5.0), (-4.0, 4.0))
SAMPLE, SEED = 200, 7
FAR = 60.0  # a curve whose centre is farther away is drawn from its log odds on a grid
GRID = (151, 121)
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


def _parabola(explorer: GaussianExplorer) -> tuple[str, bool]:
    """Judge "make QDA's boundary a parabola"."""
    kind = explorer.curve.kind
    bends = np.abs(explorer.curve.bends)
    straight = float(bends.min() / bends.max()) if bends.max() > 0 else 0.0
    words = f"it is {KINDS[kind]}; its bends are as 1 to {scene.brief(straight)}, wanted 1 to 0."
    return words, kind == quadric.PARABOLA


def _no_boundary(explorer: GaussianExplorer) -> tuple[str, bool]:
    """Judge "let QDA have no boundary at all"."""
    return f"it is {KINDS[explorer.curve.kind]}.", explorer.curve.kind == quadric.NONE


KINDS = {
    quadric.ELLIPSE: "an ellipse",
    quadric.HYPERBOLA: "a hyperbola",
    quadric.PARABOLA: "a parabola",
    quadric.LINE: "a line",
    quadric.CROSSING: "two lines that cross",
    quadric.PARALLEL: "two parallel lines",
    quadric.DOUBLE: "one line, touched and not crossed",
    quadric.POINT: "a single point",
    quadric.NONE: "nowhere",
    quadric.EVERYWHERE: "everywhere",
}


class GaussianExplorer(Explorer):
    """Two Gaussian classes, a sample of them, and what LDA and QDA make of that sample.

    The sample's own means and covariances are exactly those of the handles, and the share of class
    1 in it is the prior: what is fitted is what was shaped.

    >>> explorer = GaussianExplorer("same shape")
    >>> bool(np.allclose(explorer.qda.A, 0)), explorer.curve.kind
    (True, 'line')
    """

    name = "Explorer of Gaussian classes"
    kept: ClassVar = ("shapes",)
    seen_only: ClassVar = frozenset({"preset", "challenge"})
    presets: ClassVar = PRESETS
    preset_label = "Start with"
    challenges: ClassVar = {
        "a parabola": Challenge("make QDA's boundary a parabola", _parabola),
        "no boundary": Challenge("let QDA have no boundary at all", _no_boundary),
    }
    shapes: tuple[Shape, Shape]

    def __init__(self, classes: str = "different shapes") -> None:
        self.prior = ipywidgets.FloatSlider(
            value=START, min=0.05, max=0.95, step=0.05, description="prior of class 1, π₁"
        )
        self.prior.style.description_width = "initial"
        self.prior.layout.width = "360px"
        self._noise = np.random.default_rng(SEED).normal(size=(2, SAMPLE, 2))
        equal = self.button("Equal shapes", self.equalise, "Give class 1 the shape of class 0")
        super().__init__({"prior": self.prior}, equal, start=classes)

    # ---- the model

    def load(self, preset: str) -> None:
        """Show a preset."""
        self.shapes = PRESETS[preset]

    def thaw(self, name: str, value: Any) -> Any:
        """Return both shapes from their plain form."""
        first, second = (Shape(tuple(mean), tuple(axis), width) for mean, axis, width in value)
        return first, second

    def refit(self) -> None:
        """Draw the sample and fit both models to it."""
        self.X, self.y = self._sample()
        self.lda: LDA = fit_lda(self.X, self.y)
        self.qda: QDA = fit_qda(self.X, self.y)
        self.curve: Quadric = quadric.boundary(self.qda)

    @property
    def positive(self) -> int:
        """How many points of the sample have class 1: the prior times their number."""
        return round(SAMPLE * float(self.prior.value))

    def _sample(self) -> tuple[FloatArray, IntArray]:
        counts = (SAMPLE - self.positive, self.positive)
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
        guess = np.full(SAMPLE, int(2 * self.positive > SAMPLE))
        line = self.lda.predict(self.X) if self.hyperplane else guess
        plane = self.curve.kind in (quadric.NONE, quadric.EVERYWHERE)
        curve = np.full(SAMPLE, int(self.curve.sign > 0)) if plane else self.qda.predict(self.X)
        return int((line != self.y).sum()), int((curve != self.y).sum())

    def python(self) -> str:
        """Return the lines that fit both models to classes of these means and shapes."""
        means, axes = (
            [np.asarray(part).tolist() for part in parts]
            for parts in ([s.mean for s in self.shapes], [s.axes for s in self.shapes])
        )
        line = "lda.hyperplane, " if self.hyperplane else ""
        return (
            "import numpy as np\n\nfrom linlib import fit_lda, fit_qda\nfrom linlib.quadric import "
            f"boundary\n\nrng = np.random.default_rng({SEED})\nX, y = [], []\n"
            f"for k, (mean, axes, count) in enumerate(\n    zip({means},\n        "
            f"{axes},\n        {[SAMPLE - self.positive, self.positive]})\n):\n"
            f"    noise = rng.normal(size=({SAMPLE}, 2))[:count]\n"
            "    noise = noise - noise.mean(axis=0)\n"
            "    L = np.linalg.cholesky(noise.T @ noise / count)\n"
            "    X += (mean + np.linalg.solve(L, noise.T).T @ np.transpose(axes)).tolist()\n"
            "    y += [k] * count\n"
            f"lda, qda = fit_lda(X, y), fit_qda(X, y)\n{line}boundary(qda).kind\n"
        )

    # ---- what the reader does

    def equalise(self) -> None:
        """Give class 1 the shape of class 0."""
        self.act(self._change, 1, self.shapes[0]._replace(mean=self.shapes[1].mean))

    def _change(self, k: int, shape: Shape) -> None:
        first, second = self.shapes
        self.shapes = (shape, second) if k == 0 else (first, shape)
        self.owned()

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
            f"Class 0 around {mark('mean0', vector(zero.mean))}, class 1 around "
            f"{mark('mean1', vector(one.mean))} with prior {say(self.positive / SAMPLE)}: of the "
            f"{SAMPLE} points LDA gets {_wrong(line)} wrong, QDA {_wrong(curve)}. "
            f"{self._line_in_words()} {self._curve_in_words()}"
        )
        outside = SAMPLE - int(_inside(self.X).sum())
        lie = "point lies" if outside == 1 else "points lie"
        return words + (f" {outside} {lie} outside the picture." if outside else "")

    def _line_in_words(self) -> str:
        h = self.hyperplane
        if h is None:
            even = 2 * self.positive == SAMPLE
            rest = "cannot decide: it says class 0" if even else "picks the more frequent class"
            return f"The means coincide: LDA has no line and {rest}."
        seen = "" if scene.line(h, VIEW) else ", which lies outside the picture"
        w = mark("lda", f"{vector(h.w)} and w₀ = {rounded(h.w0)}")
        return f"LDA's line has w = {w}{seen}."

    def _curve_in_words(self) -> str:
        kind = self.curve.kind
        if kind == quadric.NONE:
            always = int(self.curve.sign > 0)
            return f"QDA has no boundary: class {always} is likelier everywhere."
        if kind == quadric.EVERYWHERE:
            return "The classes are equal: QDA cannot decide anywhere and says class 0."
        if kind == quadric.LINE:
            return "The shapes are equal: QDA draws the same line as LDA."
        seen = "" if meets(self.curve) else ", none of it inside the picture"
        return f"QDA's boundary is {mark('qda', KINDS[kind])}{seen}."

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
        for xy in traced(self.curve):
            look = {"colour": PURPLE, "label": "QDA", "name": "qda"}
            if len(xy) == 1:
                drawn.append(scene.marks(xy[_inside(xy)], size=4, **look))
            for piece in _near(xy):
                drawn.append(scene.path(piece, width=3.4, **look))
        h = self.hyperplane
        drawn += scene.line(h, VIEW, dash=scene.DASHED, label="LDA", name="lda") if h else []
        title = "ellipses of one standard deviation"
        return [scene.panel(VIEW, drawn, self._handles(), title=title, width=500, step=0.1)]

    def hint(self) -> str:
        """Return what each handle does, and how to move it."""
        does = "Black marks move a class, a large ring turns and stretches its ellipse, a small"
        return f"{does} ring makes it wider. {super().hint()}"

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


def meets(curve: Quadric) -> bool:
    """Tell whether any of a curve lies inside the picture.

    Along an edge of the picture the left side is a parabola in one number: its roots are where the
    curve crosses. A curve that crosses no edge is inside as a whole or not at all.
    """
    corners = scene.corners(VIEW)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        low, half, high = (curve.value(start + t * (end - start)) for t in (0.0, 0.5, 1.0))
        if min(low, half, high) <= 0 <= max(low, half, high):
            return True
        bend, slope = 2 * (low - 2 * half + high), 4 * half - 3 * low - high
        top = -slope / (2 * bend) if bend else -1.0
        if 0 < top < 1 and (low + slope * top / 2) * low <= 0:
            return True
    if curve.kind not in (quadric.ELLIPSE, quadric.POINT):
        return False  # the others reach beyond every frame
    end = np.sqrt(max(-curve.level / curve.bends[0], 0.0))
    return bool(_inside((curve.origin + end * curve.axes[:, 0])[None])[0])


def traced(curve: Quadric) -> list[FloatArray]:
    """Return the curve in and around the picture: by its formula, or, if it is large, on a grid."""
    away = float(np.linalg.norm(curve.origin))
    steps = np.abs(curve.bends[curve.bends != 0])
    size = float(np.sqrt(abs(curve.level) / steps.min())) if len(steps) else 0.0
    if away + size < FAR or curve.kind in (quadric.LINE, quadric.PARALLEL, quadric.DOUBLE):
        return quadric.trace(curve, away + 20.0, spots=361)
    across, up = (np.linspace(*limits, number) for limits, number in zip(VIEW, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    t = (grid - curve.origin) @ curve.axes
    heights = t**2 @ curve.bends + t @ curve.slopes + curve.level
    return [np.asarray(part) for part in contour_generator(across, up, heights).lines(0.0)]


def _near(xy: FloatArray) -> list[FloatArray]:
    """Return the pieces of a curve in or near the picture: the rest is cut off by its frame."""
    (left, right), (low, high) = VIEW
    room = 0.5 * (right - left)
    x, y = xy.T
    seen = (x > left - room) & (x < right + room) & (y > low - room) & (y < high + room)
    cuts = np.flatnonzero(np.diff(seen.astype(int))) + 1
    parts = np.split(np.arange(len(xy)), cuts)
    return [xy[part] for part in parts if seen[part[0]] and len(part) > 1]


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
