"""Slips planted by program into every line of every derivation of the course, and what came of it.

    python -m tests.helpers.planted

prints how many change a value, how many of these are noticed, and each that is not.
"""

import ast
import importlib
import pkgutil

import numpy as np

from linlib.derivations import Derivation, course
from linlib.derivations.expressions import same
from linlib.derivations.slips import slips

COURSE = {
    f"{module.name}.{name}": thing
    for module in pkgutil.iter_modules(course.__path__)
    for name, thing in vars(
        importlib.import_module(f"linlib.derivations.course.{module.name}")
    ).items()
    if isinstance(thing, Derivation)
}
LINES = [(name, number) for name, one in COURSE.items() for number in range(1, len(one.lines) + 1)]

FEW = 6  # points at which most slips show themselves already
# A slip at an open end of a chain of inequalities can leave every line true: a first line that is
# smaller, or a last one that is larger. Then the lines say less, and what they say is right.
OPEN_ENDS = {
    ("descent.shrinking_squeeze", 1),
    ("descent.shrinking_squeeze", 4),
    ("convergence.squeeze", 1),
    ("convergence.squeeze", 4),
    ("hyperplanes.nearest", 4),
}


def ranks(derivation):
    """Return for each name whether it is a number, a vector or a matrix."""
    return {name: np.ndim(value) for name, value in derivation.points[0].items()}


def planted(name, number):
    """Return the slips in a line that change a value: all, and those that nobody notices."""
    derivation = COURSE[name]
    hidden = derivation.line_values[number - 1]
    changing, passed = [], []
    for slip in slips(derivation.trees[number - 1], ranks(derivation)):
        trees = list(derivation.trees)
        trees[number - 1] = slip.formula
        text = ast.unparse(ast.fix_missing_locations(slip.formula))
        few = derivation.points[:FEW]
        if is_noticed(derivation, number, trees, few):
            changing.append(text)
            continue
        wrong = derivation.values(slip.formula)
        if all(map(same, wrong, hidden)) and not derivation.is_slack(number, slip.formula):
            continue  # another way to write the line
        changing.append(text)
        if not is_noticed(derivation, number, trees):
            passed.append(text)
    return changing, passed


def is_noticed(derivation, number, trees, points=None):
    """Tell whether lines, one of them changed, are refused: at these points, or at all.

    At a few points only a line that is false counts, because a bound may be reached at others.
    """
    some = derivation.points if points is None else points
    values = [known[: len(some)] for known in derivation.line_values]
    values[number - 1] = derivation.values(trees[number - 1], some)
    if number == 1 and any(value is None for value in values[0]):
        return True
    below = {number, number + 1, derivation.conclusion} - {1, None}
    for k in below:
        if number <= k <= len(trees):
            problem = derivation.problem(k, trees, values, some)
            if problem and (points is None or problem.at is not None):
                return True
    return False


if __name__ == "__main__":
    changing = passed = 0
    for name, number in LINES:
        all_here, passed_here = planted(name, number)
        changing += len(all_here)
        passed += len(passed_here)
        for text in passed_here:
            where = "open end" if (name, number) in OPEN_ENDS else "NOT EXPLAINED"
            print(f"{name}, line {number}: {text} ({where})")
    print(f"{changing} slips change a value; {changing - passed} are noticed, {passed} are not.")
