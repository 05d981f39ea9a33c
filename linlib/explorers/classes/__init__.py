"""Explorer 7: three schemes for many classes, and the places where they have no answer."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from linlib.explorers.classes import learners
from linlib.explorers.classes.learners import MACHINE, PAIRS, REST, SQUARES, STREET
from linlib.explorers.classes.regions import Region, Scheme, area, drawn, lines_of, regions
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import Choice
from linlib.explorers.kit.explorer import Challenge, Verdict
from linlib.explorers.kit.geometry import FLAT, Look
from linlib.explorers.kit.points import NO_POINTS, PointsExplorer
from linlib.explorers.kit.sentences import beside, many, mark, say
from linlib.multiclass.schemes import LinearMachine
from linlib.notebook.colours import COLOURS, MARKERS

VIEW: scene.View = ((-6.0, 6.0), (-6.0, 6.0))
ALL = "all three"


def right_in_doubt(one: "ClassesExplorer") -> Verdict:
    """Judge "a tenth of the square in doubt, pair by pair, and every point right"."""
    if PAIRS not in one.schemes or len(one.schemes[PAIRS].classes) < 3:
        return "three classes must be learned pair by pair.", False
    wrong = int(np.count_nonzero(one.schemes[PAIRS].predict(one.X) != one.y))
    doubt = one.doubt(PAIRS)
    share = f"{beside(100 * doubt, 10, 1, write=say)} %" if doubt > 0.05 else percent(doubt)
    return f"{share} in doubt, {many(wrong, 'point')} wrong.", doubt >= 0.1 and not wrong


class ClassesExplorer(PointsExplorer):
    """One against the rest, pair by pair, and a linear machine on the same points.

    >>> explorer = ClassesExplorer()
    >>> explorer.doubt("linear machine")
    0.0
    >>> explorer.doubt("pair by pair") < explorer.doubt("one against the rest")
    True
    """

    name = "Explorer of many classes"
    tasks: ClassVar = (
        "Drag a point, and watch the grey regions where no class wins.",
        "Try other classes: can one scheme leave no place in doubt?",
    )
    challenges: ClassVar = {
        "right in doubt": Challenge(
            "leave a tenth of the square in doubt, pair by pair, with every point right",
            right_in_doubt,
            lambda one: 10 * one.doubt(PAIRS) if PAIRS in one.regions else 0.0,
        )
    }
    presets: ClassVar = {
        "three classes": lambda: learners.blades(3),
        "four classes": lambda: learners.blades(4),
        "in a row": learners.in_a_row,
        "pinwheel": learners.pinwheel,
    }
    first_view = VIEW
    looks: ClassVar = {k: Look(MARKERS[k], COLOURS[k], f"class {k}") for k in range(4)}

    def __init__(self, points: str = "three classes") -> None:
        self.scheme = Choice("Show", [ALL, REST, PAIRS, MACHINE], ALL)
        self.learner = Choice("Learner", [STREET, learners.PERCEPTRON, SQUARES], STREET)
        self._learners = learners.Learners()
        super().__init__(points, {"scheme": self.scheme, "learner": self.learner})

    @property
    def chosen_schemes(self) -> list[str]:
        """The schemes that are shown, and learned."""
        return [REST, PAIRS, MACHINE] if self.scheme.value == ALL else [self.scheme.value]

    def python(self) -> str:
        """Return the lines that learn the schemes shown that have an answer."""
        if not self.schemes:
            return self.data_alone()
        lines = (h for scheme in self.schemes.values() for h in lines_of(scheme))
        flat = any(h.norm < FLAT * abs(h.w0) for h in lines)  # no direction, only a sign
        data = self.data_in_python()
        return learners.in_python(data, list(self.schemes), self.learner.value, flat=flat)

    def refit(self) -> None:
        """Learn the schemes shown; one that cannot be learned leaves a sentence instead."""
        self.schemes: dict[str, Scheme] = {}
        self.troubles: dict[str, str] = {}
        self.regions: dict[str, list[Region]] = {}
        if len(set(self.y.tolist())) < 2:
            return
        for name in self.chosen_schemes:
            try:
                learned = self._learners.scheme(name, self.learner.value, self.X, self.y)
            except ValueError as error:
                self.troubles[name] = str(error)
            else:
                self.schemes[name], self.regions[name] = learned, regions(learned, self.view)

    def share(self, name: str, claimants: Callable[[int], bool]) -> float:
        """Return the share of the picture whose number of claiming classes is as asked."""
        found = [area(r.polygon) for r in self.regions[name] if claimants(len(r.claims))]
        return sum(found) / area(scene.corners(self.view))

    def doubt(self, name: str) -> float:
        """Return the share of the picture that a scheme leaves to no class or to several."""
        return self.share(name, lambda number: number != 1)

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


def percent(share: float) -> str:
    """Return a share in words.

    >>> percent(0.1234), percent(0), percent(1e-5)
    ('12.3 %', '0 %', 'under 0.1 %')
    """
    return f"{say(100 * share, 1)} %" if not 0 < share < 5e-4 else "under 0.1 %"
