"""Explorer 7: three schemes for many classes, and the places where they have no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from linlib import data
from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane
from linlib.least_squares import least_squares
from linlib.multiclass import (
    LinearMachine,
    OneVsOne,
    linear_machine,
    one_vs_one,
    one_vs_rest,
)
from linlib.perceptron import pla
from linlib.plotting import BLACK, COLOURS, GREY, MARKERS
from linlib.soft_margin import soft_margin
from linlib.widgets import scene
from linlib.widgets.points import Look, PointsExplorer, chooser
from linlib.widgets.regions import Region, Scheme, area, borders, regions
from linlib.widgets.scene import Item, say

UPDATES, STEPS = 1000, 500  # budgets of the perceptron and of the widest street
LAM = 1e-3  # small: where a line separates, the street is the widest
FLAT = 1e-9  # a w shorter than this has no direction, only rounding
VIEW: scene.View = ((-6.0, 6.0), (-6.0, 6.0))
INSIDE: scene.View = ((-4.2, 4.2), (-5.2, 5.2))  # where words do not touch the frame
REST, PAIRS, MACHINE = "one against the rest", "pair by pair", "linear machine"
ALL = "all three"
STREET, PERCEPTRON, SQUARES = "widest street", "perceptron", "least squares"
LABELLED = 0.025  # pieces with at least this share of the picture say who claims them


def _blades(number: int) -> data.Points:
    """Return slanted groups around an empty middle, each the first one turned."""
    blade = np.array([[1.6, 3.1], [2.0, 2.3], [2.9, 2.3], [3.1, 1.4], [4.0, 1.3], [4.4, 0.5]])
    angles = 2 * np.pi * np.arange(number) / number
    turns = [[[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]] for t in angles]
    X = np.vstack([blade @ np.array(turn) for turn in turns])
    return data.Points(X.round(4), np.repeat(np.arange(number), len(blade)))


def _in_a_row() -> data.Points:
    return data.three_in_a_row(6, np.random.default_rng(7))


def _pinwheel() -> data.Points:
    X = np.array([[6.0, 0.0], [-1, 2], [-3, 5], [-1, -2], [-3, -5], [2, 0]])
    return data.Points(0.9 * X, np.array([0, 0, 1, 1, 2, 2]))


def sided(weights: FloatArray) -> Hyperplane:
    """Return the rule of ``(w0, w)``; without a direction it says the same all over the picture.

    >>> sided(np.array([-1.0, 0.0, 0.0])).predict([[6, 6], [-6, -6]])
    array([-1., -1.])
    """
    if np.linalg.norm(weights[1:]) >= FLAT:
        return Hyperplane.from_weights(weights)
    if abs(weights[0]) < FLAT:
        raise ValueError("for one of its questions the best weights are all zero.")
    return Hyperplane([FLAT * abs(weights[0]) / 100, 0.0], weights[0])


def settled(machine: LinearMachine) -> LinearMachine:
    """Return the machine with weights that differ only by rounding made equal: they tie."""
    return replace(machine, weights=machine.weights.round(12) + 0.0)


# Each always ends, and ends in weights: none asks for classes that can be separated.
LEARNERS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    STREET: lambda X, y: soft_margin(X, y, penalty=LAM, max_updates=STEPS).weights,
    PERCEPTRON: lambda X, y: pla(X, y, max_updates=UPDATES).weights,
    SQUARES: lambda X, y: least_squares(X, y).weights,
}


class ClassesExplorer(PointsExplorer):
    """One against the rest, pair by pair, and a linear machine on the same points.

    >>> explorer = ClassesExplorer()
    >>> explorer.doubt("linear machine")
    0.0
    >>> explorer.doubt("pair by pair") < explorer.doubt("one against the rest")
    True
    """

    name = "Explorer of many classes"
    presets: ClassVar = {
        "three classes": lambda: _blades(3),
        "four classes": lambda: _blades(4),
        "in a row": _in_a_row,
        "pinwheel": _pinwheel,
    }
    looks: ClassVar = {k: Look(MARKERS[k], COLOURS[k], f"class {k}") for k in range(4)}

    def __init__(self, points: str = "three classes") -> None:
        self.scheme = chooser("Show", [ALL, REST, PAIRS, MACHINE], ALL)
        self.learner = chooser("Learner", list(LEARNERS), STREET)
        super().__init__(points, self.scheme, self.learner)
        self.watch(self.scheme, lambda _: None)
        self.watch(self.learner, lambda _: self.learn())

    def restore(self) -> None:
        """Show all schemes again, learned by the widest street."""
        self.scheme.value, self.learner.value = ALL, STREET

    # ---- the schemes

    def line(self, X: FloatArray, y: FloatArray) -> Hyperplane:
        """Return the rule that the chosen learner finds between two classes."""
        return sided(LEARNERS[self.learner.value](X, y))

    def learn(self) -> None:
        """Learn all three schemes; one that cannot be learned leaves a sentence instead."""
        self.schemes: dict[str, Scheme] = {}
        self.troubles: dict[str, str] = {}
        self.regions: dict[str, list[Region]] = {}
        if len(set(self.y.tolist())) < 2:
            return
        kind = "least_squares" if self.learner.value == SQUARES else "perceptron"
        ways: dict[str, Callable[[], Scheme]] = {
            REST: lambda: one_vs_rest(self.X, self.y, self.line),
            PAIRS: lambda: one_vs_one(self.X, self.y, self.line),
            MACHINE: lambda: settled(
                linear_machine(self.X, self.y, method=kind, max_updates=UPDATES)
            ),
        }
        for name, way in ways.items():
            try:
                self.schemes[name] = way()
            except ValueError as error:
                self.troubles[name] = str(error)
            else:
                self.regions[name] = regions(self.schemes[name], VIEW)

    def share(self, name: str, claimants: Callable[[int], bool]) -> float:
        """Return the share of the picture whose number of claiming classes is as asked."""
        found = [area(r.polygon) for r in self.regions[name] if claimants(len(r.claims))]
        return sum(found) / area(scene.corners(VIEW))

    def doubt(self, name: str) -> float:
        """Return the share of the picture that a scheme leaves to no class or to several."""
        return self.share(name, lambda number: number != 1)

    # ---- what is seen

    def sentence(self) -> str:
        """Return how much each scheme leaves in doubt, and what it gets wrong."""
        if not len(self.y):
            return "There are no points. Click into the picture, or press A in it, to add one."
        if len(set(self.y.tolist())) < 2:
            name = self.looks[int(self.y[0])].name
            return f"Only {name} has points: a rule needs two classes. Add a point of another one."
        shown = [REST, PAIRS, MACHINE] if self.scheme.value == ALL else [self.scheme.value]
        return " ".join(self._in_words(name) for name in shown)

    def _in_words(self, name: str) -> str:
        title = name.capitalize()
        if name in self.troubles:
            return f"{title} has no answer: {self.troubles[name]}"
        scheme, doubt = self.schemes[name], self.doubt(name)
        rows = int(scheme.ambiguous(self.X).sum())
        words = (
            f"{title}: {percent(doubt)} of the square and {rows} of {len(self.y)} points in doubt"
        )
        if name == REST and doubt:
            none, several = (self.share(name, test) for test in (_none, _several))
            words += f" ({percent(none)} claimed by no class, {percent(several)} by several)"
        wrong = int(np.count_nonzero(scheme.predict(self.X) != self.y))
        words += f", {wrong} wrong."
        return words + self._remarks(name, scheme)

    def _remarks(self, name: str, scheme: Scheme) -> str:
        won = {k for region in self.regions[name] if len(region.claims) == 1 for k in region.claims}
        lost = [f"class {scheme.classes[k]}" for k in range(len(scheme.classes)) if k not in won]
        words = f" No place is left to {' or '.join(lost)} alone." if lost else ""
        if isinstance(scheme, LinearMachine) and not scheme.converged:
            words += f" Its perceptron has not converged within {UPDATES} updates."
        return words

    def panels(self) -> list[Item]:
        """Return one picture, or three side by side of which the first has the handles."""
        shown = [REST, PAIRS, MACHINE] if self.scheme.value == ALL else [self.scheme.value]
        width, size = (206.0, 6.0) if len(shown) > 1 else (460.0, 8.0)
        made = []
        for k, name in enumerate(shown):
            drawn = self._regions(name) + self._lines(name)
            handles = self.handles_of_points(size) if k == 0 else []
            drawn += [] if k == 0 else self._points(size)
            drawn += self._notes(name)
            look: Item = {"title": name, "width": width, "adds": k == 0, "step": 0.1}
            look |= {"xlabel": f"x₁ ({self._verdict(name)})", "ylabel": "x₂" if k == 0 else ""}
            made.append(scene.panel(VIEW, drawn, handles, **look))
        return made

    def _points(self, size: float) -> list[Item]:
        return [
            scene.marks(
                self.X[self.y == label],
                marker=self.looks[label].marker,
                colour=self.looks[label].colour,
                size=size - 1.5,
                name=f"points-{label}",
            )
            for label in sorted(set(self.y.tolist()))
        ]

    def _regions(self, name: str) -> list[Item]:
        """Return the tinted regions; those in doubt are grey, the darker for no claim at all."""
        drawn = []
        for region in self.regions.get(name, []):
            if len(region.claims) == 1:
                label = int(self.schemes[name].classes[region.claims[0]])
                look: Item = {"fill": self.looks[label].colour, "name": f"region-{label}"}
            else:
                look = {"fill": BLACK, "opacity": 0.34 if region.claims else 0.5, "name": "doubt"}
            drawn.append(scene.polygon(region.polygon, **look))
        return drawn

    def _lines(self, name: str) -> list[Item]:
        scheme = self.schemes.get(name)
        if scheme is None:
            return []
        if isinstance(scheme, LinearMachine):
            return [
                scene.path(ends, name=f"border-{a}{b}", width=1.8)
                for a, b, ends in borders(scheme, VIEW)
            ]
        drawn = []
        if isinstance(scheme, OneVsOne):
            for (a, b), h in scheme.hyperplanes.items():
                drawn += scene.line(h, VIEW, colour=GREY, width=1.6, name=f"line-{a}{b}")
            return drawn
        for k, h in enumerate(scheme.hyperplanes):
            colour = self.looks[int(scheme.classes[k])].colour
            drawn += scene.line(h, VIEW, colour=colour, name=f"line-{k}")
        return drawn

    def _notes(self, name: str) -> list[Item]:
        """Return who claims the larger pieces in doubt."""
        notes = []
        whole = area(scene.corners(VIEW))
        for region in self.regions.get(name, []):
            if len(region.claims) != 1 and area(region.polygon) > LABELLED * whole:
                classes = [str(self.schemes[name].classes[k]) for k in region.claims]
                look: Item = {"anchor": "middle", "offset": (0, -5), "name": "claim"}
                at = scene.clamp(region.middle, INSIDE)
                notes.append(scene.text(at, " or ".join(classes) or "none", **look))
        return notes

    def _verdict(self, name: str) -> str:
        return f"{percent(self.doubt(name))} in doubt" if name in self.schemes else "no answer"


def _none(number: int) -> bool:
    return number == 0


def _several(number: int) -> bool:
    return number > 1


def percent(share: float) -> str:
    """Return a share in words.

    >>> percent(0.1234), percent(0), percent(1e-5)
    ('12.3 %', '0 %', 'under 0.1 %')
    """
    return f"{say(100 * share, 1)} %" if not 0 < share < 5e-4 else "under 0.1 %"
