"""Exact solutions by lifting, against elimination in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from linlib.elimination import PRIMES
from linlib.lifting import FEW, System
from tests import exact


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, FEW, FEW + 1, 12])
@pytest.mark.parametrize("bits", [2, 60, 300])
def test_the_solution_is_that_of_elimination_in_fractions(n, bits):
    rng = np.random.default_rng([n, bits])
    for _ in range(4):
        matrix = [
            [int(x) << max(bits - 3, 0) | int(x) for x in row]
            for row in rng.integers(-9, 10, (n, n)) + 20 * np.eye(n, dtype=int)[rng.permutation(n)]
        ]
        target = rng.integers(-5, 6, n).tolist()
        system = System([list(column) for column in zip(*matrix, strict=True)])
        for transposed in (False, True):
            above, below = system.solve(target, transposed=transposed)
            A = np.array(matrix, dtype=object).T if transposed else np.array(matrix, dtype=object)
            assert below > 0
            assert [Fraction(x, below) for x in above] == exact.solve(A, target).tolist()


def test_dependent_columns_are_refused():
    for n in (3, FEW + 2):
        with pytest.raises(ArithmeticError, match="dependent"):
            System([[1] * n] * n)


def test_a_matrix_that_is_singular_modulo_the_first_prime_is_solved_with_another():
    n = FEW + 1
    columns = [[PRIMES[0] * (r == k) for r in range(n)] for k in range(n)]
    above, below = System(columns).solve([1] * n)
    assert [Fraction(x, below) for x in above] == [Fraction(1, PRIMES[0])] * n


@pytest.mark.parametrize("n", [2, FEW + 1])
def test_unless_told_otherwise_the_columns_are_those_of_the_matrix(n):
    columns = [[int(r == k) + 2 * int(r == k + 1) for r in range(n)] for k in range(n)]
    above, below = System(columns).solve(list(range(n)))
    assert (np.array(columns).T @ above).tolist() == [below * k for k in range(n)]
