"""Homework 2, convergence and certificates: hidden cases, wrong answers, right answers."""

import numpy as np

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.notebook.question import Question, case, value_question

rng = hidden_rng(12)
AND, Y_AND = linlib.data.and_gate()
XOR, Y_XOR = linlib.data.xor_gate()
CLOUD, Y_CLOUD = linlib.data.separable(25, 3, rng, margin=0.15)
MIXED = rng.integers(-3, 4, (12, 2)).astype(float)
Y_MIXED = np.where(rng.random(12) < 0.5, -1, 1)
LINE = np.array([[-1.0], [0.0], [2.0], [3.0]])
Y_LINE = np.array([-1, -1, 1, 1])
CLOSE, Y_CLOSE = np.array([[4.0], [5.0]]), np.array([-1, 1])
BEST = linlib.max_margin(CLOUD, Y_CLOUD, augmented=True).weights


q1 = value_question(
    "separable",
    (True, False, False, True),
    parts=dict.fromkeys("ABCD", 1),
    wrong={
        "In B two rows are opposite (one point with both labels): half of each makes 0.": (
            "separable = [True, True, False, True]"
        ),
        "In C the rows surround the origin: every line through it has rows on both sides.": (
            "separable = [True, False, True, True]"
        ),
        "A is separable: all rows lie below the origin, and which side it is does not matter.": (
            "separable = [False, False, False, True]"
        ),
        "D is separable: a slightly tilted line through the origin passes below all four rows.": (
            "separable = [True, False, False, False]"
        ),
        "It is the other way round: separable means that the rows leave the origin outside.": (
            "separable = [False, True, True, False]"
        ),
        "These are the values of the example, which are not the right ones.": (
            "separable = [True, True, True, False]"
        ),
        "A and D are both separable: the separating line through the origin may be tilted.": (
            "separable = [False, False, False, False]"
        ),
        "B and C are not separable: in both of them you can mix 0 from the rows.": (
            "separable = [True, True, True, True]"
        ),
    },
)


def promise(X, y, weights):
    Z = linlib.signed_rows(X, y)
    if (Z @ weights > 0).all():
        return (*linlib.radius_and_margin(Z, weights), linlib.mistake_bound(Z, weights))
    longest = max(sum(v * v for v in row) for row in Z.tolist()) ** 0.5
    length = sum(v * v for v in weights) ** 0.5
    smallest = min(sum(a * b for a, b in zip(row, weights, strict=True)) for row in Z.tolist())
    return longest, smallest / length, np.inf


PROMISE = """
def promise(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    R = np.linalg.norm(Z, axis=1).max()
    gamma = (Z @ weights).min() / np.linalg.norm(weights)
    return R, gamma, (R / gamma) ** 2 if gamma > 0 else np.inf
"""

q2 = Question(
    "promise",
    [
        case("the example of the question", AND, Y_AND, [-3.0, 2.0, 2.0]),
        case("the same separator, with another length", AND, Y_AND, [-0.9, 0.6, 0.6]),
        case("another separator of the same points", AND, Y_AND, [-4.0, 3.0, 2.0]),
        case("weights that make mistakes", XOR, Y_XOR, [-1.0, 1.0, 1.5]),
        case("weights with a point exactly on the line", AND, Y_AND, [-2.0, 2.0, 2.0]),
        case("points in three dimensions", CLOUD, Y_CLOUD, 3 * BEST),
        case("two points on a line, far from the origin", CLOSE, Y_CLOSE, [-9.0, 2.0]),
        case("one feature only", LINE, Y_LINE, [-1.0, 1.0]),
    ],
    expect=promise,
    alike={"gamma > 0 became gamma >= 0": "R / 0 is infinite, too"},
    parts={"the radius": 1, "the margin": 1, "the bound": 2},
    wrong={
        "The bound changes with the length of the weights, so it cannot be right: γ is squared.": (
            PROMISE.replace("(R / gamma) ** 2", "R**2 * (weights @ weights) / (Z @ weights).min()")
        ),
        "The margin is a distance: divide the smallest product by the length of the weights.": (
            PROMISE.replace(" / np.linalg.norm(weights)", "")
        ),
        "The offset is one of the coordinates: it belongs to the length of the weights, too.": (
            PROMISE.replace("np.linalg.norm(weights)", "np.linalg.norm(weights[1:])")
        ),
        "The radius is that of the signed rows: the constant 1 is one of their coordinates.": (
            PROMISE.replace("R = np.linalg.norm(Z, axis=1)", "R = np.linalg.norm(X, axis=1)")
        ),
        "The radius is a length: the first number is R, not its square.": PROMISE.replace(
            "return R, gamma", "return R**2, gamma"
        ),
        "The bound is the square of R/γ.": PROMISE.replace("(R / gamma) ** 2", "R / gamma"),
        "The bound has γ squared below the line, not γ.": PROMISE.replace(
            "(R / gamma) ** 2", "R**2 / gamma"
        ),
        "The bound is R²/γ², not γ²/R².": PROMISE.replace("(R / gamma) ** 2", "(gamma / R) ** 2"),
        "The label is forgotten: the margin is the smallest y·g(x), not the smallest score.": (
            PROMISE.replace("Z = y[:, None] * ", "Z = ")
        ),
        "The margin is the smallest product, not the smallest absolute value: keep its sign.": (
            PROMISE.replace("(Z @ weights).min()", "np.abs(Z @ weights).min()")
        ),
        "The radius is the length of the longest row, not of the shortest.": PROMISE.replace(
            "axis=1).max()", "axis=1).min()"
        ),
        "The margin is the distance of the nearest row, not of the farthest.": PROMISE.replace(
            "(Z @ weights).min()", "(Z @ weights).max()"
        ),
        "Weights that do not separate promise nothing: the third number is then np.inf.": (
            PROMISE.replace(" if gamma > 0 else np.inf", " if gamma != 0 else np.inf")
        ),
        "The offset comes first: the constant 1 is the first coordinate of a row, not the last.": (
            PROMISE.replace("[np.ones(len(y)), X]", "[X, np.ones(len(y))]")
        ),
        "These are the numbers of the example: compute them from X, y and the weights.": """
def promise(X, y, weights):
    return 3**0.5, 17**-0.5, 51
""",
    },
    right=[
        """
def promise(X, y, weights):
    unit = weights / np.sqrt(weights @ weights)
    gamma = np.min(y * (unit[0] + X @ unit[1:]))
    R = np.sqrt(1 + np.max(np.sum(X**2, axis=1)))
    if gamma <= 0:
        return np.array([R, gamma, np.inf])
    return np.array([R, gamma, R**2 / gamma**2])
""",
        """
def promise(X, y, weights):
    A = np.insert(X, 0, 1.0, axis=1)
    margin = (A @ weights * y).min() / np.hypot.reduce(weights)
    R = max(map(np.linalg.norm, A))
    return R, margin, R**2 / np.maximum(margin, 0.0) ** 2  # warns of a division by zero
""",
    ],
)


def chain(Z, rows, w_star):
    R, gamma = linlib.radius_and_margin(Z, w_star)
    weights, lines = np.zeros(Z.shape[1]), []
    for k, i in enumerate(rows, start=1):
        weights = weights + Z[i]
        aligned = weights @ w_star / np.sqrt(w_star @ w_star)
        lines.append([k * gamma, aligned, np.sqrt(weights @ weights), (k * R**2) ** 0.5])
    return np.array(lines)


def mistakes(X, y):
    return np.array(linlib.pla(X, y).mistakes)


CHAIN = """
def chain(Z, rows, w_star):
    unit = w_star / np.linalg.norm(w_star)
    R, gamma = np.linalg.norm(Z, axis=1).max(), (Z @ unit).min()
    path = np.cumsum(Z[rows], axis=0)
    k = np.arange(1, len(rows) + 1)
    lengths = np.linalg.norm(path, axis=1)
    return np.column_stack([k * gamma, path @ unit, lengths, np.sqrt(k) * R])
"""
Z_AND, Z_CLOUD, Z_LINE = (
    linlib.signed_rows(*points) for points in ((AND, Y_AND), (CLOUD, Y_CLOUD), (LINE, Y_LINE))
)

q3 = Question(
    "chain",
    [
        case("the example of the question", Z_AND, [0, 3, 0], [-3.0, 2.0, 2.0]),
        case("a whole run on AND", Z_AND, mistakes(AND, Y_AND), [-3.0, 2.0, 2.0]),
        case("a separator with another length", Z_AND, mistakes(AND, Y_AND), [-0.3, 0.2, 0.2]),
        case("a whole run in three dimensions", Z_CLOUD, mistakes(CLOUD, Y_CLOUD), BEST),
        case("one single mistake", Z_LINE, [2], [-1.0, 1.0]),
        case("a run on points of a line", Z_LINE, mistakes(LINE, Y_LINE), [-1.0, 1.5]),
    ],
    expect=chain,
    wrong={
        "w* must have length 1: divide it by its length first.": CHAIN.replace(
            " / np.linalg.norm(w_star)", ""
        ),
        "γ is the smallest product over all rows of Z, not only over those that were mistakes.": (
            CHAIN.replace("(Z @ unit).min()", "(Z[rows] @ unit).min()")
        ),
        "R is the length of the longest of all rows, not only of those that were mistakes.": (
            CHAIN.replace(
                "np.linalg.norm(Z, axis=1).max()", "np.linalg.norm(Z[rows], axis=1).max()"
            )
        ),
        "The first line belongs to k = 1, after the first update: k does not start at 0.": (
            CHAIN.replace("np.arange(1, len(rows) + 1)", "np.arange(len(rows))")
        ),
        "The line of update k needs the weights after it, not before it.": CHAIN.replace(
            "np.cumsum(Z[rows], axis=0)", "np.cumsum(Z[rows], axis=0) - Z[rows]"
        ),
        "The last line is missing: there are as many lines as updates.": CHAIN.replace(
            "np.sqrt(k) * R])", "np.sqrt(k) * R])[:-1]"
        ),
        "Before the first update there is no line: leave out k = 0.": CHAIN.replace(
            "np.cumsum(Z[rows], axis=0)",
            "np.vstack([0 * Z[:1], np.cumsum(Z[rows], axis=0)])",
        ).replace("np.arange(1, len(rows) + 1)", "np.arange(len(rows) + 1)"),
        "The last column is √k R: the length grows like the root of k.": CHAIN.replace(
            "np.sqrt(k) * R", "k * R"
        ),
        "The last two columns are the length and √k R, not their squares.": CHAIN.replace(
            "lengths, np.sqrt(k) * R", "lengths**2, k * R**2"
        ),
        "The weights are the sum of all rows corrected so far, not the last row alone.": (
            CHAIN.replace("np.cumsum(Z[rows], axis=0)", "Z[rows]")
        ),
        "The rows come in the order of the mistakes: use the indices, not the order of Z.": (
            CHAIN.replace("Z[rows]", "Z[np.arange(len(rows)) % len(Z)]")
        ),
        "One line for each update: rows and columns are exchanged.": CHAIN.replace(
            "np.sqrt(k) * R])", "np.sqrt(k) * R]).T"
        ),
        "The alignment is a dot product, not a cosine: do not divide by the length of w(k).": (
            CHAIN.replace("path @ unit,", "path @ unit / lengths,")
        ),
    },
    right=[
        """
def chain(Z, rows, w_star):
    unit = w_star / np.linalg.norm(w_star)
    n = len(rows)
    path = np.tril(np.ones((n, n))) @ Z[list(rows)]
    floor = np.cumsum(np.full(n, min(Z @ unit)))
    ceiling = max(np.linalg.norm(z) for z in Z) * np.arange(1.0, n + 1) ** 0.5
    return tuple(zip(floor, path.dot(unit), np.sqrt((path**2).sum(1)), ceiling))
""",
    ],
)


Z_XOR = linlib.signed_rows(XOR, Y_XOR).astype(int)
WHOLE = linlib.signed_rows(AND, Y_AND).astype(int)
HARD = np.array([[-1, 1], [1, 0], [-1, -2], [1, 3]])
THREE = np.array([[1, 1], [-1, 0], [-1, -2]])
SEVEN = np.array([[1, 7], [-1, 0], [-1, -10], [1, 12]])
MANY = np.array([[1, 3, 1], [1, 2, 2], [-1, 1, 0], [-1, 0, 2], [1, 4, -1], [-1, 2, 1]])


def verdict(Z, weights, counts):
    """Decide in Python's whole numbers, which know no rounding."""
    rows, w, c = (np.asarray(a).tolist() for a in (Z, weights, counts))
    if min(sum(a * b for a, b in zip(row, w, strict=True)) for row in rows) > 0:
        return 1
    total = [sum(n * row[j] for n, row in zip(c, rows, strict=True)) for j in range(len(w))]
    return -1 if min(c) >= 0 and sum(c) > 0 and not any(total) else 0


VERDICT = """
def verdict(Z, weights, counts):
    if np.all(Z @ weights > 0):
        return 1
    if np.all(counts >= 0) and np.any(counts > 0) and not np.any(Z.T @ counts):
        return -1
    return 0
"""

q4 = Question(
    "verdict",
    [
        case("the first example of the question", WHOLE, [-3, 2, 2], [1, 1, 1, 1]),
        case("the second example of the question", Z_XOR, [-3, 2, 2], [1, 1, 1, 1]),
        case("the third example of the question", Z_XOR, [-3, 2, 2], [1, 1, 1, 2]),
        case("weights with a product of exactly 0", WHOLE, [-2, 2, 1], [1, 2, 3, 4]),
        case("counts of which one is 0", HARD, [1, -1], [2, 3, 1, 0]),
        case("counts that are all 0", WHOLE, [-1, 1, 1], [0, 0, 0, 0]),
        case("rows that cancel with a negative count", WHOLE, [-1, 1, 1], [1, -1, -1, -1]),
        case("rows whose features cancel, but not the constant", Z_XOR, [1, 1, 1], [5, 1, 1, 1]),
        case("rows whose constants cancel, but not the features", Z_XOR, [0, 0, 0], [1, 2, 1, 2]),
        case("coordinates that cancel in the sum only", HARD, [0, 1], [0, 3, 1, 0]),
        case("large counts that nearly cancel", THREE, [-1, 1], [2 * 10**9, 10**9 + 1, 10**9 - 1]),
        case(
            "huge counts that nearly cancel",
            THREE,
            [-1, 1],
            [4 * 10**14, 2 * 10**14 + 1, 2 * 10**14 - 1],
        ),
        case("large counts that cancel", THREE, [-1, 1], [2 * 10**9, 10**9, 10**9]),
        case("unequal counts that cancel", SEVEN, [0, 1], [10, 3, 7, 0]),
        case(
            "positive counts in all, of which one is negative",
            [[1, 1], [1, 0], [-1, -2]],
            [0, -1],
            [2, -1, 1],
        ),
        case(
            "counts that cancel, with a negative sum",
            [[1, 1], [1, 0], [-1, -2]],
            [0, -1],
            [-2, 1, -1],
        ),
        case("six points that can be separated", MANY, [-10, 5, 2], [1, 0, 0, 1, 0, 0]),
    ],
    expect=verdict,
    alike={
        "np.any(counts > 0) became np.any(np.sum(counts) > 0)": "no count is negative here",
    },
    wrong={
        "Separating means every product above 0: a product of 0 is a mistake.": VERDICT.replace(
            "Z @ weights > 0", "Z @ weights >= 0"
        ),
        "One row on the right side is not enough: all products must be positive.": VERDICT.replace(
            "if np.all(Z @", "if np.any(Z @"
        ),
        "Shares are never negative: check that no count is below 0.": VERDICT.replace(
            "np.all(counts >= 0) and ", ""
        ),
        "A positive sum is not enough: no count may be below 0.": VERDICT.replace(
            "np.all(counts >= 0) and np.any(counts > 0)", "counts.sum() > 0"
        ),
        "Counts that are all 0 prove nothing: their shares cannot sum to 1.": VERDICT.replace(
            " and np.any(counts > 0)", ""
        ),
        "A share may be 0: rows that take no part are allowed.": VERDICT.replace(
            "np.all(counts >= 0)", "np.all(counts > 0)"
        ),
        "Nearly cancelling proves nothing: test the whole numbers themselves, for exactly 0.": (
            VERDICT.replace(
                "not np.any(Z.T @ counts)", "np.allclose(Z.T @ (counts / counts.sum()), 0)"
            )
        ),
        "A small sum is not 0, however small: test the whole numbers themselves.": (
            VERDICT.replace(
                "not np.any(Z.T @ counts)", "np.linalg.norm(Z.T @ (counts / counts.sum())) < 1e-12"
            )
        ),
        "Dividing brings rounding, and true evidence gets lost: test the whole numbers instead.": (
            VERDICT.replace(
                "not np.any(Z.T @ counts)",
                "all(sum(c / sum(counts) * z[j] for c, z in zip(counts, Z)) == 0"
                " for j in range(Z.shape[1]))",
            )
        ),
        "The constant belongs to the rows: its coordinate must cancel, too.": VERDICT.replace(
            "Z.T @ counts", "Z[:, 1:].T @ counts"
        ),
        "The features must cancel, too: equal total shares of both classes are not enough.": (
            VERDICT.replace("Z.T @ counts", "Z[:, 0] @ counts")
        ),
        "Every coordinate must cancel by itself, not only the sum of all of them.": (
            VERDICT.replace("np.any(Z.T @ counts)", "np.sum(Z.T @ counts)")
        ),
        "Weights that fail prove nothing: the answer is 0 unless the counts prove their case.": """
def verdict(Z, weights, counts):
    return 1 if np.all(Z @ weights > 0) else -1
""",
        "Evidence that fails proves nothing: the answer is 0 unless the weights separate.": """
def verdict(Z, weights, counts):
    cancels = np.all(counts >= 0) and np.any(counts > 0) and not np.any(Z.T @ counts)
    return -1 if cancels else 1
""",
        "It is the other way round: +1 says separable, -1 says inseparable.": VERDICT.replace(
            "return -1", "return 2"
        )
        .replace("return 1", "return -1")
        .replace("return 2", "return 1"),
    },
    right=[
        """
from fractions import Fraction

def verdict(Z, weights, counts):
    rows = [[Fraction(int(v)) for v in row] for row in Z]
    if all(sum(v * int(w) for v, w in zip(row, weights)) > 0 for row in rows):
        return 1
    whole = int(sum(counts))
    if whole <= 0 or any(c < 0 for c in counts):
        return 0
    shares = [Fraction(int(c), whole) for c in counts]
    total = [sum(s * row[j] for s, row in zip(shares, rows)) for j in range(len(weights))]
    return -1 if all(t == 0 for t in total) else 0
""",
        """
def verdict(Z, weights, counts):
    separates = (Z.astype(float) @ weights > 0).all()
    cancels = not (counts.astype(float) @ Z).any() and counts.any() and not (counts < 0).any()
    return np.int8(separates) - np.int8(cancels)
""",
    ],
)


SQUARE = np.array([[0.0, 0.0], [4.0, 1.0], [5.0, 4.0], [1.0, 3.0]])
INSIDE = np.array([[0.0, 0.0], [6.0, 0.0], [1.0, 5.0], [2.0, 1.0]])
NARROW = np.array([[6.0, 9.0], [5.0, 1.0], [-2.0, 4.0], [0.0, 4.0]])
GAP = np.array([[10.0, 10.0], [11.0, 10.0], [10.0, 12.0], [11.0, 13.0]])
TILTED = np.array([[-2.0, 1.0], [3.0, 2.0], [1.0, -3.0], [0.0, 4.0]])


def evidence(answer, X, y):
    """Say what is wrong with the evidence, or nothing."""
    says, given = answer
    Z, given = linlib.signed_rows(X, y), np.asarray(given, dtype=float).ravel()
    truth = linlib.certify(X, y).separable
    if np.asarray(says).dtype.kind not in "bif":
        return "should first give True or False"
    if bool(says) != truth:
        told, fact = ("in", "a") if truth else ("", "no")
        return f"calls points {told}separable that {fact} line separates"
    if not np.isfinite(given).all():
        return "gives evidence that is not made of numbers"
    if truth:
        if given.size != 3:
            return "should give three weights for points that are separable"
        apart = (Z @ given).min() > 1e-12 * np.abs(given).max()  # more than rounding
        return None if apart else "gives weights that do not separate the points"
    if given.size != 4:
        return "should give four shares for points that are not separable"
    if given.min() < -1e-9 or not np.isclose(given.sum(), 1):
        return "gives shares that are negative or do not sum to 1"
    return None if np.allclose(given @ Z, 0, atol=1e-8) else "gives shares that do not cancel"


CERTIFY = """
def certify(X, y):
    Z = y[:, None] * np.column_stack([np.ones(4), X])
    shares = np.append(np.linalg.solve(Z[:3].T, -Z[3]), 1)
    if shares.min() > 0:
        return False, shares / shares.sum()
    weights = np.zeros(3)
    for _ in range(6000):
        for z in Z:
            if z @ weights <= 0:
                weights = weights + z
        if (Z @ weights).min() > 0:
            break
    return True, weights
"""

q5 = Question(
    "certify",
    [
        case("the first example of the question", XOR, Y_XOR),
        case("the second example of the question", AND, Y_AND),
        case("equal labels on the diagonals of a four-sided figure", SQUARE, [1, -1, 1, -1]),
        case("equal labels on the sides of a four-sided figure", SQUARE, [-1, -1, 1, 1]),
        case("a point inside a triangle of the other class", INSIDE, [1, 1, 1, -1]),
        case("a point inside a triangle, two labels of each kind", INSIDE, [1, -1, -1, 1]),
        case("a triangle whose inner point has a friend", INSIDE, [-1, 1, 1, -1]),
        case("four points with the same label", TILTED, [-1, -1, -1, -1]),
        case("one point apart from the others", TILTED, [1, 1, -1, 1]),
        case("two close points with different labels", NARROW, [-1, 1, 1, -1]),
        case("a narrow gap, which takes thousands of passes", GAP, [1, -1, 1, -1]),
    ],
    check=evidence,
    alike={
        "shares.min() > 0 became shares.min() >= 0": "with no three points on a line none is 0",
        "np.zeros(3) became np.ones(3)": "any separating weights will do",
        "z @ weights <= 0 became z @ weights <= 1": "any separating weights will do",
    },
    wrong={
        "The shares must sum to 1: divide them by their sum.": CERTIFY.replace(
            "shares / shares.sum()", "shares"
        ),
        "The label is forgotten: the signed rows, not the points, must cancel.": CERTIFY.replace(
            "solve(Z[:3].T, -Z[3])", "solve((y[:, None] * Z)[:3].T, -(y[:, None] * Z)[3])"
        ),
        "Look at the signs: shares that cancel prove something only if none is negative.": (
            CERTIFY.replace("if shares.min() > 0", "if shares.sum() != 0")
        ),
        "An absolute value hides a negative share: with a negative one the points are separable.": (
            CERTIFY.replace("if shares.min() > 0", "shares = np.abs(shares)\n    if True")
        ),
        "Without the offset the rows are not those of the course: the constant 1 comes first.": (
            CERTIFY.replace("np.column_stack([np.ones(4), X])", "np.c_[np.zeros(4), X]").replace(
                "np.linalg.solve(Z[:3].T, -Z[3])", "np.linalg.lstsq(Z[:3].T, -Z[3], rcond=None)[0]"
            )
        ),
        "The offset comes first in the weights, not last.": CERTIFY.replace(
            "return True, weights", "return True, np.roll(weights, -1)"
        ),
        "The perceptron has to go on until a clean pass: one pass is not enough.": (
            CERTIFY.replace("range(6000)", "range(1)")
        ),
        "It gives up too early: on separable points the perceptron ends, however long it takes.": (
            CERTIFY.replace("range(6000)", "range(100)")
        ),
        "Giving up after many passes proves nothing: shares are evidence if the rows cancel.": """
def certify(X, y):
    Z = y[:, None] * np.column_stack([np.ones(4), X])
    weights = np.zeros(3)
    for _ in range(1000):
        for z in Z:
            if z @ weights <= 0:
                weights = weights + z
    return (True, weights) if (Z @ weights > 0).all() else (False, np.ones(4) / 4)
""",
        "Least squares need not separate: use an algorithm that ends without mistakes.": (
            CERTIFY.split("    weights = np.zeros(3)")[0]
            + "    return True, np.linalg.lstsq(y[:, None] * Z, y, rcond=None)[0]\n"
        ),
        "True means separable, and False inseparable: the two are exchanged.": (
            CERTIFY.replace("False,", "No,").replace("True,", "False,").replace("No,", "True,")
        ),
        "The evidence is missing: return the weights or the shares as well.": CERTIFY.replace(
            "return False, shares / shares.sum()", "return False"
        ).replace("return True, weights", "return True"),
    },
    right=[
        """
def certify(X, y):
    Z = y[:, None] * np.column_stack([np.ones(4), X])
    null = np.linalg.svd(Z.T)[2][-1]
    if (null > 0).all() or (null < 0).all():
        return [False, list(null / null.sum())]
    w = np.zeros((3, 1))
    while (Z @ w <= 0).any():
        w += Z[(Z @ w).argmin()][:, None]
    return [True, w]
""",
        """
def certify(X, y):
    rows = [[float(t), float(t * a), float(t * b)] for (a, b), t in zip(X, y)]
    minors = []
    for i in range(4):
        rest = np.array([row for j, row in enumerate(rows) if j != i])
        minors.append((-1) ** i * np.linalg.det(rest))
    shares = [m / sum(minors) if sum(minors) else -1 for m in minors]
    if min(shares) > 0:
        return 0, tuple(shares)
    w = [0.0, 0.0, 0.0]
    wrong = rows
    while wrong:
        w = [a + b for a, b in zip(w, wrong[-1])]
        wrong = [z for z in rows if sum(a * b for a, b in zip(w, z)) <= 0]
    return 1, tuple(w)
""",
        """
def certify(X, y):
    Z = np.c_[np.ones(4), X] * y.reshape(-1, 1)
    for target in np.vstack([np.ones(4), 1 + 99 * np.eye(4)]):  # three rows with product 1, or 100
        for keep in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]):
            weights = np.linalg.solve(Z[keep], target[keep])
            if (Z @ weights > 1e-9).all():
                return np.True_, weights
    shares = np.linalg.lstsq(np.vstack([Z.T, np.ones(4)]), np.array([0, 0, 0, 1.0]), rcond=None)[0]
    return np.False_, shares
""",
    ],
)


COVER = """
from math import comb

def labellings(n, d):
    return 2 * sum(comb(n - 1, k) for k in range(d + 1))
"""

q6 = Question(
    "labellings",
    [
        case("the first example of the question", 4, 2),
        case("the second example of the question", 3, 2),
        case("points on a line", 7, 1),
        case("more dimensions than points", 4, 6),
        case("twice as many points as weights", 18, 8),
        case("many points in space", 30, 3),
        case("one single point", 1, 3),
        case("no feature, only the offset", 6, 0),
    ],
    expect=lambda n, d: linlib.cover_count(n, d) if d else 2,  # all labels equal
    wrong={
        "The sum ends at k = d, and range(d) ends one earlier.": COVER.replace("d + 1", "d"),
        "The binomials are those of n - 1, not of n.": COVER.replace(
            "comb(n - 1, k)", "comb(n, k)"
        ),
        "The factor 2 is missing: a labelling and its opposite both count.": COVER.replace(
            "return 2 * ", "return "
        ),
        "The number is asked for, not its share of all labellings.": COVER.replace(
            "range(d + 1))", "range(d + 1)) / 2**n"
        ),
        "The sum starts at k = 0: the labellings with all labels equal count, too.": COVER.replace(
            "range(d + 1)", "range(1, d + 1)"
        ),
        "All terms from 0 to d are added: the last one alone is not the count.": COVER.replace(
            "sum(comb(n - 1, k) for k in range(d + 1))", "comb(n - 1, d)"
        ),
        "The sum goes one too far: d features and the offset make d + 1 terms, up to k = d.": (
            COVER.replace("range(d + 1)", "range(d + 2)")
        ),
        "These are the labellings that cannot be separated: the others are asked for.": (
            COVER.replace("return 2", "return 2**n - 2")
        ),
        "Not all labellings are separable: 2ⁿ is right only up to d + 1 points.": """
def labellings(n, d):
    return 2**n if n <= d + 1 else 2**n - 2
""",
        "This is the number of the example: compute it from n and d.": """
def labellings(n, d):
    return 14 if n == 4 else 8
""",
    },
    right=[
        """
def labellings(n, d):
    if n == 1 or d == 0:
        return 2
    return labellings(n - 1, d) + labellings(n - 1, d - 1)
""",
        """
def labellings(n, d):
    row = [1]
    for _ in range(n - 1):
        row = [1] + [a + b for a, b in zip(row, row[1:])] + [1]
    return float(2 * sum(row[: d + 1]))
""",
        """
def labellings(n, d):
    total, term = 0, 1.0
    for k in range(d + 1):
        total += term
        term *= (n - 1 - k) / (k + 1)
    return np.array(2 * total)
""",
    ],
)


def pocket(X, y, max_passes):
    if not max_passes:
        return np.zeros(X.shape[1] + 1), len(y)
    run = linlib.pocket(X, y, max_passes=max_passes, max_updates=None)
    return run.weights, run.errors


POCKET = """
def pocket(X, y, max_passes):
    weights = np.zeros(X.shape[1] + 1)
    best, fewest = weights.copy(), len(y)
    for _ in range(max_passes):
        for x, label in zip(X, y):
            if label * (weights[0] + weights[1:] @ x) <= 0:
                weights = weights + label * np.append(1, x)
                count = np.sum(y * (weights[0] + X @ weights[1:]) <= 0)
                if count < fewest:
                    best, fewest = weights, count
    return best, int(fewest)
"""

q7 = Question(
    "pocket",
    [
        case("the example of the question", XOR, Y_XOR, 3),
        case("points that can be separated", AND, Y_AND, 20),
        case("too few passes", AND, Y_AND, 3),
        case("points that cannot be separated", MIXED, Y_MIXED, 10),
        case("points in three dimensions", CLOUD, -Y_CLOUD, 2),
        case("no pass at all: zero stays in the pocket", XOR, Y_XOR, 0),
        case("two points that need hundreds of passes", [[14.0], [15.0]], [-1, 1], 1000),
    ],
    expect=pocket,
    alike={"weights.copy() became weights": "they are replaced, never written to"},
    parts={"the weights": 2, "the number of mistakes": 1},
    wrong={
        "The last weights are returned instead of the best ones.": POCKET.replace(
            "return best, int(fewest)",
            "return weights, int(np.sum(y * (weights[0] + X @ weights[1:]) <= 0))",
        ),
        "On a tie the earlier weights stay in the pocket: replace them only if there are fewer.": (
            POCKET.replace("count < fewest", "count <= fewest")
        ),
        "A score of exactly 0 is a mistake: count with <= 0, not with < 0.": POCKET.replace(
            "X @ weights[1:]) <= 0", "X @ weights[1:]) < 0"
        ),
        "Count after every update, not only after every pass.": """
def pocket(X, y, max_passes):
    weights = np.zeros(X.shape[1] + 1)
    best, fewest = weights.copy(), len(y)
    for _ in range(max_passes):
        for x, label in zip(X, y):
            if label * (weights[0] + weights[1:] @ x) <= 0:
                weights = weights + label * np.append(1, x)
        count = np.sum(y * (weights[0] + X @ weights[1:]) <= 0)
        if count < fewest:
            best, fewest = weights, count
    return best, int(fewest)
""",
        "The pocket holds a copy: changing the weights in place changes the pocket, too.": (
            POCKET.replace("weights = weights + label", "weights += label")
        ),
        "The mistakes on all points are asked for, not the number of updates.": POCKET.replace(
            "return best, int(fewest)", "return best, int(fewest) + 1"
        ),
        "The pocket is empty at first: zero goes in with its mistakes, which are all points.": (
            POCKET.replace("fewest = weights.copy(), len(y)", "fewest = weights.copy(), 0")
        ),
    },
    right=[
        """
def pocket(X, y, max_passes):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    w = np.zeros(Z.shape[1])
    path = [w]
    for _ in range(max_passes):
        for z in Z:
            if z @ w <= 0:
                w = w + z
                path.append(w)
    counts = [(Z @ v <= 0).sum() for v in path]
    k = int(np.argmin(counts))
    return path[k], counts[k]
""",
        """
def pocket(X, y, max_passes):
    A = np.c_[np.ones(len(X)), X]
    weights = best = np.zeros(A.shape[1])
    score = lambda v: int(np.count_nonzero(np.sign(A @ v) != y))
    for k in range(max_passes * len(y)):
        a, t = A[k % len(y)], y[k % len(y)]
        if t * (a @ weights) <= 0:
            weights = weights + t * a
            best = min(best, weights, key=score)
    return [best, float(score(best))]
""",
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6, "q7": q7}
