"""Explorer 0: drag a line among real points, and count who is on the wrong side."""

from functools import cache, partial
from typing import ClassVar

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.data import Points, real
from linlib.discriminants.gaussian import fit_lda
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import CHIPS, Choice
from linlib.explorers.kit.explorer import Challenge, Explorer, Verdict
from linlib.explorers.kit.geometry import side, through
from linlib.explorers.kit.sentences import many, out_of
from linlib.margins.certificates import certify

VIEW: scene.View = ((30.0, 61.0), (12.0, 23.0))


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


def judged(one: "LineExplorer") -> Verdict:
    """Judge "nobody wrong", or, where no line can, "fewer errors than LDA"."""
    wrong = len(one.wrong)
    if one.separable:
        who = out_of(wrong, len(one.y), "penguin") if wrong else "nobody is"
        return f"{who} on the wrong side.", wrong == 0
    lda = f"LDA makes {many(one.lda_errors, 'error')}"
    words = f"your line makes {many(wrong, 'error')}, {lda}"
    if wrong < one.lda_errors:
        return f"{words}.", True
    return f"{words}; you need fewer.", False


class LineByEnds(Explorer):
    """A line that is moved by its ends ``"from"`` and ``"to"``."""

    ends: FloatArray

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move one end of the line."""
        ends = self.ends.copy()
        ends[("from", "to").index(id)] = x, y
        self.ends = ends

    @property
    def line(self) -> Hyperplane | None:
        """The line through both ends, or None if they coincide."""
        return None if np.array_equal(*self.ends) else through(self.ends)

    def grips(self, whose: str) -> list[scene.Handle]:
        """Return a handle for each end."""
        named = zip(("from", "to"), ("one", "other"), self.ends, strict=True)
        return [scene.Handle(id, f"{end} end of {whose} line,", at) for id, end, at in named]


class LineExplorer(LineByEnds):
    """Penguins of two species and a line, moved by its ends ``"from"`` and ``"to"``.

    With ``test`` the sentence also counts the errors among the penguins that are not drawn.

    >>> explorer = LineExplorer()
    >>> explorer.move("from", 31, 13)
    >>> explorer.move("to", 60, 22)
    >>> len(explorer.wrong)
    0
    """

    name = "Line explorer"
    state_names: ClassVar = ("ends",)
    display_only: ClassVar = frozenset({"ends", "challenge"})
    tasks: ClassVar = (
        "Drag the line by its ends until nobody is on the wrong side.",
        "Keep dragging: every ringed penguin is on the wrong side.",
    )
    challenges: ClassVar = {
        "sort them": Challenge(
            "sort the penguins with one line", judged, lambda one: 1 - len(one.wrong) / len(one.y)
        )
    }

    def __init__(self, penguins: str = "Adelie and Gentoo", *, test: bool = False) -> None:
        self.test = test
        small = [scene.thumbnail(*make(), scene.CLASS_LOOK) for make in SPECIES.values()]
        self.species = Choice("Penguins", list(SPECIES), penguins, CHIPS, small)
        self.ends = np.array([[34.0, 21.0], [57.0, 21.0]])
        super().__init__({"species": self.species}, start="")

    def refit(self) -> None:
        """Take the chosen species; the certificate and LDA are asked once for each."""
        self.X, self.y = SPECIES[self.species.value]()
        self.others = SPECIES[self.species.value](kept_back=True)
        self.names = dict(zip((-1, 1), self.species.value.split(" and "), strict=True))
        self.separable, self.lda_errors = known(self.species.value)

    @property
    def hyperplane(self) -> Hyperplane | None:
        """The line, with the second species on its positive side; None if the ends coincide."""
        h = self.line
        return h.rescaled(-1) if h and float(side(h, self.X) @ self.y) < 0 else h

    @property
    def wrong(self) -> IntArray:
        """The rows on the wrong side, or on the line itself."""
        h = self.hyperplane
        return np.arange(len(self.y)) if h is None else np.flatnonzero(side(h, self.X) != self.y)

    def task(self) -> str:
        """Return what to do until nobody is wrong, and then."""
        return super().task() if len(self.wrong) else "Nobody is wrong. Try the other penguins."

    def sentence(self) -> str:
        """Return how many are wrong, of those drawn and of those kept back."""
        h = self.hyperplane
        if h is None:
            return "Both ends of the line lie on each other: drag one away."
        if not self.test:
            return self._of_those_drawn()
        X, y = self.others
        missed = int(np.sum(side(h, X) != y))
        return f"{self._of_those_drawn()} Of the {len(y)} kept back it gets {missed} wrong."

    def _of_those_drawn(self) -> str:
        if not len(self.wrong):
            return f"Your line separates all {len(self.y)} penguins: nobody is on the wrong side."
        counts = {label: int(np.sum(self.y[self.wrong] == label)) for label in self.names}
        whose = " and ".join(f"{counts[label]} {self.names[label]}" for label in self.names)
        some = out_of(len(self.wrong), len(self.y), "penguin", name="wrong")
        words = f"{some} on the wrong side of your line: {whose}."
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

    def panels(self) -> list[scene.Panel]:
        """Return the plane of bills, with both sides shaded and the wrong ones ringed."""
        h, drawn = self.hyperplane, list[scene.Drawable]()
        if h is not None:
            drawn += scene.sides(h, VIEW) + scene.line(h, VIEW, label="your line")
        for label, name in self.names.items():
            marker, colour = scene.CLASS_LOOK[label]
            look = partial(scene.Marks, marker=marker, colour=colour, size=6, label=name)
            drawn.append(look(self.X[self.y == label], name=f"points{label:+d}"))
        ring = partial(scene.Ring, size=11, label="wrong side", name="wrong")
        drawn += [ring(self.X[row]) for row in self.wrong] if h is not None else []
        panel = partial(scene.Panel, VIEW, drawn, self.grips("the"), title="bills of penguins")
        panel = partial(panel, xlabel="bill length in mm", ylabel="bill depth in mm")
        return [panel(width=490.0, height=330.0, step=0.2)]
