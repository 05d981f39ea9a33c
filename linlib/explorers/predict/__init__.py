"""Predict, then see: commit a line, and only then be shown the true one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.explorers.kit import scene
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.geometry import difference, marks, side
from linlib.explorers.kit.points import PLUS_MINUS
from linlib.explorers.kit.rule import Rule
from linlib.explorers.kit.sentences import brief, mark, out_of, rounded
from linlib.explorers.kit.state import GIVEN, Event, Move, Press, start
from linlib.explorers.line import LineByEnds
from linlib.notebook.colours import GREEN, GREY

GHOST: dict[str, Any] = {
    "name": "guess",
    "label": "your prediction",
    "colour": GREY,
    "dash": scene.DASHED,
}


HOW = "Drag the grey line by its two ends, then press Commit."
COMMIT = "Commit"
AWAY = np.array([[0.1, 0.8], [0.3, 0.9]])  # shares of the view, where the line begins: upper left


@dataclass(frozen=True, kw_only=True, eq=False)
class Prediction(LineByEnds):
    """A question, the line with which the reader answers it, and whether it is committed."""

    name: ClassVar = "Predict a line"
    buttons: ClassVar = (scene.Button(COMMIT, "Stand by the prediction and see the truth"),)

    committed: bool = False
    question: str = field(metadata=GIVEN)
    X: FloatArray = field(metadata=GIVEN)
    y: IntArray = field(metadata=GIVEN)
    view: scene.View = field(metadata=GIVEN)
    truth: Callable[[], Hyperplane] = field(metadata=GIVEN)
    because: str = field(metadata=GIVEN)

    def update(self, event: Event) -> Self:
        """Move an end of the line until it is committed."""
        match event:
            case Move() if self.committed:
                raise ValueError("the prediction stands; press Reset to begin again.")
            case Press("Commit") if self.line is None:
                raise ValueError("both ends of the line lie on each other; drag one away.")
            case Press("Commit"):
                return self.changed(committed=True)
        return super().update(event)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the points, the ghost line, and, once it is committed, the true one."""
        drawn = scene.line(self.line, self.view, **GHOST) if self.line else []
        if self.committed:
            true = partial(scene.line, colour=GREEN, label="the truth", name="truth")
            drawn += true(self.truth(), self.view)
        drawn += marks(self.X, self.y, PLUS_MINUS, size=7)
        handles = [] if self.committed else self.grips("your")
        rule = None if self.committed else Rule(self.by_ends, scene.Path((), **GHOST))
        panel = partial(scene.Panel, self.view, drawn, handles, rule=rule)
        return [panel(width=360, title="predict, then see")]

    # ---- what it says

    def task(self, *, moved: bool) -> str:
        """Return how to answer, or how to begin again."""
        return "Press Reset to try again." if self.committed else HOW

    def sentence(self) -> str:
        """Return the question and how to answer, or how far off the answer was."""
        if not (self.committed and self.line):
            return f"Predict first. {self.question} {HOW}"
        because = f" {self.because}" if self.because else ""
        return f"{self.question} {self._verdict(self.line)}{because}"

    def _verdict(self, guess: Hyperplane) -> str:
        """Return angle, distance, and the points on which the lines disagree."""
        truth = self.truth()
        degrees, apart = difference(guess, truth, self.X.mean(axis=0))
        theirs, mine = side(truth, self.X), side(guess, self.X)
        # A line has no direction: take the one in which it agrees more with the truth.
        other = min(int((mine != theirs).sum()), int((-mine != theirs).sum()))
        return (
            f"Your line is {rounded(degrees, 1)}° off and passes the middle of the points "
            f"{mark('truth', brief(apart))} from the true one; "
            f"{out_of(other, len(self.X), 'point')} on another side."
        )

    def python(self) -> str:
        """Return the question as a comment: its answer is the reader's to find."""
        return f"# {self.question}\n"


class PredictLine(Explorer):
    """Drag a ghost line by its two ends, commit, and see the true line over it.

    ``truth`` is asked for only then.

    >>> X, y = [[0, 0], [2, 0]], [-1, 1]
    >>> question = PredictLine("Where is the widest street?", X, y, lambda: Hyperplane([1, 0], -1))
    >>> question.move("from", 1, -1)
    >>> question.move("to", 1.2, 1)
    >>> question.commit()
    >>> print(question.text)
    Where is the widest street? Your line is 5.7° off and passes the middle of the points 0.0995 \
from the true one; 0 of 2 points are on another side.
    """

    kind = Prediction

    def __init__(
        self,
        question: str,
        X: ArrayLike,
        y: ArrayLike,
        truth: Callable[[], Hyperplane],
        *,
        because: str = "",
    ) -> None:
        spots = checks.points(X)
        labels = checks.signs(y, len(spots))
        if spots.shape[1] != 2:
            raise ValueError(f"X: has {spots.shape[1]} features, a picture shows 2; give two.")
        view = (left, right), (low, high) = scene.square(spots, room=0.75, least=0.75, digits=2)
        ends = (np.array([left, low]) + AWAY * [right - left, high - low]).round(4)
        first = start(
            Prediction,
            ends=ends,
            question=question,
            X=spots,
            y=labels,
            view=view,
            truth=truth,
            because=because,
        )
        super().__init__(first)

    def commit(self) -> None:
        """Stand by the prediction, and see the truth."""
        self.act(Press(COMMIT))
