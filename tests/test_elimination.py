"""Elimination in whole numbers and modulo a prime."""

from linlib.elimination import PRIMES, independent


def test_the_first_independent_vectors_are_found_in_order():
    assert independent([[0, 0], [1, 2], [2, 4], [0, 3], [1, 0]], 2) == [1, 3]
    assert independent([[1, 2], [2, 4]], 2) == [0]


def test_the_primes_are_primes_whose_digits_floats_can_add_up():
    assert all(p < 2**20 and all(p % q for q in range(2, 1024)) for p in PRIMES)
    assert len(set(PRIMES)) == len(PRIMES)
