"""Explorer 6: two Gaussian classes to drag and shape, and the boundaries they imply."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.discriminants import quadric
from linlib.discriminants.gaussian import LDA, QDA, fit_lda, fit_qda
from linlib.discriminants.quadric import Quadric
from linlib.explorers.gaussians.shapes import (
    PRESETS,
    SAMPLE,
    VIEW,
    Shape,
    Shapes,
    in_python,
    meets,
    sample,
    tinted,
    traced,
)
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Slider
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.sentences import brief, many, mark, rounded, say, vector
from linlib.explorers.kit.state import (
    OWN,
    Challenge,
    Event,
    Move,
    Press,
    State,
    Verdict,
    computed,
    start,
)
from linlib.notebook.colours import BLACK, PURPLE

START = 0.5
EQUAL = "Equal shapes"

KINDS = {
    quadric.ELLIPSE: "an ellipse",
    quadric.HYPERBOLA: "a hyperbola",
    quadric.PARABOLA: "a parabola",
    quadric.LINE: "a line",
    quadric.CROSSING: "two lines that cross",
    quadric.PARALLEL: "two parallel lines",
    quadric.DOUBLE: "one line, touched and not crossed",
    quadric.POINT: "a single point",
}


def roundness(curve: Quadric) -> float:
    """Return how much a curve bends one way beside the other way: 0 for a parabola."""
    bends = np.abs(curve.bends)
    return float(bends.min() / bends.max()) if bends.max() > 0 else 0.0


def parabola(curve: Quadric) -> Verdict:
    """Judge "make QDA's boundary a parabola"."""
    share = roundness(curve)
    if curve.kind == quadric.PARABOLA:
        return "it is a parabola: the log odds curve in one direction only.", True
    if share == 0:
        return f"{now_is(curve)}, not a parabola.", False
    words = f"the log odds curve {brief(share)} times as much in one direction as in the other"
    return f"{now_is(curve)}: {words}; for a parabola this is 0.", False


def now_is(curve: Quadric) -> str:
    """Return what the boundary is, as the beginning of a sentence."""
    if curve.kind == quadric.EVERYWHERE:
        return "the classes are equal, and the boundary is everywhere"
    if curve.kind == quadric.NONE:
        return "there is no boundary"
    return f"it is {KINDS[curve.kind]}"


class Sample(NamedTuple):
    """Points of both classes, and what is fitted to them."""

    X: FloatArray
    y: IntArray
    lda: LDA
    qda: QDA
    curve: Quadric


@dataclass(frozen=True, kw_only=True, eq=False)
class GaussianState(State):
    """Two classes, each with its mean and the axes of its ellipse, and how frequent class 1 is."""

    name: ClassVar = "Explorer of Gaussian classes"
    presets: ClassVar = PRESETS
    preset_label: ClassVar = "Start with"
    tasks: ClassVar = (
        "Drag a class by its black mark.",
        "Turn an ellipse by its large ring, widen it by its small one.",
    )
    own_controls: ClassVar = {"prior": Slider("prior of class 1, π₁", 0.05, 0.95, 0.05)}
    buttons: ClassVar = (scene.Button(EQUAL, "Give class 1 the shape of class 0"),)
    challenges: ClassVar = {
        "a parabola": Challenge(
            "make QDA's boundary a parabola",
            lambda now: parabola(now.curve),
            lambda now: 1 - roundness(now.curve),
        ),
        "no boundary": Challenge(
            "let QDA have no boundary at all",
            lambda now: (f"{now_is(now.curve)}.", now.curve.kind == quadric.NONE),
        ),
    }

    shapes: Shapes = PRESETS["different shapes"]
    prior: float = START

    # ---- what follows from it

    @computed("shapes", "prior")
    def sample(self) -> Sample:
        """The sample, and both models fitted to it."""
        X, y = sample(self.shapes, self.positive)
        qda = fit_qda(X, y)
        return Sample(X, y, fit_lda(X, y), qda, quadric.boundary(qda))

    @property
    def X(self) -> FloatArray:
        """The points of the sample."""
        return self.sample.X

    @property
    def y(self) -> IntArray:
        """Their classes, 0 or 1."""
        return self.sample.y

    @property
    def lda(self) -> LDA:
        """What LDA makes of the sample."""
        return self.sample.lda

    @property
    def qda(self) -> QDA:
        """What QDA makes of the sample."""
        return self.sample.qda

    @property
    def curve(self) -> Quadric:
        """QDA's boundary."""
        return self.sample.curve

    @property
    def positive(self) -> int:
        """How many points of the sample have class 1: the prior times their number."""
        return round(SAMPLE * float(self.prior))

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

    # ---- what may be done

    @classmethod
    def thumbnail(cls, preset: str) -> scene.Thumbnail:
        """Return a sample of a preset, small."""
        X, y = sample(PRESETS[preset], SAMPLE // 2)
        return scene.thumbnail(X[::5], 2 * y[::5] - 1, scene.CLASS_LOOK)

    def with_preset(self, preset: str) -> Self:
        """Return the state with the shapes of a preset."""
        return self.changed(preset=preset, shapes=PRESETS[preset])

    def update(self, event: Event) -> Self:
        """Move a mean, turn and stretch an ellipse by its axis, or change its width."""
        match event:
            case Move(id, x, y):
                what, k = id[:-1], int(id[-1])
                return self._with_shape(k, _moved(self.shapes[k], what, (x, y)))
            case Press(label) if label == EQUAL:
                first, second = self.shapes
                return self._with_shape(1, first._replace(mean=second.mean))
        return super().update(event)

    def _with_shape(self, k: int, shape: Shape) -> Self:
        first, second = self.shapes
        shapes = (shape, second) if k == 0 else (first, shape)
        return self.changed(shapes=shapes, preset=OWN)

    def from_plain(self, name: str, value: Any) -> Any:
        """Return a field from its plain form: of the shapes, both."""
        if name != "shapes":
            return super().from_plain(name, value)
        first, second = (Shape(tuple(mean), tuple(axis), width) for mean, axis, width in value)
        return first, second

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the sample, both ellipses with their handles, and both boundaries."""
        tint = partial(scene.polygon, opacity=0.1)
        drawn: list[scene.Drawable] = [
            tint(xy, fill=scene.CLASS_LOOK[2 * k - 1][1], name=f"side{k}")
            for k, xy in tinted(self.curve)
        ]
        for k, label in ((0, -1), (1, 1)):
            marker, colour = scene.CLASS_LOOK[label]
            rows = scene.inside(self.X[self.y == k], VIEW)
            dots = partial(scene.Marks, marker=marker, colour=colour, size=3.2)
            drawn.append(dots(rows, label=f"class {k}", name=f"sample{k}"))
            shape = self.shapes[k]
            drawn.append(scene.ellipse(shape.mean, shape.axes, colour=colour, name=f"ellipse{k}"))
        for xy in traced(self.curve):
            if len(xy) == 1:
                lone = partial(scene.Marks, size=4, colour=PURPLE, label="QDA", name="qda")
                drawn.append(lone(scene.inside(xy, VIEW)))
            else:
                curve = partial(scene.Path, width=3.4, colour=PURPLE, label="QDA", name="qda")
                drawn.append(curve(xy))
        h = self.hyperplane
        drawn += scene.line(h, VIEW, dash=scene.DASHED, label="LDA", name="lda") if h else []
        title = "ellipses of one standard deviation"
        return [scene.Panel(VIEW, drawn, self._handles(), title=title, width=500, step=0.1)]

    def _handles(self) -> list[scene.Handle]:
        """Return the handles of the shapes, then those of the means, which lie on top."""
        handles, means = [], []
        for k, label in ((0, -1), (1, 1)):
            marker, colour = scene.CLASS_LOOK[label]
            shape = self.shapes[k]
            axis, width = (_reachable(shape.mean, column) for column in shape.axes.T)
            name = f"class {k},"
            handles.append(scene.Handle(f"axis{k}", f"{name} turning axis,", axis, colour=colour))
            small = partial(scene.Handle, colour=colour, size=5.5, rail=shape.across)
            handles.append(small(f"wide{k}", f"{name} width,", width))
            black = partial(scene.Handle, marker=marker, colour=BLACK, size=9.0)
            means.append(black(f"mean{k}", f"{name} mean,", shape.mean))
        return handles + means

    # ---- what it says

    def sentence(self) -> str:
        """Return the boundaries and how many points of the sample they get wrong."""
        (zero, one), (line, curve) = self.shapes, self.errors
        words = (
            f"Class 0 around {mark('mean0', vector(zero.mean))}, class 1 around "
            f"{mark('mean1', vector(one.mean))} with prior {say(self.positive / SAMPLE)}: of the "
            f"{SAMPLE} points LDA gets {_wrong(line)} wrong, QDA {_wrong(curve)}. "
            f"{self._line_in_words()} {self._curve_in_words()}"
        )
        outside = SAMPLE - len(scene.inside(self.X, VIEW))
        if not outside:
            return words
        lie = "lies" if outside == 1 else "lie"
        return f"{words} {many(outside, 'point')} {lie} outside the picture."

    def _line_in_words(self) -> str:
        h = self.hyperplane
        if h is None:
            even = 2 * self.positive == SAMPLE
            rest = "cannot decide: it says class 0" if even else "picks the more frequent class"
            return f"The means coincide: LDA has no line and {rest}."
        seen = "" if scene.line(h, VIEW) else ", which lies outside the picture"
        terms = float((np.abs(self.lda.means) @ np.abs(h.w)).max())
        w = mark("lda", f"{vector(h.w)} and w₀ = {rounded(h.w0, of=terms)}")
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

    def python(self) -> str:
        """Return the lines that fit both models to classes of these means and shapes."""
        line = "lda.hyperplane, " if self.hyperplane else ""
        return (
            "import numpy as np\n\nfrom linlib import fit_lda, fit_qda\n"
            "from linlib.discriminants.quadric import boundary\n\n"
            f"{in_python(self.shapes, self.positive)}"
            f"lda, qda = fit_lda(X, y), fit_qda(X, y)\n{line}boundary(qda).kind\n"
        )


def _moved(shape: Shape, what: str, to: tuple[float, float]) -> Shape:
    """Return a shape with its mean, its axis or its width moved to a place."""
    reach = np.array(to) - shape.mean
    if what == "mean":
        return shape._replace(mean=to)
    return shape.turned(reach) if what == "axis" else shape.widened(reach)


def _reachable(mean: tuple[float, float], axis: FloatArray) -> FloatArray:
    """Return an end of the axis inside the picture, or where the axis leaves it."""
    ends = np.array([np.array(mean) + axis, np.array(mean) - axis])
    seen = scene.inside(ends, VIEW)
    return seen[0] if len(seen) else scene.clamp(ends[0], VIEW)


def _wrong(number: int) -> str:
    return f"{number} ({say(100 * number / SAMPLE, 1)} %)"


class GaussianExplorer(Explorer):
    """Two Gaussian classes, a sample of them, and what LDA and QDA make of that sample.

    The sample's own means and covariances are exactly those of the handles, and the share of class
    1 in it is the prior: what is fitted is what was shaped.

    >>> explorer = GaussianExplorer("same shape")
    >>> bool(np.allclose(explorer.qda.A, 0)), explorer.curve.kind
    (True, 'line')
    """

    kind = GaussianState

    def __init__(self, classes: str = "different shapes") -> None:
        super().__init__(start(GaussianState, classes))

    def equalise(self) -> None:
        """Give class 1 the shape of class 0."""
        self.act(Press(EQUAL))
