"""Exact solutions of systems of whole numbers, digit by digit (Dixon 1982).

Modulo a small prime a system ``A x = b`` is solved by elimination. What is then left of b is a
multiple of the prime, and divided by it asks for the next digit of x. From enough digits the
fractions can be read off (Euclid), and one exact product proves that they solve the system. All
work but the last is done on small whole numbers in floats, which hold them without rounding:
hundreds of unknowns take seconds, where elimination in fractions takes hours.
"""

from collections.abc import Iterable, Sequence
from math import isqrt
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linlib.base.checks import FloatArray
from linlib.elimination import PRIMES, eliminated, inverse_modulo

BITS = 20  # of a digit: the primes are below 2²⁰
# More bits than needed make it next to impossible that chance gives fractions this short.
SPARE = 60
# Up to so many unknowns plain elimination in fractions is faster.
FEW = 6


class System:
    """The columns of a square matrix of whole numbers, prepared for solving exactly."""

    def __init__(self, columns: Sequence[Sequence[int]]) -> None:
        self.columns = columns
        self.matrix = np.array(columns, dtype=object).reshape(len(columns), -1).T
        self.small = eliminated(self.matrix.tolist()) if len(columns) <= FEW else None
        if self.small is not None:
            return
        for self.prime in PRIMES:
            inverse = inverse_modulo((self.matrix % self.prime).astype(np.int64), self.prime)
            if inverse is not None:
                break
        else:
            raise ArithmeticError("the columns are dependent")
        self.inverse = inverse.astype(np.float64)
        self.limbs = list(_limbs(self.matrix))

    def solve(self, target: Sequence[int], *, transposed: bool = False) -> tuple[list[int], int]:
        """Return whole numbers x and a positive c with ``matrix @ x = c target``."""
        if self.small is not None:
            adjugate, common = self.small
            rows = zip(*adjugate, strict=True) if transposed else adjugate
            return [sum(map(mul, row, target)) for row in rows], common
        inverse = self.inverse.T if transposed else self.inverse
        limbs = [limb.T for limb in self.limbs] if transposed else self.limbs
        lines = self.columns if transposed else self.matrix.tolist()
        rest: NDArray[Any] = np.array(target, dtype=object)
        known, modulus, digits = [0] * len(lines), 1, 4
        # Hadamard: no determinant has more bits than the lengths of its lines together.
        lengths = [1 + isqrt(sum(map(mul, line, line))) for line in [*lines, list(target)]]
        enough = 2 * sum(length.bit_length() for length in lengths) + SPARE + BITS
        while modulus.bit_length() <= 2 * enough:
            found = []
            for _ in range(digits):
                found.append(inverse @ (rest % self.prime).astype(np.float64) % self.prime)
                rest = (rest - _product(limbs, found[-1])) // self.prime
            more = _joined(found, self.prime)
            known = [low + modulus * high for low, high in zip(known, more, strict=True)]
            modulus *= self.prime**digits
            answer = _fractions(known, modulus)
            if answer is not None and _solves(lines, target, *answer):
                return answer
            digits *= 2
        raise ArithmeticError("no fractions of the length they must have solve the system")


def _limbs(matrix: NDArray[Any]) -> Iterable[FloatArray]:
    """Return matrices of small whole numbers with ``matrix = Σ 2^(BITS k) limb_k``."""
    signs = np.where(matrix < 0, -1.0, 1.0)
    sizes: NDArray[Any] = abs(matrix)
    while sizes.any():
        yield signs * (sizes & (1 << BITS) - 1).astype(np.float64)
        sizes = sizes >> BITS


def _product(limbs: list[FloatArray], digit: FloatArray) -> NDArray[Any]:
    total: NDArray[Any] = np.zeros(len(digit), dtype=object)
    for limb in reversed(limbs):
        total = (total << BITS) + (limb @ digit).astype(np.int64).astype(object)
    return total


def _joined(digits: list[FloatArray], base: int) -> list[int]:
    """Return the whole numbers with these digits, the lowest first; neighbours join first.

    There are 4, 8, 16 … of them, so that each has a neighbour.
    """
    parts = [digit.astype(np.int64).astype(object) for digit in digits]
    while len(parts) > 1:
        parts = [low + base * high for low, high in zip(parts[::2], parts[1::2], strict=True)]
        base *= base
    return list(parts[0])


def _fractions(known: list[int], modulus: int) -> tuple[list[int], int] | None:
    """Return numerators and one denominator with these residues, if there are short ones."""
    common, length = 1, modulus.bit_length() - SPARE
    for residue in known:
        above, below = _fraction(residue * common % modulus, modulus)
        common *= below
        if above.bit_length() + common.bit_length() > length:
            return None
    half = modulus // 2
    return [(residue * common + half) % modulus - half for residue in known], common


def _fraction(residue: int, modulus: int) -> tuple[int, int]:
    """Return the a and b > 0 of about equal length with ``a = residue b`` modulo the modulus."""
    bound = isqrt(modulus // 2)
    if residue <= bound or modulus - residue <= bound:
        return (residue if residue <= bound else residue - modulus), 1
    (a, b), (rest, factor) = (modulus, 0), (residue, 1)
    while rest > bound:
        quotient = a // rest
        a, b, rest, factor = rest, factor, a - quotient * rest, b - quotient * factor
    return (rest, factor) if factor > 0 else (-rest, -factor)


def _solves(
    lines: Sequence[Sequence[int]], target: Sequence[int], above: list[int], below: int
) -> bool:
    return all(
        sum(map(mul, line, above)) == below * goal for line, goal in zip(lines, target, strict=True)
    )
