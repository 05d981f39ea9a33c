"""Numbers and names in a sentence: rounded for reading aloud, tied to what shows them."""

import numpy as np
from numpy.typing import ArrayLike


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


def brief(value: float, digits: int = 3) -> str:
    """Return a number of any size for a sentence: significant digits, or a power of ten.

    Only 0 is written 0, and no number has fewer digits than its neighbours in the sentence.

    >>> brief(51.00000001), brief(0.0060402), brief(-2482.0), brief(6004002.0), brief(1.5e-7)
    ('51', '0.00604', '−2482', '6·10⁶', '1.5·10⁻⁷')
    """
    size = abs(float(value))
    if np.isinf(size):
        return "∞" if value > 0 else "−∞"
    if 0 < size < 1e-3 or size >= 1e5:
        number, exponent = f"{float(value):.{digits - 1}e}".split("e")
        return f"{say(float(number))}·{power_of_ten(int(exponent))}"
    if size == 0:
        return "0"
    leading = int(np.floor(np.log10(size))) + 1  # digits before the point; below 0.1 none or less
    return say(value, max(digits - leading, 0))


def rounded(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals, or with more where it would be written 0 and is not.

    >>> rounded(1.796), rounded(-0.0004), rounded(0.0)
    ('1.8', '−4·10⁻⁴', '0')
    """
    return say(value, digits) if value == 0 or abs(value) >= 10.0**-digits else brief(value)


def many(number: int, thing: str) -> str:
    """Return how many things there are.

    >>> many(1, "step"), many(2, "step")
    ('1 step', '2 steps')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def vector(values: ArrayLike, digits: int = 2) -> str:
    """Return a vector for a sentence.

    >>> vector([-4.0, 3.0, 0.125])
    '(−4, 3, 0.12)'
    """
    return f"({', '.join(say(value, digits) for value in np.ravel(values))})"


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
