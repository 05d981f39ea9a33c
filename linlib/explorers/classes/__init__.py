"""Explorer 7: three schemes for many classes, and the places where they have no answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from linlib.explorers.classes import learners
from linlib.explorers.classes.learners import MACHINE, PAIRS, REST, SQUARES, STREET
from linlib.explorers.classes.regions import Region, Scheme, area, drawn, lines_of, regions
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice
from linlib.explorers.kit.geometry import FLAT, Look
from linlib.explorers.kit.points import NO_POINTS, PointsExplorer, PointsState, class_of_new_point
from linlib.explorers.kit.sentences import beside, many, mark, say
from linlib.explorers.kit.state import GIVEN, Challenge, Verdict, computed, start
from linlib.multiclass.schemes import LinearMachine
from linlib.notebook.colours import COLOURS, MARKERS

VIEW: scene.View = ((-6.0, 6.0), (-6.0, 6.0))
ALL = "all three"


def right_in_doubt(now: ClassesState) -> Verdict:
    """Judge "a tenth of the square in doubt, pair by pair, and every point right"."""
    if PAIRS not in now.schemes or len(now.schemes[PAIRS].classes) < 3:
        return "three classes must be learned pair by pair.", False
    wrong = int(np.count_nonzero(now.schemes[PAIRS].predict(now.X) != now.y))
    doubt = now.doubt(PAIRS)
    share = f"{beside(100 * doubt, 10, 1, write=say)} %" if doubt > 0.05 else percent(doubt)
    return f"{share} in doubt, {many(wrong, 'point')} wrong.", doubt >= 0.1 and not wrong


class Learned(NamedTuple):
    """The schemes that could be learned with what they claim, and why others could not be."""

    schemes: dict[str, Scheme]
    regions: dict[str, list[Region]]
    troubles: dict[str, str]


LOOKS = {k: Look(MARKERS[k], COLOURS[k], f"class {k}") for k in range(4)}


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassesState(PointsState):
    """Points of several classes, a learner of lines, and the schemes that combine them."""

    name: ClassVar = "Explorer of many classes"
    tasks: ClassVar = (
        "Drag a point, and watch the grey regions where no class wins.",
        "Try other classes: can one scheme leave no place in doubt?",
    )
    challenges: ClassVar = {
        "right in doubt": Challenge(
            "leave a tenth of the square in doubt, pair by pair, with every point right",
            right_in_doubt,
            lambda now: 10 * now.doubt(PAIRS) if PAIRS in now.regions else 0.0,
        )
    }
    presets: ClassVar = {
        "three classes": lambda: learners.blades(3),
        "four classes": lambda: learners.blades(4),
        "in a row": learners.in_a_row,
        "pinwheel": learners.pinwheel,
    }
    first_view: ClassVar = VIEW
    looks: ClassVar[Mapping[int, Look]] = LOOKS
    own_controls: ClassVar = {
        "new_label": class_of_new_point(LOOKS),
        "scheme": Choice("Show", [ALL, REST, PAIRS, MACHINE]),
        "learner": Choice("Learner", [STREET, learners.PERCEPTRON, SQUARES]),
    }

    new_label: int = 0
    scheme: str = ALL
    learner: str = STREET
    # Streets found before, from which the next are found sooner; what is found is the same.
    before: learners.Learners = field(default_factory=learners.Learners, metadata=GIVEN)

    # ---- what follows from it

    @property
    def chosen_schemes(self) -> list[str]:
        """The schemes that are shown, and learned."""
        return [REST, PAIRS, MACHINE] if self.scheme == ALL else [self.scheme]

    @computed("X", "y", "view", "scheme", "learner")
    def learned(self) -> Learned:
        """The schemes shown; one that cannot be learned leaves a sentence instead."""
        found = Learned({}, {}, {})
        if len(set(self.y.tolist())) < 2:
            return found
        for name in self.chosen_schemes:
            try:
                scheme = self.before.scheme(name, self.learner, self.X, self.y)
            except ValueError as error:
                found.troubles[name] = str(error)
            else:
                found.schemes[name] = scheme
                found.regions[name] = regions(scheme, self.view)
        return found

    @property
    def schemes(self) -> dict[str, Scheme]:
        """The schemes that could be learned."""
        return self.learned.schemes

    @property
    def regions(self) -> dict[str, list[Region]]:
        """Of each scheme the pieces of the picture, and who claims them."""
        return self.learned.regions

    @property
    def troubles(self) -> dict[str, str]:
        """Why a scheme could not be learned."""
        return self.learned.troubles

    def share(self, name: str, claimants: Callable[[int], bool]) -> float:
        """Return the share of the picture whose number of claiming classes is as asked."""
        found = [area(r.polygon) for r in self.regions[name] if claimants(len(r.claims))]
        return sum(found) / area(scene.corners(self.view))

    def doubt(self, name: str) -> float:
        """Return the share of the picture that a scheme leaves to no class or to several."""
        return self.share(name, lambda number: number != 1)

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return one picture, or three side by side; points can be moved in all of them."""
        width, size = (206.0, 6.0) if len(self.chosen_schemes) > 1 else (400.0, 8.0)
        made, handles = [], self.handles_of_points(size)
        for k, name in enumerate(self.chosen_schemes):
            shown = self.schemes.get(name)
            found = self.regions.get(name, [])
            pieces = drawn(name, shown, found, self.view, self.looks, self.X) if shown else []
            names = {"xlabel": f"x₁ ({self._verdict(name)})", "ylabel": "x₂" if k == 0 else ""}
            made.append(self.panel_of_points(name, pieces, width, handles=handles, **names))
        return made

    def _verdict(self, name: str) -> str:
        return f"{percent(self.doubt(name))} in doubt" if name in self.schemes else "no answer"

    # ---- what it says

    def sentence(self) -> str:
        """Return how much each scheme leaves in doubt, and what it gets wrong."""
        if not len(self.y):
            return NO_POINTS
        if len(set(self.y.tolist())) < 2:
            name = self.looks[int(self.y[0])].name
            return f"Only {name} has points: a rule needs two classes. Add a point of another one."
        return " ".join(self._in_words(name) for name in self.chosen_schemes)

    def _in_words(self, name: str) -> str:
        title = name.capitalize()
        if name in self.troubles:
            return f"{title} has no answer: {self.troubles[name]}"
        scheme, doubt = self.schemes[name], self.doubt(name)
        rows = int(scheme.ambiguous(self.X).sum())
        left = mark(f"doubt: {name}", percent(doubt))
        points = f"{rows} of {many(len(self.y), 'point')}"
        words = f"{title}: {left} of the square and {points} in doubt"
        if name == REST and doubt:
            none = self.share(name, lambda number: number == 0)
            several = self.share(name, lambda number: number > 1)
            words += f" ({percent(none)} claimed by no class, {percent(several)} by several)"
        wrong = int(np.count_nonzero(scheme.predict(self.X) != self.y))
        words += f", {wrong} wrong."
        return words + self._remarks(name, scheme)

    def _remarks(self, name: str, scheme: Scheme) -> str:
        won = {k for region in self.regions[name] if len(region.claims) == 1 for k in region.claims}
        lost = [f"class {scheme.classes[k]}" for k in range(len(scheme.classes)) if k not in won]
        words = f" No place is left to {' or '.join(lost)} alone." if lost else ""
        if isinstance(scheme, LinearMachine) and not scheme.converged:
            words += f" Its perceptron has not converged within {learners.UPDATES} updates."
        return words

    def python(self) -> str:
        """Return the lines that learn the schemes shown that have an answer."""
        if not self.schemes:
            return self.data_alone()
        lines = (h for scheme in self.schemes.values() for h in lines_of(scheme))
        flat = any(h.norm < FLAT * abs(h.w0) for h in lines)  # no direction, only a sign
        data = self.data_in_python()
        return learners.in_python(data, list(self.schemes), self.learner, flat=flat)


def percent(share: float) -> str:
    """Return a share in words.

    >>> percent(0.1234), percent(0), percent(1e-5)
    ('12.3 %', '0 %', 'under 0.1 %')
    """
    return f"{say(100 * share, 1)} %" if not 0 < share < 5e-4 else "under 0.1 %"


class ClassesExplorer(PointsExplorer):
    """One against the rest, pair by pair, and a linear machine on the same points.

    >>> explorer = ClassesExplorer()
    >>> explorer.doubt("linear machine")
    0.0
    >>> explorer.doubt("pair by pair") < explorer.doubt("one against the rest")
    True
    """

    kind = ClassesState

    def __init__(self, points: str = "three classes") -> None:
        super().__init__(start(ClassesState, points))
