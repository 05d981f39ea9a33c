"""Elimination without rounding: in whole numbers, and modulo a prime.

Whole numbers grow with every column, remainders do not: the former suit a few unknowns, the latter
many (:mod:`linlib.lifting`).
"""

from collections.abc import Sequence

import numpy as np

from linlib.base.checks import IntArray

# Primes below 2²⁰: a sum of 2¹³ products of such digits is below 2⁵³, so floats hold it.
PRIMES = (1048573, 1048571, 1048559, 1048549, 1048517, 1048507)


def independent(vectors: Sequence[Sequence[int]], count: int) -> list[int]:
    """Return the first ``count`` vectors, by position, that are independent modulo a prime."""
    prime = PRIMES[0]
    rows = np.array([[entry % prime for entry in vector] for vector in vectors], dtype=np.int64)
    chosen: list[int] = []
    for i, row in enumerate(rows):
        if len(chosen) == count:
            break
        if row.any():
            chosen.append(i)
            pivot = int(np.flatnonzero(row)[0])
            factors = rows[i + 1 :, pivot] * pow(int(row[pivot]), -1, prime) % prime
            rows[i + 1 :] = (rows[i + 1 :] - np.outer(factors, row)) % prime
    return chosen


def eliminated(matrix: list[list[int]]) -> tuple[list[list[int]], int]:
    """Return whole numbers and a positive one that they, divided by it, are the inverse.

    Elimination without fractions (Edmonds 1967): every division comes out even.
    """
    n, common = len(matrix), 1
    table = [[*line, *(int(r == k) for k in range(n))] for r, line in enumerate(matrix)]
    for k in range(n):
        r = next((r for r in range(k, n) if table[r][k]), None)
        if r is None:
            raise ArithmeticError("the columns are dependent")
        table[k], table[r] = table[r], table[k]
        line = table[k]
        for r in range(n):
            if r != k:
                pairs = zip(table[r], line, strict=True)
                factor = table[r][k]
                table[r] = [(line[k] * a - factor * b) // common for a, b in pairs]
        common = line[k]
    sign = 1 if common > 0 else -1
    return [[sign * entry for entry in line[n:]] for line in table], sign * common


def inverse_modulo(matrix: IntArray, prime: int) -> IntArray | None:
    """Return the inverse modulo the prime (Gauss and Jordan), or None if there is none."""
    n = len(matrix)
    table = np.hstack([matrix, np.eye(n, dtype=np.int64)])
    for k in range(n):
        below = np.flatnonzero(table[k:, k])
        if not below.size:
            return None
        table[[k, k + below[0]]] = table[[k + below[0], k]]
        table[k] = table[k] * pow(int(table[k, k]), -1, prime) % prime
        factors = table[:, k].copy()
        factors[k] = 0
        table[:, k:] = (table[:, k:] - np.outer(factors, table[k, k:])) % prime
    return table[:, n:]
