"""What "Predict first" asked for, as the cell computed it: to be compared with what was predicted.

A question is asked in the text, the cell below computes the answer, and its last line shows an
:class:`Answer`. JupyterLab and the site read it from the stored output: they ask the reader for a
number or a choice first, and then tell how far off it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MIME = "application/vnd.linlib.answer+json"
YES_NO = ("yes", "no")


class Answer:
    """The answer to a question: a number, one of some choices, or yes or no.

    >>> Answer("How many labellings can lines make?", 14)
    How many labellings can lines make? 14
    >>> Answer("Which order needs most updates?", "worst", among=["cyclic", "random", "worst"])
    Which order needs most updates? worst
    >>> Answer("Is it separable?", np.True_)
    Is it separable? yes
    >>> Answer("What share is in doubt, in %?", 25.183, digits=1)
    What share is in doubt, in %? 25.2
    """

    def __init__(
        self, ask: str, truth: Any, *, among: Sequence[str] | None = None, digits: int = 0
    ) -> None:
        if not ask.endswith("?"):
            raise ValueError(f"ask: {ask!r} is no question; end it with a question mark.")
        self.ask = ask
        self.among = None if among is None else list(among)
        self.value: float | None = None
        if isinstance(truth, bool | np.bool_):
            self.among, truth = self.among or list(YES_NO), YES_NO[0 if truth else 1]
        if self.among is None:
            self.value = _number(truth, digits)
            truth = f"{self.value:.{digits}f}"
        elif truth not in self.among or len(set(self.among)) < 2:
            raise ValueError(
                f"among: is {self.among}; give two or more different choices, {truth!r} among them."
            )
        self.truth = str(truth)

    def __repr__(self) -> str:
        return f"{self.ask} {self.truth}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        facts = {"ask": self.ask, "truth": self.truth, "value": self.value, "among": self.among}
        return {"text/plain": repr(self), MIME: facts}


def _number(truth: Any, digits: int) -> float:
    """Return a finite number, rounded as it is shown."""
    try:
        value = float(truth)
    except (TypeError, ValueError):
        raise TypeError(
            f"truth: is {truth!r}; give a number, or words with among=[…] to choose from."
        ) from None
    if not np.isfinite(value):
        raise ValueError(f"truth: is {value}; give a finite number.")
    return round(value, digits) + 0.0
