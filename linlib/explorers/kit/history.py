"""Where an explorer has been: states to go back to and forward again."""

import json
from typing import Any

import numpy as np

State = dict[str, Any]

MOST = 200  # states that are kept


class History:
    """States before and after the present one; all moves of one gesture are one step."""

    def __init__(self) -> None:
        self.past: list[State] = []
        self.future: list[State] = []
        self.gesture: object = None

    def remember(self, before: State, gesture: object) -> None:
        """Keep the state before a change, unless the change goes on with the last gesture."""
        if gesture is None or gesture != self.gesture or not self.past:
            self.past = [*self.past[1 - MOST :], before]
        self.future = []
        self.gesture = gesture

    def back(self, now: State) -> State:
        """Return the state before the last change."""
        return self._pass(self.past, self.future, now, "undo")

    def forth(self, now: State) -> State:
        """Return the state that was undone last."""
        return self._pass(self.future, self.past, now, "redo")

    def _pass(self, source: list[State], target: list[State], now: State, what: str) -> State:
        if not source:
            raise ValueError(f"there is nothing to {what}.")
        target.append(now)
        self.gesture = None
        return source.pop()

    def cancel(self, gesture: object, now: State) -> State:
        """Return the state before a gesture that goes on, as if it had never begun."""
        if gesture is None or gesture != self.gesture or not self.past:
            return now
        self.gesture = None
        return self.past.pop()


def plain(value: Any) -> Any:
    """Return arrays and tuples as lists, so that a state is JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def read(text: Any) -> State:
    """Return the state that a reader pasted, or say what is wrong with it."""
    try:
        state = json.loads(text) if isinstance(text, str) else text
    except json.JSONDecodeError:
        state = None
    if not isinstance(state, dict):
        raise ValueError("this is not a copied state; press Share in an explorer to copy one.")
    return state
