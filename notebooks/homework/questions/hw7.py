"""Homework 7, an honest comparison: hidden cases, wrong answers and what to say, right answers."""

from dataclasses import replace

import numpy as np

from lincourse.grader.hidden import hidden_rng
from lincourse.grader.inside.protocol import Other
from linlib.notebook.question import GIVEN, Question, case, value_question

rng = hidden_rng(77)
CLOUD = rng.normal(5.0, [1.0, 20.0, 0.1], (12, 3)).round(2)
OTHERS = rng.normal(6.0, [2.0, 10.0, 0.3], (7, 3)).round(2)
GRID = rng.integers(-5, 6, (24, 2)).astype(float)
GRID_Y = (GRID[:, 0] + rng.integers(-2, 3, 24) > 0).astype(int) + (GRID[:, 1] > 2)
SPOTS = rng.integers(-5, 6, (15, 2)).astype(float)
SPOTS_Y = (SPOTS[:, 0] > 0).astype(int) + (SPOTS[:, 1] > 2)
SPACE = rng.integers(-4, 5, (20, 4)).astype(float)
SPACE_Y = rng.integers(0, 4, 20)


q1 = value_question(
    "answer",
    {"chosen": 11, "reported": 0.26, "peeking": 5, "flattering": 0.23},
    parts=dict.fromkeys(("chosen", "reported", "peeking", "flattering"), 1),
    wrong={
        "Of settings equally good on the validation part the first in the table is taken.": (
            'answer = {"chosen": 5, "reported": 0.23, "peeking": 5, "flattering": 0.23}'
        ),
        "The training part cannot choose: one neighbour of a point that was learnt is itself.": (
            'answer = {"chosen": 1, "reported": 0.30, "peeking": 5, "flattering": 0.23}'
        ),
        "The validation error has chosen, so it no longer measures: report the test error.": (
            'answer = {"chosen": 11, "reported": 0.22, "peeking": 5, "flattering": 0.23}'
        ),
        "Peeking and choosing are the other way round: the validation part chooses.": (
            'answer = {"chosen": 5, "reported": 0.23, "peeking": 11, "flattering": 0.26}'
        ),
        "What is reported belongs to the chosen k, not to the k with the least test error.": (
            'answer = {"chosen": 11, "reported": 0.23, "peeking": 5, "flattering": 0.23}'
        ),
        "The flattering number is the test error of the k chosen by peeking, not its validation "
        "error.": 'answer = {"chosen": 11, "reported": 0.26, "peeking": 5, "flattering": 0.22}',
        "Errors are shares here, not per cent.": (
            'answer = {"chosen": 11, "reported": 26, "peeking": 5, "flattering": 23}'
        ),
        "These are the numbers of the example, which are not the right ones.": (
            'answer = {"chosen": 3, "reported": 0.25, "peeking": 1, "flattering": 0.30}'
        ),
    },
)


def standardise(train, other):
    varies = np.ptp(train, axis=0) > 0
    centre, spread = train.mean(axis=0), np.where(varies, train.std(axis=0), 1.0)
    return (train - centre) / spread, (other - centre) / spread


TENTHS = np.tile([0.1, 0.3, 0.7, 1.1], (10, 1))
STANDARDISE = """
def standardise(train, other):
    centre = train.mean(axis=0)
    spread = train.std(axis=0)
    spread[np.ptp(train, axis=0) == 0] = 1
    return (train - centre) / spread, (other - centre) / spread
"""

q2 = Question(
    "standardise",
    [
        case("the example of the question", [[0.0, 5.0], [4.0, 5.0]], [[2.0, 7.0], [6.0, 5.0]]),
        case("three features in different units", CLOUD, OTHERS),
        case("a feature that does not vary in the training part", CLOUD * [1, 1, 0] + 3, OTHERS),
        case("one single other point", CLOUD, OTHERS[:1]),
        case("whole numbers", [[1, 8], [3, 2], [8, 5]], [[2, 2], [9, 1]]),
        case("one feature only", [[1.0], [2.0], [6.0]], [[0.0], [3.0]]),
        case("far from the origin", CLOUD + 1000, OTHERS + 1000),
        case("constants that are no exact binary numbers", TENTHS, TENTHS[:3] + np.arange(4)),
    ],
    expect=standardise,
    parts={"the training part": 1, "the other part": 3},
    wrong={
        "The other part is scaled by its own mean and spread: use those of the training part.": (
            STANDARDISE.replace(
                "(other - centre) / spread",
                "(other - other.mean(axis=0)) / np.where(other.std(axis=0) > 0, "
                "other.std(axis=0), 1)",
            )
        ),
        "Mean and spread are those of both parts together: then the other part takes part in "
        "the learning.": """
def standardise(train, other):
    both = np.vstack([train, other])
    spread = both.std(axis=0)
    spread[spread == 0] = 1
    return (train - both.mean(axis=0)) / spread, (other - both.mean(axis=0)) / spread
""",
        "A feature that does not vary has spread 0: it is only moved, not divided.": """
def standardise(train, other):
    centre, spread = train.mean(axis=0), train.std(axis=0)
    return (train - centre) / spread, (other - centre) / spread
""",
        "The mean of equal numbers may be off in its last digit, and the spread is then not 0: "
        "ask whether the feature varies.": STANDARDISE.replace(
            "spread[np.ptp(train, axis=0) == 0]", "spread[spread == 0]"
        ),
        "The standard deviation has the divisor n here, not n − 1.": STANDARDISE.replace(
            "std(axis=0)", "std(axis=0, ddof=1)"
        ),
        "This divides by the variance: divide by the standard deviation, its root.": (
            STANDARDISE.replace("std(", "var(")
        ),
        "The mean is not taken away: move first, then scale.": STANDARDISE.replace(
            "(train - centre)", "train"
        ).replace("(other - centre)", "other"),
        "Each feature has a mean and a spread of its own: axis=0.": STANDARDISE.replace(
            "(axis=0)", "()"
        ).replace("    spread[np.ptp(train, axis=0) == 0] = 1\n", ""),
        "The other part is left as it was: the same move and scale belong to it.": (
            STANDARDISE.replace("(other - centre) / spread", "other")
        ),
        "This stretches to the range from 0 to 1, which is another scaling.": """
def standardise(train, other):
    low, wide = train.min(axis=0), np.ptp(train, axis=0)
    wide = np.where(wide > 0, wide, 1)
    return (train - low) / wide, (other - low) / wide
""",
        "Only the training part is returned: the other part is asked for as well.": (
            STANDARDISE.replace(", (other - centre) / spread", "")
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def standardise(train, other):
    return np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]])
""",
    },
    right=[
        """
def standardise(train, other):
    m = np.mean(train, 0)
    s = np.sqrt(np.mean((train - m) ** 2, 0))
    s = np.where(np.isclose(s, 0), 1.0, s)
    return [(part - m) / s for part in (train, other)]
""",
        """
def standardise(train, other):
    m, s = train.mean(axis=0, keepdims=True), train.std(axis=0, keepdims=True)
    with np.errstate(all="ignore"):
        a, b = (train - m) / s, (other - m) / s
    flat = s[0] < 1e-12
    a[:, flat], b[:, flat] = (train - m)[:, flat], (other - m)[:, flat]
    return a, b
""",
    ],
)


def report(truth, said, K):
    counts = np.zeros((K, K), dtype=int)
    for t, s in zip(truth, said, strict=True):
        counts[t, s] += 1
    found = counts.diagonal() / counts.sum(axis=1)
    return counts, float(np.mean(truth != said)), float(1 - found.mean())


REPORT = """
def report(truth, said, K):
    counts = np.zeros((K, K), dtype=int)
    np.add.at(counts, (truth, said), 1)
    found = counts.diagonal() / counts.sum(axis=1)
    return counts, np.mean(truth != said), 1 - found.mean()
"""
RARE_TRUTH, RARE_SAID = np.repeat([0, 1], [17, 3]), np.repeat([0, 1], [19, 1])

q3 = Question(
    "report",
    [
        case("the example of the question", [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 0], 2),
        case("a rare class", RARE_TRUTH, RARE_SAID, 2),
        case(
            "three classes, one of them never said", [0, 1, 2, 2, 1, 0, 0], [0, 1, 1, 0, 1, 0, 1], 3
        ),
        case("four classes", [*range(4), *SPACE_Y], [3, 1, 2, 0, *np.roll(SPACE_Y, 1)], 4),
        case("no mistake", [2, 0, 1, 1], [2, 0, 1, 1], 3),
        case("nothing right", [0, 1, 1, 1], [1, 0, 0, 0], 2),
    ],
    expect=report,
    parts={"the counts": 2, "the error": 1, "the balanced error": 1},
    wrong={
        "The table lies on its side: the truth belongs in the rows, the answer in the columns.": (
            REPORT.replace("(truth, said)", "(said, truth)").replace(
                "counts.sum(axis=1)", "counts.sum(axis=0)"
            )
        ),
        "The balanced error averages over the classes, each with the same weight: a class with "
        "more points does not count more.": REPORT.replace(
            "1 - found.mean()", "np.mean(truth != said)"
        ),
        "This divides by how often a class was said: divide by how many points it has.": (
            REPORT.replace(
                "counts.diagonal() / counts.sum(axis=1)",
                "counts.diagonal() / np.maximum(counts.sum(axis=0), 1)",
            )
        ),
        "These are the shares of right answers: errors are asked for.": REPORT.replace(
            "truth != said", "truth == said"
        ).replace("1 - found.mean()", "found.mean()"),
        "The error is a share of all points, not a number of them.": REPORT.replace(
            "np.mean(truth != said)", "np.sum(truth != said)"
        ),
        "Errors are shares here, not per cent.": REPORT.replace(
            "np.mean(truth != said), 1 - found.mean()",
            "100 * np.mean(truth != said), 100 * (1 - found.mean())",
        ),
        "The counts are numbers of points, not shares of each class.": REPORT.replace(
            "return counts,", "return counts / counts.sum(axis=1, keepdims=True),"
        ),
        "Two points of one class and answer count twice: counts[truth, said] += 1 adds only once "
        "for all of them.": REPORT.replace(
            "np.add.at(counts, (truth, said), 1)", "counts[truth, said] += 1"
        ),
        "Only two results are returned: the balanced error is asked for as well.": REPORT.replace(
            ", 1 - found.mean()\n", "\n"
        ),
        "The diagonal holds what is right: it belongs to the counts.": REPORT.replace(
            "    found =", "    right = counts.diagonal().copy()\n    found ="
        ).replace("return counts,", "return counts - np.diag(right),"),
        "These are the numbers of the example: compute them from the arguments.": """
def report(truth, said, K):
    return np.array([[3, 1], [2, 0]]), 0.5, 0.625
""",
    },
    right=[
        """
def report(truth, said, K):
    counts = np.bincount(K * truth + said, minlength=K * K).reshape(K, K)
    each = [np.mean(said[truth == k] != k) for k in range(K)]
    return counts, 1 - np.trace(counts) / counts.sum(), np.mean(each)
""",
        """
def report(truth, said, K):
    T, S = np.eye(K)[truth], np.eye(K)[said]
    C = T.T @ S
    return C, (truth != said).mean(), 1 - (np.diag(C) / T.sum(axis=0)).sum() / K
""",
    ],
)


def nearest(train, y, new, k):
    said = []
    for x in new:
        far = [(float(((p - x) ** 2).sum()), i) for i, p in enumerate(train)]
        near = [int(y[i]) for _, i in sorted(far)[:k]]
        said.append(min(range(max(near) + 1), key=lambda c: (-near.count(c), c)))
    return np.array(said)


NEAREST = """
def nearest(train, y, new, k):
    squares = ((new[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    near = y[np.argsort(squares, axis=1, kind="stable")[:, :k]]
    return np.array([np.bincount(row).argmax() for row in near])
"""
LINE4, LINE4_Y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
LINE5, LINE5_Y = np.array([[0.0], [2.0], [-2.0], [4.0], [9.0]]), np.array([1, 0, 0, 1, 0])
MANY = rng.integers(-1, 2, (300, 2)).astype(float)
MANY_Y, MANY_NEW = rng.permutation(300), rng.integers(-2, 3, (12, 2)).astype(float)
WIDE = np.array([[3.0, 0.0], [2.0, 2.0], [-4.0, 0.0], [-9.0, 9.0]])

q4 = Question(
    "nearest",
    [
        case("the example of the question", LINE4, LINE4_Y, [[2.0], [4.0], [3.0]], 3),
        case("one neighbour", GRID, GRID_Y, SPOTS, 1),
        case("five neighbours", GRID, GRID_Y, SPOTS, 5),
        case("as many votes for several classes", GRID, GRID_Y, SPOTS, 4),
        case("all points have a vote", GRID, GRID_Y, SPOTS[:3], len(GRID)),
        case(
            "four features, four classes",
            SPACE,
            SPACE_Y,
            SPACE + np.array([1.0, 0.0, -1.0, 0.0]),
            3,
        ),
        case("points equally far", LINE5, LINE5_Y, [[1.0], [3.0], [0.0]], 1),
        case("a tie where the smaller class is farther", LINE4, [2, 1, 0, 0], [[0.0], [3.0]], 2),
        case("distances along the diagonal", WIDE, [0, 1, 2, 2], [[0.0, 0.0], [1.0, 1.0]], 1),
        case("many points equally far, one neighbour", MANY, MANY_Y, MANY_NEW, 1),
        case("many points equally far, four neighbours", MANY, MANY_Y, MANY_NEW, 4),
    ],
    expect=nearest,
    alike={
        "np.sum((train - x) ** 2, axis=1) became np.mean((train - x) ** 2, axis=1)": (
            "the order of the distances is the same"
        )
    },
    wrong={
        "A class number is asked for, not the row numbers of the neighbours.": NEAREST.replace(
            'near = y[np.argsort(squares, axis=1, kind="stable")[:, :k]]',
            'near = np.argsort(squares, axis=1, kind="stable")[:, :k]',
        ),
        "Only the nearest point has a vote: the k nearest should.": NEAREST.replace(
            "[:, :k]", "[:, :1]"
        ),
        "These are the k farthest points: sort from near to far.": NEAREST.replace(
            "argsort(squares", "argsort(-squares"
        ),
        "One point too few has a vote: [:k] takes k of them.": NEAREST.replace(
            "[:, :k]", "[:, : max(k - 1, 1)]"
        ),
        "One point too many has a vote: a new point is not among its own neighbours.": (
            NEAREST.replace("[:, :k]", "[:, : k + 1]")
        ),
        "This leaves out the nearest point, as if the new point were in the training part.": (
            NEAREST.replace('kind="stable")[:, :k]]', 'kind="stable")[:, 1:][:, :k]]')
        ),
        "The distance is the Euclidean one: square the differences, do not take their size.": (
            NEAREST.replace(
                "((new[:, None, :] - train[None, :, :]) ** 2)",
                "np.abs(new[:, None, :] - train[None, :, :])",
            )
        ),
        "This averages the class numbers: count votes instead.": NEAREST.replace(
            "np.bincount(row).argmax()", "int(np.round(np.mean(row)))"
        ),
        "Of classes with equally many votes the smaller number wins, not the larger.": (
            NEAREST.replace(
                "np.bincount(row).argmax()",
                "len(np.bincount(row)) - 1 - np.bincount(row)[::-1].argmax()",
            )
        ),
        "Of classes with equally many votes the smaller number wins, not the nearer class.": (
            NEAREST.replace(
                "np.bincount(row).argmax()", "max(row.tolist(), key=row.tolist().count)"
            )
        ),
        "Of points equally far the one with the smaller row number is nearer, not the larger.": (
            NEAREST.replace("near = y[", "squares = squares[:, ::-1]\n    near = y[::-1][")
        ),
        'Only a stable sort keeps the order of points equally far: ask for kind="stable".': (
            NEAREST.replace(', kind="stable"', "")
        ),
        "This compares with the means of the classes: compare with every training point.": """
def nearest(train, y, new, k):
    means = np.array([train[y == c].mean(axis=0) for c in np.unique(y)])
    far = ((new[:, None, :] - means[None, :, :]) ** 2).sum(axis=2)
    return np.unique(y)[far.argmin(axis=1)]
""",
    },
    right=[
        """
def nearest(train, y, new, k):
    K = int(max(y)) + 1
    out = np.empty(len(new), dtype=int)
    for i, x in enumerate(new):
        order = np.argsort(np.round(np.linalg.norm(train - x, axis=1), 9), kind="stable")
        out[i] = np.eye(K)[y[order[:k]]].sum(axis=0).argmax()
    return out
""",
        """
def nearest(train, y, new, k):
    far = (new**2).sum(axis=1)[:, None] - 2 * new @ train.T + (train**2).sum(axis=1)
    order = np.lexsort([np.broadcast_to(np.arange(len(train)), far.shape), far.round(6)], axis=1)
    near = y[order[:, :k]]
    return [min(set(row), key=lambda c: (-row.count(c), c)) for row in near.tolist()]
""",
    ],
)


def duel(a, b, n_test, n_learnt):
    d = b - a
    uncertainty = np.sqrt(d.var(ddof=1) * (1 / len(d) + n_test / n_learnt))
    return (
        float(d.mean()),
        float(uncertainty),
        np.array([(d > 0).sum(), (d == 0).sum(), (d < 0).sum()]),
    )


DUEL = """
def duel(a, b, n_test, n_learnt):
    d = b - a
    uncertainty = d.std(ddof=1) * np.sqrt(1 / len(d) + n_test / n_learnt)
    return d.mean(), uncertainty, [np.sum(d > 0), np.sum(d == 0), np.sum(d < 0)]
"""
FIRST = rng.integers(0, 9, 16) / 32
SECOND = rng.integers(0, 9, 16) / 32
SMALL = np.tile([1, 0, -1, 1], 4) / 1024

q5 = Question(
    "duel",
    [
        case("the example of the question", [0.25, 0.5, 0.25, 0.0], [0.5, 0.5, 0.75, 0.25], 20, 60),
        case("sixteen splits", FIRST, SECOND, 76, 230),
        case("the other way round", SECOND, FIRST, 76, 230),
        case("a large test part", FIRST, SECOND, 300, 100),
        case("always better by as much", FIRST, FIRST + 0.125, 25, 75),
        case("two splits", [0.25, 0.5], [0.375, 0.25], 10, 30),
        case("errors alike in every split", FIRST, FIRST, 40, 80),
        case("differences of one point in a thousand", FIRST, FIRST + SMALL, 1000, 3000),
    ],
    expect=duel,
    alike={f"np.array({name}) became np.asarray({name})": "it is not written to" for name in "ab"},
    parts={"the mean": 1, "the uncertainty": 2, "the counts": 1},
    wrong={
        "This is the standard error of independent splits: they share points, and the share "
        "n_test / n_learnt is missing under the root.": DUEL.replace(
            "np.sqrt(1 / len(d) + n_test / n_learnt)", "np.sqrt(1 / len(d))"
        ),
        "This is d.std() / √J: the share n_test / n_learnt is missing under the root, and the "
        "standard deviation has the divisor J − 1, ddof=1.": DUEL.replace(
            "np.sqrt(1 / len(d) + n_test / n_learnt)", "np.sqrt(1 / len(d))"
        ).replace("std(ddof=1)", "std()"),
        "The sign is the other way round: the mean is positive where the first method errs less.": (
            DUEL.replace("d = b - a", "d = a - b")
        ),
        "The standard deviation of a sample of differences has the divisor J − 1: ddof=1.": (
            DUEL.replace("std(ddof=1)", "std()")
        ),
        "Subtract split by split first: the spreads of the two methods by themselves say little "
        "about their difference.": DUEL.replace(
            "d.std(ddof=1)", "np.sqrt(a.var(ddof=1) + b.var(ddof=1))"
        ),
        "The share is upside down: test points in the numerator, learnt ones in the denominator.": (
            DUEL.replace("n_test / n_learnt)", "n_learnt / n_test)")
        ),
        "The share is of the learnt points, not of all points.": DUEL.replace(
            "n_test / n_learnt)", "n_test / (n_test + n_learnt))"
        ),
        "The root is missing: a standard deviation is multiplied by a root.": DUEL.replace(
            "np.sqrt(1 / len(d) + n_test / n_learnt)", "(1 / len(d) + n_test / n_learnt)"
        ),
        "The two terms are added under one root, not each under its own.": DUEL.replace(
            "np.sqrt(1 / len(d) + n_test / n_learnt)",
            "(np.sqrt(1 / len(d)) + np.sqrt(n_test / n_learnt))",
        ),
        "This is the spread of one split: the uncertainty of the mean is asked for.": DUEL.replace(
            " * np.sqrt(1 / len(d) + n_test / n_learnt)", ""
        ),
        "Wins and losses are the other way round: the first method wins where it errs less.": (
            DUEL.replace(
                "[np.sum(d > 0), np.sum(d == 0), np.sum(d < 0)]",
                "[np.sum(d < 0), np.sum(d == 0), np.sum(d > 0)]",
            )
        ),
        "A small difference is no draw: only equal errors are.": DUEL.replace(
            "[np.sum(d > 0), np.sum(d == 0), np.sum(d < 0)]",
            "[np.sum(d > 0.01), np.sum(np.abs(d) <= 0.01), np.sum(d < -0.01)]",
        ),
        "A draw is no win: count it by itself.": DUEL.replace(
            "[np.sum(d > 0), np.sum(d == 0)", "[np.sum(d >= 0), np.sum(d == 0)"
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def duel(a, b, n_test, n_learnt):
    return 0.25, 0.1559023911, [3, 1, 0]
""",
    },
    right=[
        """
def duel(a, b, n_test, n_learnt):
    gaps = np.subtract(b, a)
    s2 = np.cov(gaps)
    counts = np.array([np.count_nonzero(np.sign(gaps) == s) for s in (1, 0, -1)])
    return np.mean(gaps), np.sqrt(s2 / gaps.size + s2 * n_test / n_learnt), counts
""",
    ],
)


def splits(sizes, count, generator):
    """Return random splits of so many rows into parts of these sizes."""
    cuts = np.cumsum(sizes)
    orders = [generator.permutation(cuts[-1]) for _ in range(count)]
    return tuple(tuple(np.split(order, cuts[:-1])) for order in orders)


def longer(sizes, row, generator):
    """Return two splits, the second of which has one more row in its test part."""
    train, validation, test = splits(sizes, 1, generator)[0]
    return (train, validation, test), (train, validation, np.append(test, row))


def named(setting):
    """Return a setting of any type so that equal ones can be found; None if it does not travel."""
    if isinstance(setting, dict):
        return tuple(sorted((str(key), named(value)) for key, value in setting.items()))
    if isinstance(setting, list | tuple | np.ndarray):
        return tuple(named(value) for value in setting)
    if isinstance(setting, Other):
        return None
    return setting if isinstance(setting, str) else float(setting or 0)


def honest(answer, X, y, splits):
    """Say what is not right about a comparison by itself, or nothing."""
    keys = {"settings", "chosen", "errors", "mean", "uncertainty", "counts"}
    if not isinstance(answer, dict) or set(answer) != keys:
        return "should give a dictionary with the six names that are asked for"
    settings, chosen = (list(map(named, answer[key])) for key in ("settings", "chosen"))
    errors, n = np.asarray(answer["errors"], dtype=float), len(splits)
    different = len(settings) if None in settings else len(set(settings))
    if different < 3 or len(chosen) != n or not set(chosen) <= set(settings):
        return "should try at least three settings and choose one of them in every split"
    if errors.shape != (n, 2):
        return "should give two errors for every split: the baseline's and your method's"
    sizes = np.array([len(test) for _, _, test in splits])
    counts = errors * sizes[:, None]
    if not np.allclose(counts, counts.round(), atol=1e-6) or errors.min() < 0 or errors.max() > 1:
        return "gives errors that are no shares of the test part"
    base = [np.mean(y[test] != np.bincount(y[train]).argmax()) for train, _, test in splits]
    if not np.allclose(errors[:, 0], base):
        return "gives another error for the baseline: the largest class of the training part"
    gaps = errors[:, 0] - errors[:, 1]
    spread = gaps.std(ddof=1) * np.sqrt(1 / n + sizes[0] / len(splits[0][0]))
    if not np.isclose(answer["mean"], gaps.mean()):
        return "gives a mean that is not that of its errors: baseline minus method, split by split"
    if not np.isclose(answer["uncertainty"], spread):
        return "gives an uncertainty that is not that of question 5"
    won = [int((gaps > 0).sum()), int((gaps == 0).sum()), int((gaps < 0).sum())]
    if np.asarray(answer["counts"]).ravel().tolist() != won:
        return "gives counts that are not the splits won, drawn and lost by your method"
    return None


# Each property below is seen in pairs of neighbouring splits that differ in one thing.


def and_honest(fault):
    """Return the check of a case: right by itself, and of this property."""

    def check(answer, X, y, splits):
        said = honest(answer, X, y, splits)
        if said:
            return said
        chosen = [named(one) for one in answer["chosen"]]
        errors = np.asarray(answer["errors"], dtype=float)[:, 1]
        sizes = np.array([len(test) for _, _, test in splits])
        return fault(chosen, errors, np.round(errors * sizes), splits)

    return check


@and_honest
def measures_all(chosen, errors, wrong, splits):
    """Turn errors into right answers: change every test label to the other class."""
    if chosen[::2] != chosen[1::2]:
        return "chooses another setting when only the test part changes: it must not look there"
    if not np.allclose(errors[::2] + errors[1::2], 1):
        return (
            "gives errors that are not those on the test part: with all labels of it changed "
            "to the other class, e must become 1 - e"
        )
    return None


@and_honest
def follows_validation(chosen, errors, wrong, splits):
    """Repeat the validation part as test part, and change its labels in the second split.

    So the best setting is measured first, and then the one that is worst on the same points.
    """
    more = errors[1::2] - errors[::2]
    if (more < -1e-9).any() or not more.any():
        return (
            "does not choose by the error on the validation part: when all labels there are "
            "changed to the other class, what was worst is best"
        )
    return None


@and_honest
def learns_from_training(chosen, errors, wrong, splits):
    """Expect the same test answers with other validation points and the same choice."""
    same = [one == other is not None for one, other in zip(chosen[::2], chosen[1::2], strict=True)]
    if (errors[::2] != errors[1::2])[same].any():
        return (
            "answers otherwise because of other validation points though the choice is the "
            "same: learn from the training part alone, also the scale"
        )
    return None


@and_honest
def half(chosen, errors, wrong, splits):
    """Expect errors on half of the points where a coin has drawn the labels."""
    if abs(errors.mean() - 0.5) > 0.1:
        return "gives errors that nobody can have on labels that have nothing to do with X"
    return None


@and_honest
def one_more(chosen, errors, wrong, splits):
    """Add one more test point, far away."""
    if chosen[::2] != chosen[1::2]:
        return "chooses another setting when only the test part changes: it must not look there"
    more = wrong[1::2] - wrong[::2]
    if ((more < 0) | (more > 1)).any():
        return "answers otherwise because of another test point: learn from the training part"
    return None


@and_honest
def learns(chosen, errors, wrong, splits):
    if errors.mean() > 0.1:
        return "errs on classes that are far apart: scale the features, and check the labels"
    return None


def pairs_of_splits(count, sizes, second):
    """Return splits of two copies of some rows, the second with the other labels.

    ``second`` makes the neighbour of a split of the first copy.
    """
    found = []
    for _ in range(count):
        one = np.split(rng.permutation(sum(sizes)), np.cumsum(sizes)[:-1])
        found += second(*one, sum(sizes))
    return tuple(found)


def other_test_labels(train, validation, test, n):
    return [(train, validation, test), (train, validation, test + n)]


def other_validation_labels(train, validation, test, n):
    # Rows from 2n on repeat the first copy, so that the parts of a split stay disjoint.
    again = validation + 2 * n
    return [(train, validation, again), (train, validation + n, again)]


def other_validation(train, validation, test, n):
    middle = len(validation) // 2
    return [(train, validation[:middle], test), (train, validation[middle:], test)]


BLUR = np.vstack([rng.normal(0, 1, (60, 2)), rng.normal(1.2, 1, (40, 2))])
BLUR_Y = np.repeat([0, 1], [60, 40])
APART = np.vstack([rng.normal(m, 1, (30, 2)) for m in ((0, 0), (9, 0), (0, 9))]) * [1, 1000]
APART_Y = np.repeat([0, 1, 2], 30)
# The first feature tells the classes apart, until a row far away takes part in its scale.
FAR_ROW = np.vstack([rng.normal(size=(100, 2)) + np.outer(BLUR_Y, [6, 0]), [[1e6, 0]]])
SIZES = (50, 25, 25)
COPIES, COPIES_Y = np.vstack([BLUR] * 3), np.concatenate([BLUR_Y, 1 - BLUR_Y, BLUR_Y])
COINS, COINS_Y = rng.normal(size=(40 * 32, 2)), rng.permutation(np.arange(40 * 32) % 2)
COIN_SPLITS = tuple(tuple(np.split(rows, [16, 22])) for rows in np.arange(40 * 32).reshape(40, 32))
GIVEN_COMPARE = GIVEN + STANDARDISE + NEAREST + DUEL
COMPARE = """
def compare(X, y, splits):
    settings, chosen, errors = [1, 5, 15], [], []
    for train, validation, test in splits:
        A, V = standardise(X[train], X[validation])
        _, B = standardise(X[train], X[test])
        wrong = [np.mean(nearest(A, y[train], V, k) != y[validation]) for k in settings]
        k = settings[int(np.argmin(wrong))]
        largest = np.bincount(y[train]).argmax()
        said = nearest(A, y[train], B, k)
        chosen.append(k)
        errors.append([np.mean(y[test] != largest), np.mean(said != y[test])])
    errors = np.array(errors)
    sizes = len(splits[0][2]), len(splits[0][0])
    mean, uncertainty, counts = duel(errors[:, 1], errors[:, 0], *sizes)
    return {"settings": settings, "chosen": chosen, "errors": errors,
            "mean": mean, "uncertainty": uncertainty, "counts": counts}
"""

q6 = Question(
    "compare",
    [
        case("eight splits of two overlapping classes", BLUR, BLUR_Y, splits(SIZES, 8, rng)),
        replace(
            case(
                "test parts whose labels are all changed",
                *(COPIES, COPIES_Y, pairs_of_splits(6, (40, 20, 40), other_test_labels)),
            ),
            check=measures_all,
        ),
        replace(
            case(
                "validation parts whose labels are all changed",
                *(COPIES, COPIES_Y, pairs_of_splits(12, (50, 30, 20), other_validation_labels)),
            ),
            check=follows_validation,
        ),
        replace(
            case(
                "other validation parts",
                *(COPIES, COPIES_Y, pairs_of_splits(10, (15, 50, 35), other_validation)),
            ),
            check=learns_from_training,
        ),
        replace(
            case("labels that have nothing to do with X", COINS, COINS_Y, COIN_SPLITS), check=half
        ),
        case("test parts of five points", BLUR, BLUR_Y, splits((70, 25, 5), 12, rng)),
        replace(
            case(
                "one more test point, far away",
                *(FAR_ROW, np.append(BLUR_Y, 1), longer(SIZES, 100, rng)),
            ),
            check=one_more,
        ),
        replace(
            case("three classes far apart", APART, APART_Y, splits((45, 20, 25), 4, rng)),
            check=learns,
        ),
    ],
    check=honest,
    alike={
        **{
            f"[1, 5, 15] became {other}": "any settings will do"
            for other in ("[2, 5, 15]", "[1, 6, 15]", "[1, 4, 15]", "[1, 5, 16]", "[1, 5, 14]")
        },
        "np.mean(nearest(A, y[train], V, k) != y[validation]) became "
        "np.sum(nearest(A, y[train], V, k) != y[validation])": "the smallest is the same",
        **{
            f"splits[0] became splits[{other}] #2": "all training parts have one size"
            for other in (1, -1)
        },
    },
    given=GIVEN_COMPARE,
    wrong={
        "The setting is chosen on the test part: that part may only measure.": COMPARE.replace(
            "np.mean(nearest(A, y[train], V, k) != y[validation])",
            "np.mean(nearest(A, y[train], B, k) != y[test])",
        ),
        "The sign is the other way round: positive where your method errs less.": COMPARE.replace(
            "duel(errors[:, 1], errors[:, 0], *sizes)", "duel(errors[:, 0], errors[:, 1], *sizes)"
        ),
        "All rows are standardised together, the test part included: scale by the training part.": (
            COMPARE.replace(
                "        A, V = standardise(X[train], X[validation])\n"
                "        _, B = standardise(X[train], X[test])\n",
                "        rows = np.concatenate([train, validation, test])\n"
                "        A, V = standardise(X[rows], X[validation])\n"
                "        A, B = A[: len(train)], standardise(X[rows], X[test])[1]\n",
            )
        ),
        "The error that is reported is that of the validation part, which has chosen already.": (
            COMPARE.replace("np.mean(said != y[test])", "min(wrong)")
        ),
        "A draw is no win: count it by itself.": COMPARE.replace(
            "    return {", "    counts = [counts[0] + counts[1], 0, counts[2]]\n    return {"
        ),
        "The splits share points: the uncertainty is that of question 5, not s / √J.": (
            COMPARE.replace(
                "    return {",
                "    uncertainty = (errors[:, 0] - errors[:, 1]).std(ddof=1) / len(errors) ** 0.5\n"
                "    return {",
            )
        ),
        "The baseline is the largest class of the training part, not of the test part.": (
            COMPARE.replace("np.bincount(y[train]).argmax()", "np.bincount(y[test]).argmax()")
        ),
        "One setting leaves nothing to choose: try at least three.": COMPARE.replace(
            "[1, 5, 15]", "[5]"
        ),
    },
    right=[
        """
def compare(X, y, splits):
    # nearest mean, with means drawn towards the middle of all
    shares = [0.0, 0.3, 0.6, 0.9]
    table, picked = [], []
    for train, validation, test in splits:
        m, s = X[train].mean(axis=0), X[train].std(axis=0)
        scale = lambda rows: (X[rows] - m) / s
        classes = np.unique(y[train])
        means = np.array([scale(train)[y[train] == c].mean(axis=0) for c in classes])
        def errors(rows, share):
            far = ((scale(rows)[:, None, :] - (1 - share) * means[None]) ** 2).sum(axis=2)
            return np.mean(classes[far.argmin(axis=1)] != y[rows])
        found = [errors(validation, share) for share in shares]
        best = shares[found.index(min(found))]
        picked.append(best)
        table.append((np.mean(y[test] != np.bincount(y[train]).argmax()), errors(test, best)))
    d = [a - b for a, b in table]
    s2 = np.var(d, ddof=1) * (1 / len(d) + len(splits[0][2]) / len(splits[0][0]))
    counts = (sum(v > 0 for v in d), sum(v == 0 for v in d), sum(v < 0 for v in d))
    return dict(settings=shares, chosen=picked, errors=table, mean=np.mean(d),
                uncertainty=s2**0.5, counts=counts)
""",
        """
def compare(X, y, splits):
    # ridge regression on class indicators
    penalties, chosen, errors = np.array([0.01, 1.0, 100.0]), [], []
    for train, validation, test in splits:
        A, V = standardise(X[train], X[validation])
        B = standardise(X[train], X[test])[1]
        targets = np.eye(y.max() + 1)[y[train]]
        add = lambda P: np.column_stack([np.ones(len(P)), P])
        fits = []
        for p in penalties:
            D = p * np.eye(A.shape[1] + 1)
            D[0, 0] = 0
            fits.append(np.linalg.solve(add(A).T @ add(A) + D, add(A).T @ targets))
        wrong = [np.mean((add(V) @ W).argmax(axis=1) != y[validation]) for W in fits]
        best = int(np.argmin(wrong))
        chosen.append(penalties[best])
        base = np.mean(np.bincount(y[train]).argmax() != y[test])
        errors.append([base, np.mean((add(B) @ fits[best]).argmax(axis=1) != y[test])])
    E = np.array(errors)
    mean, plus, counts = duel(E[:, 1], E[:, 0], len(splits[0][2]), len(splits[0][0]))
    return {"settings": penalties, "chosen": np.array(chosen), "errors": E, "mean": mean,
            "uncertainty": plus, "counts": counts}
""",
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6}
