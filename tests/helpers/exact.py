"""Exact references: the textbook's formulas in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from linlib import Separable, certify
from tests.helpers.naive import signed_rows


def fractions(array):
    """Return an array of the same binary numbers as fractions."""
    array = np.asarray(array)
    return np.array([Fraction(x) for x in array.ravel().tolist()]).reshape(array.shape)


def typed(array):
    """Return an array of the decimals that its floats print, as fractions."""
    array = np.asarray(array)
    numbers = [Fraction(str(x)) for x in array.ravel().tolist()]
    return np.array(numbers, dtype=object).reshape(array.shape)


def products(Z, weights):
    """Return ``Z @ weights`` for the printed decimals, the slow and sure way."""
    return (typed(Z) @ typed(weights)).tolist()


def whole_rows(most=8):
    """Draw a few short rows of small whole numbers, on which everything can happen."""
    row = st.integers(1, 4).map(lambda d: st.lists(st.integers(-3, 3), min_size=d, max_size=d))
    rows = row.flatmap(lambda row: st.lists(row, min_size=1, max_size=most))
    return rows.map(lambda drawn: np.array(drawn, dtype=float))


def solve(A, B):
    """Return the X with ``A X = B`` for a square invertible A, by elimination."""
    rows = np.hstack([fractions(A), fractions(np.reshape(B, (len(A), -1)))])
    for k in range(len(rows)):
        pivot = next(r for r in range(k, len(rows)) if rows[r, k] != 0)
        rows[[k, pivot]] = rows[[pivot, k]]
        rows[k] = rows[k] / rows[k, k]
        for r in range(len(rows)):
            if r != k:
                rows[r] = rows[r] - rows[r, k] * rows[k]
    return rows[:, len(rows) :].reshape(np.shape(B))


def moments(X, y):
    """Return the mean of each class, and the sum of outer products of deviations from it."""
    means, scatters = [], []
    for k in np.unique(y):
        rows = fractions(np.asarray(X)[np.asarray(y) == k])
        means.append(rows.sum(axis=0) / len(rows))
        scatters.append((rows - means[-1]).T @ (rows - means[-1]))
    return np.array(means), scatters


def lda_log_odds(X, y, points):
    """Return the log odds of class 1 over class 0 for each point, all but the logarithm exact."""
    (m0, m1), scatters = moments(X, y)
    w = solve(sum(scatters) / Fraction(len(X)), m1 - m0)
    odds = [w @ (fractions(x) - (m0 + m1) / 2) for x in np.asarray(points)]
    return np.array(odds, dtype=float) + np.log(np.mean(y) / (1 - np.mean(y)))


def qda_distances(X, y, points):
    """Return ``(x − μ)ᵀ Σ⁻¹ (x − μ)`` for each point and class."""
    columns = []
    for mean, scatter, n in zip(*moments(X, y), np.bincount(y), strict=True):
        rows = fractions(points) - mean
        columns.append((rows * solve(scatter / Fraction(int(n)), rows.T).T).sum(axis=1))
    return np.array(columns, dtype=float).T


def shortest_least_squares(X, targets):
    """Return ``(w0, w)`` with the least squared errors and, among those, the shortest ``w``.

    For rows whose centred form has independent columns, or else independent rows but the last.
    """
    X, targets = fractions(X), fractions(targets)
    centre, level = X.sum(axis=0) / len(X), targets.sum(axis=0) / len(X)
    rows, rest = X - centre, targets - level
    if len(rows) > rows.shape[1]:
        w = solve(rows.T @ rows, rows.T @ rest)
    else:
        rows, rest = rows[:-1], rest[:-1]
        w = rows.T @ solve(rows @ rows.T, rest)
    return np.concatenate([[level - centre @ w], w])


def reason_to_doubt(verdict, X, y, bias=True):
    """Return why the certificate proves nothing, or None if it is right to the last digit."""
    Z = signed_rows(X, y, bias)
    proof = verdict.fractions(X, y)
    if isinstance(verdict, Separable):
        weights = list(verdict.exact or typed(verdict.weights))
        if proof != (dict(enumerate(weights)) if min(typed(Z) @ weights) > 0 else None):
            return "fractions() are not its exact weights"
        return None if proof else "a row has a product that is not positive"
    if not proof:
        return "the clashing rows have no exact multipliers"
    if min(proof.values()) <= 0 or sum(proof.values()) != 1:
        return f"the multipliers {proof} are not shares of a whole"
    if not set(proof) <= set(verdict.support.tolist()):
        return "exact multipliers sit on rows outside the support"
    totals = typed([Z[i] for i in proof]).T @ list(proof.values())
    return f"the mixture of the rows is {totals}, not zero" if any(totals) else None


def assert_certified(X, y, bias=True):
    """Certify, prove it in fractions and by its own check, and return it."""
    verdict = certify(X, y, bias=bias)
    doubt = reason_to_doubt(verdict, X, y, bias)
    name = type(verdict).__name__
    assert doubt is None, f"{name} is not proved: {doubt}; X = {np.asarray(X).tolist()}, y = {y}"
    assert verdict.check(X, y), f"{name} is right, but its own check in floats says no"
    assert verdict.check(X, y, exact=True), f"{name} is right, but its own exact check says no"
    if verdict.separable:
        assert verdict.margin > 0, "even if floats cannot see it"
    else:
        assert len(verdict.support) <= np.shape(X)[1] + bias + 1, "Carathéodory"
    return verdict
