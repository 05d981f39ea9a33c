"""Three schemes for many classes: the points to try them on, and the ways to learn their lines."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linlib import data
from linlib.base.checks import FloatArray, IntArray
from linlib.base.hyperplane import Hyperplane
from linlib.descent.linear_regression import least_squares
from linlib.explorers.classes.regions import Scheme
from linlib.explorers.kit.geometry import FLAT
from linlib.margins.linear_svm import soft_margin
from linlib.multiclass.schemes import LinearMachine, linear_machine, one_vs_one, one_vs_rest
from linlib.perceptron.algorithm import pla

UPDATES, STEPS = 300, 500  # budgets of the perceptron and of the widest street
LAM = 1e-3  # small: where a line separates, the street is the widest
NEAR = 1e-5  # how exactly: less than a pixel
KEPT = 20  # streets of questions that were asked before
REST, PAIRS, MACHINE = "one against the rest", "pair by pair", "linear machine"
STREET, PERCEPTRON, SQUARES = "widest street", "perceptron", "least squares"


def blades(number: int) -> data.Points:
    """Return slanted groups around an empty middle, each the first one turned."""
    blade = np.array([[1.6, 3.1], [2.0, 2.3], [2.9, 2.3], [3.1, 1.4], [4.0, 1.3], [4.4, 0.5]])
    angles = 2 * np.pi * np.arange(number) / number
    turns = [[[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]] for t in angles]
    X = np.vstack([blade @ np.array(turn) for turn in turns])
    return data.Points(X.round(4), np.repeat(np.arange(number), len(blade)))


def in_a_row() -> data.Points:
    """Return three classes one beside the other."""
    return data.three_in_a_row(6, np.random.default_rng(7))


def pinwheel() -> data.Points:
    """Return three classes of two points each."""
    X = np.array([[-2.0, -2.0], [9, -2], [2, -1], [-3, 9], [0, 2], [-6, -7]])
    return data.Points((0.6 * X).round(4), np.array([0, 0, 1, 1, 2, 2]))


def rule_from_weights(weights: FloatArray) -> Hyperplane:
    """Return the rule of ``(w0, w)``; without a direction it says the same all over the picture.

    >>> rule_from_weights(np.array([-1.0, 0.0, 0.0])).predict([[6, 6], [-6, -6]])
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
        self._known: dict[tuple[bytes, bytes], FloatArray] = {}  # points, labels → street

    def street(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the widest street; moving a point leaves those of the other pairs as they were."""
        question = X.tobytes(), y.tobytes()
        known = self._known.pop(question, None)
        if known is None:
            known = soft_margin(X, y, penalty=LAM, tolerance=NEAR, max_updates=STEPS).weights
        self._known = {question: known, **dict(list(self._known.items())[: KEPT - 1])}
        return known

    def line(self, learner: str, X: FloatArray, y: FloatArray) -> Hyperplane:
        """Return the rule that a learner finds between two classes."""
        if learner == STREET:
            return rule_from_weights(self.street(X, y))
        fit = pla(X, y, max_updates=UPDATES) if learner == PERCEPTRON else least_squares(X, y)
        return rule_from_weights(fit.weights)

    def scheme(self, name: str, learner: str, X: FloatArray, y: IntArray) -> Scheme:
        """Return a scheme whose lines a learner finds, or, of the machine, its own method."""
        method = "least_squares" if learner == SQUARES else "perceptron"
        ways: dict[str, Callable[[], Scheme]] = {
            REST: lambda: one_vs_rest(X, y, lambda X, y: self.line(learner, X, y)),
            PAIRS: lambda: one_vs_one(X, y, lambda X, y: self.line(learner, X, y)),
            MACHINE: lambda: settled(linear_machine(X, y, learner=method, max_updates=UPDATES)),
        }
        return ways[name]()


def in_python(data: str, names: list[str], learner: str, *, flat: bool) -> str:
    """Return the lines that learn schemes from data; ``flat`` if a line has no direction."""
    method = "least_squares" if learner == SQUARES else "perceptron"
    name, options = {
        STREET: ("soft_margin", f", penalty={LAM}, tolerance={NEAR}, max_updates={STEPS}"),
        PERCEPTRON: ("pla", f", max_updates={UPDATES}"),
        SQUARES: ("least_squares", ""),
    }[learner]
    learn, more = f"{name}(X, y{options})", ""
    if flat:
        more = "# Where w is zero the offset alone decides.\n"
        more += "from linlib.explorers.classes.learners import rule_from_weights\n\n"
        learn = f"rule_from_weights({learn}.weights)"
    learn = "least_squares" if learn == "least_squares(X, y)" else f"lambda X, y: {learn}"
    lines = {
        REST: "one_vs_rest(X, y, learn)",
        PAIRS: "one_vs_one(X, y, learn)",
        MACHINE: f"linear_machine(X, y, learner={method!r}, max_updates={UPDATES})",
    }
    schemes = ", ".join(lines[scheme] for scheme in names)
    return (
        f"from linlib import linear_machine, one_vs_one, one_vs_rest, {name}\n{data}"
        f"{more}learn = {learn}\nschemes = [{schemes}]\n"
        "[int((scheme.predict(X) != y).sum()) for scheme in schemes]\n"
    )
