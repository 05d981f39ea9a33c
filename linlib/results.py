"""What every learner returns, at the bottom: weights, hyperplane, errors, and a status sentence.

A result is frozen to its last array. As the last line of a cell it shows the few numbers that a
lecture speaks of, rounded so that no processor shows another digit, and never a dump of arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from linlib import checks
from linlib.checks import FloatArray
from linlib.hyperplane import Hyperplane

DIGITS, MOST = 4, 6  # significant digits of the largest entry, and entries of a vector, shown


class Shown:
    """A short representation, as text and as HTML, of the facts that a class names."""

    def _facts(self) -> Mapping[str, str]:
        """Return name → value, in the order in which they are read."""
        raise NotImplementedError

    def __repr__(self) -> str:
        facts = [
            value if name == "status" else f"{name} {value}"
            for name, value in self._facts().items()
        ]
        return f"{type(self).__name__}({'; '.join(facts)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
            f'<td style="text-align: left">{escape(value)}</td></tr>'
            for name, value in self._facts().items()
        )
        title = f'<caption style="text-align: left">{type(self).__name__}</caption>'
        return f"<table>{title}<tbody>{rows}</tbody></table>"


def number(value: float) -> str:
    """Return a number to four digits; what is rounding beside 1 is not told from 0.

    >>> number(1 / 3), number(-0.0), number(3e-17), number(20000.0)
    ('0.3333', '0', '0', '2e+04')
    """
    return f"{0.0 if abs(value) < 1e-12 else float(value):.{DIGITS}g}"


def vector(values: ArrayLike) -> str:
    """Return a vector to as many decimals as give its largest entry four digits.

    >>> vector([-4.0, 3.0, 2.00000000001]), vector([1000.0, 1e-13])
    ('(-4, 3, 2)', '(1000, 0)')
    >>> vector(np.arange(9.0))
    '(0, 1, 2, 3, 4, 5, … 9 entries)'
    """
    array = np.asarray(values, dtype=np.float64)
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
    decimals = DIGITS - 1 - int(np.floor(np.log10(largest))) if largest else 0
    rounded = np.round(array, decimals) + 0.0 if abs(decimals) < 300 else array
    shown = ", ".join(f"{value:.{DIGITS}g}" for value in rounded[:MOST])
    return f"({shown})" if len(array) <= MOST else f"({shown}, … {len(array)} entries)"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(checks.Frozen, Shown):
    """Weights and how they came about.

    ``weights`` are ``(w0, w)``, or ``w`` without ``bias``. ``converged`` says whether the learner
    reached what it was after, and ``status`` says in a sentence what happened and what to try.
    """

    weights: FloatArray
    converged: bool
    status: str
    bias: bool = True

    @property
    def errors(self) -> int:
        """How many rows of the sample ``weights`` get wrong, a score of 0 included."""
        raise NotImplementedError

    @property
    def hyperplane(self) -> Hyperplane:
        """The boundary of ``weights``."""
        if not self.weights[int(self.bias) :].any():
            raise ValueError(
                f"hyperplane: the learner ended with w = 0, which has no boundary. {self.status}"
            )
        return Hyperplane.from_weights(self.weights, bias=self.bias)

    def _facts(self) -> Mapping[str, str]:
        return {
            "weights": vector(self.weights),
            "errors": str(self.errors),
            "status": self.status,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(Result):
    """Weights found by minimising something; ``converged`` says whether the minimum was reached."""

    _wrong: int

    @property
    def errors(self) -> int:
        """How many rows of the sample ``weights`` get wrong, a score of 0 included."""
        return self._wrong
