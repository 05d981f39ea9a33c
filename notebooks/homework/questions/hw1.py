"""Homework 1, hyperplanes and PLA: hidden cases, wrong answers and what to say, right answers."""

import numpy as np

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.notebook.question import Question, case, value_question

rng = hidden_rng(11)
AND, Y_AND = linlib.data.and_gate()
XOR, Y_XOR = linlib.data.xor_gate()
CLOUD, Y_CLOUD = linlib.data.separable(30, 3, rng, margin=0.15)
MIXED = rng.integers(-3, 4, (12, 2)).astype(float)
Y_MIXED = np.where(rng.random(12) < 0.5, -1, 1)
LINE = np.array([[0.0], [1.0], [2.0], [5.0]])
Y_LINE = np.array([-1, -1, 1, 1])


q1 = value_question(
    "sides",
    (1, -1, 0, 1),
    parts=dict.fromkeys("ABCD", 1),
    wrong={
        "All signs are the other way round: the normal vector points to the positive side.": (
            "sides = [-1, 1, 0, -1]"
        ),
        "C lies on the line: its score is 0, and it has no side.": "sides = [1, -1, 1, 1]",
        "C lies on the line, it is not on the negative side: its score is 0.": (
            "sides = [1, -1, -1, 1]"
        ),
        "D is on the same side as A: follow the line down to the left, D is above it.": (
            "sides = [1, -1, 0, -1]"
        ),
        "B is on the other side than A: the normal vector points away from B.": (
            "sides = [1, 1, 0, 1]"
        ),
        "These are the numbers of the example, which are not the right ones.": (
            "sides = [1, 1, -1, 0]"
        ),
    },
)


def distances(X, w, w0):
    return linlib.Hyperplane(w, w0).distance(X)


q2 = Question(
    "signed_distances",
    [
        case("the example of the question", [[3.0, 4.0], [0, 0], [1, 0.5]], [3.0, 4.0], -5.0),
        case("a line that does not pass through the origin", MIXED, [-2.0, 1.0], 3.0),
        case("a normal vector of length 1", MIXED, [0.6, -0.8], -0.25),
        case("points in three dimensions", CLOUD, [1.0, -2.0, 2.0], 1.5),
        case("one single point", [[2.0, 2.0]], [0.0, 5.0], 1.0),
    ],
    expect=distances,
    wrong={
        "This is the score, not the distance: divide by the length of w.": """
def signed_distances(X, w, w0):
    return X @ w + w0
""",
        "The offset is missing: the score is w0 + w·x.": """
def signed_distances(X, w, w0):
    return X @ w / np.linalg.norm(w)
""",
        "The offset must be divided by the length of w as well.": """
def signed_distances(X, w, w0):
    return X @ w / np.linalg.norm(w) + w0
""",
        "The sign of the offset is the other way round: the score is w·x + w0.": """
def signed_distances(X, w, w0):
    return (X @ w - w0) / np.linalg.norm(w)
""",
        "A signed distance keeps its sign: do not take the absolute value.": """
def signed_distances(X, w, w0):
    return np.abs(X @ w + w0) / np.linalg.norm(w)
""",
        "Divide by the length of w, not by its square.": """
def signed_distances(X, w, w0):
    return (X @ w + w0) / np.dot(w, w)
""",
        "The offset is no part of the normal vector: divide by the length of w alone.": """
def signed_distances(X, w, w0):
    return (X @ w + w0) / np.linalg.norm(np.append(w0, w))
""",
        "These are the numbers of the example: compute them from X, w and w0.": """
def signed_distances(X, w, w0):
    return np.array([4.0, -1.0, 0.0])
""",
        "The distance has the sign of the side to which w points, as it is asked for.": """
def signed_distances(X, w, w0):
    return -(X @ w + w0) / np.linalg.norm(w)
""",
    },
    right=[
        """
def signed_distances(X, w, w0):
    unit = w / np.sqrt(w @ w)
    return (np.asarray(X) @ unit + w0 / np.sqrt(w @ w)).reshape(-1, 1)
""",
    ],
)


def mistakes(X, y, weights):
    return np.flatnonzero(linlib.signed_rows(X, y) @ weights <= 0)


q3 = Question(
    "mistakes",
    [
        case("the example of the question", AND, Y_AND, [-1.0, 1.0, 1.0]),
        case("all weights zero: every score is 0", XOR, Y_XOR, [0.0, 0.0, 0.0]),
        case("weights that make no mistake", AND, Y_AND, [-3.0, 2.0, 2.0]),
        case("weights whose offset decides", MIXED, Y_MIXED, [2.0, 0.0, -1.0]),
        case("points in three dimensions", CLOUD, Y_CLOUD, [0.5, 1.0, -1.0, 2.0]),
        case("points on a line, one feature", LINE, Y_LINE, [-2.0, 1.0]),
    ],
    expect=mistakes,
    wrong={
        "A score of exactly 0 is a mistake: compare with <= 0, not with < 0.": """
def mistakes(X, y, weights):
    return np.flatnonzero(y * (weights[0] + X @ weights[1:]) < 0)
""",
        "The label is forgotten: a mistake is a product y·g(x) that is not positive.": """
def mistakes(X, y, weights):
    return np.flatnonzero(weights[0] + X @ weights[1:] <= 0)
""",
        "The offset is forgotten: the score is weights[0] + X @ weights[1:].": """
def mistakes(X, y, weights):
    return np.flatnonzero(y * (X @ weights[1:]) <= 0)
""",
        "The offset comes first in the weights, not last.": """
def mistakes(X, y, weights):
    return np.flatnonzero(y * (X @ weights[:-1] + weights[-1]) <= 0)
""",
        "These are the points that are right: mistakes have y·g(x) <= 0.": """
def mistakes(X, y, weights):
    return np.flatnonzero(y * (weights[0] + X @ weights[1:]) > 0)
""",
        "Indices are asked for, not True and False: see np.flatnonzero.": """
def mistakes(X, y, weights):
    return y * (weights[0] + X @ weights[1:]) <= 0
""",
        "The indices are asked for, not their number.": """
def mistakes(X, y, weights):
    return np.sum(y * (weights[0] + X @ weights[1:]) <= 0)
""",
        "Python counts from 0: the first row has index 0.": """
def mistakes(X, y, weights):
    return np.flatnonzero(y * (weights[0] + X @ weights[1:]) <= 0) + 1
""",
        "A prediction of 0 belongs to no side, not to +1: a score of 0 is a mistake.": """
def mistakes(X, y, weights):
    guess = np.where(weights[0] + X @ weights[1:] >= 0, 1, -1)
    return np.flatnonzero(guess != y)
""",
        "These are the indices of the example: compute them from X, y and the weights.": """
def mistakes(X, y, weights):
    return [1, 2]
""",
    },
    right=[
        """
def mistakes(X, y, weights):
    scores = np.hstack([np.ones((len(X), 1)), X]) @ weights
    return tuple(i for i, (g, label) in enumerate(zip(scores, y)) if np.sign(g) != label)
""",
    ],
)


def path(X, y, passes, start=0.0):
    """Return the weights after every update, and the number of updates of each pass."""
    Z = linlib.signed_rows(X, y)
    path, counts = [start + np.zeros(Z.shape[1])], []
    while len(counts) < passes and 0 not in counts:
        before = len(path)
        for z in Z:
            if z @ path[-1] <= 0:
                path.append(path[-1] + z)
        counts.append(len(path) - before)
    return path, counts


def one_pass(X, y, weights):
    weights, counts = path(X, y, 1, weights)
    return weights[-1], counts[0]


PASS = """
def one_pass(X, y, weights):
    weights, updates = np.array(weights, dtype=float), 0
    for x, label in zip(X, y):
        if label * (weights[0] + weights[1:] @ x) <= 0:
            weights += label * np.append(1, x)
            updates += 1
    return weights, updates
"""

q4 = Question(
    "one_pass",
    [
        case("the example of the question", AND, Y_AND, np.zeros(3)),
        case("a start that is not zero", AND, Y_AND, np.array([-4.0, 3.0, 1.0])),
        case("weights that make no mistake", AND, Y_AND, np.array([-4.0, 3.0, 2.0])),
        case("points that cannot be separated", MIXED, Y_MIXED, np.zeros(3)),
        case("points in three dimensions", CLOUD, Y_CLOUD, np.array([1.0, 0.0, -1.0, 0.5])),
        case("whole numbers as the start", XOR, Y_XOR, np.array([0, 0, 0])),
    ],
    expect=one_pass,
    parts={"the weights": 3, "the number of updates": 1},
    wrong={
        "A score of exactly 0 is a mistake: compare with <= 0, not with < 0.": PASS.replace(
            "<= 0", "< 0"
        ),
        "The label is forgotten in the update: add y·(1, x), not (1, x).": PASS.replace(
            "label * np.append(1, x)", "np.append(1, x)"
        ),
        "The label is forgotten in the test: a mistake has y·g(x) <= 0.": PASS.replace(
            "if label * (weights[0] + weights[1:] @ x) <= 0",
            "if weights[0] + weights[1:] @ x <= 0",
        ),
        "The offset never changes: the update adds y to it, because its feature is 1.": (
            PASS.replace("np.append(1, x)", "np.append(0, x)")
        ),
        "The offset comes first: the update adds (1, x), not (x, 1).": PASS.replace(
            "np.append(1, x)", "np.append(x, 1)"
        ),
        "The weights must change at once: the next row is judged by the new weights.": """
def one_pass(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    wrong = Z @ weights <= 0
    return weights + Z[wrong].sum(axis=0), int(wrong.sum())
""",
        "One pass goes on after the first mistake, to the last row.": PASS.replace(
            "updates += 1", "return weights, 1"
        ),
        "The array you are given changes: copy it before the first update.": """
def one_pass(X, y, weights):
    updates = 0
    for x, label in zip(X, y):
        if label * (weights[0] + weights[1:] @ x) <= 0:
            weights += (label * np.append(1, x)).astype(weights.dtype)
            updates += 1
    return weights, updates
""",
        "Start from the weights that are given, not from zero.": PASS.replace(
            "np.array(weights, dtype=float)", "np.zeros(len(weights))"
        ),
        "The number of updates is missing: return both, the weights and the number.": (
            PASS.replace("return weights, updates", "return weights")
        ),
        "The rows are taken from the last to the first: go in order.": PASS.replace(
            "zip(X, y)", "zip(X[::-1], y[::-1])"
        ),
    },
    right=[
        """
def one_pass(X, y, weights):
    w0, w, n = weights[0], weights[1:], 0
    for x, t in zip(X, y):
        if np.sign(w0 + np.dot(w, x)) != t:
            w0, w, n = w0 + t, w + t * x, n + 1
    return np.concatenate([[w0], w]), float(n)
""",
    ],
)


def pla(X, y, max_passes):
    weights, counts = path(X, y, max_passes)
    if 0 in counts:
        run = linlib.pla(X, y)
        return run.weights, run.updates, run.converged
    return weights[-1], sum(counts), False


PLA = (
    PASS
    + """
def pla(X, y, max_passes):
    weights, total = np.zeros(X.shape[1] + 1), 0
    for _ in range(max_passes):
        weights, updates = one_pass(X, y, weights)
        total += updates
        if updates == 0:
            return weights, total, True
    return weights, total, False
"""
)

q5 = Question(
    "pla",
    [
        case("the first example of the question", AND, Y_AND, 20),
        case("the second example of the question", AND, Y_AND, 8),
        case("just enough passes for a clean one", AND, Y_AND, 9),
        case("points that cannot be separated", XOR, Y_XOR, 30),
        case("points in three dimensions", CLOUD, Y_CLOUD, 500),
        case("one single pass", CLOUD, Y_CLOUD, 1),
        case("one feature only", LINE, Y_LINE, 100),
        case("two points that need hundreds of passes", [[14.0], [15.0]], [-1, 1], 1000),
    ],
    expect=pla,
    parts={"the weights": 2, "the number of updates": 2, "whether a pass was clean": 1},
    wrong={
        "A score of exactly 0 is a mistake: from zero, with < 0, nothing ever moves.": PLA.replace(
            "<= 0", "< 0"
        ),
        "It says clean after the last pass, whatever happened: clean is a pass without update.": (
            PLA.replace("return weights, total, False", "return weights, total, True")
        ),
        "It stops one pass early: range(max_passes) already makes max_passes passes.": PLA.replace(
            "range(max_passes)", "range(max_passes - 1)"
        ),
        "The updates of all passes together are asked for, not those of the last pass.": (
            PLA.replace("total += updates", "total = updates")
        ),
        "The number of updates is asked for, not the number of passes.": PLA.replace(
            "total += updates", "total += 1"
        ),
        "The weights must live through all passes: start from zero once, not in every pass.": (
            PLA.replace(
                "one_pass(X, y, weights)\n        total",
                "one_pass(X, y, 0 * weights)\n        total",
            )
        ),
        "Clean means a pass without an update; separating the points at the end is not the same.": (
            PLA.replace(
                "return weights, total, False",
                "return weights, total, bool((y * (weights[0] + X @ weights[1:]) > 0).all())",
            )
        ),
        "The offset never changes: the update adds y to it, because its feature is 1.": (
            PLA.replace("np.append(1, x)", "np.append(0, x)")
        ),
        "These are the numbers of the example: run the algorithm on X and y.": """
def pla(X, y, max_passes):
    return np.array([-4.0, 3.0, 2.0]), 18, max_passes > 8
""",
    },
    right=[
        """
def pla(X, y, max_passes):
    A = np.c_[np.ones(len(X)), X]
    w, n = np.zeros(A.shape[1]), np.int64(0)
    for _ in range(max_passes):
        clean = np.True_
        for a, t in zip(A, y):
            if np.sign(a @ w) != t:
                w, n, clean = w + t * a, n + 1, np.False_
        if clean:
            return [w, n, clean]
    return [w, n, np.False_]
""",
    ],
)


QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5}
