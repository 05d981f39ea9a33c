"""Plain loops in plain Python, beside those of ``tests/naive.py``."""


def lms(rows, labels, step, passes):
    """Return the weights after ``passes`` passes of w ← w + η (y − w · x) x."""
    w = [0.0] * len(rows[0])
    for _ in range(passes):
        for x, y in zip(rows, labels, strict=True):
            error = y
            for a, b in zip(w, x, strict=True):
                error -= a * b
            w = [a + step * error * b for a, b in zip(w, x, strict=True)]
    return w


def scatter(rows, codes, k):
    """Return the class means and the pooled sum of squares about them."""
    d = len(rows[0])
    sums, counts = [[0.0] * d for _ in range(k)], [0] * k
    for x, c in zip(rows, codes, strict=True):
        counts[c] += 1
        sums[c] = [a + b for a, b in zip(sums[c], x, strict=True)]
    means = [[a / max(m, 1) for a in total] for total, m in zip(sums, counts, strict=True)]
    total = [[0.0] * d for _ in range(d)]
    for x, c in zip(rows, codes, strict=True):
        within = [a - b for a, b in zip(x, means[c], strict=True)]
        for line, a in zip(total, within, strict=True):
            for j, b in enumerate(within):
                line[j] += a * b
    return means, total


def perceptron(Z, start, visits):
    """Return the mistakes of the first visits, and the weights after them."""
    weights, mistakes, done = list(start), [], 0
    while done < visits:
        for i, row in enumerate(Z[: visits - done]):
            score = 0.0
            for a, b in zip(row, weights, strict=True):
                score += a * b
            if score <= 0:
                mistakes.append(i)
                weights = [a + b for a, b in zip(weights, row, strict=True)]
        done += len(Z)
    return mistakes, weights
