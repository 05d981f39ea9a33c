"""What a reader may be asked to bring about, and how the library judges it.

Every judge says how far the reader is, and whether it is done: proved, not only seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linlib.base.checks import FloatArray, IntArray
from linlib.descent.linear_regression import least_squares
from linlib.discriminants import quadric
from linlib.discriminants.quadric import Quadric
from linlib.logistic_regression.binomial import Logistic
from linlib.logistic_regression.separation import QUASI
from linlib.margins.certificates import Inseparable, Separable, certify
from linlib.margins.linear_svm import Street
from linlib.perceptron.algorithm import pla_rows
from linlib.perceptron.runs import Run
from linlib.sides import whole_rows
from linlib.widgets.hulls import DIGITS
from linlib.widgets.scene import brief, many

Verdict = tuple[str, bool]


class Challenge(NamedTuple):
    """Something to bring about; ``judge`` says how far an explorer is, and whether it is done."""

    goal: str
    judge: Callable[[Any], Verdict]


KINDS = {
    quadric.ELLIPSE: "an ellipse",
    quadric.HYPERBOLA: "a hyperbola",
    quadric.PARABOLA: "a parabola",
    quadric.LINE: "a line",
    quadric.CROSSING: "two lines that cross",
    quadric.PARALLEL: "two parallel lines",
    quadric.DOUBLE: "one line, touched and not crossed",
    quadric.POINT: "a single point",
    quadric.NONE: "nowhere",
    quadric.EVERYWHERE: "everywhere",
}


def many_mistakes(
    X: FloatArray, y: IntArray, run: Run | None, verdict: Separable | Inseparable | None
) -> Verdict:
    """Judge "a hundred mistakes with at most four points"."""
    if run is None or len(X) > 4:
        return f"there are {len(X)} points, at most 4 count.", False
    if not run.converged or not (verdict and verdict.separable):
        return "the run must end, so a line must separate the points.", False
    proved = verdict.check(X, y, exact=True)
    return f"{run.updates} of 100 mistakes.", proved and run.updates >= 100


def wrong_and_right(X: FloatArray, y: IntArray, *, bias: bool) -> Verdict:
    """Judge "points that least squares gets wrong and the perceptron right"."""
    if len(X) < 2:
        return "there must be points.", False
    weights = least_squares(X, y, bias=bias).weights
    rows = whole_rows(X, y, digits=DIGITS, bias=bias)
    wrong = int(np.count_nonzero(rows @ weights < -1e-6 * np.abs(rows).max()))
    verdict = certify(X, y, bias=bias)
    if not verdict.separable:
        return "no perceptron gets these points right.", False
    run = pla_rows(rows)
    proved = verdict.check(X, y, exact=True)
    ended = "0" if run.converged else "some"
    words = f"least squares gets {many(wrong, 'point')} wrong, the perceptron {ended}."
    return words, wrong > 0 and run.converged and proved


def free_offset(street: Street | None, *, line: bool, sure: bool) -> Verdict:
    """Judge "an offset that is not unique"."""
    if street is None or not line:
        return "there must be a street.", False
    room = street.highest - street.lowest
    return f"w₀ may range over {brief(room)}.", street.free and sure


def no_minimum(fit: Logistic | None, *, penalised: bool) -> Verdict:
    """Judge "no minimum, and yet no line that separates"."""
    if penalised:
        return "the penalty must be none.", False
    if fit is None:
        return "both classes are needed.", False
    kind = fit.overlap.kind if fit.overlap else "no"
    return f"the classes are in {kind} separation.", kind == QUASI


def parabola(curve: Quadric) -> Verdict:
    """Judge "make QDA's boundary a parabola"."""
    bends = np.abs(curve.bends)
    straight = float(bends.min() / bends.max()) if bends.max() > 0 else 0.0
    words = f"it is {KINDS[curve.kind]}; its bends are as 1 to {brief(straight)}, wanted 1 to 0."
    return words, curve.kind == quadric.PARABOLA


def no_boundary(curve: Quadric) -> Verdict:
    """Judge "let QDA have no boundary at all"."""
    return f"it is {KINDS[curve.kind]}.", curve.kind == quadric.NONE
