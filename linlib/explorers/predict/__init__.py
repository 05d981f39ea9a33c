"""Predict, then see: commit a line or a place, and only then be shown the truth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.geometry import ROUNDING, difference, side, through
from linlib.explorers.kit.points import PLUS_MINUS
from linlib.explorers.kit.sentences import brief, mark, say, vector
from linlib.notebook.colours import GREEN, GREY


class Predict(Explorer):
    """A question to be answered before its answer is shown; ``truth`` is asked for only then."""

    name = "Prediction"
    state_names: ClassVar[tuple[str, ...]] = ("committed",)
    committed = False
    how = ""

    def __init__(self, question: str, truth: Any, because: str = "") -> None:
        self.question, self.because = question, because
        self._truth: Callable[[], Any] = truth if callable(truth) else lambda: truth
        commit = self.button("Commit", self.commit, "Stand by the prediction and see the truth")
        super().__init__({}, commit, start="")

    def commit(self) -> None:
        """Stand by the prediction, and see the truth."""
        self.act(self._commit)

    def _commit(self) -> None:
        self.check()
        self.committed = True

    def check(self) -> None:
        """Raise if there is nothing to commit yet."""

    def on_choose(self, name: str, value: Any) -> None:
        """Change the prediction, until it is committed."""
        if self.committed:
            raise ValueError("the prediction stands; press Reset to begin again.")

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move the prediction, until it is committed."""
        self.on_choose(id, (x, y))

    @property
    def truth(self) -> Any:
        """What is true."""
        return self._truth()

    def python(self) -> str:
        """Return the question as a comment: its answer is the reader's to find."""
        return f"# {self.question}\n"

    def sentence(self) -> str:
        """Return the question and how to answer, or how far off the answer was."""
        if not self.committed:
            return f"Predict first. {self.question} {self.how}, then press Commit."
        because = f" {self.because}" if self.because else ""
        return f"{self.question} {self.verdict()}{because}"

    def verdict(self) -> str:
        """Return the truth beside the prediction."""
        raise NotImplementedError


class _OnPoints(Predict):
    """A prediction among points in the plane."""

    def __init__(
        self, question: str, X: ArrayLike, y: ArrayLike, truth: Any, *, because: str = ""
    ) -> None:
        self.X = checks.points(X)
        self.y = checks.signs(y, len(self.X))
        if self.X.shape[1] != 2:
            raise ValueError(f"X: has {self.X.shape[1]} features, a picture shows 2; give two.")
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        middle, half = (low + high) / 2, 0.75 * max(float((high - low).max()), 1.0)
        (a, b), (c, d) = ((m - half, m + half) for m in middle.round(2).tolist())
        self.view: scene.View = (a, b), (c, d)
        self.begin(np.array([a, c]), np.array([b - a, d - c]))
        super().__init__(question, truth, because)

    def begin(self, corner: FloatArray, size: FloatArray) -> None:
        """Put the prediction into the picture, away from its middle."""
        raise NotImplementedError

    def panels(self) -> list[scene.Panel]:
        """Return the points, the prediction, and, once it is committed, the truth."""
        drawn = self.drawn()
        for label, look in PLUS_MINUS.items():
            look_of = partial(scene.Marks, marker=look.marker, colour=look.colour, label=look.name)
            rows = self.X[self.y == label]
            drawn.append(look_of(rows, size=7, name=f"points{label:+d}"))
        handles = [] if self.committed else self.grips()
        return [scene.Panel(self.view, drawn, handles, width=360, title="predict, then see")]

    def drawn(self) -> list[scene.Drawable]:
        """Return the prediction and, once it is committed, the truth."""
        raise NotImplementedError

    def grips(self) -> list[scene.Handle]:
        """Return the handles of the prediction."""
        raise NotImplementedError


class PredictLine(_OnPoints):
    """Drag a ghost line by its two ends, commit, and see the true line over it.

    >>> X, y = [[0, 0], [2, 0]], [-1, 1]
    >>> question = PredictLine("Where is the widest street?", X, y, lambda: Hyperplane([1, 0], -1))
    >>> question.move("from", 1, -1)
    >>> question.move("to", 1.2, 1)
    >>> question.commit()
    >>> print(question.text)
    Where is the widest street? Your line is 5.7° off and passes the middle of the points 0.0995 \
from the true one; 0 of 2 points are on another side.
    """

    name = "Predict a line"
    state_names: ClassVar = ("committed", "ends")
    how = "Drag the grey line by its two ends"

    def begin(self, corner: FloatArray, size: FloatArray) -> None:
        """Put the line into the upper left corner."""
        self.ends = (corner + np.array([[0.1, 0.8], [0.3, 0.9]]) * size).round(4)

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move one end of the line."""
        super().on_move(id, x, y)
        ends = self.ends.copy()
        ends[("from", "to").index(id)] = x, y
        self.ends = ends

    @property
    def guess(self) -> Hyperplane:
        """The line through both ends."""
        self.check()
        return through(self.ends)

    def check(self) -> None:
        """Raise if the ends lie on each other."""
        if np.array_equal(*self.ends):
            raise ValueError("both ends of the line lie on each other; drag one away.")

    def drawn(self) -> list[scene.Drawable]:
        """Return the ghost line, and the true one."""
        ghost = partial(scene.line, colour=GREY, dash=scene.DASHED, label="your prediction")
        drawn = [] if np.array_equal(*self.ends) else ghost(self.guess, self.view, name="guess")
        true = partial(scene.line, colour=GREEN, label="the truth", name="truth")
        return drawn + (true(self.truth, self.view) if self.committed else [])

    def grips(self) -> list[scene.Handle]:
        """Return the two ends."""
        named = zip(("from", "to"), ("one", "other"), self.ends, strict=True)
        return [scene.Handle(id, f"{end} end of your line,", at) for id, end, at in named]

    def verdict(self) -> str:
        """Return angle, distance, and the points on which the lines disagree."""
        truth: Hyperplane = self.truth
        degrees, apart = difference(self.guess, truth, self.X.mean(axis=0))
        theirs, mine = side(truth, self.X), side(self.guess, self.X)
        # A line has no direction: take the one in which it agrees more with the truth.
        other = min(int((mine != theirs).sum()), int((-mine != theirs).sum()))
        return (
            f"Your line is {say(degrees, 1)}° off and passes the middle of the points "
            f"{mark('truth', brief(apart))} from the true one; {other} of {len(self.X)} points "
            f"{'is' if other == 1 else 'are'} on another side."
        )


class PredictPoint(_OnPoints):
    """Put a mark where something will be, commit, and see where it is.

    >>> question = PredictPoint("Where is the mean of class +1?", [[0, 0], [2, 2]], [1, 1], (1, 1))
    >>> question.move("guess", 1, 0.5)
    >>> question.commit()
    >>> print(question.text)
    Where is the mean of class +1? It is at (1, 1); your mark at (1, 0.5) is 0.5 away.
    """

    name = "Predict a place"
    state_names: ClassVar = ("committed", "spot")
    how = "Drag the ring to the place"

    def begin(self, corner: FloatArray, size: FloatArray) -> None:
        """Put the mark into the lower left corner."""
        self.spot = (corner + 0.1 * size).round(4)

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move the mark."""
        super().on_move(id, x, y)
        self.spot = np.array([x, y])

    def drawn(self) -> list[scene.Drawable]:
        """Return the mark, once it cannot be moved any more, the true place, and the way to it."""
        if not self.committed:
            return []
        at = checks.vector(self.truth, "truth", 2)
        mine = partial(scene.Marks, marker="D", colour=GREY, size=7, label="your prediction")
        true = partial(scene.Marks, marker="P", colour=GREEN, size=10, label="the truth")
        way = scene.Path([self.spot, at], dash=scene.DOTTED, width=1.6, name="way")
        return [mine([self.spot], name="guess"), way, true([at], name="truth")]

    def grips(self) -> list[scene.Handle]:
        """Return the mark as a handle."""
        return [scene.Handle("guess", "your mark", self.spot)]

    def verdict(self) -> str:
        """Return the true place and its distance."""
        at = checks.vector(self.truth, "truth", 2)
        away = float(np.linalg.norm(at - self.spot))
        away = away if away > ROUNDING * float(np.abs(at).max()) else 0.0
        return (
            f"It is at {mark('truth', vector(at))}; your mark at {vector(self.spot)} is "
            f"{mark('way', brief(away))} away."
        )
