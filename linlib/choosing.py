"""Choose a setting on points that were not learnt from.

The rows are cut into three parts: to learn from, to choose with, and to measure on. Each setting
learns on the first part; the one with the fewest errors on the second is chosen and learns again on
both. The third part has no say.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linlib.base import checks
from linlib.base.checks import FloatArray, IntArray
from linlib.learners import Method, Rule, error


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
