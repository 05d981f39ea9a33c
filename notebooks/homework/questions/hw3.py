"""Homework 3, gradient descent and LMS: hidden cases, wrong answers, right answers."""

import numpy as np

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.notebook.question import Question, case, value_question

rng = hidden_rng(13)
AND, Y_AND = linlib.data.and_gate()
XOR, Y_XOR = linlib.data.xor_gate()
LINE, Y_LINE = np.array([[-1.0], [0.0], [1.0], [3.0]]), np.array([-1, -1, 1, 1])
CLOUD, Y_CLOUD = linlib.data.two_clouds(20, rng, distance=1.5, d=3)
WHOLE = rng.integers(-3, 4, (10, 2)).astype(float)
Y_WHOLE = np.where(rng.random(10) < 0.5, -1, 1)
FAR, Y_FAR = np.array([[4.0, 1.0], [5.0, 3.0], [7.0, 2.0], [6.0, 6.0]]), np.array([-1, 1, 1, -1])
WIDE, Y_WIDE = rng.integers(-2, 3, (4, 6)).astype(float), np.array([1, -1, -1, 1])
TWICE = np.column_stack([LINE, 2 * LINE])


q1 = value_question(
    "factors",
    (2.0, 0.3, 2.2, 1.7),
    parts=dict.fromkeys("ABCD", 1),
    wrong={
        "A and C are exchanged: at the limit the jumps stay equal, above it they grow.": (
            "factors = [2.2, 0.3, 2.0, 1.7]"
        ),
        "A and D are exchanged: below the limit the jumps shrink, at the limit they stay equal.": (
            "factors = [1.7, 0.3, 2.2, 2.0]"
        ),
        "B and D are exchanged: a short step creeps on one side of the valley and does not jump.": (
            "factors = [2.0, 1.7, 2.2, 0.3]"
        ),
        "C and D are exchanged: above the limit the jumps grow, below it they shrink.": (
            "factors = [2.0, 0.3, 1.7, 2.2]"
        ),
        "B and C are exchanged: B makes the smallest steps of all, C the largest.": (
            "factors = [2.0, 2.2, 0.3, 1.7]"
        ),
        "A, C and D are mixed up: growing jumps are above the limit, shrinking ones below.": (
            "factors = [1.7, 0.3, 2.0, 2.2]"
        ),
        "These are the numbers of the example, which are not the right ones.": (
            "factors = [0.3, 1.7, 2.0, 2.2]"
        ),
    },
)


def perceptron_gradient(X, y, weights):
    return linlib.perceptron_loss.gradient(linlib.signed_rows(X, y), weights)


GRADIENT = """
def perceptron_gradient(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    return -Z[Z @ weights <= 0].sum(axis=0)
"""

q2 = Question(
    "perceptron_gradient",
    [
        case("the example of the question", AND, Y_AND, [-1.0, 1.0, 2.0]),
        case("weights that make no mistake", AND, Y_AND, [-3.0, 2.0, 2.0]),
        case("all weights zero: every score is 0", WHOLE, Y_WHOLE, [0.0, 0.0, 0.0]),
        case("weights whose offset decides", WHOLE, Y_WHOLE, [2.5, 0.5, -1.0]),
        case("points in three dimensions", CLOUD, Y_CLOUD, [0.2, -1.0, 0.5, 1.0]),
        case("one feature only", LINE, Y_LINE, [1.0, -0.5]),
        case("two points exactly on the line", AND, Y_AND, [-1.0, 1.0, 1.0]),
        case("every point wrong", AND, Y_AND, [3.0, -2.0, -2.0]),
    ],
    expect=perceptron_gradient,
    wrong={
        "A score of exactly 0 is treated as a mistake: compare with <= 0, not with < 0.": (
            GRADIENT.replace("<= 0", "< 0")
        ),
        "The sign is the other way round: this is the step downhill, not the gradient.": (
            GRADIENT.replace("return -Z", "return Z")
        ),
        "The label is forgotten in the sum: each mistake contributes -y·(1, x).": """
def perceptron_gradient(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    return -A[y * (A @ weights) <= 0].sum(axis=0)
""",
        "The label is forgotten in the test: a mistake has y·g(x) <= 0.": """
def perceptron_gradient(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    wrong = A @ weights <= 0
    return -(y[wrong][:, None] * A[wrong]).sum(axis=0)
""",
        "The loss is a sum over the points, not a mean: do not divide.": GRADIENT.replace(
            "sum(axis=0)", "sum(axis=0) / len(y)"
        ),
        "The sum runs over the mistakes only: points that are right cost nothing.": (
            GRADIENT.replace("Z[Z @ weights <= 0]", "Z")
        ),
        "The sum runs over all mistakes at once: one mistake alone is the perceptron's step.": (
            GRADIENT.replace("[Z @ weights <= 0]", "[Z @ weights <= 0][:1]")
        ),
        "The offset has a component, too, and it comes first: its feature is 1.": (
            GRADIENT.replace(".sum(axis=0)", ".sum(axis=0)[1:]")
        ),
        "The offset's component comes first, not last.": GRADIENT.replace(
            "return -Z[Z @ weights <= 0].sum(axis=0)",
            "return np.roll(-Z[Z @ weights <= 0].sum(axis=0), -1)",
        ),
        "The offset is forgotten in the score: g(x) = w0 + w·x decides who is wrong.": (
            GRADIENT.replace("Z @ weights <= 0", "Z[:, 1:] @ weights[1:] <= 0")
        ),
        "This is the loss, one number: its slope along every weight is asked for.": """
def perceptron_gradient(X, y, weights):
    return np.maximum(0, -y * (weights[0] + X @ weights[1:])).sum()
""",
        "This is the gradient of the squared loss; the perceptron loss counts only mistakes.": """
def perceptron_gradient(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    return A.T @ (A @ weights - y)
""",
        "These are the numbers of the example: compute them from X, y and the weights.": """
def perceptron_gradient(X, y, weights):
    return np.array([2.0, 1.0, 1.0])
""",
    },
    right=[
        """
def perceptron_gradient(X, y, weights):
    s = y * (weights[0] + X @ weights[1:])
    wrong = ~(s / np.abs(s) > 0)  # 0/0 warns, and is no reason to be right
    return np.insert(-(y * wrong) @ X, 0, -np.sum(y * wrong)).reshape(-1, 1)
""",
        """
def perceptron_gradient(X, y, weights):
    A = np.hstack([np.ones((len(X), 1)), X])
    terms = np.where((y * (A @ weights) > 0)[:, None], 0.0, -y[:, None] * A)
    return tuple(np.sum(terms, axis=0))
""",
    ],
)


def descend(X, y, step, steps):
    """Follow the errors in eigenvector coordinates, where every step is a factor 1 − step·λ."""
    A = linlib.augment(X)
    values, directions = np.linalg.eigh(A.T @ A)
    bottom = np.linalg.lstsq(A, y, rcond=None)[0]
    factors = (1 - step * values) ** np.arange(steps + 1)[:, None]
    path = bottom + factors * (-bottom @ directions) @ directions.T
    return path[-1], [linlib.squared_loss.value(linlib.signed_rows(X, y), w) for w in path]


DESCEND = """
def descend(X, y, step, steps):
    A = np.column_stack([np.ones(len(y)), X])
    weights = np.zeros(A.shape[1])
    losses = [0.5 * np.sum((y - A @ weights) ** 2)]
    for _ in range(steps):
        weights = weights + step * A.T @ (y - A @ weights)
        losses.append(0.5 * np.sum((y - A @ weights) ** 2))
    return weights, losses
"""

q3 = Question(
    "descend",
    [
        case("the example of the question", LINE, Y_LINE, 0.05, 2),
        case("no step at all", LINE, Y_LINE, 0.05, 0),
        case("one single step", FAR, Y_FAR, 0.01, 1),
        case("a step above the limit", LINE, Y_LINE, 0.2, 12),
        case("points in three dimensions", CLOUD, Y_CLOUD, 0.01, 40),
        case("whole-number points, many steps", WHOLE, Y_WHOLE, 0.02, 200),
    ],
    expect=descend,
    alike={"y - A @ weights became y + A @ weights #2": "the first weights are zero"},
    parts={"the weights": 3, "the losses": 2},
    wrong={
        "The loss is a sum over the points: do not divide the gradient by their number.": (
            DESCEND.replace("weights + step *", "weights + step / len(y) *")
        ),
        "The loss has a factor ½, so its gradient has no factor 2.": DESCEND.replace(
            "weights + step *", "weights + 2 * step *"
        ),
        "This walks uphill: step against the gradient.": DESCEND.replace(
            "weights + step *", "weights - step *"
        ),
        "The loss has a factor ½ in front of the sum.": DESCEND.replace("0.5 * np.sum", "np.sum"),
        "The losses are sums over the points, not means.": DESCEND.replace(
            "0.5 * np.sum", "0.5 * np.mean"
        ),
        "The last loss is missing: one before the first step, and one after each step.": (
            DESCEND.replace("return weights, losses", "return weights, losses[:-1]")
        ),
        "The first loss is missing: the one before the first step, at zero, belongs to the list.": (
            DESCEND.replace("return weights, losses", "return weights, losses[1:]")
        ),
        "It makes one step too few: range(steps) already makes steps steps.": DESCEND.replace(
            "range(steps)", "range(steps - 1)"
        ),
        "The offset is missing: the rows are (1, x), and w0 is one of the weights.": (
            DESCEND.replace("np.column_stack([np.ones(len(y)), X])", "X")
        ),
        "The offset comes first in the weights, not last.": DESCEND.replace(
            "[np.ones(len(y)), X]", "[X, np.ones(len(y))]"
        ),
        "The points are taken one by one (LMS): a batch step uses the same weights for all.": (
            DESCEND.replace(
                "        weights = weights + step * A.T @ (y - A @ weights)\n",
                "        for a, t in zip(A, y):\n"
                "            weights = weights + step * (t - a @ weights) * a\n",
            )
        ),
        "This descends on the perceptron loss: the squared loss corrects every point.": (
            DESCEND.replace("A.T @ (y - A @ weights)", "A.T @ (y * (y * (A @ weights) <= 0))")
        ),
        "The losses are missing: return both, the weights and the losses.": DESCEND.replace(
            "return weights, losses", "return weights"
        ),
    },
    right=[
        """
def descend(X, y, step, steps):
    A = np.c_[np.ones(len(X)), X]
    H, v = A.T @ A, A.T @ y
    path = [np.zeros(len(v))]
    while len(path) <= steps:
        path.append(path[-1] - step * (H @ path[-1] - v))
    losses = 0.5 * np.linalg.norm(y - np.array(path) @ A.T, axis=1) ** 2
    return [path[-1], losses]
""",
        """
def descend(X, y, step, steps):
    Z = y.reshape(-1, 1) * np.hstack([np.ones((len(y), 1)), X])
    w, losses = np.zeros((Z.shape[1], 1)), np.empty((steps + 1, 1))
    losses[0] = len(y) / 2
    for k in range(steps):
        w -= step * Z.T @ (Z @ w - 1)
        losses[k + 1] = ((1 - Z @ w) ** 2).sum() / 2
    return w, losses
""",
    ],
)


def lms_pass(X, y, weights, step):
    return linlib.pass_map(X, y, step=step).A @ weights + linlib.pass_map(X, y, step=step).b


LMS = """
def lms_pass(X, y, weights, step):
    weights = np.array(weights, dtype=float)
    for x, label in zip(X, y):
        row = np.append(1, x)
        weights = weights + step * (label - weights @ row) * row
    return weights
"""

q4 = Question(
    "lms_pass",
    [
        case("the example of the question", LINE, Y_LINE, np.zeros(2), 0.1),
        case("a start that is not zero", LINE, Y_LINE, np.array([-0.5, 1.5]), 0.1),
        case("whole numbers as the start", WHOLE, Y_WHOLE, np.array([1, 0, -2]), 0.05),
        case("points in three dimensions", CLOUD, Y_CLOUD, np.array([0.1, 0.2, 0.3, 0.4]), 0.02),
        case("weights that make no mistake", AND, Y_AND, np.array([-3.0, 2.0, 2.0]), 0.25),
        case("one single point", FAR[:1], Y_FAR[:1], np.array([0.5, 0.5, 0.5]), 0.1),
    ],
    expect=lms_pass,
    alike={
        "np.array(weights, dtype=float) became np.asarray(weights, dtype=float)": (
            "they are replaced, never written to"
        )
    },
    wrong={
        "The weights must change at once: the next row is judged by the new weights.": """
def lms_pass(X, y, weights, step):
    A = np.column_stack([np.ones(len(y)), X])
    return weights + step * A.T @ (y - A @ weights)
""",
        "This is the perceptron: LMS corrects at every visit, in proportion to the error.": (
            LMS.replace("(label - weights @ row)", "label * (label * (weights @ row) <= 0)")
        ),
        "LMS corrects at every visit, not only where the point is wrong.": LMS.replace(
            "        weights = weights + step",
            "        if label * (weights @ row) <= 0:\n            weights = weights + step",
        ),
        "The sign is the other way round: the error is the label minus the score.": LMS.replace(
            "(label - weights @ row)", "(weights @ row - label)"
        ),
        "The step is forgotten: multiply the correction by it.": LMS.replace(
            "step * (label", "(label"
        ),
        "The loss has a factor ½, so the correction has no factor 2.": LMS.replace(
            "step * (label", "2 * step * (label"
        ),
        "The offset never changes: its feature is 1, and it is corrected like the others.": (
            LMS.replace(
                "(label - weights @ row) * row", "(label - weights @ row) * np.append(0, x)"
            )
        ),
        "The offset is forgotten in the score: the error is y - (w0 + w·x).": LMS.replace(
            "weights @ row)", "weights[1:] @ x)"
        ),
        "The offset comes first: the row is (1, x), not (x, 1).": LMS.replace(
            "np.append(1, x)", "np.append(x, 1)"
        ),
        "Start from the weights that are given, not from zero.": LMS.replace(
            "np.array(weights, dtype=float)", "np.zeros(len(weights))"
        ),
        "The array you are given changes: copy it before the first correction.": """
def lms_pass(X, y, weights, step):
    for x, label in zip(X, y):
        row = np.append(1, x)
        weights[:] = weights + step * (label - weights @ row) * row
    return weights
""",
        "The rows are taken from the last to the first: go in order.": LMS.replace(
            "zip(X, y)", "zip(X[::-1], y[::-1])"
        ),
        "The error uses the score, not its sign: LMS wants the score to equal the label.": (
            LMS.replace("weights @ row)", "np.sign(weights @ row))")
        ),
        "It stops after the first row: one pass visits them all.": LMS.replace(
            "    return weights", "        return weights"
        ),
    },
    right=[
        """
def lms_pass(X, y, weights, step):
    w0, w = weights[0], weights[1:]
    for x, t in zip(X, y):
        push = step * (t - w0 - np.dot(w, x))
        w0, w = w0 + push, w + push * x
    return np.r_[w0, w]
""",
        """
def lms_pass(X, y, weights, step):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    w = weights.astype(float).reshape(-1, 1)
    for z in Z[:, :, None]:
        w = w - step * z * (z.T @ w - 1)
    return w
""",
    ],
)


def ridge(X, y, rho):
    return linlib.least_squares(X, y, penalty=rho).weights


RIDGE = """
def ridge(X, y, rho):
    A = np.column_stack([np.ones(len(y)), X])
    penalty = rho * np.eye(A.shape[1])
    penalty[0, 0] = 0
    return np.linalg.solve(A.T @ A + penalty, A.T @ y)
"""

q5 = Question(
    "ridge",
    [
        case("the first example of the question", LINE, Y_LINE, 0.0),
        case("the second example of the question", LINE, Y_LINE, 8.75),
        case("points far from the origin, with a ridge", FAR, Y_FAR, 2.0),
        case("points in three dimensions, without a ridge", CLOUD, Y_CLOUD, 0.0),
        case("points in three dimensions, with a strong ridge", CLOUD, Y_CLOUD, 50.0),
        case("the same feature in two units, with a ridge", TWICE, Y_LINE, 0.5),
        case("more features than points, with a ridge", WIDE, Y_WIDE, 1.5),
        case("all labels equal", WHOLE, np.ones(10, dtype=int), 3.0),
    ],
    expect=ridge,
    wrong={
        "The offset goes free: leave its entry of the penalty at 0.": RIDGE.replace(
            "    penalty[0, 0] = 0\n", ""
        ),
        "The free weight is the offset, which comes first: not the last one.": RIDGE.replace(
            "penalty[0, 0]", "penalty[-1, -1]"
        ),
        "The ridge is forgotten: this is least squares for every ρ.": RIDGE.replace(
            "np.linalg.solve(A.T @ A + penalty, A.T @ y)", "np.linalg.lstsq(A, y, rcond=None)[0]"
        ),
        "The ridge is added to X'X, not subtracted from it.": RIDGE.replace(
            "+ penalty", "- penalty"
        ),
        "Both terms have a factor ½: ρ itself goes on the diagonal, not ρ/2.": RIDGE.replace(
            "rho * np.eye", "rho / 2 * np.eye"
        ),
        "Both terms have a factor ½: ρ itself goes on the diagonal, not 2ρ.": RIDGE.replace(
            "rho * np.eye", "2 * rho * np.eye"
        ),
        "The loss is a sum, not a mean: ρ is not multiplied by the number of points.": (
            RIDGE.replace("rho * np.eye", "len(y) * rho * np.eye")
        ),
        "The ridge goes on the diagonal only: ρ times the identity, not ρ everywhere.": """
def ridge(X, y, rho):
    A = np.column_stack([np.ones(len(y)), X])
    penalty = rho * np.ones((A.shape[1], A.shape[1]))
    penalty[0] = penalty[:, 0] = 0
    return np.linalg.lstsq(A.T @ A + penalty, A.T @ y, rcond=None)[0]
""",
        "The offset is missing: the first column of the matrix is 1.": """
def ridge(X, y, rho):
    return np.linalg.lstsq(X.T @ X + rho * np.eye(X.shape[1]), X.T @ y, rcond=None)[0]
""",
        "The offset comes first, not last.": """
def ridge(X, y, rho):
    A = np.column_stack([X, np.ones(len(y))])
    penalty = rho * np.eye(A.shape[1])
    penalty[-1, -1] = 0
    return np.linalg.solve(A.T @ A + penalty, A.T @ y)
""",
        "The offset is that of other weights: once w is shrunk, w0 has to follow.": """
def ridge(X, y, rho):
    A = np.column_stack([np.ones(len(y)), X])
    plain = np.linalg.lstsq(A, y, rcond=None)[0]
    penalty = rho * np.eye(A.shape[1])
    penalty[0, 0] = 0
    return np.append(plain[0], np.linalg.solve(A.T @ A + penalty, A.T @ y)[1:])
""",
        "These are the numbers of the example: compute them from X, y and ρ.": """
def ridge(X, y, rho):
    return np.array([-3.0, 4.0]) / (7 if rho == 0 else 14)
""",
    },
    right=[
        """
def ridge(X, y, rho):
    centre, level = X.mean(axis=0), y.mean()
    C = X - centre
    w = np.linalg.solve(C.T @ C + rho * np.eye(X.shape[1]), C.T @ (y - level))
    return [level - centre @ w, *w]
""",
        """
def ridge(X, y, rho):
    n, d = X.shape
    top = np.hstack([np.ones((n, 1)), X])
    below = np.hstack([np.zeros((d, 1)), np.sqrt(rho) * np.eye(d)])
    return np.linalg.lstsq(np.vstack([top, below]), np.append(y, np.zeros(d)), rcond=None)[0]
""",
    ],
)


def step_limit(X):
    return 2 / np.linalg.svd(linlib.augment(X), compute_uv=False)[0] ** 2


LIMIT = """
def step_limit(X):
    A = np.column_stack([np.ones(len(X)), X])
    return 2 / np.linalg.eigvalsh(A.T @ A)[-1]
"""

q6 = Question(
    "step_limit",
    [
        case("the example of the question", LINE),
        case("points far from the origin", FAR),
        case("points in three dimensions", CLOUD),
        case("the same feature in two units", TWICE),
        case("more features than points", WIDE),
        case("one single point", np.array([[3.0, 4.0]])),
        case("small numbers", 0.1 * WHOLE),
    ],
    expect=step_limit,
    wrong={
        "The limit is 2/λmax, with λmax of X'X: at 1/λmax descent is still safe.": LIMIT.replace(
            "2 / np", "1 / np"
        ),
        "The largest eigenvalue decides: the steepest direction overshoots first.": LIMIT.replace(
            "[-1]", "[0]"
        ),
        "The offset is one of the weights: its column of ones belongs to the matrix.": (
            LIMIT.replace("np.column_stack([np.ones(len(X)), X])", "X")
        ),
        "The loss is a sum over the points, not a mean: do not divide by their number.": (
            LIMIT.replace("A.T @ A)", "A.T @ A / len(X))")
        ),
        "A singular value of the matrix must be squared to be an eigenvalue of X'X.": """
def step_limit(X):
    return 2 / np.linalg.norm(np.column_stack([np.ones(len(X)), X]), 2)
""",
        "The sum of all eigenvalues (the trace) is too much: only the largest counts.": (
            LIMIT.replace("np.linalg.eigvalsh(A.T @ A)[-1]", "np.trace(A.T @ A)")
        ),
        "The largest number on the diagonal is not yet the largest eigenvalue.": LIMIT.replace(
            "np.linalg.eigvalsh(A.T @ A)[-1]", "np.diag(A.T @ A).max()"
        ),
        "The limit is 2/λmax: this is its reciprocal, the curvature.": LIMIT.replace(
            "2 / np.linalg.eigvalsh(A.T @ A)[-1]", "np.linalg.eigvalsh(A.T @ A)[-1] / 2"
        ),
        "This is the number of the example: compute it from X.": """
def step_limit(X):
    return 0.16515587264877465
""",
    },
    right=[
        """
def step_limit(X):
    A = np.column_stack([np.ones(len(X)), X])
    return 2 / np.linalg.norm(A, 2) ** 2
""",
        """
def step_limit(X):
    A = np.hstack([np.ones((len(X), 1)), X])
    return [2 / max(np.linalg.eigvals(A @ A.T).real)]
""",
        """
def step_limit(X):
    rows = [[1.0, *x] for x in X.tolist()]
    v = [1.0 + 0.1 * j for j in range(len(rows[0]))]
    for _ in range(2000):
        scores = [sum(a * b for a, b in zip(row, v)) for row in rows]
        u = [sum(s * row[j] for s, row in zip(scores, rows)) for j in range(len(v))]
        length = sum(a * a for a in u) ** 0.5
        v = [a / length for a in u]
    return 2 / length
""",
    ],
)


def repaired(X, y, step, passes):
    after, weights = [], np.zeros(X.shape[1] + 1)
    for k in range(1, passes + 1):
        weights = lms_pass(X, y, weights, step / k)
        after.append(weights)
    return np.array(after)


REPAIRED = """
def repaired(X, y, step, passes):
    A = np.column_stack([np.ones(len(y)), X])
    weights, after = np.zeros(A.shape[1]), []
    for k in range(1, passes + 1):
        for row, label in zip(A, y):
            weights = weights + step / k * (label - weights @ row) * row
        after.append(weights)
    return np.array(after)
"""

q8 = Question(
    "repaired",
    [
        case("the example of the question", LINE, Y_LINE, 0.1, 3),
        case("one single pass", FAR, Y_FAR, 0.02, 1),
        case("points in three dimensions", CLOUD, Y_CLOUD, 0.05, 6),
        case("whole-number points, many passes", WHOLE, Y_WHOLE, 0.05, 40),
        case("one single point", FAR[:1], Y_FAR[:1], 0.03, 4),
        case("a hundred passes", LINE, Y_LINE, 0.1, 100),
    ],
    expect=repaired,
    wrong={
        "One mistake is left: the step still shrinks at every visit, not at every pass.": """
def repaired(X, y, step, passes):
    A = np.column_stack([np.ones(len(y)), X])
    weights, after, k = np.zeros(A.shape[1]), [], 0
    for _ in range(passes):
        for row, label in zip(A, y):
            k += 1
            weights = weights + step / k * (label - weights @ row) * row
        after.append(weights)
    return np.array(after)
""",
        "One mistake is left: every line is the same array, which goes on changing.": (
            REPAIRED.replace("weights = weights + step", "weights += step")
        ),
        "Both mistakes are still there.": """
def repaired(X, y, step, passes):
    A = np.column_stack([np.ones(len(y)), X])
    weights, after, k = np.zeros(A.shape[1]), [], 0
    for _ in range(passes):
        for row, label in zip(A, y):
            k += 1
            weights += step / k * (label - weights @ row) * row
        after.append(weights)
    return np.array(after)
""",
        "The passes are counted from 1: the first step is step itself.": REPAIRED.replace(
            "step / k", "step / (k + 1)"
        ),
        "The step must shrink: in pass k it is step / k.": REPAIRED.replace("step / k", "step"),
        "The step shrinks like 1/k, not like one over its root.": REPAIRED.replace(
            "step / k", "step / k**0.5"
        ),
        "Only the last weights are returned: those after each pass are asked for.": (
            REPAIRED.replace("return np.array(after)", "return weights")
        ),
        "The weights live through all passes: start from zero once.": REPAIRED.replace(
            "        for row, label",
            "        weights = np.zeros(A.shape[1])\n        for row, label",
        ),
    },
    right=[
        REPAIRED.replace("weights = weights + step", "weights += step").replace(
            "after.append(weights)", "after.append(weights.copy())"
        ),
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6, "q8": q8}
