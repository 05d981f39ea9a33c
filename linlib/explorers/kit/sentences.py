"""Numbers and names in a sentence: rounded for reading aloud, tied to what shows them.

All explorers write their numbers with these functions, so that three promises hold everywhere:

- a 0 that only rounding keeps from being 0 is written 0 (``of``, the size of what was added up);
- numbers that are compared are written with as many digits as tell them apart (:func:`beside`,
  :func:`from_to`);
- "1 point is", "2 points are" (:func:`many`, :func:`out_of`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

ROUNDING = 1e-12  # beside the numbers it was computed from, less than this share is rounding
SAME = 1e-9  # relative: two numbers that differ by less are said to be equal
MOST_DIGITS = 6  # of a number in a sentence; where it needs more to differ, words say how


def say(value: float, digits: int = 2) -> str:
    """Return a rounded number for a sentence: no trailing zeros, and a minus that is read aloud.

    >>> say(-2.236), say(3.0), say(-0.001)
    ('−2.24', '3', '0')
    """
    rounded = f"{round(float(value), digits) + 0.0:.{digits}f}"
    return (rounded.rstrip("0").rstrip(".") if "." in rounded else rounded).replace("-", "−")


def power_of_ten(exponent: int) -> str:
    """Return ``10`` with a raised exponent, for a tick or a sentence."""
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def without_rounding(value: float, of: float) -> float:
    """Return 0 for a number that is only the rounding of terms of this size.

    >>> without_rounding(0.1 + 0.2 - 0.3, of=0.3), without_rounding(1e-6, of=0.3)
    (0.0, 1e-06)
    """
    return 0.0 if abs(value) <= ROUNDING * of else float(value)


def brief(value: float, digits: int = 3, *, of: float = 0.0) -> str:
    """Return a number of any size for a sentence: significant digits, or a power of ten.

    No number has fewer digits than its neighbours in the sentence. Only 0 is written 0, and what
    cannot be told from it: ``of`` is the size of the terms that the number was computed from.

    >>> brief(51.00000001), brief(0.0060402), brief(-2482.0), brief(6004002.0), brief(1e-6)
    ('51', '0.00604', '−2482', '6·10⁶', '10⁻⁶')
    >>> brief(2.1e-16), brief(2.1e-16, of=3.0)
    ('2.1·10⁻¹⁶', '0')
    """
    size = abs(float(value))
    if np.isinf(size):
        return "∞" if value > 0 else "−∞"
    if without_rounding(value, of) == 0:
        return "0"
    if size < 1e-3 or size >= 1e5:
        number, exponent = f"{float(value):.{digits - 1}e}".split("e")
        factor = say(float(number), digits - 1)
        power = power_of_ten(int(exponent))
        return {"1": power, "−1": f"−{power}"}.get(factor, f"{factor}·{power}")
    leading = int(np.floor(np.log10(size))) + 1  # digits before the point; below 0.1 none or less
    return say(value, max(digits - leading, 0))


def rounded(value: float, digits: int = 2, *, of: float = 0.0) -> str:
    """Return a number with so many decimals, or with more where it would be written 0 and is not.

    >>> rounded(1.796), rounded(-0.0004), rounded(2.1e-16, of=3.0)
    ('1.8', '−4·10⁻⁴', '0')
    """
    return say(value, digits) if abs(value) >= 10.0**-digits else brief(value, of=of)


def beside(
    value: float, other: float, digits: int = 3, *, write: Callable[[float, int], str] = brief
) -> str:
    """Return a number that the reader compares with another one, such as a limit.

    It has as many digits as tell it from the other one, if need be in words; it is written as the
    other one is only where both are equal. ``write`` says what ``digits`` counts.

    >>> beside(4.2, 5), beside(4.99996, 5), beside(5.0, 5), beside(5 - 1e-8, 5)
    ('4.2', '4.99996', '5', 'hardly less than 5')
    """
    size = max(abs(value), abs(other))
    if np.isfinite(size) and abs(value - other) <= SAME * size:
        return write(other, digits)
    for finer in range(digits, max(digits, MOST_DIGITS) + 1):
        if write(value, finer) != write(other, finer):
            return write(value, finer)
    return f"hardly {'more' if value > other else 'less'} than {write(other, digits)}"


def from_to(before: float, after: float) -> str:
    """Return the two ends of a change, with as many digits as tell them apart.

    >>> from_to(642.0, 371.2), from_to(82200000.0, 82199995.0), from_to(0.5, 0.5)
    ('from 642 to 371', 'from 8.22·10⁷ to hardly less', 'from 0.5 to 0.5')
    """
    words = beside(after, before)
    if words.startswith("hardly"):
        return f"from {brief(before)} to {words.partition(' than ')[0]}"
    return f"from {beside(before, after)} to {words}"


def many(number: int, thing: str) -> str:
    """Return how many things there are.

    >>> many(1, "step"), many(2, "step")
    ('1 step', '2 steps')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def out_of(number: int, total: int, thing: str, *, name: str = "", written: str = "") -> str:
    """Return how many of some things are meant, and the verb: the sentence says what they are.

    ``name`` is that of the drawing which the number lights up. ``written`` stands in place of the
    number, as a slot that the browser fills.

    >>> out_of(1, 4, "point"), out_of(0, 4, "point"), out_of(0, 1, "point")
    ('1 of 4 points is', '0 of 4 points are', '0 of 1 point is')
    """
    verb = "is" if 1 in (number, total) else "are"
    words = written or str(number)
    shown = mark(name, words) if name else words
    return f"{shown} of {many(total, thing)} {verb}"


def vector(values: ArrayLike, digits: int = 2) -> str:
    """Return a vector for a sentence: more decimals where it would be written as zero and is not.

    >>> vector([-4.0, 3.0, 0.125]), vector([0.0004, 0.0]), vector([0, 0])
    ('(−4, 3, 0.12)', '(0.0004, 0)', '(0, 0)')
    """
    numbers = np.asarray(values, dtype=np.float64).ravel()
    largest = float(np.abs(numbers).max(initial=0.0))
    if 0 < largest < 10.0 ** (1 - digits):
        digits -= int(np.floor(np.log10(largest)))
    return f"({', '.join(say(value, digits) for value in numbers)})"


# A number in a sentence can carry the name of what shows it in the picture. In between these signs,
# which no sentence contains otherwise, come the name and the words.
_OPEN, _THEN, _CLOSE = "\ue000", "\ue001", "\ue002"


def mark(name: str, words: str) -> str:
    """Return words that light up what was drawn under a name when the reader points at them.

    >>> pieces("score " + mark("distance", "1.8") + ".")
    [['score ', ''], ['1.8', 'distance'], ['.', '']]
    """
    return f"{_OPEN}{name}{_THEN}{words}{_CLOSE}"


def pieces(sentence: str) -> list[list[str]]:
    """Return the parts of a sentence, each with the name of what it lights up, or none."""
    made = []
    for part in sentence.split(_OPEN):
        name, then, rest = part.partition(_THEN)
        words, _, after = rest.partition(_CLOSE)
        made += [[words, name], [after, ""]] if then else [[part, ""]]
    return [piece for piece in made if piece[0]]


def plain(sentence: str) -> str:
    """Return a sentence without its marks."""
    return "".join(words for words, _ in pieces(sentence))
