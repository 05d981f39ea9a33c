"""Compare learners honestly: learn on one part, choose on a second, measure once on a third.

Methods are learners (:mod:`linlib.learners`) with settings. For every split each of them chooses a
setting without the test part (:mod:`linlib.choosing`), which is used once, for what was chosen.

>>> from linlib import data, fit_lda, one_vs_one, least_squares
>>> from linlib.neighbours import neighbours
>>> iris = data.load("iris")
>>> methods = {
...     "LDA": {"": fit_lda},
...     "k-NN": {f"k = {k}": lambda X, y, k=k: neighbours(X, y, k=k) for k in (1, 5)},
... }
>>> parts = three_parts(150, times=4, rng=np.random.default_rng(7))
>>> result = compare(methods, iris.X, iris.y, parts)
>>> result.errors["LDA"].shape
(4,)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen, Shown, frozen
from linlib.choosing import Choice, Parts, choose
from linlib.choosing import three_parts as three_parts  # from here, too, as a lecture wants them
from linlib.learners import Method, error
from linlib.learners import standardised as standardised


class Duel(NamedTuple):
    """How much less a first method errs than a second, split by split.

    ``mean`` is the mean of the differences (positive: the first errs less), ``uncertainty`` its
    standard error, ``wins``, ``draws`` and ``losses`` count splits.
    """

    mean: float
    uncertainty: float
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Frozen, Shown):
    """Errors of every method, one number a split: on the test part, and on what it learnt from."""

    errors: Mapping[str, FloatArray]
    fitted: Mapping[str, FloatArray]
    choices: Mapping[str, tuple[Choice, ...]]
    parts: tuple[Parts, ...]

    def _facts(self) -> Mapping[str, str]:
        return {name: f"{100 * values.mean():.1f} %" for name, values in self.errors.items()}

    @property
    def best(self) -> str:
        """The method with the least mean test error, the first of equals."""
        # Rounded, so that the order in which errors are added up decides nothing.
        return min(self.errors, key=lambda name: round(float(self.errors[name].mean()), 12))

    def duel(self, first: str, second: str) -> Duel:
        """Compare two methods on the same splits.

        Splits share most of their points, so their differences d are no independent sample and
        ``std(d)/√J`` would be far too small. The usual repair (Nadeau & Bengio 2003) is
        ``std(d) √(1/J + n_test/n_learnt)``: even infinitely many splits leave the second term.
        """
        checks.choice(first, "first", tuple(self.errors))
        checks.choice(second, "second", tuple(self.errors))
        d = self.errors[second] - self.errors[first]
        share = len(self.parts[0].test) / len(self.parts[0].both)
        spread = float(d.std(ddof=1)) if len(d) > 1 else np.inf
        wins, losses = int((d > 0).sum()), int((d < 0).sum())
        return Duel(
            float(d.mean()),
            spread * float(np.sqrt(1 / len(d) + share)),
            wins,
            len(d) - wins - losses,
            losses,
        )


def compare(
    methods: Mapping[str, Method], X: ArrayLike, y: ArrayLike, parts: Sequence[Parts]
) -> Comparison:
    """Let every method choose, learn and be measured on the same splits."""
    array = checks.points(X)
    labels = np.asarray(y)
    if labels.shape != (len(array),):
        raise ValueError(f"y: has shape {labels.shape} for {len(array)} rows; give one label each.")
    if not parts:
        raise ValueError("parts: holds no split; make some with three_parts().")
    cut = sum(part.size for part in parts[0])
    if cut != len(array):
        raise ValueError(f"parts: cuts {cut} rows where X has {len(array)}; cut as many as X has.")
    if not (methods and all(methods.values())):
        lack = "none" if not methods else "a method with no setting"
        raise ValueError(f"methods: holds {lack}; name each with a learner for every setting.")
    choices = {
        name: tuple(choose(method, array, labels, part) for part in parts)
        for name, method in methods.items()
    }

    def errors(rows: Callable[[Parts], IntArray]) -> dict[str, FloatArray]:
        """Return the error of every method on some rows of each split."""
        found = {}
        for name, made in choices.items():
            pairs = zip(made, parts, strict=True)
            own = [error(choice.rule, array[rows(p)], labels[rows(p)]) for choice, p in pairs]
            found[name] = frozen(np.array(own))
        return found

    return Comparison(
        errors(lambda part: part.test), errors(lambda part: part.both), choices, tuple(parts)
    )
