"""What every learner returns: weights, hyperplane, errors, and a status sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from linlib.base.checks import FloatArray
from linlib.base.frozen import Frozen, Shown, vector
from linlib.base.hyperplane import Hyperplane


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Frozen, Shown):
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

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the side of each row: +1.0, −1.0, or 0.0 on the boundary itself."""
        return self.hyperplane.predict(X)

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
