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
from linlib.multiclass import linear_machine, one_vs_one, one_vs_rest
from linlib.perceptron import pla
from linlib.plotting import BLACK, COLOURS, GREY, MARKERS
from linlib.schemes import LinearMachine, OneVsOne
from linlib.soft_margin import soft_margin
from linlib.widgets import scene
from linlib.widgets.clouds import FLAT
from linlib.widgets.controls import chooser
from linlib.widgets.hulls import Look
from linlib.widgets.points import NO_POINTS, PointsExplorer
from linlib.widgets.regions import Region, Scheme, area, borders, regions
from linlib.widgets.scene import Item, mark, say

UPDATES, STEPS = 300, 500  # budgets of the perceptron and of the widest street
LAM = 1e-3  # small: where a line separates, the street is the widest
NEAR = 1e-5  # how exactly: less than a pixel
VIEW: scene.View = ((-6.0, 6.0), (-6.0, 6.0))
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
    X = np.array([[-2.0, -2.0], [9, -2], [2, -1], [-3, 9], [0, 2], [-6, -7]])
    return data.Points((0.6 * X).round(4), np.array([0, 0, 1, 1, 2, 2]))


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


class Learners:
    """The ways to learn one line. Each always ends, and in weights, whatever the classes."""

    def __init__(self) -> None:
        self._before: dict[bytes, FloatArray] = {}  # multipliers, by the labels they belong to

    def street(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the widest street, found from where it was before a point was moved."""
        key = y.tobytes()
        start = self._before.get(key)
        fit = soft_margin(X, y, penalty=LAM, tolerance=NEAR, max_updates=STEPS, start=start)
        if len(self._before) > 50:
            self._before.clear()
        self._before[key] = fit.multipliers
        return fit.weights

    def perceptron(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the perceptron's last weights."""
        return pla(X, y, max_updates=UPDATES).weights

    def squares(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the least-squares weights."""
        return least_squares(X, y).weights


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
        self.learner = chooser("Learner", [STREET, PERCEPTRON, SQUARES], STREET)
        self._learners = Learners()
        super().__init__(points, {"scheme": self.scheme, "learner": self.learner})

    def load(self, preset: str) -> None:
        """Show a preset."""
        self.take(self.presets[preset](), VIEW)

    @property
    def shown(self) -> list[str]:
        """The schemes that are shown, and learned."""
        return [REST, PAIRS, MACHINE] if self.scheme.value == ALL else [self.scheme.value]

    def python(self) -> str:
        """Return the lines that learn the schemes shown that have an answer."""
        if not self.schemes:
            return self.data_alone()
        kind = "least_squares" if self.learner.value == SQUARES else "perceptron"
        options = f"penalty={LAM}, tolerance={NEAR}, max_updates={STEPS}"
        learn = {
            STREET: f"lambda X, y: soft_margin(X, y, {options})",
            PERCEPTRON: f"lambda X, y: pla(X, y, max_updates={UPDATES})",
            SQUARES: "least_squares" if not self._flat else "lambda X, y: least_squares(X, y)",
        }[self.learner.value]
        more = ""
        if self._flat:
            more = "# Where w is zero the offset alone decides.\n"
            more += "from linlib.widgets.classes import sided\n\n"
            learn = learn.replace("X, y: ", "X, y: sided(") + ".weights)"
        lines = {
            REST: "one_vs_rest(X, y, learn)",
            PAIRS: "one_vs_one(X, y, learn)",
            MACHINE: f"linear_machine(X, y, method={kind!r}, max_updates={UPDATES})",
        }
        names = {STREET: "soft_margin", PERCEPTRON: "pla", SQUARES: "least_squares"}
        return (
            "from linlib import linear_machine, one_vs_one, one_vs_rest, "
            f"{names[self.learner.value]}\n{self.data_in_python()}{more}learn = {learn}\n"
            f"schemes = [{', '.join(lines[name] for name in self.schemes)}]\n"
            "[int((scheme.predict(X) != y).sum()) for scheme in schemes]\n"
        )

    # ---- the schemes

    @property
    def _flat(self) -> bool:
        """Whether some line has no direction, only a sign."""
        lines = [
            h
            for scheme in self.schemes.values()
            if not isinstance(scheme, LinearMachine)
            for h in (
                scheme.hyperplanes.values() if isinstance(scheme, OneVsOne) else scheme.hyperplanes
            )
        ]
        return any(h.norm < FLAT * abs(h.w0) for h in lines)

    def line(self, X: FloatArray, y: FloatArray) -> Hyperplane:
        """Return the rule that the chosen learner finds between two classes."""
        learners = self._learners
        ways = {STREET: learners.street, PERCEPTRON: learners.perceptron, SQUARES: learners.squares}
        return sided(ways[self.learner.value](X, y))

    def refit(self) -> None:
        """Learn the schemes shown; one that cannot be learned leaves a sentence instead."""
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
        for name in self.shown:
            try:
                self.schemes[name] = ways[name]()
            except ValueError as error:
                self.troubles[name] = str(error)
            else:
                self.regions[name] = regions(self.schemes[name], self.view)

    def share(self, name: str, claimants: Callable[[int], bool]) -> float:
        """Return the share of the picture whose number of claiming classes is as asked."""
        found = [area(r.polygon) for r in self.regions[name] if claimants(len(r.claims))]
        return sum(found) / area(scene.corners(self.view))

    def doubt(self, name: str) -> float:
        """Return the share of the picture that a scheme leaves to no class or to several."""
        return self.share(name, lambda number: number != 1)

    # ---- what is seen

    def sentence(self) -> str:
        """Return how much each scheme leaves in doubt, and what it gets wrong."""
        if not len(self.y):
            return NO_POINTS
        if len(set(self.y.tolist())) < 2:
            name = self.looks[int(self.y[0])].name
            return f"Only {name} has points: a rule needs two classes. Add a point of another one."
        return " ".join(self._in_words(name) for name in self.shown)

    def _in_words(self, name: str) -> str:
        title = name.capitalize()
        if name in self.troubles:
            return f"{title} has no answer: {self.troubles[name]}"
        scheme, doubt = self.schemes[name], self.doubt(name)
        rows = int(scheme.ambiguous(self.X).sum())
        left = mark(_doubt(name), percent(doubt))
        words = f"{title}: {left} of the square and {rows} of {len(self.y)} points in doubt"
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
        """Return one picture, or three side by side; points can be moved in all of them."""
        width, size = (206.0, 6.0) if len(self.shown) > 1 else (400.0, 8.0)
        made, handles = [], self.handles_of_points(size)
        for k, name in enumerate(self.shown):
            drawn = self._regions(name) + self._lines(name) + self._notes(name)
            look: Item = {"title": name, "width": width, "adds": True, "step": self.step_of_keys}
            look |= {"xlabel": f"x₁ ({self._verdict(name)})", "ylabel": "x₂" if k == 0 else ""}
            made.append(scene.panel(self.view, drawn, handles, **look))
        return made

    def _regions(self, name: str) -> list[Item]:
        """Return the tinted regions; those in doubt are grey, the darker for no claim at all."""
        drawn = []
        for region in self.regions.get(name, []):
            if len(region.claims) == 1:
                label = int(self.schemes[name].classes[region.claims[0]])
                look: Item = {"fill": self.looks[label].colour, "name": f"region-{label}"}
            else:
                look = {
                    "fill": BLACK,
                    "opacity": 0.34 if region.claims else 0.5,
                    "name": _doubt(name),
                }
            drawn.append(scene.polygon(region.polygon, **look))
        return drawn

    def _lines(self, name: str) -> list[Item]:
        scheme = self.schemes.get(name)
        if scheme is None:
            return []
        if isinstance(scheme, LinearMachine):
            return [
                scene.path(ends, name=f"border-{a}{b}", width=1.8)
                for a, b, ends in borders(scheme, self.view)
            ]
        drawn = []
        if isinstance(scheme, OneVsOne):
            for (a, b), h in scheme.hyperplanes.items():
                drawn += scene.line(h, self.view, colour=GREY, width=1.6, name=f"line-{a}{b}")
            return drawn
        for k, h in enumerate(scheme.hyperplanes):
            colour = self.looks[int(scheme.classes[k])].colour
            drawn += scene.line(h, self.view, colour=colour, name=f"line-{k}")
        return drawn

    def _notes(self, name: str) -> list[Item]:
        """Return who claims the larger pieces in doubt, written where no point is."""
        notes = []
        whole = area(scene.corners(self.view))
        for region in self.regions.get(name, []):
            if len(region.claims) != 1 and area(region.polygon) > LABELLED * whole:
                classes = [str(self.schemes[name].classes[k]) for k in region.claims]
                look: Item = {"anchor": "middle", "offset": (0, -5), "name": "claim"}
                notes.append(scene.text(self._room(region), " or ".join(classes) or "none", **look))
        return notes

    def _room(self, region: Region) -> FloatArray:
        """Return a place inside a region, away from its points and from the frame."""
        (left, right), (low, high) = self.view
        inner = (
            (0.85 * left + 0.15 * right, 0.15 * left + 0.85 * right),
            (0.93 * low + 0.07 * high, 0.07 * low + 0.93 * high),
        )
        ways = region.polygon - region.middle
        spots = [region.middle, *(region.middle + t * way for t in (0.3, 0.55) for way in ways)]
        places = np.array([scene.clamp(spot, inner) for spot in spots])
        gaps = np.linalg.norm(places[:, None] - self.X[None], axis=2).min(axis=1)
        # The middle is best unless a point is near it.
        gaps[0] += 0.08 * (right - left)
        return np.asarray(places[int(gaps.argmax())])

    def _verdict(self, name: str) -> str:
        return f"{percent(self.doubt(name))} in doubt" if name in self.schemes else "no answer"


def _doubt(name: str) -> str:
    """Return the name of what a scheme leaves in doubt."""
    return f"doubt: {name}"


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
