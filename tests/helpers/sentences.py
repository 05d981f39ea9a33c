"""The house rule for bad input: one sentence that begins with the argument's name."""

import re
from collections.abc import Callable

import pytest


def assert_one_sentence(call: Callable[[], object], argument: str, reason: str = "") -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    message = str(caught.value)
    assert re.fullmatch(rf"{argument}: [^\n]+\.", message), f"not a sentence: {message!r}"
    assert ". " not in message, f"more than one sentence: {message!r}"
    assert reason in message
