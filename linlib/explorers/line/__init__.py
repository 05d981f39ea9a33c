"""Explorer 0: drag a line among real points, and count who is on the wrong side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, ClassVar, Self

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.data import Points, real
from linlib.discriminants.gaussian import fit_lda
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import CHIPS, Choice
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.geometry import Look, marks, side, through
from linlib.explorers.kit.rule import Counted, Rule, Slots, Through
from linlib.explorers.kit.sentences import many, out_of
from linlib.explorers.kit.state import (
    GIVEN,
    Challenge,
    Event,
    Move,
    State,
    Verdict,
    computed,
    start,
)
from linlib.margins.certificates import certify

VIEW: scene.View = ((30.0, 61.0), (12.0, 23.0))
NO_LINE = "Both ends of the line lie on each other: drag one away."
LINE: dict[str, Any] = {"name": "line", "label": "your line"}
RING: dict[str, Any] = {"name": "wrong", "label": "wrong side", "size": 11}
CASES = {"0": 0, "1": 1, "many": 2}  # wrong ones that make different sentences


@cache
def penguins(first: int, second: int, start: int, step: int, kept_back: bool = False) -> Points:
    """Return some penguins of two species, or the others: length and depth of the bill in mm."""
    birds = real.load("penguins")
    rows = np.flatnonzero((birds.y == first) | (birds.y == second))
    rows = np.delete(rows, np.s_[start::step]) if kept_back else rows[start::step]
    return Points(birds.X[rows, :2], np.where(birds.y[rows] == second, 1, -1))


SPECIES = {
    "Adelie and Gentoo": partial(penguins, 0, 2, 1, 4),
    "Adelie and Chinstrap": partial(penguins, 0, 1, 0, 3),
}


@cache
def known(species: str) -> tuple[bool, int]:
    """Return whether some line separates two species, and how many errors LDA makes."""
    X, y = SPECIES[species]()
    return certify(X, y).separable, int(np.sum(fit_lda(X, y).predict(X) != y))


def judged(now: LineState) -> Verdict:
    """Judge "nobody wrong", or, where no line can, "fewer errors than LDA"."""
    wrong = len(now.wrong)
    if now.separable:
        who = out_of(wrong, len(now.y), "penguin") if wrong else "nobody is"
        return f"{who} on the wrong side.", wrong == 0
    lda = f"LDA makes {many(now.lda_errors, 'error')}"
    words = f"your line makes {many(wrong, 'error')}, {lda}"
    if wrong < now.lda_errors:
        return f"{words}.", True
    return f"{words}; you need fewer.", False


ENDS = ("from", "to")


@dataclass(frozen=True, kw_only=True, eq=False)
class LineByEnds(State):
    """A line that is moved by its ends ``"from"`` and ``"to"``."""

    by_ends: ClassVar = Through(handles=ENDS)

    ends: FloatArray

    def update(self, event: Event) -> Self:
        """Move one end of the line."""
        match event:
            case Move(id, x, y):
                ends = self.ends.copy()
                ends[ENDS.index(id)] = x, y
                return self.changed(ends=ends)
        return super().update(event)

    @property
    def line(self) -> Hyperplane | None:
        """The line through both ends, or None if they coincide."""
        return None if np.array_equal(*self.ends) else through(self.ends)

    def grips(self, whose: str) -> list[scene.Handle]:
        """Return a handle for each end."""
        named = zip(ENDS, ("one", "other"), self.ends, strict=True)
        return [scene.Handle(id, f"{end} end of {whose} line,", at) for id, end, at in named]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineState(LineByEnds):
    """Penguins of two species, and a line among them."""

    name: ClassVar = "Line explorer"
    tasks: ClassVar = (
        "Drag the line by its ends until nobody is on the wrong side.",
        "Keep dragging: every ringed penguin is on the wrong side.",
    )
    own_controls: ClassVar = {
        "species": Choice(
            "Penguins",
            list(SPECIES),
            CHIPS,
            lambda: [scene.thumbnail(*make(), scene.CLASS_LOOK) for make in SPECIES.values()],
        )
    }
    challenges: ClassVar = {
        "sort them": Challenge(
            "sort the penguins with one line", judged, lambda now: 1 - len(now.wrong) / len(now.y)
        )
    }

    species: str
    test: bool = field(metadata=GIVEN)  # whether those that are not drawn are counted, too

    @property
    def X(self) -> FloatArray:
        """Length and depth of the bills of those drawn."""
        return SPECIES[self.species]().X

    @property
    def y(self) -> IntArray:
        """Their species."""
        return SPECIES[self.species]().y

    @property
    def others(self) -> Points:
        """The penguins that are not drawn."""
        return SPECIES[self.species](kept_back=True)

    @property
    def names(self) -> dict[int, str]:
        """Which species has which label."""
        return dict(zip((-1, 1), self.species.split(" and "), strict=True))

    @property
    def separable(self) -> bool:
        """Whether some line gets all of them right."""
        return known(self.species)[0]

    @property
    def lda_errors(self) -> int:
        """How many LDA gets wrong."""
        return known(self.species)[1]

    @computed("ends", "species")
    def hyperplane(self) -> Hyperplane | None:
        """The line, with the second species on its positive side; None if the ends coincide."""
        h = self.line
        return h.rescaled(-1) if h and float(side(h, self.X) @ self.y) < 0 else h

    @computed("ends", "species")
    def wrong(self) -> IntArray:
        """The rows on the wrong side, or on the line itself."""
        h = self.hyperplane
        return np.arange(len(self.y)) if h is None else np.flatnonzero(side(h, self.X) != self.y)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the plane of bills, with both sides shaded and the wrong ones ringed."""
        h, drawn = self.hyperplane, list[scene.Drawable]()
        if h is not None:
            drawn += scene.sides(h, VIEW) + scene.line(h, VIEW, **LINE)
        looks = {k: Look(*scene.CLASS_LOOK[k], name) for k, name in self.names.items()}
        drawn += marks(self.X, self.y, looks, size=6)
        drawn += [scene.Ring(self.X[row], **RING) for row in self.wrong] if h is not None else []
        panel = partial(scene.Panel, VIEW, drawn, self.grips("the"), title="bills of penguins")
        panel = partial(panel, xlabel="bill length in mm", ylabel="bill depth in mm")
        return [panel(width=490.0, height=330.0, step=0.2, rule=self.rule())]

    def rule(self) -> Rule:
        """Return how sides, rings and sentence follow the line, for the browser."""
        X, y = self.others
        counted = Counted(
            shown={label: f"points{label:+d}" for label in self.names},
            ring=scene.Ring((0, 0), **RING),
            others={label: X[y == label].tolist() for label in self.names if self.test},
        )
        says = {case: self._counted(wrong, Slots()) for case, wrong in CASES.items()}
        return Rule(
            self.by_ends,
            scene.Path((), **LINE),
            sides={sign: scene.shaded(sign) for sign in (1, -1)},
            counted=counted,
            says={"no line": NO_LINE} | says,
        )

    # ---- what it says

    def task(self, *, moved: bool) -> str:
        """Return what to do until nobody is wrong, and then."""
        if len(self.wrong):
            return super().task(moved=moved)
        return "Nobody is wrong. Try the other penguins."

    def sentence(self) -> str:
        """Return how many are wrong, of those drawn and of those kept back."""
        h = self.hyperplane
        if h is None:
            return NO_LINE
        X, y = self.others
        numbers = {"wrong": len(self.wrong), "missed": int(np.sum(side(h, X) != y))}
        for label in self.names:
            numbers[f"wrong{label:+d}"] = int(np.sum(self.y[self.wrong] == label))
        return self._counted(len(self.wrong), {name: str(n) for name, n in numbers.items()})

    def _counted(self, wrong: int, written: Mapping[str, str]) -> str:
        """Return the sentence for so many wrong ones, with the numbers as they are written."""
        words = self._of_those_drawn(wrong, written)
        if not self.test:
            return words
        kept = len(self.others.y)
        return f"{words} Of the {kept} kept back it gets {written['missed']} wrong."

    def _of_those_drawn(self, wrong: int, written: Mapping[str, str]) -> str:
        if not wrong:
            return f"Your line separates all {len(self.y)} penguins: nobody is on the wrong side."
        counts = (f"{written[f'wrong{label:+d}']} {name}" for label, name in self.names.items())
        some = out_of(wrong, len(self.y), "penguin", name="wrong", written=written["wrong"])
        words = f"{some} on the wrong side of your line: {' and '.join(counts)}."
        if self.separable:
            return f"{words} Some line gets all of them right."
        return (
            f"{words} No line gets all of them right; LDA makes {many(self.lda_errors, 'error')}."
        )

    def python(self) -> str:
        """Return the lines that count the errors of this line."""
        X, y, h = self.X.tolist(), self.y.tolist(), self.hyperplane
        if h is None:
            return f"# {self.sentence()}\n"
        return (
            f"import numpy as np\n\nfrom linlib import Hyperplane\n\nX = np.array({X})\n"
            f"y = np.array({y})\nh = Hyperplane({h.w.tolist()}, {h.w0!r})\n"
            f"np.sum(h.predict(X) != y)\n"
        )


class LineExplorer(Explorer):
    """Penguins of two species and a line, moved by its ends ``"from"`` and ``"to"``.

    With ``test`` the sentence also counts the errors among the penguins that are not drawn.

    >>> explorer = LineExplorer()
    >>> explorer.move("from", 31, 13)
    >>> explorer.move("to", 60, 22)
    >>> len(explorer.wrong)
    0
    """

    kind = LineState

    def __init__(self, penguins: str = "Adelie and Gentoo", *, test: bool = False) -> None:
        ends = np.array([[34.0, 21.0], [57.0, 21.0]])
        super().__init__(start(LineState, species=penguins, ends=ends, test=test))
