"""The textbook loops, one row at a time in plain Python: what linlib has to equal to the last bit.

Nothing here is clever and nothing comes from linlib. On integer data, with steps that are sums of
powers of two, every number below is exact, so "equal" means equal and not "close".
"""

from typing import NamedTuple


class Trace(NamedTuple):
    """What a run leaves behind; ``path`` holds the weights before and after every update."""

    weights: list
    mistakes: list
    visits: list
    path: list
    passes: int
    converged: bool


def signed_rows(X, y, bias=True):
    """Return the rows y_i (1, x_i), or y_i x_i without bias."""
    rows = []
    for x, label in zip(X, y, strict=True):
        point = [1.0] * bias + [float(value) for value in x]
        rows.append([float(label) * value for value in point])
    return rows


def dot(a, b):
    total = 0.0
    for left, right in zip(a, b, strict=True):
        total += left * right
    return total


def moved(weights, step, row):
    return [value + step * entry for value, entry in zip(weights, row, strict=True)]


def size(step, schedule, k):
    """Return the step of update k = 1, 2, …"""
    return step / k if schedule == "1/k" else step


def zeros(Z):
    return [0.0] * len(Z[0])


def wrong(Z, weights):
    """Return the rows whose score is not above zero: a score of 0 is an error."""
    return [i for i, row in enumerate(Z) if dot(row, weights) <= 0]


def one_pass(order, n, rng):
    """Return the rows of one pass, in the order they are visited."""
    if isinstance(order, str):
        return list(range(n)) if order == "cyclic" else [int(i) for i in rng.permutation(n)]
    return [int(i) for i in order]


def pla(
    Z,
    *,
    order="cyclic",
    start=None,
    step=1.0,
    schedule="constant",
    max_updates=10_000,
    max_passes=10**9,
    rng=None,
):
    """Correct one mistake at a time until a clean pass, or until a budget forbids the next one.

    ``passes`` is the pass of the last update, or of the clean pass if there was one.
    """
    if isinstance(order, str) and order in ("random", "worst"):
        return picking(Z, order, start, step, schedule, max_updates, max_passes, rng)
    weights = zeros(Z) if start is None else [float(value) for value in start]
    mistakes, visits, path = [], [], [weights]
    visit, number, passes = 0, 0, 0
    while number < max_passes:
        number += 1
        clean = True
        for i in one_pass(order, len(Z), rng):
            visit += 1
            if dot(Z[i], weights) <= 0:
                if len(mistakes) == max_updates:
                    return Trace(weights, mistakes, visits, path, passes, False)
                clean = False
                passes = number
                mistakes.append(i)
                weights = moved(weights, size(step, schedule, len(mistakes)), Z[i])
                visits.append(visit)
                path.append(weights)
        if clean:
            return Trace(weights, mistakes, visits, path, number, True)
    return Trace(weights, mistakes, visits, path, passes, False)


def picking(Z, order, start, step, schedule, max_updates, max_passes, rng):
    """Look at every row, then correct one of the mistakes: any of them, or the worst."""
    weights = zeros(Z) if start is None else [float(value) for value in start]
    mistakes, visits, path = [], [], [weights]
    passes = 0
    while passes < max_passes:
        rows = wrong(Z, weights)
        if not rows:
            return Trace(weights, mistakes, visits, path, passes + 1, True)
        if len(mistakes) == max_updates:
            return Trace(weights, mistakes, visits, path, passes, False)
        if order == "random":
            chosen = int(rng.choice(rows))
        else:
            chosen = rows[0]
            for i in rows:
                if dot(Z[i], weights) < dot(Z[chosen], weights):
                    chosen = i
        passes += 1
        weights = moved(weights, size(step, schedule, passes), Z[chosen])
        mistakes.append(chosen)
        visits.append(passes * len(Z))
        path.append(weights)
    return Trace(weights, mistakes, visits, path, passes, False)


def pocket(Z, **options):
    """Run pla and keep the first weights with the fewest errors, told after every update, too."""
    run = pla(Z, **options)
    counts = [len(wrong(Z, weights)) for weights in run.path]
    best = run.path[counts.index(min(counts))]
    return run._replace(weights=best), [min(counts[: k + 1]) for k in range(len(counts))]


def averaged(Z, *, passes, order="cyclic", recent=None, **options):
    """Average the weights standing after each visit, or after the last ``recent`` ones.

    Passes go on after a clean one, and change nothing. Returns the mean and the run itself.
    """
    run = pla(Z, order=order, max_passes=passes, max_updates=10**9, **options)
    visits = passes * len(Z if isinstance(order, str) else order)
    stood, updates = [], 0
    for visit in range(1, visits + 1):
        updates += visit in run.visits
        stood.append(run.path[updates])
    counted = stood if recent is None else stood[-recent:]
    total = zeros(Z)
    for weights in counted:
        total = moved(total, 1.0, weights)
    return [value / len(counted) for value in total], run._replace(passes=passes)


def batch(Z, *, start=None, step=1.0, schedule="constant", max_updates=10_000):
    """Add all mistaken rows at once; ``mistakes`` holds the list of rows of each update."""
    weights = zeros(Z) if start is None else [float(value) for value in start]
    mistakes, path = [], [weights]
    while (rows := wrong(Z, weights)) and len(mistakes) < max_updates:
        total = zeros(Z)
        for i in rows:
            total = moved(total, 1.0, Z[i])
        mistakes.append(rows)
        weights = moved(weights, size(step, schedule, len(mistakes)), total)
        path.append(weights)
    return Trace(weights, mistakes, [], path, len(mistakes) + (not rows), not rows)
