"""Compare learners honestly: learn on one part, choose on a second, measure once on a third.

A *learner* is a function of X and y that returns something with ``predict``. A *method* is a
learner for each of its settings, by name. For every split each setting learns on the training
part; the one with the fewest errors on the validation part is chosen and learns again on both; the
test part is used once, for what was chosen.

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
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linlib import checks
from linlib.checks import FloatArray, IntArray
from linlib.frozen import Frozen, frozen
from linlib.shown import Shown


class Rule(Protocol):
    """Anything that names a class for each row."""

    def predict(self, X: Any, /) -> NDArray[Any]:
        """Return the class of each row."""


Learner = Callable[[FloatArray, NDArray[Any]], Rule]
Method = Mapping[str, Learner]


class Parts(NamedTuple):
    """Row numbers: to learn from, to choose with, and to measure on."""

    train: IntArray
    validation: IntArray
    test: IntArray

    @property
    def both(self) -> IntArray:
        """Training and validation part together, what a chosen method learns from."""
        return np.concatenate([self.train, self.validation])


def three_parts(
    n: int,
    *,
    times: int,
    rng: np.random.Generator,
    validation: float = 0.25,
    test: float = 0.25,
) -> list[Parts]:
    """Cut the rows 0 … n − 1 at random into three parts, so many times.

    >>> [part.size for part in three_parts(150, times=20, rng=np.random.default_rng(7))[0]]
    [76, 37, 37]
    """
    n, times = checks.count(n, "n", least=3), checks.count(times, "times", least=1)
    rng = checks.generator(rng, "three_parts()")
    chosen = int(n * checks.positive(validation, "validation"))
    measured = int(n * checks.positive(test, "test"))
    if min(chosen, measured, n - chosen - measured) < 1:
        raise ValueError(
            f"test: validation={validation} and test={test} leave a part of {n} rows empty; "
            f"choose other shares."
        )
    orders = [rng.permutation(n) for _ in range(times)]
    cuts = [n - chosen - measured, n - measured]
    return [Parts(*np.split(order, cuts)) for order in orders]


@dataclass(frozen=True, eq=False)
class Standardised(Frozen):
    """A rule for features that have mean 0 and spread 1 on the points it was learnt from."""

    centre: FloatArray
    spread: FloatArray
    rule: Rule

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return what the rule says of the rows, moved and scaled as the training points were."""
        return self.rule.predict((checks.points(X) - self.centre) / self.spread)


def standardised(learn: Learner) -> Learner:
    """Return the learner on standardised features: mean and spread are learnt like weights.

    They are those of the points that the learner is given, so no other point has a say. A feature
    that does not vary is only moved.

    >>> from linlib import data, fit_lda
    >>> iris = data.load("iris")
    >>> round(100 * error(standardised(fit_lda)(iris.X, iris.y), iris.X, iris.y))
    2
    """

    def learn_standardised(X: FloatArray, y: NDArray[Any]) -> Standardised:
        centre, spread = X.mean(axis=0), X.std(axis=0)
        spread = np.where(np.ptp(X, axis=0) > 0, spread, 1.0)
        return Standardised(centre, spread, learn((X - centre) / spread, y))

    return learn_standardised


def error(rule: Rule, X: FloatArray, y: NDArray[Any]) -> float:
    """Return the share of rows for which the rule names another class."""
    return float(np.mean(rule.predict(X) != y))


class Choice(NamedTuple):
    """The chosen setting, its rule learnt from both parts, and every setting's validation error."""

    setting: str
    rule: Rule
    validation: dict[str, float]


def choose(method: Method, X: FloatArray, y: NDArray[Any], parts: Parts) -> Choice:
    """Choose the setting with the least validation error, the first of equals, and learn again.

    A method with one setting has no choice, and the validation part is only learnt from.

    >>> from linlib import data
    >>> from linlib.neighbours import neighbours
    >>> X, y = data.two_clouds(80, np.random.default_rng(7), distance=2.0)
    >>> near = {f"k = {k}": lambda X, y, k=k: neighbours(X, y, k=k) for k in (1, 9)}
    >>> chosen = choose(near, X, y, three_parts(80, times=1, rng=np.random.default_rng(7))[0])
    >>> chosen.setting == min(chosen.validation, key=chosen.validation.get)
    True
    """
    validation = {}
    if len(method) > 1:
        for setting, learn in method.items():
            rule = learn(X[parts.train], y[parts.train])
            validation[setting] = error(rule, X[parts.validation], y[parts.validation])
    best = min(method, key=lambda setting: validation.get(setting, 0.0))
    return Choice(best, method[best](X[parts.both], y[parts.both]), validation)


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
