"""The values of a code cell, and whether a number of a text is one of them."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from lincourse.check.asserts import parsed
from lincourse.check.language import ENGLISH
from lincourse.check.numbers import Number, signs, value_of
from lincourse.check.outputs import has_figure

Values = frozenset[float]
PLAIN = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")  # "1 000" may be a thousand, or two numbers


def values(cell: NotebookNode) -> Values:
    """Return the numbers that a code cell computes with or shows, without their signs."""
    return constants(cell.source) | printed("\n".join(shown(cell)))


@functools.lru_cache(maxsize=4096)
def constants(source: str) -> Values:
    """Return the numbers in a source; digits in strings and comments do not count."""
    found = set()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, int | float) and not isinstance(value, bool):
                found.add(abs(float(value)))
    return frozenset(found)


@functools.lru_cache(maxsize=4096)
def printed(text: str) -> Values:
    """Return the numbers of an output, which Python writes, whatever the language of the text."""
    found = {value_of(part.group()) for part in signs(ENGLISH).numeral.finditer(text)}
    return frozenset(found | {float(part) for part in PLAIN.findall(text)})


def shown(cell: NotebookNode) -> Iterator[str]:
    """Yield the text of the outputs; the alt text of a figure is typed, not computed."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.text
        elif not (output.output_type == "display_data" and has_figure(output)):
            yield output.get("data", {}).get("text/plain", "")


def stands_in(number: Number, found: Values) -> bool:
    """Tell whether one of these values is written like the number.

    0.16 stands for 0.1634, 16 % for 0.1634 or 16.34, about 2500 for 2494; 16 stands for 16 alone.
    """
    if number.value in found:
        return True
    if number.about and not number.digits:
        zeros = len(number.text) - len(number.text.rstrip("0"))
        unit = 10.0**zeros
    elif number.digits or number.share or number.degrees:
        unit = 10.0**-number.digits
    else:
        return False
    scales = (1, 100) if number.share and not number.degrees else (1,)
    room = unit / 2 * (1 + 1e-9)
    return any(abs(scale * value - number.value) <= room for value in found for scale in scales)
