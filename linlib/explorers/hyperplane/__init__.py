"""Explorer 1: drag the normal vector, the offset and a point of one linear rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.geometry import DIGITS, side
from linlib.explorers.kit.rule import Measured, Normal, Rule, Slots
from linlib.explorers.kit.sentences import beside, mark, plain, rounded, say, vector
from linlib.explorers.kit.state import Challenge, Event, Move, State, Verdict, start
from linlib.notebook.colours import BLACK, GREEN, GREY, PURPLE

VIEW: scene.View = ((-5.0, 5.0), (-4.0, 4.0))
ROUNDING = 1e-9  # of a score; two that differ do so by 1e-8, since places have four decimals
NEITHER = ("D", GREY)  # how the point looks on the line, and without one
SIDES = {1: "on the positive side", -1: "on the negative side", 0: "on the line itself"}
NO_LINE = (
    "w is the zero vector: it points nowhere, so there is no line and no side. "
    "Drag the tip of w away from the origin."
)
# Between which places the browser draws what follows a handle.
BOUND = {
    "normal": ("origin", "normal"),
    "shift": ("origin", "base"),
    "distance": ("point", "foot"),
    "foot": ("foot",),
    "way": ("base", "point"),
    "name of x": ("point",),
    "name of w": ("normal",),
}
ASIDE = 1.6  # how far from w the offset's handle sits, so that the two never lie on each other


def measured(h: Hyperplane, point: FloatArray) -> tuple[int, float, float]:
    """Return side, score and signed distance of a point; on the line itself all are exactly 0."""
    where = int(side(h, point))
    if where == 0:
        return 0, 0.0, 0.0
    return where, float(h.score(point)), float(h.distance(point))


def sure_but_near(h: Hyperplane | None, point: FloatArray) -> Verdict:
    """Judge "a score of 5 or more, at most 1 from the line"."""
    if h is None:
        return "there must be a line.", False
    _, score, distance = measured(h, point)
    in_digits = partial(beside, digits=2, write=rounded)
    words = f"the score is {in_digits(score, 5)}, the distance {in_digits(distance, 1)}."
    return words, score > 5 - ROUNDING and distance < 1 + ROUNDING


def in_degrees(angle: float) -> str:
    """Return an angle in whole degrees; it is called a right angle only if it is one."""
    return beside(angle, 90, 0, write=say)


@dataclass(frozen=True, kw_only=True, eq=False)
class HyperplaneState(State):
    """The normal vector and the offset of a line, and a point that is measured by it."""

    name: ClassVar = "Hyperplane explorer"
    tasks: ClassVar = (
        "Drag the point x across the line.",
        "Turn w by its tip, and move the line by the purple ring.",
    )
    challenges: ClassVar = {
        "sure but near": Challenge(
            "give x a score of 5 or more, at most 1 from the line",
            lambda now: sure_but_near(now.hyperplane, now.point),
            lambda now: float(np.linalg.norm(now.w)) / 5,
        )
    }

    w: FloatArray
    w0: float
    point: FloatArray

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The rule as it is now, or None while ``w`` is zero."""
        return Hyperplane(self.w, self.w0) if self.w.any() else None

    def update(self, event: Event) -> Self:
        """Move the tip of w, the line (it then passes through the place), or the point."""
        match event:
            case Move("normal", x, y):
                return self.changed(w=np.array([x, y]))
            case Move("offset", x, y):
                # A product of two places has twice their decimals; the rest would be rounding.
                return self.changed(w0=round(-float(self.w @ [x, y]), 2 * DIGITS) + 0.0)
            case Move(_, x, y):
                return self.changed(point=np.array([x, y]))
        return super().update(event)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the plane with both sides shaded, and all that is measured in it."""
        h = self.hyperplane
        (marker, colour), foot = NEITHER, np.zeros(2)
        drawables: list[scene.Drawable] = []
        handles: list[scene.Handle] = []
        if h is not None:
            marker, colour = scene.CLASS_LOOK.get(int(side(h, self.point)), NEITHER)
            foot = h.project(self.point)
            drawables += self._drawables(h)
            handles.append(self._offset_handle(h))
        tip = scene.Handle("normal", "tip of w", self.w)
        dot = scene.Handle("point", "point x", self.point, marker=marker, colour=colour)
        drawables.append(_beyond(self.point, self.point - foot, "x"))
        drawables.append(scene.Arrow([0, 0], self.w, name="normal"))
        drawables.append(_beyond(self.w, self.w, "w"))
        look = partial(scene.Panel, title="w · x + w₀ = 0 and its two sides", width=500.0)
        return [look(VIEW, drawables, [tip, *handles, dot], step=0.1, rule=self.rule())]

    def _offset_handle(self, h: Hyperplane) -> scene.Handle:
        along = np.array([h.w[1], -h.w[0]]) / h.norm
        at = scene.clamp(h.project([0.0, 0.0]) + ASIDE * along, VIEW)
        return scene.Handle("offset", "offset of the line", at, colour=PURPLE, rail=h.w / h.norm)

    def _drawables(self, h: Hyperplane) -> list[scene.Drawable]:
        base, foot = h.project([0.0, 0.0]), h.project(self.point)
        drawn = scene.sides(h, VIEW)
        drawn += scene.line(h, VIEW)
        shift = partial(scene.Path, colour=PURPLE, width=8, alpha=0.4, name="shift")
        drawn.append(shift([np.zeros(2), base], label="shift −w₀/‖w‖"))
        drawn.append(scene.Marks([[0, 0]], size=4, colour=BLACK, name="origin"))
        drawn.append(
            scene.Path(
                [self.point, foot], colour=GREEN, width=3, name="distance", label="signed distance"
            )
        )
        drawn += _right_angle(h, self.point, foot, 0.25)
        drawn.append(scene.Marks([foot], size=4.5, colour=GREEN, name="foot"))
        value = rounded(float(h.distance(self.point))) if int(side(h, self.point)) else "0"
        # The right angle is on the other side.
        aside = 0.5 * np.array([h.w[1], -h.w[0]]) / h.norm
        words = partial(scene.Text, colour=GREEN, offset=(0, -5), anchor="middle", name="value")
        drawn.append(words((self.point + foot) / 2 + aside, value))
        return drawn + self._angle_arc(h, base)

    def _angle_arc(self, h: Hyperplane, base: FloatArray) -> list[scene.Drawable]:
        angle = self._angle(h)
        if angle is None:
            return []
        grey = partial(scene.Path, colour=GREY, width=1.6)
        turn = float(np.sign(h.w[0] * (self.point - base)[1] - h.w[1] * (self.point - base)[0]))
        first = np.arctan2(h.w[1], h.w[0])
        t = first + turn * np.radians(np.linspace(0, angle, 40))
        arc = base + 0.7 * np.column_stack([np.cos(t), np.sin(t)])
        middle = base + 1.1 * np.array([np.cos(t[20]), np.sin(t[20])])
        words = partial(scene.Text, colour=GREY, offset=(0, -5), anchor="middle")
        return [
            words(middle, f"{in_degrees(angle)}°", name="angle-value"),
            grey([base, self.point], dash=scene.DOTTED, name="way"),
            grey(arc, label="angle to w", name="angle"),
        ]

    # ---- what it says

    def sentence(self) -> str:
        """Return side, distance, projection and angle in words."""
        h = self.hyperplane
        if h is None:
            return NO_LINE
        shift, angle = -h.w0 / h.norm + 0.0, self._angle(h)
        where, score, distance = measured(h, self.point)
        numbers = {
            "w": vector(h.w),
            "w0": rounded(h.w0),
            "shift": rounded(shift),
            "point": vector(self.point),
            "side": SIDES[where],
            "score": rounded(score),
            "distance": rounded(distance),
            "foot": vector(h.project(self.point)),
        }
        if angle is not None:
            numbers["angle"] = in_degrees(angle)
        return self._measured(numbers, angle=angle is not None, seen=bool(scene.line(h, VIEW)))

    def _measured(self, written: Mapping[str, str], *, angle: bool, seen: bool) -> str:
        """Return the sentence, with the numbers as they are written."""
        words = (
            f"w = {mark('normal', written['w'])} and w₀ = {written['w0']}: the line is shifted by "
            f"{mark('shift', written['shift'])} along w. "
            f"The point {mark('point', written['point'])} is {written['side']}: "
            f"score {written['score']}, signed distance "
            f"{mark('distance', written['distance'])}, "
            f"projection {mark('foot', written['foot'])}"
        )
        words += f", angle to w {mark('angle', written['angle'])}°." if angle else "."
        return words if seen else f"{words} The line lies outside the picture."

    def rule(self) -> Rule:
        """Return how line, sides and sentence follow the handles, for the browser."""
        looks = {where: scene.CLASS_LOOK.get(where, NEITHER) for where in SIDES}
        says = {
            "no line": NO_LINE,
            "line": self._measured(Slots(), angle=True, seen=True),
            "outside": self._measured(Slots(), angle=True, seen=False),
        }
        return Rule(
            Normal(tip="normal", w0=self.w0, offset="offset", aside=ASIDE),
            scene.Path((), name="line"),
            sides={sign: scene.shaded(sign) for sign in (1, -1)},
            measured=Measured(point="point", looks=looks, sides=SIDES),
            bound=BOUND,
            waits=("right-angle", "value", "angle-value", "angle"),
            says=says,
        )

    def _angle(self, h: Hyperplane) -> float | None:
        """Return degrees between w and the way to x from the boundary point nearest the origin.

        Its cosine has the sign of the score. None where that way has no direction.
        """
        way = self.point - h.project([0.0, 0.0])
        length = float(np.linalg.norm(way))
        if length < 1e-9:
            return None
        _, _, distance = measured(h, self.point)
        return float(np.degrees(np.arccos(np.clip(distance / length, -1.0, 1.0))))

    def python(self) -> str:
        """Return the lines that measure the point."""
        if self.hyperplane is None:
            return f"# {plain(self.sentence())}\n"
        w, point = (np.asarray(part).tolist() for part in (self.w, self.point))
        return (
            f"from linlib import Hyperplane\n\nh = Hyperplane({w}, {self.w0!r})\npoint = {point}\n"
            f"h.score(point), h.distance(point), h.project(point)\n"
        )


def _beyond(at: FloatArray, way: FloatArray, words: str) -> scene.Drawable:
    """Return words a little farther than a place, in the direction of ``way``."""
    length = float(np.linalg.norm(way))
    right, up = 24 * way / length if length > 1e-9 else np.array([0.0, 24.0])
    offset = (float(right), float(up) - 5)
    return scene.Text(at, words, offset=offset, anchor="middle", name=f"name of {words}")


def _right_angle(
    h: Hyperplane, point: FloatArray, foot: FloatArray, size: float
) -> list[scene.Drawable]:
    """Return the little square at the foot, unless the point is too near the line for it."""
    reach = point - foot
    length = float(np.linalg.norm(reach))
    if length < 2 * size:
        return []
    up, along = size * reach / length, size * np.array([-h.w[1], h.w[0]]) / h.norm
    square = [foot + up, foot + up + along, foot + along]
    return [scene.Path(square, colour=GREEN, width=1.6, name="right-angle")]


class HyperplaneExplorer(Explorer):
    """One rule ``w · x + w0``: handles ``"normal"``, ``"offset"`` and ``"point"`` can be moved.

    >>> explorer = HyperplaneExplorer()
    >>> explorer.move("point", 2, 2)
    >>> explorer.hyperplane.score(explorer.point)
    array(3.)
    """

    kind = HyperplaneState

    def __init__(
        self, w: ArrayLike = (2.0, 1.0), w0: float = -3.0, point: ArrayLike = (-2.0, 2.0)
    ) -> None:
        first = start(
            HyperplaneState,
            w=scene.clamp(checks.vector(w, "w", 2), VIEW),
            w0=checks.real(w0, "w0"),
            point=scene.clamp(checks.vector(point, "point", 2), VIEW),
        )
        super().__init__(first)
