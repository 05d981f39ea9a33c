"""Predict, then see: commit a line, a place or an answer, and only then be shown the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from linlib.explorers.kit.controls import RadioButtons, Widget
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.scene import Item

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Predict(Explorer):
    """A question to be answered before its answer is shown; ``truth`` is asked for only then."""

    name = "Prediction"
    kept: ClassVar[tuple[str, ...]] = ("committed",)
    committed = False
    how = ""

    def __init__(self, question: str, truth: Any, because: str = "", **controls: Widget) -> None:
        self.question, self.because = question, because
        self._truth: Callable[[], Any] = truth if callable(truth) else lambda: truth
        commit = self.button("Commit", self.commit, "Stand by the prediction and see the truth")
        super().__init__(controls, commit, start="")

    def commit(self) -> None:
        """Stand by the prediction, and see the truth."""
        self.act(self._commit)

    def _commit(self) -> None:
        self.check()
        self.committed = True

    def check(self) -> None:
        """Raise if there is nothing to commit yet."""

    def on_choose(self, name: str, value: Any) -> None:
        """Change the prediction, until it is committed."""
        if self.committed:
            raise ValueError("the prediction stands; press Reset to begin again.")

    def on_move(self, id: str, x: float, y: float) -> None:
        """Move the prediction, until it is committed."""
        self.on_choose(id, (x, y))
        self.place(id, x, y)

    def place(self, id: str, x: float, y: float) -> None:
        """Move a handle of the prediction."""

    @property
    def truth(self) -> Any:
        """What is true."""
        return self._truth()

    def python(self) -> str:
        """Return the question as a comment: its answer is the reader's to find."""
        return f"# {self.question}\n"

    def sentence(self) -> str:
        """Return the question and how to answer, or how far off the answer was."""
        if not self.committed:
            return f"Predict first. {self.question} {self.how}, then press Commit."
        because = f" {self.because}" if self.because else ""
        return f"{self.question} {self.verdict()}{because}"

    def verdict(self) -> str:
        """Return the truth beside the prediction."""
        raise NotImplementedError


class PredictAnswer(Predict):
    """Choose one of some answers, commit, and see which is right.

    >>> question = PredictAnswer("How many updates does AND take?", ["4", "18", "51"], "18")
    >>> question.choice.value = "51"
    >>> question.commit()
    >>> print(question.text)
    How many updates does AND take? You chose 51; it is 18.
    """

    name = "Predict an answer"
    how = "Choose an answer"

    def __init__(
        self, question: str, answers: Sequence[str], truth: Any, *, because: str = ""
    ) -> None:
        self.answers = list(answers)
        if len(set(self.answers)) < 2:
            raise ValueError("answers: give two or more different ones to choose from.")
        self.choice = RadioButtons(options=self.answers, value=None, description="Your answer")
        super().__init__(question, truth, because, choice=self.choice)

    def check(self) -> None:
        """Raise while nothing is chosen."""
        if self.choice.value is None:
            raise ValueError("choose an answer first.")

    def panels(self) -> list[Item]:
        """Return no picture."""
        return []

    def hint(self) -> str:
        """Return how to choose."""
        return "Choose with mouse, finger or arrow keys. Reset, after Commit, asks again."

    def verdict(self) -> str:
        """Return the right answer beside the chosen one."""
        truth = str(self.truth)
        if truth not in self.answers:
            raise ValueError(f"truth: {truth!r} is none of the answers; give one of them.")
        if self.choice.value == truth:
            return f"You chose {truth}, and so it is."
        return f"You chose {self.choice.value}; it is {truth}."

    def still(self) -> Figure:
        """Return the question and its answers as a picture."""
        from linlib.explorers.kit import still

        return still.draw_words(self.text, self.answers)
