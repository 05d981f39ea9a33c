"""Elimination in whole numbers and modulo a prime."""

import numpy as np
import pytest

from linlib.elimination import PRIMES, eliminated, independent, inverse_modulo


def test_the_first_independent_vectors_are_found_in_order():
    assert independent([[0, 0], [1, 2], [2, 4], [0, 3], [1, 0]], 2) == [1, 3]
    assert independent([[1, 2], [2, 4]], 2) == [0]


def test_the_primes_are_primes_whose_digits_floats_can_add_up():
    assert all(p < 2**20 and all(p % q for q in range(2, 1024)) for p in PRIMES)
    assert len(set(PRIMES)) == len(PRIMES)


@pytest.mark.parametrize("seed", range(20))
def test_a_vector_is_taken_if_it_raises_the_rank(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-3, 4, size=(9, 3)) @ rng.integers(-3, 4, size=(3, 5))
    expected = []
    for i in range(9):
        if np.linalg.matrix_rank(vectors[[*expected, i]]) > len(expected):
            expected.append(i)
    assert independent(vectors.tolist(), 5) == expected
    assert independent(vectors.tolist(), 2) == expected[:2], "no more than asked for"


def matrices(seed):
    """Return matrices with an inverse, among them some that need rows to be exchanged."""
    rng = np.random.default_rng(seed)
    for n in (1, 2, 3, 5):
        A = rng.integers(-4, 5, size=(n, n))
        A[rng.random((n, n)) < 0.4] = 0
        if round(np.linalg.det(A)):
            yield A
        yield np.eye(n, dtype=np.int64)[rng.permutation(n)]


@pytest.mark.parametrize("seed", range(6))
def test_in_whole_numbers_the_inverse_is_over_the_size_of_the_determinant(seed):
    for A in matrices(seed):
        entries, common = eliminated(A.tolist())
        assert common == abs(round(np.linalg.det(A)))
        assert np.array_equal(A @ np.array(entries), common * np.eye(len(A)))


@pytest.mark.parametrize("seed", range(6))
def test_modulo_a_prime_a_matrix_times_its_inverse_is_one(seed):
    for A in matrices(seed):
        for prime in (PRIMES[0], PRIMES[-1]):
            inverse = inverse_modulo(A % prime, prime)
            assert np.array_equal(A @ inverse % prime, np.eye(len(A)))


def test_what_has_no_inverse_modulo_the_prime_has_none():
    assert inverse_modulo(np.array([[PRIMES[0] - 1, 1], [1, PRIMES[0] - 1]]), PRIMES[0]) is None
    assert inverse_modulo(np.array([[0]]), PRIMES[0]) is None
    with pytest.raises(ArithmeticError, match="dependent"):
        eliminated([[1, 2], [2, 4]])
