"""Homework 6, many classes and softmax: hidden cases, wrong answers, right answers."""

from itertools import combinations

import numpy as np
from scipy.special import logsumexp, softmax

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.multiclass.schemes import LinearMachine, OneVsOne, OneVsRest
from linlib.notebook.question import GIVEN, Question, case, value_question

rng = hidden_rng(55)
GRID = rng.integers(-4, 5, (11, 2)).astype(float)
SPACE = rng.integers(-3, 4, (9, 3)).astype(float)
LINE = np.array([[-3.0], [-1.0], [0.0], [1.0], [2.0], [5.0]])
FIVE = np.array([[1, 1, 0], [2, 0, -1], [-1, 1, 1], [0, -1, 2], [3, -1, -1]], dtype=float)
FOUR = np.array([[1, 1, 0, -2], [0, 2, -1, 1], [-1, 0, 1, 1], [2, -1, -1, 0]], dtype=float)
STRIP = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]])


q1 = value_question(
    "who",
    {
        "A": np.array([True, True, True]),
        "B": np.array([False, False, True]),
        "C": np.array([False, False, False]),
        "D": np.array([False, True, True]),
    },
    parts=dict.fromkeys("ABCD", 1),
    wrong={
        "Class 2 is the other way round: its arrow points to the left and up.": (
            'who = {"A": [1, 1, 0], "B": [0, 0, 0], "C": [0, 0, 1], "D": [0, 1, 0]}'
        ),
        "All claims are the other way round: an arrow points to the side that is claimed.": (
            'who = {"A": [0, 0, 0], "B": [1, 1, 0], "C": [1, 1, 1], "D": [1, 0, 0]}'
        ),
        "B is in the triangle, but the arrow of one class points into it, so it is claimed.": (
            'who = {"A": [1, 1, 1], "B": [0, 0, 0], "C": [0, 0, 0], "D": [0, 1, 1]}'
        ),
        "Several classes may claim one point: do not stop at the first.": (
            'who = {"A": [1, 0, 0], "B": [0, 0, 1], "C": [0, 0, 0], "D": [0, 1, 0]}'
        ),
        "C is on the far side of every arrow: a point may be claimed by nobody.": (
            'who = {"A": [1, 1, 1], "B": [0, 0, 1], "C": [0, 0, 1], "D": [0, 1, 1]}'
        ),
        "D is below the horizontal line, so class 0 does not claim it.": (
            'who = {"A": [1, 1, 1], "B": [0, 0, 1], "C": [0, 0, 0], "D": [1, 1, 1]}'
        ),
        "A lies to the left of the falling line: follow it up to the edge of the picture.": (
            'who = {"A": [1, 0, 1], "B": [0, 0, 1], "C": [0, 0, 0], "D": [0, 1, 1]}'
        ),
        "These are the numbers of the example, which are not the right ones.": (
            'who = {"A": [1, 0, 0], "B": [0, 1, 0], "C": [0, 1, 0], "D": [1, 1, 0]}'
        ),
    },
)


FITTED = {"converged": True, "status": ""}  # what a scheme says of its training, not asked here


def empty(weights):
    """Return class names and means: a scheme asks for them, its claims do not use them."""
    return np.arange(len(weights)), np.zeros((len(weights), 1))


def claims(X, weights):
    lines = tuple(linlib.Hyperplane.from_weights(row) for row in weights)
    return OneVsRest(*empty(weights), lines, **FITTED).claims(X)


FOUR_SPOTS = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [4.0, 4.0]])
REST = np.array([[1.0, -1.0, -1.0], [-2.0, 1.0, 0.0], [-3.0, 0.0, 1.0]])
CLAIMS = """
def claims(X, weights):
    return X @ weights[:, 1:].T + weights[:, 0] > 0
"""

q2 = Question(
    "claims",
    [
        case("the example of the question", FOUR_SPOTS, REST),
        case("five classes in the plane", GRID, FIVE),
        case("points exactly on the lines", GRID, [[0.0, 1.0, 1.0], [1.0, -1.0, 0.0]]),
        case("points in three dimensions", SPACE, FOUR),
        case("one feature only", LINE, STRIP[:, ::-1] + [[2.0, 1.0]]),
        case("one single point", [[1.0, 1.0]], FIVE),
        case("scores that are small fractions", GRID / 16, FIVE / 3072),
    ],
    expect=claims,
    wrong={
        "A score of exactly 0 claims nothing: compare with > 0, not with >= 0.": CLAIMS.replace(
            "> 0", ">= 0"
        ),
        "The offset comes first in each row of weights, not last.": """
def claims(X, weights):
    return X @ weights[:, :-1].T + weights[:, -1] > 0
""",
        "The offset is forgotten: the score of class k is weights[k, 0] + X @ weights[k, 1:].": """
def claims(X, weights):
    return X @ weights[:, 1:].T > 0
""",
        "The table lies on its side: points belong in the rows, classes in the columns.": """
def claims(X, weights):
    return (X @ weights[:, 1:].T + weights[:, 0] > 0).T
""",
        "These are the scores: tell only where they are positive.": """
def claims(X, weights):
    return X @ weights[:, 1:].T + weights[:, 0]
""",
        "These are signs: what is asked for is True where a score is positive, else False.": """
def claims(X, weights):
    return np.sign(X @ weights[:, 1:].T + weights[:, 0])
""",
        "Not only the largest score claims: every class with a positive score does.": """
def claims(X, weights):
    scores = X @ weights[:, 1:].T + weights[:, 0]
    return scores == scores.max(axis=1, keepdims=True)
""",
        "A class claims the positive side of its line, not the negative one.": CLAIMS.replace(
            "> 0", "< 0"
        ),
        "The sign of the offset is the other way round: the score is w·x + w0.": CLAIMS.replace(
            "+ weights[:, 0]", "- weights[:, 0]"
        ),
        "These are the numbers of claims for each point: keep one column for each class.": """
def claims(X, weights):
    return (X @ weights[:, 1:].T + weights[:, 0] > 0).sum(axis=1)
""",
        "Every positive score claims, however small: compare with > 0, not with >= 1.": (
            CLAIMS.replace("> 0", ">= 1")
        ),
        "These are the claims of the example: compute them from X and the weights.": """
def claims(X, weights):
    return np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 1]], dtype=bool)
""",
    },
    right=[
        """
def claims(X, weights):
    scores = np.einsum("nd,kd->nk", X, weights[:, 1:]) + weights[None, :, 0]
    return scores / np.abs(scores) > 0  # warns at 0 / 0, which is not positive
""",
    ],
)


def votes(X, pairs, weights, K):
    lines = {
        (int(a), int(b)): linlib.Hyperplane.from_weights(w)
        for (a, b), w in zip(pairs, weights, strict=True)
    }
    scheme = OneVsOne(*empty(range(K)), lines, **FITTED)
    return scheme.votes(X), scheme.ambiguous(X)


THREE_SPOTS = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 2.0]])
DUELS = np.array([[1.0, -1.0, 0.0], [-1.0, 0.0, 1.0], [1.0, 1.0, -1.0]])
PAIRS = np.array([[0, 1], [0, 2], [1, 2]])
SIX = np.array([[3, 1], [0, 2], [2, 3], [1, 0], [0, 3], [2, 1]])
SIX_DUELS = np.array(
    [[1, 2, 0], [0, 1, -1], [-1, 1, 2], [2, -1, 0], [0, -1, -1], [1, 0, -2]], dtype=float
)
VOTES = """
def votes(X, pairs, weights, K):
    scores = X @ weights[:, 1:].T + weights[:, 0]
    counts = np.zeros((len(X), K), dtype=int)
    for m, (a, b) in enumerate(pairs):
        counts[:, a] += scores[:, m] > 0
        counts[:, b] += scores[:, m] < 0
    best = counts.max(axis=1, keepdims=True)
    return counts, (counts == best).sum(axis=1) > 1
"""

q3 = Question(
    "votes",
    [
        case("the example of the question", THREE_SPOTS, PAIRS, DUELS, 3),
        case("four classes, pairs in any order", GRID, SIX, SIX_DUELS, 4),
        case(
            "a point on every line: nobody gets a vote", [[0.0, 0.0]], PAIRS, DUELS * [0, 1, 1], 3
        ),
        case(
            "points in three dimensions",
            SPACE,
            SIX[[0, 2, 3, 4, 1, 5]],
            np.vstack([FOUR, -FOUR[:2, [0, 2, 1, 3]]]),
            4,
        ),
        case("one feature only", LINE, PAIRS[:, ::-1], [[-1.0, 1.0], [0.0, 1.0], [1.0, 2.0]], 3),
        case("two classes, one line", GRID, [[1, 0]], [[1.0, 1.0, -1.0]], 2),
        case("classes that are in no pair", GRID, [[0, 1], [3, 1]], SIX_DUELS[:2], 5),
    ],
    expect=votes,
    parts={"the votes": 2, "the ties": 1},
    wrong={
        "The votes go to the wrong class: a positive score is a vote for the first of the pair.": (
            VOTES.replace("> 0\n        counts", "< 0\n        counts").replace(
                "[:, b] += scores[:, m] < 0", "[:, b] += scores[:, m] > 0"
            )
        ),
        "A score of exactly 0 is a vote for nobody, not for the second class.": VOTES.replace(
            "scores[:, m] < 0", "scores[:, m] <= 0"
        ),
        "A score of exactly 0 is a vote for nobody, not for the first class.": VOTES.replace(
            "scores[:, m] > 0", "scores[:, m] >= 0"
        ),
        "A score of exactly 0 is a vote for nobody, not half a vote for each.": VOTES.replace(
            "dtype=int", "dtype=float"
        )
        .replace("+= scores[:, m] > 0", "+= (1 + np.sign(scores[:, m])) / 2")
        .replace("+= scores[:, m] < 0", "+= (1 - np.sign(scores[:, m])) / 2"),
        "A tie is one for the largest number of votes: equal losers do not matter.": VOTES.replace(
            "(counts == best).sum(axis=1) > 1",
            "np.array([len(set(row)) < K for row in counts.tolist()])",
        ),
        "Two classes that share the largest number are a tie, too: not only all of them.": (
            VOTES.replace(".sum(axis=1) > 1", ".all(axis=1)")
        ),
        "The tie is the other way round: True where several classes share the largest number.": (
            VOTES.replace(".sum(axis=1) > 1", ".sum(axis=1) == 1")
        ),
        "The offset comes first in each row of weights, not last.": VOTES.replace(
            "X @ weights[:, 1:].T + weights[:, 0]", "X @ weights[:, :-1].T + weights[:, -1]"
        ),
        "The offset is forgotten: the score is weights[m, 0] + X @ weights[m, 1:].": VOTES.replace(
            " + weights[:, 0]", ""
        ),
        "The pairs are given: do not assume that they come in the order (0, 1), (0, 2), (1, 2).": (
            VOTES.replace(
                "enumerate(pairs)",
                "enumerate([(i, j) for i in range(K) for j in range(i + 1, K)])",
            )
        ),
        "There are K classes, also where the last of them is in no pair: K columns.": VOTES.replace(
            "    scores", "    K = pairs.max() + 1\n    scores", 1
        ),
        "Only the votes are returned: the ties are asked for as well.": VOTES.replace(
            "return counts, (counts == best).sum(axis=1) > 1", "return counts"
        ),
        "A vote counts 1, however large the score is.": VOTES.replace("dtype=int", "dtype=float")
        .replace("+= scores[:, m] > 0", "+= np.maximum(scores[:, m], 0)")
        .replace("+= scores[:, m] < 0", "+= np.maximum(-scores[:, m], 0)"),
        "These are the votes of the example: compute them from the arguments.": """
def votes(X, pairs, weights, K):
    return np.array([[1, 1, 1], [0, 2, 1], [1, 0, 0]]), np.array([True, False, False])
""",
    },
    right=[
        """
def votes(X, pairs, weights, K):
    signs = np.sign(np.c_[np.ones(len(X)), X] @ weights.T)
    first, second = np.eye(K)[pairs[:, 0]], np.eye(K)[pairs[:, 1]]
    counts = (signs == 1) @ first + (signs == -1) @ second
    ordered = np.sort(counts, axis=1)
    return counts, (ordered[:, -1] == ordered[:, -2])[:, None]
""",
    ],
)


def decide(X, weights):
    machine = LinearMachine(*empty(weights), weights, **FITTED)
    best = machine.claims(X)
    return np.where(machine.ambiguous(X), -1, best.argmax(axis=1))


SPOTS = np.array([[2.0, 0.0], [0.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
SCORES = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
FAR_APART = np.array([[0, 1, 0], [-99, 0, 0], [0, 1, 0], [-99, 0, 1]], dtype=float)
DECIDE = """
def decide(X, weights):
    scores = X @ weights[:, 1:].T + weights[:, 0]
    shared = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(shared, -1, scores.argmax(axis=1))
"""

q4 = Question(
    "decide",
    [
        case("the example of the question", SPOTS, SCORES),
        case("five classes in the plane", GRID, FIVE),
        case("scores that are all negative", GRID, FIVE - [[40.0, 0.0, 0.0]]),
        case("one and the same vector for two classes", GRID, FIVE[[0, 1, 1, 3]]),
        case("points in three dimensions", SPACE, FOUR),
        case("two classes, one feature", LINE, [[0.0, 1.0], [1.0, 0.0]]),
        case("more classes than points", GRID[:2], FIVE),
        case("scores that differ very little", GRID, [[0, 1, 0], [2**-12, 1, 0], [0, 0, 1.0]]),
        case("two classes far from each other share the largest score", GRID, FAR_APART),
    ],
    expect=decide,
    wrong={
        "The ties are forgotten: where the largest score is shared the answer is -1.": """
def decide(X, weights):
    return (X @ weights[:, 1:].T + weights[:, 0]).argmax(axis=1)
""",
        "A tie is one for the largest score: equal losers do not matter.": DECIDE.replace(
            "(scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1",
            "np.array([len(set(row)) < len(row) for row in scores.tolist()])",
        ),
        "The offset comes first in each row of weights, not last.": DECIDE.replace(
            "X @ weights[:, 1:].T + weights[:, 0]", "X @ weights[:, :-1].T + weights[:, -1]"
        ),
        "The offset is forgotten: the score of class k is weights[k, 0] + X @ weights[k, 1:].": (
            DECIDE.replace(" + weights[:, 0]", "")
        ),
        "The largest score wins, not the smallest.": DECIDE.replace("max(", "min("),
        "The sign does not matter, nor does the distance from 0: compare the scores themselves.": (
            DECIDE.replace("+ weights[:, 0]", "+ weights[:, 0]\n    scores = np.abs(scores)")
        ),
        "A linear machine always has a largest score: it need not be positive.": DECIDE.replace(
            "np.where(shared,", "np.where(shared | (scores.max(axis=1) <= 0),"
        ),
        "Classes are numbered from 0.": DECIDE.replace(
            "return np.where(shared, -1, scores.argmax(axis=1))",
            "return np.where(shared, -1, scores.argmax(axis=1) + 1)",
        ),
        "The class is asked for, not its score.": DECIDE.replace(
            "scores.argmax(axis=1))", "scores.max(axis=1))"
        ),
        "This finds the best point of each class: compare the classes at each point.": """
def decide(X, weights):
    return (X @ weights[:, 1:].T + weights[:, 0]).argmax(axis=0)
""",
        "The lines are used with length 1, which changes who is largest: take the scores.": (
            DECIDE.replace(
                "    shared",
                "    scores = scores / np.maximum(np.linalg.norm(weights[:, 1:], axis=1), 1e-9)\n"
                "    shared",
            )
        ),
        "These are the classes of the example: compute them from X and the weights.": """
def decide(X, weights):
    return [0, 1, 2, -1]
""",
        "Do not round: two scores that differ, if only a little, are no tie.": DECIDE.replace(
            "weights[:, 0]\n", "weights[:, 0]\n    scores = np.round(scores, 3)\n"
        ),
        "Any two classes may share the largest score, not only neighbours.": """
def decide(X, weights):
    scores = X @ weights[:, 1:].T + weights[:, 0]
    best = scores.argmax(axis=1)
    after = np.minimum(best + 1, len(weights) - 1)
    rows = np.arange(len(X))
    shared = (after != best) & (scores[rows, after] == scores[rows, best])
    return np.where(shared, -1, best)
""",
    },
    right=[
        """
def decide(X, weights):
    scores = np.c_[np.ones(len(X)), X] @ weights.T
    order = np.argsort(scores, axis=1)
    best, second = np.take_along_axis(scores, order[:, [-1, -2]], axis=1).T
    answer = order[:, -1].astype(float)
    answer[np.isclose(best, second)] = -1
    return answer.reshape(-1, 1)
""",
        """
def decide(X, weights):
    n, K = len(X), len(weights)
    g = [weights[k, 0] + X @ weights[k, 1:] for k in range(K)]
    found = np.full(n, -1)
    for k in range(K):
        wins = np.ones(n, dtype=bool)
        for j in range(K):
            if j != k:
                wins &= g[k] > g[j]
        found[wins] = k
    return tuple(found)
""",
    ],
)


def kesler(X, y, K):
    """Return linlib's rows; classes without points get one for a moment, to have a block."""
    missing = [k for k in range(K) if k not in y]
    padded = np.vstack([X, np.zeros((len(missing), X.shape[1]))])
    rows = linlib.kesler_rows(padded, np.append(y, missing).astype(int))
    return rows[: len(X) * (K - 1)]


KESLER = """
def kesler(X, y, K):
    rows = []
    for x, c in zip(X, y):
        for j in range(K):
            if j != c:
                blocks = np.zeros((K, len(x) + 1))
                blocks[c] = np.append(1, x)
                blocks[j] = -np.append(1, x)
                rows.append(blocks.ravel())
    return np.array(rows)
"""

q5 = Question(
    "kesler",
    [
        case("the example of the question", [[5.0], [7.0]], [2, 0], 3),
        case("three classes in the plane", GRID[:6], [1, 0, 2, 2, 0, 1], 3),
        case("two classes", GRID[:4], [1, 0, 0, 1], 2),
        case("four classes in three dimensions", SPACE, [3, 1, 0, 2, 2, 1, 0, 3, 3], 4),
        case("a class without points", LINE, [0, 0, 1, 3, 1, 0], 4),
        case("the last class without points", LINE, [0, 0, 1, 1, 1, 0], 3),
        case("one single point", [[2.0, -1.0]], [1], 3),
        case("points with fractions", GRID[:3] / 4 + 0.125, [1, 2, 0], 3),
    ],
    expect=kesler,
    alike={
        "for j in range(K): became for j in range(min(K, 50)):": "no course has so many classes"
    },
    wrong={
        "Block j must be negative: the score of class j is subtracted.": KESLER.replace(
            "-np.append(1, x)", "np.append(1, x)"
        ),
        "The signs are the other way round: (1, x) stands in the block of the point's own class.": (
            KESLER.replace("blocks[c] = np", "blocks[c] = -np").replace(
                "blocks[j] = -np", "blocks[j] = np"
            )
        ),
        "The offset comes first: a block is (1, x), not (x, 1).": KESLER.replace(
            "np.append(1, x)", "np.append(x, 1)"
        ),
        "The 1 for the offset is missing: a block is (1, x).": KESLER.replace(
            "np.zeros((K, len(x) + 1))", "np.zeros((K, len(x)))"
        ).replace("np.append(1, x)", "x"),
        "The own class gets no row: skip j = c.": KESLER.replace("if j != c", "if True"),
        "The order of the rows differs: first all rows of the first point, then the second.": """
def kesler(X, y, K):
    rows = []
    for j in range(K):
        for x, c in zip(X, y):
            if j != c:
                blocks = np.zeros((K, len(x) + 1))
                blocks[c] = np.append(1, x)
                blocks[j] = -np.append(1, x)
                rows.append(blocks.ravel())
    return np.array(rows)
""",
        "Each point gives one row for every other class, not only one row.": KESLER.replace(
            "if j != c", "if j == (c + 1) % K"
        ),
        "One row has one other class: make K - 1 rows, not one row with all of them.": """
def kesler(X, y, K):
    rows = []
    for x, c in zip(X, y):
        blocks = np.zeros((K, len(x) + 1)) - np.append(1, x)
        blocks[c] = np.append(1, x)
        rows.append(blocks.ravel())
    return np.array(rows)
""",
        "The blocks are mixed: a row holds block 0, then block 1, and so on, each in one piece.": (
            KESLER.replace("blocks.ravel()", "blocks.T.ravel()")
        ),
        "The other classes j come in increasing order, not beginning after c.": KESLER.replace(
            "for j in range(K)", "for j in [(c + s) % K for s in range(K)]"
        ),
        "The blocks stand in a square: lay them one after the other in one long row.": (
            KESLER.replace("blocks.ravel()", "blocks")
        ),
        "Every class has its block, also one without points: use K, not the labels you see.": (
            KESLER.replace("    rows = []", "    rows, K = [], max(y) + 1", 1)
        ),
        "These are the rows of the example: build them from X, y and K.": """
def kesler(X, y, K):
    return np.array([[-1, -5, 0, 0, 1, 5], [0, 0, -1, -5, 1, 5],
                     [1, 7, -1, -7, 0, 0], [1, 7, 0, 0, -1, -7]])
""",
        "Points may have fractions: do not cast the rows to whole numbers.": KESLER.replace(
            "np.array(rows)", "np.array(rows).astype(int)"
        ),
    },
    right=[
        """
def kesler(X, y, K):
    A = np.hstack([np.ones((len(X), 1)), X])
    pairs = [(i, c, j) for i, c in enumerate(y) for j in range(K) if j != c]
    signs = np.array([np.eye(K)[c] - np.eye(K)[j] for i, c, j in pairs])
    return np.einsum("rk,rd->rkd", signs, A[[i for i, _, _ in pairs]]).reshape(len(pairs), -1)
""",
        """
def kesler(X, y, K):
    rows = [
        np.kron(np.eye(K)[c] - np.eye(K)[j], np.r_[1, x])
        for x, c in zip(X, y) for j in np.setdiff1d(np.arange(K), [c])
    ]
    return tuple(rows)
""",
    ],
)


def meanings(X, y):
    names = np.unique(y)
    rows = linlib.kesler_rows(X, y)
    chosen = [(y == a) | (y == b) for a, b in combinations(names, 2)]
    return (
        all(linlib.certify(X, np.where(y == k, 1, -1)).separable for k in names),
        linlib.certify(rows, np.ones(len(rows)), bias=False).separable,
        all(linlib.certify(X[m], np.where(y[m] == y[m][0], 1, -1)).separable for m in chosen),
    )


# The helper of the notebook, word for word.
SEPARABLE = '''
def separable(Z):
    """Tell whether some vector has a positive product with every row of Z (whole numbers)."""
    Z = np.array(Z)
    if not np.array_equal(Z, np.rint(Z)):
        raise ValueError("Z: must hold whole numbers; only then is the answer exact.")
    rows, weights, seen = Z.astype(int).tolist(), (0,) * Z.shape[1], set()
    while weights not in seen:
        seen.add(weights)
        start = weights
        for row in rows:
            if sum(a * b for a, b in zip(row, weights)) <= 0:
                weights = tuple(a + b for a, b in zip(row, weights))
                start = None  # this pass is not clean
        if start is not None:
            return True
    return False
'''
MEANINGS = (
    KESLER
    + """
def meanings(X, y):
    K = y.max() + 1
    augmented = np.column_stack([np.ones(len(X)), X])

    def split(first, second):
        return separable(np.vstack([augmented[first], -augmented[second]]))

    rest = all(split(y == k, y != k) for k in range(K))
    machine = separable(kesler(X, y, K))
    pairs = all(split(y == a, y == b) for a in range(K) for b in range(a))
    return rest, machine, pairs
"""
)
ROW = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]])
CORNERS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
WHEEL = np.array([[-2.0, -2], [9, -2], [2, -1], [-3, 9], [0, 2], [-6, -7]])
SMALL = np.array([[2.0, 3], [1, -1], [2, -3], [0, 0], [-2, -1], [1, 1]])
TWO_EACH = np.array([0, 0, 1, 1, 2, 2])
XOR, Y_XOR = linlib.data.xor_gate()

q6 = Question(
    "meanings",
    [
        case("the first example of the question", ROW, [0, 1, 2]),
        case("the second example of the question", CORNERS, [0, 1, 2]),
        case("three classes like a pinwheel", WHEEL, TWO_EACH),
        case(
            "another pinwheel, and a fourth class far away",
            np.vstack([SMALL, [[9.0, 9.0]]]),
            np.append(TWO_EACH, 3),
        ),
        case(
            "a class inside the triangle of three others",
            [[0.0, 0], [0, 4], [-4, -4], [4, -4]],
            [3, 0, 1, 2],
        ),
        case(
            "long classes, of which the nearest mean is not always the right one",
            [[0.0, 0], [9, 0], [0, 2], [1, 2], [0, -3], [9, -3]],
            TWO_EACH,
        ),
        case(
            "only the first and the last class cross",
            [[0.0, 0], [4, 4], [9, 0], [0, 4], [4, 0]],
            [0, 0, 1, 2, 2],
        ),
        case(
            "only the last two classes cross",
            [[-9.0, 0], [-9, 1], [0, 0], [4, 4], [0, 4], [4, 0]],
            TWO_EACH,
        ),
        case("two classes that cannot be separated", XOR, (Y_XOR + 1) // 2),
        case(
            "two classes, one on each side of the origin",
            [[1.0, 2], [2, 1], [-1, -1], [-3, 0]],
            [0, 0, 1, 1],
        ),
        case(
            "four classes on a line, all on one side of zero",
            [[1.0], [2.0], [4.0], [5.0], [8.0]],
            [2, 2, 0, 3, 1],
        ),
        case(
            "four classes in three dimensions",
            [[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3], [0, 0, 4]],
            [0, 1, 2, 3, 3],
        ),
    ],
    expect=meanings,
    alike={"y.max() + 1 became y.max() + 2": "a class without points is separable from all"},
    parts={"against the rest": 1, "linear machine": 3, "in pairs": 1},
    given=GIVEN + SEPARABLE,
    wrong={
        "One class that can be separated from the rest is not enough: every class must.": (
            MEANINGS.replace("rest = all(", "rest = any(")
        ),
        "One pair that can be separated is not enough: every pair must.": MEANINGS.replace(
            "pairs = all(", "pairs = any("
        ),
        "The machine is not the same as all pairs: pairs may go round in a circle. Use Kesler.": (
            MEANINGS.replace("return rest, machine", "machine = pairs\n    return rest, machine")
        ),
        "The machine needs less than each class against the rest: use Kesler's rows.": (
            MEANINGS.replace("return rest, machine", "machine = rest\n    return rest, machine")
        ),
        "A pair is two classes alone: leave the points of all others out.": MEANINGS.replace(
            "split(y == a, y == b) for", "split(y == a, y != a) for"
        ),
        "Neighbouring numbers are not all pairs: class 0 and the last class are one, too.": (
            MEANINGS.replace("for b in range(a))", "for b in range(max(a - 1, 0), a))")
        ),
        "The offset is missing in the rows: every point needs a 1 in front.": MEANINGS.replace(
            "augmented = np.column_stack([np.ones(len(X)), X])", "augmented = X"
        ),
        "The rows of the second side need a minus sign: all products are to be positive.": (
            MEANINGS.replace("-augmented[second]", "augmented[second]")
        ),
        "The points of the other side are multiplied by 0 and vanish: their sign is -1.": (
            MEANINGS.replace("-augmented[second]", "0 * augmented[second]")
        ),
        "The order of the three answers is: against the rest, linear machine, pairs.": (
            MEANINGS.replace("return rest, machine, pairs", "return pairs, machine, rest")
        ),
        "The nearest mean is one linear machine; where it fails another may succeed.": (
            MEANINGS.replace(
                "separable(kesler(X, y, K))",
                "all(np.argmin([((x - X[y == k].mean(axis=0)) ** 2).sum() for k in range(K)]) == c"
                " for x, c in zip(X, y))",
            )
        ),
        "A row for the next class only is not enough: a score must beat all the others.": (
            MEANINGS.replace("if j != c", "if j == (c + 1) % K")
        ),
        "The negative block of Kesler's rows is missing: subtract the score of class j.": (
            MEANINGS.replace("blocks[j] = -np.append(1, x)", "pass")
        ),
        "Testing class 0 against the rest is not enough: every class must be tested.": (
            MEANINGS.replace("y != k) for k in range(K)", "y != k) for k in range(1)")
        ),
        "These are the answers of the examples: decide them from X and y.": """
def meanings(X, y):
    return len(X) > 2 and X[0, 1] != X[2, 1], True, True
""",
    },
    right=[
        """
from itertools import combinations

def meanings(X, y):
    names = sorted(set(y.tolist()))
    signed = lambda P, s: s[:, None] * np.c_[P, np.ones(len(P))]
    one = [separable(signed(X, np.where(y == k, 1, -1))) for k in names]
    three = []
    for a, b in combinations(names, 2):
        m = np.isin(y, [a, b])
        three.append(separable(signed(X[m], np.where(y[m] == b, 1, -1))))
    rows = []
    for j in names:
        for x, c in zip(X, y):
            if j != c:
                row = np.zeros((X.shape[1] + 1, len(names)))
                row[:, c] += np.append(x, 1)
                row[:, j] -= np.append(x, 1)
                rows.append(row.ravel())
    return [min(one), separable(rows), np.all(three)]
""",
        """
def meanings(X, y):
    # the last class scores 0 everywhere, which is no loss
    A, K = np.column_stack([np.ones(len(X)), X]).astype(int), int(max(y)) + 1
    E = np.vstack([np.eye(K - 1, dtype=int), np.zeros((1, K - 1), dtype=int)])
    Z = [np.kron(E[c] - E[j], a) for a, c in zip(A, y) for j in range(K) if j != c]
    rest = pairs = True
    for k in range(K):
        rest = rest and separable(np.where(y == k, 1, -1).reshape(-1, 1) * A)
        for j in range(K):
            if j != k:
                pairs &= separable([a if c == k else -a for a, c in zip(A, y) if c in (j, k)])
    return np.array([rest, separable(Z), pairs])
""",
        """
def meanings(X, y):
    # a perceptron of its own, with a budget
    def solved(Z):
        Z = np.array(Z, dtype=float)
        w = np.zeros(Z.shape[1])
        for _ in range(3000):
            bad = np.flatnonzero(Z @ w <= 0)
            if len(bad) == 0:
                return True
            w = w + Z[bad[0]]
        return False
    A, K = np.c_[np.ones(len(X)), X], len(np.unique(y))
    rest = [solved([a if c == k else -a for a, c in zip(A, y)]) for k in range(K)]
    pair = [solved(np.vstack([A[y == i], -A[y == j]])) for i in range(K) for j in range(i)]
    rows = []
    for a, c in zip(A, y):
        for j in range(K):
            if j != c:
                row = np.zeros(K * len(a))
                row[c * len(a):(c + 1) * len(a)] = a
                row[j * len(a):(j + 1) * len(a)] = -a
                rows.append(row)
    return int(all(rest)), int(solved(rows)), int(all(pair))
""",
    ],
)


def softmax_cost(X, y, weights):
    scores = linlib.augment(X) @ weights.T
    right = scores[np.arange(len(y)), y]
    shares = softmax(scores, axis=1) - np.eye(len(weights))[y]
    return (logsumexp(scores, axis=1) - right).sum(), shares.T @ linlib.augment(X)


SOFTMAX = """
def softmax_cost(X, y, weights):
    A = np.column_stack([np.ones(len(X)), X])
    scores = A @ weights.T
    scores = scores - scores.max(axis=1, keepdims=True)
    P = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    hit = np.eye(len(weights))[y]
    loss = np.log(np.exp(scores).sum(axis=1)).sum() - (scores * hit).sum()
    return loss, (P - hit).T @ A
"""
THIRDS = FIVE[:3] / 3
SHIFTED = THIRDS + np.array([800, 0, 0])

q7 = Question(
    "softmax_cost",
    [
        case("the example of the question", [[0.0], [2.0]], [0, 2], [[0, 0], [1, 0], [0, 1]]),
        case("three classes in the plane", GRID, np.arange(11) % 3, THIRDS),
        case("four classes in space", SPACE / 2, [0, 1, 2, 3, 3, 2, 1, 0, 0], FOUR / 5),
        case("two classes: the logistic loss", LINE, [0, 0, 1, 0, 1, 1], STRIP[:2] / 2),
        case("all weights 0", GRID, np.arange(11) % 3, np.zeros((3, 3))),
        case("points whose scores lie a thousand apart", [[0], [1000]], [0, 1], [[0, 0], [1, 1]]),
        case("scores in the thousands", 300 * GRID, np.arange(11) % 3, THIRDS),
        case("the same number added to every score", GRID, np.arange(11) % 3, SHIFTED),
        case("a class without a point", LINE, [0, 0, 1, 0, 1, 1], [[1, 1], [0, -1], [0.5, 0.25]]),
    ],
    expect=softmax_cost,
    parts={"the loss": 2, "the gradient": 3},
    wrong={
        "Large scores overflow: subtract the largest score of each point before exp.": (
            SOFTMAX.replace("    scores = scores - scores.max(axis=1, keepdims=True)\n", "")
        ),
        "The sum of the losses is asked for, not the mean.": SOFTMAX.replace(
            "return loss, (P - hit).T @ A", "return loss / len(y), (P - hit).T @ A / len(y)"
        ),
        "The sign of the gradient is the other way round: this points downhill.": SOFTMAX.replace(
            "(P - hit)", "(hit - P)"
        ),
        "The probabilities of a point sum to 1 over the classes: divide by the sum of its row.": (
            SOFTMAX.replace(
                "np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)",
                "np.exp(scores) / np.exp(scores).sum(axis=0, keepdims=True)",
            )
        ),
        "The right class is forgotten in the gradient: subtract 1 from its probability.": (
            SOFTMAX.replace("return loss, (P - hit)", "return loss, P")
        ),
        "Every class has a gradient, not only the right one.": SOFTMAX.replace(
            "(P - hit).T", "(hit * (P - hit)).T"
        ),
        "The offset comes first in each row of weights, not last.": SOFTMAX.replace(
            "[np.ones(len(X)), X]", "[X, np.ones(len(X))]"
        ),
        "The gradient lies on its side: one row for each class, as the weights have.": (
            SOFTMAX.replace("(P - hit).T @ A", "A.T @ (P - hit)")
        ),
        "The loss is minus the logarithm of the probability, not 1 minus the probability.": (
            SOFTMAX.replace("return loss,", "return (1 - (P * hit).sum(axis=1)).sum(),")
        ),
        "Cutting the probabilities off makes large losses wrong: keep the difference of scores.": (
            SOFTMAX.replace(
                "return loss,", "return -np.log(np.maximum((P * hit).sum(axis=1), 1e-15)).sum(),"
            )
        ),
        "Only the loss is returned: the gradient is asked for as well.": SOFTMAX.replace(
            "return loss, (P - hit).T @ A", "return loss"
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def softmax_cost(X, y, weights):
    return 2.0, np.zeros((3, 2))
""",
    },
    right=[
        """
def softmax_cost(X, y, weights):
    A = np.insert(np.asarray(X, dtype=float), 0, 1, axis=1)
    S = A @ np.transpose(weights)
    logs = S - np.logaddexp.reduce(S, axis=1)[:, None]
    slope = np.exp(logs).T @ A
    np.subtract.at(slope, y, A)
    return [-logs[np.arange(len(y)), y].sum(), slope]
""",
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6, "q7": q7}
