"""Input checking, in one place: bad input gets one sentence.

The sentence names the argument, what is wrong, where (row and column) and what to do about it.
A wrong type raises ``TypeError``, a wrong value ``ValueError``. Arrays, labels and options have a
module each; this one is their counter.
"""

from linlib.arrays import (
    EPS,
    LARGEST,
    LARGEST_EXACT,
    FloatArray,
    IntArray,
    numbers,
    points,
    vector,
)
from linlib.labels import classes, signs
from linlib.options import choice, count, flag, generator, place, positive, real

__all__ = [
    "EPS",
    "LARGEST",
    "LARGEST_EXACT",
    "FloatArray",
    "IntArray",
    "choice",
    "classes",
    "count",
    "flag",
    "generator",
    "numbers",
    "place",
    "points",
    "positive",
    "real",
    "signs",
    "vector",
]
