"""Homework 5, margins and logistic regression: hidden cases, wrong answers and what to say."""

import numpy as np
from scipy.special import expit, log_expit

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.notebook.question import Question, case, value_question

rng = hidden_rng(66)
THREE, Y_THREE = np.array([[1.0, -1.0], [12.0, -3.0], [0.0, 6.0]]), [-1, 1, 1]
START = np.array([-0.5, 0.1, 0.2])
CLOUD = rng.normal(size=(14, 2)) * [1.5, 0.8] + [0.5, -0.2]
Y_CLOUD = [-1, 1] * 5 + [1, 1, 1, -1]
SPACE = rng.normal(size=(18, 3))
Y_SPACE = [1, -1, -1] * 6
NEAR = np.array([[1.0, 1.0], [1.05, 1.0], [0.75, 1.25]])
# 0.1 + 0.2 is not 0.3, and 0.1 + 0.1 + 0.1 neither, however they are added.
TENTHS = np.array([[0, 0, 2], [1, 1, 0], [0, 0, 1], [3, 0, 0]])
GRID = np.array([[2, 1, 0], [0, 3, 1], [-1, 0, 2], [-2, -2, 1], [4, -1, -3]])
LINE, Y_LINE = np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, 1, -1, 1]

q1 = value_question(
    "street",
    (0.24, 0.32, -0.92, 2.5),
    parts={"w1": 1, "w2": 1, "w0": 1, "the margin": 1},
    wrong={
        "Two points are not enough: this line leaves (12, -3) on the wrong side.": (
            "street = [-0.04, 0.28, -0.68, 50**0.5 / 2]"
        ),
        "Two points are not enough: this line leaves (0, 6) on the wrong side.": (
            "street = [22 / 125, -4 / 125, -1 - 26 / 125, 125**0.5 / 2]"
        ),
        "Line and margin are right, but not the scale: divide by the smallest agreement.": (
            "street = [3, 4, -11.5, 2.5]"
        ),
        "The weights are scaled to length 1: the nearest points must have the agreement 1.": (
            "street = [0.6, 0.8, -2.3, 2.5]"
        ),
        "The last number is the width of the street: the margin is half of it.": (
            "street = [0.24, 0.32, -0.92, 5.0]"
        ),
        "The last number is the length of w: the margin is 1 divided by it.": (
            "street = [0.24, 0.32, -0.92, 0.4]"
        ),
        "The sign of the offset is the other way round.": "street = [0.24, 0.32, 0.92, 2.5]",
        "All signs are the other way round: the positive points must have positive scores.": (
            "street = [-0.24, -0.32, 0.92, 2.5]"
        ),
        "The order is w1, w2, w0 and the margin.": "street = [-0.92, 0.24, 0.32, 2.5]",
        "The bridge ends in the middle of the two positive points: a better share is nearer to "
        "(0, 6).": "street = [10 / 31.25, 5 / 31.25, -1 - 5 / 31.25, 31.25**0.5 / 2]",
        "These are the numbers of the example, which are not the right ones.": (
            "street = [0.5, 0.5, -1.0, 1.5]"
        ),
    },
)


def margin(X, y, w, w0):
    line = linlib.Hyperplane(w, w0)
    distances = y * line.distance(X)
    return line.margin(X, y), np.flatnonzero(distances < distances.min() + 1e-9)


MARGIN = """
def margin(X, y, w, w0):
    distances = y * (X @ w + w0) / np.linalg.norm(w)
    return distances.min(), np.flatnonzero(np.isclose(distances, distances.min()))
"""

q2 = Question(
    "margin",
    [
        case("the first example of the question", THREE, Y_THREE, [0.0, 1.0], -2.0),
        case("the second example of the question", THREE, Y_THREE, [2.0, 2.0], -6.0),
        case("three nearest points", THREE, Y_THREE, [3.0, 4.0], -11.5),
        case("the same line with weights twice as long", THREE, Y_THREE, [6.0, 8.0], -23.0),
        case("three dimensions, and points on both sides", GRID, [1, 1, -1, -1, 1], [2, -1, 2], 1),
        case("two nearest points of different classes", GRID, [-1, 1, 1, -1, -1], [1, 2, 2], -3),
        case("a point on the line", GRID, [1, 1, -1, -1, 1], [1.0, 0.0, 0.0], 0.0),
        case("one feature only", [[-2], [5], [1]], [-1, 1, 1], [4], -2),
        case("a line with every point on the wrong side", LINE, [1, 1, 1, 1], [-2.0], -1.0),
        case("a right point as far away as the worst wrong one", LINE, [1, 1, 1, 1], [1.0], -1.5),
        case("rows whose values are close but not equal", NEAR, [1, 1, 1], [3.0, 4.0], 0.0),
        case(
            "rows whose values differ by rounding only", TENTHS, [1, 1, 1, 1], [0.1, 0.2, 0.3], 0.0
        ),
    ],
    expect=margin,
    parts={"the margin": 2, "the rows": 2},
    wrong={
        "These are agreements, not distances: divide by the length of w.": MARGIN.replace(
            " / np.linalg.norm(w)", ""
        ),
        "The label is missing: a negative point is right where the score is negative.": (
            MARGIN.replace("y * (X @ w + w0)", "(X @ w + w0)")
        ),
        "The sign is lost: a point on the wrong side makes the margin negative.": MARGIN.replace(
            "y * (X @ w + w0)", "np.abs(X @ w + w0)"
        ),
        "A right point at the same distance as the worst wrong one does not share its value.": (
            MARGIN.replace(
                "np.isclose(distances, distances.min())",
                "np.abs(distances) == np.abs(distances.min())",
            )
        ),
        "The rows with the smallest absolute value are not asked for: the smallest value is.": (
            MARGIN.replace(
                "np.flatnonzero(np.isclose(distances, distances.min()))",
                "np.flatnonzero(np.abs(distances) == np.abs(distances).min())",
            )
        ),
        "Values that differ in the second digit are not equal: allow for rounding only.": (
            MARGIN.replace(
                "np.isclose(distances, distances.min())", "distances <= distances.min() + 0.1"
            )
        ),
        "The offset does not belong in the length: divide by the length of w alone.": (
            MARGIN.replace("np.linalg.norm(w)", "np.linalg.norm(np.append(w0, w))")
        ),
        "Divide by the length of w, not by its square.": MARGIN.replace(
            "np.linalg.norm(w)", "(w @ w)"
        ),
        "The offset is forgotten in the score.": MARGIN.replace("(X @ w + w0)", "(X @ w)"),
        "Several rows may share the smallest value: give all of them.": MARGIN.replace(
            "np.flatnonzero(np.isclose(distances, distances.min()))", "[distances.argmin()]"
        ),
        "Rows are numbered from 0.": MARGIN.replace(
            "np.flatnonzero(np.isclose(distances, distances.min()))",
            "np.flatnonzero(np.isclose(distances, distances.min())) + 1",
        ),
        "The margin is the smallest value, not the largest.": MARGIN.replace("min()", "max()"),
        "The margin is the smallest value, not the mean.": MARGIN.replace(
            "return distances.min()", "return distances.mean()"
        ),
        "This is the width of the street: the margin is half of it.": MARGIN.replace(
            "return distances.min()", "return 2 * distances.min()"
        ),
        "The order is the margin first, then the rows.": MARGIN.replace(
            "return distances.min(), np.flatnonzero(np.isclose(distances, distances.min()))",
            "return np.flatnonzero(np.isclose(distances, distances.min())), distances.min()",
        ),
        "The points themselves are not asked for: give the numbers of their rows.": (
            MARGIN.replace(
                "np.flatnonzero(np.isclose(distances, distances.min()))", "X[distances.argmin()]"
            )
        ),
        "Values that differ by rounding only count as equal: compare with np.isclose.": (
            MARGIN.replace("np.isclose(distances, distances.min())", "distances == distances.min()")
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def margin(X, y, w, w0):
    return (-5.0, [1]) if w0 == -2 else (3 / 2**0.5, [0, 2])
""",
    },
    right=[
        """
def margin(X, y, w, w0):
    scores = [label * (sum(a * b for a, b in zip(x, w)) + w0) for x, label in zip(X, y)]
    rows = [k for k, s in enumerate(scores) if s - min(scores) < 1e-9]
    return min(scores) / sum(a * a for a in w) ** 0.5, rows
""",
        """
def margin(X, y, w, w0):
    length = np.linalg.norm(w)
    d = y * (X @ (w / length) + w0 / length)  # normalised first: equal ones differ by rounding
    return d.min(), np.flatnonzero(np.isclose(d, d.min()))
""",
        """
def margin(X, y, w, w0):
    size = np.hypot.reduce(np.asarray(w, dtype=float))
    signed = np.einsum("i,ij,j->i", y, X, w) + y * w0
    order = np.argsort(signed, kind="stable")
    first = signed[order[0]]
    return np.array([first / size]), np.sort(order[signed[order] <= first + 1e-12])[:, None]
""",
    ],
)


def soft_cost(X, y, weights, lam):
    target = linlib.hinge_objective(X, y, lam)
    return target.value(weights), target.gradient(weights)


SOFT = """
def soft_cost(X, y, weights, lam):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    s = Z @ weights
    free = np.append(0, weights[1:])
    cost = np.maximum(0, 1 - s).mean() + lam / 2 * free @ free
    return cost, lam * free - Z[s < 1].sum(axis=0) / len(y)
"""

q3 = Question(
    "soft_cost",
    [
        case("the example of the question", THREE, Y_THREE, START, 0.6),
        case("points on all sides of the street", CLOUD, Y_CLOUD, [0.3, 0.9, -0.7], 0.25),
        case("three dimensions", SPACE, Y_SPACE, [-0.4, 0.5, 1.2, -0.8], 1.5),
        case("an agreement of exactly 1", LINE, [-1, -1, 1, 1], [-3.0, 2.0], 0.5),
        case("no point pays", LINE, [-1, -1, 1, 1], [-12.0, 8.0], 0.125),
        case("all weights 0", CLOUD, Y_CLOUD, [0.0, 0.0, 0.0], 2.0),
        case("whole numbers", GRID, [1, 1, -1, -1, 1], [1, -1, 2, 0], 3),
    ],
    expect=soft_cost,
    parts={"the cost": 2, "the subgradient": 3},
    wrong={
        "The mean of the losses is asked for, not the sum.": SOFT.replace(
            "np.maximum(0, 1 - s).mean()", "np.maximum(0, 1 - s).sum()"
        ).replace(" / len(y)", ""),
        "The offset is not penalised: it is not part of the length.": SOFT.replace(
            "free = np.append(0, weights[1:])", "free = np.array(weights)"
        ),
        "A point with an agreement of exactly 1 does not push.": SOFT.replace("s < 1", "s <= 1"),
        "Points on the right side but inside the street push, too: all with s < 1.": SOFT.replace(
            "Z[s < 1]", "Z[s <= 0]"
        ),
        "The pushes have the wrong sign: the subgradient points uphill, away from the rows that "
        "pay.": SOFT.replace("lam * free - Z", "lam * free + Z"),
        "The penalty is λ/2 times the square, not λ times.": SOFT.replace(
            "lam / 2 * free", "lam * free"
        ),
        "The gradient of the penalty is λ w: the half goes away with the square.": SOFT.replace(
            "lam * free - Z", "lam / 2 * free - Z"
        ),
        "This is the perceptron's loss: the hinge asks for an agreement of 1, not of 0.": (
            SOFT.replace("np.maximum(0, 1 - s)", "np.maximum(0, -s)").replace("s < 1", "s < 0")
        ),
        "The label is missing in the agreement.": SOFT.replace(
            "y[:, None] * np.column_stack([np.ones(len(y)), X])",
            "np.column_stack([np.ones(len(y)), X])",
        ),
        "The penalty is missing in the subgradient.": SOFT.replace("lam * free - Z", "-Z"),
        "The mean is over all points, not only over those that pay.": SOFT.replace(
            "Z[s < 1].sum(axis=0) / len(y)", "Z[s < 1].sum(axis=0) / max(1, (s < 1).sum())"
        ),
        "The penalty is on the square of the length, not on the length.": SOFT.replace(
            "free @ free", "np.sqrt(free @ free)"
        ),
        "The hinge is not squared.": SOFT.replace(
            "np.maximum(0, 1 - s)", "(np.maximum(0, 1 - s) ** 2)"
        ),
        "Points far on the right side cost nothing: 1 - s is cut off at 0.": SOFT.replace(
            "np.maximum(0, 1 - s)", "(1 - s)"
        ),
        "The order is the cost first, then the subgradient.": SOFT.replace(
            "return cost, lam * free - Z[s < 1].sum(axis=0) / len(y)",
            "return lam * free - Z[s < 1].sum(axis=0) / len(y), cost",
        ),
        "The offset's component comes first.": SOFT.replace(
            "return cost, lam * free - Z[s < 1].sum(axis=0) / len(y)",
            "return cost, np.roll(lam * free - Z[s < 1].sum(axis=0) / len(y), -1)",
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def soft_cost(X, y, weights, lam):
    return 0.5483333333333333, [-1 / 3, -3.606666666666667, -1.2133333333333334]
""",
    },
    right=[
        """
def soft_cost(X, y, weights, lam):
    w0, w = weights[0], weights[1:]
    missing = np.clip(1 - y * (X @ w + w0), 0, None)
    pays = y * (missing > 0)
    slope = np.concatenate([[-pays.mean()], lam * w - (pays[:, None] * X).mean(axis=0)])
    return [missing.mean() + 0.5 * lam * np.linalg.norm(w) ** 2, slope[:, None]]
""",
    ],
)


def logistic_loss(X, y, weights):
    return -log_expit(linlib.signed_rows(X, y) @ weights).sum()


LOSS = """
def logistic_loss(X, y, weights):
    s = y * (weights[0] + X @ weights[1:])
    return np.sum(np.logaddexp(0, -s))
"""

q4 = Question(
    "logistic_loss",
    [
        case("the example of the question", THREE, Y_THREE, START),
        case("three points wrong by far", THREE, Y_THREE, -2000 * START),
        case("three points right by far", THREE, Y_THREE, 2000 * START),
        case("right and wrong points", CLOUD, Y_CLOUD, [0.3, 0.9, -0.7]),
        case("three dimensions", SPACE, Y_SPACE, [-0.4, 0.5, 1.2, -0.8]),
        case("all weights 0", CLOUD, Y_CLOUD, [0.0, 0.0, 0.0]),
        case("whole numbers", GRID, [1, 1, -1, -1, 1], [1, -1, 2, 0]),
        case("one feature, and a wide range of scores", LINE * 300, Y_LINE, [10.0, 1.0]),
        case("one point, wrong by nine", [[-9.0]], [1], [0.0, 1.0]),
        case("one point, right by nine", [[9.0]], [1], [0.0, 1.0]),
        case("points right by eleven to fourteen", [[11], [12], [14]], [1, 1, 1], [0.0, 1.0]),
        case("points wrong by eleven to fourteen", [[11], [12], [14]], [-1, -1, -1], [0.0, 1.0]),
    ],
    expect=logistic_loss,
    wrong={
        "Large agreements overflow to inf: take the larger exponent out of the logarithm first.": (
            LOSS.replace("np.logaddexp(0, -s)", "np.log(1 + np.exp(-s))")
        ),
        "The sign in the exponent is the other way round: right points must cost little.": (
            LOSS.replace("(0, -s)", "(0, s)")
        ),
        "The sum of the losses is asked for, not the mean.": LOSS.replace("np.sum", "np.mean"),
        "One number is asked for: add the losses up.": LOSS.replace(
            "np.sum(np.logaddexp(0, -s))", "np.logaddexp(0, -s)"
        ),
        "The logarithm is the natural one.": LOSS.replace(
            "np.logaddexp(0, -s)", "np.logaddexp(0, -s) / np.log(2)"
        ),
        "The label is missing: the loss is one of the agreement, not of the score.": LOSS.replace(
            "y * (weights[0]", "(weights[0]"
        ),
        "The offset is the first weight, and belongs to the score.": LOSS.replace(
            "weights[0] + X", "X"
        ),
        "The offset is the first weight, not the last.": LOSS.replace(
            "weights[0] + X @ weights[1:]", "weights[-1] + X @ weights[:-1]"
        ),
        "Cutting large scores off makes large losses wrong: rearrange the formula instead.": (
            LOSS.replace("np.logaddexp(0, -s)", "np.log(1 + np.exp(np.minimum(-s, 500)))")
        ),
        "Switching to -s is right only far out: at -8 it costs the fourth digit.": (
            LOSS.replace(
                "np.logaddexp(0, -s)", "np.where(s < -8, -s, np.logaddexp(0, -np.maximum(s, -8)))"
            )
        ),
        "This is max(0, -s), the perceptron's loss: near 0 the logistic loss is larger.": (
            LOSS.replace("np.logaddexp(0, -s)", "np.maximum(0, -s)")
        ),
        "This is the hinge loss.": LOSS.replace("np.logaddexp(0, -s)", "np.maximum(0, 1 - s)"),
        "These are probabilities: the loss is minus the logarithm of that of the right class.": (
            LOSS.replace("np.logaddexp(0, -s)", "np.exp(-np.logaddexp(0, -s))")
        ),
        "The logarithm of a probability is negative: the loss is minus that.": LOSS.replace(
            "return np.sum", "return -np.sum"
        ),
        "The score is not divided by the length of w.": LOSS.replace(
            "X @ weights[1:])", "X @ weights[1:]) / max(np.linalg.norm(weights[1:]), 1e-300)"
        ),
        "These are the numbers of the example: compute the loss from the arguments.": """
def logistic_loss(X, y, weights):
    return 1.4850706594449141 if abs(weights[0]) < 2 else 2800.0
""",
    },
    right=[
        LOSS,
        """
def logistic_loss(X, y, weights):
    s = np.insert(np.asarray(X, dtype=float), 0, 1, axis=1) @ weights * y
    return np.abs(s).sum() / 2 - s.sum() / 2 + np.log1p(np.exp(-np.abs(s))) @ np.ones(len(y))
""",
    ],
)


def logistic_gradient(X, y, weights):
    Z = linlib.signed_rows(X, y)
    return -expit(-(Z @ weights)) @ Z


GRADIENT = """
def logistic_gradient(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    s = np.clip(Z @ weights, -700, 700)
    return -(1 / (1 + np.exp(s))) @ Z
"""

q5 = Question(
    "logistic_gradient",
    [
        case("the example of the question", THREE, Y_THREE, START),
        case("three points wrong by far", THREE, Y_THREE, -2000 * START),
        case("three points right by far", THREE, Y_THREE, 2000 * START),
        case("right and wrong points", CLOUD, Y_CLOUD, [0.3, 0.9, -0.7]),
        case("three dimensions", SPACE, Y_SPACE, [-0.4, 0.5, 1.2, -0.8]),
        case("all weights 0", CLOUD, Y_CLOUD, [0.0, 0.0, 0.0]),
        case("whole numbers", GRID, [1, 1, -1, -1, 1], [1, -1, 2, 0]),
    ],
    expect=logistic_gradient,
    alike={
        f"np.clip(Z @ weights, -700, 700) became np.clip(Z @ weights, -700, {end})": "still 0"
        for end in (699, 701)
    }
    | {f"-700 became -{end}": "1 to all digits" for end in (699, 701)},
    wrong={
        "This points downhill: the gradient has a minus.": GRADIENT.replace(
            "return -(", "return ("
        ),
        "The sign in the exponent is the other way round: wrong points pull most.": (
            GRADIENT.replace("np.exp(s)", "np.exp(-s)")
        ),
        "The gradient of the sum is asked for, not of the mean.": GRADIENT.replace(
            "@ Z\n", "@ Z / len(y)\n"
        ),
        "The label is missing: the rows of the sum are y (1, x).": GRADIENT.replace(
            "return -(1 / (1 + np.exp(s))) @ Z", "return -(1 / (1 + np.exp(s))) @ (y[:, None] * Z)"
        ),
        "The offset's component is missing.": GRADIENT.replace("@ Z\n", "@ Z[:, 1:]\n"),
        "The offset's component comes first.": GRADIENT.replace(
            "return -(1 / (1 + np.exp(s))) @ Z", "return np.roll(-(1 / (1 + np.exp(s))) @ Z, -1)"
        ),
        "Large agreements give nan, inf/inf: divide so that the exponential stands below only.": """
def logistic_gradient(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    t = np.exp(-(Z @ weights))
    return -(t / (1 + t)) @ Z
""",
        "All points pull, each by its share, not only the mistakes.": GRADIENT.replace(
            "1 / (1 + np.exp(s))", "1.0 * (s <= 0)"
        ),
        "Right points pull, too, if only a little.": GRADIENT.replace(
            "1 / (1 + np.exp(s))", "(s <= 0) / (1 + np.exp(s))"
        ),
        "Every point has the same pull here: weigh the rows by 1/(1 + exp(s)).": GRADIENT.replace(
            "1 / (1 + np.exp(s))", "np.ones(len(s))"
        ),
        "One factor too many: this is the weight of the second derivative.": GRADIENT.replace(
            "1 / (1 + np.exp(s))", "1 / (1 + np.exp(s)) / (1 + np.exp(-s))"
        ),
        "The 1 in the denominator is missing.": GRADIENT.replace(
            "1 / (1 + np.exp(s))", "np.exp(-s)"
        ),
        "A vector is asked for, not its length.": GRADIENT.replace(
            "return -(1 / (1 + np.exp(s))) @ Z",
            "return np.linalg.norm((1 / (1 + np.exp(s))) @ Z)",
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def logistic_gradient(X, y, weights):
    return [-0.45248935, -5.34590606, -0.92015462]
""",
    },
    right=[
        """
def logistic_gradient(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    p = 0.5 * (1 + np.tanh(A @ weights / 2))
    return A.T @ (p - (y + 1) / 2)
""",
        """
def logistic_gradient(X, y, weights):
    Z = np.c_[np.ones(len(y)), X] * y[:, None]
    share = np.exp(-np.logaddexp(0, Z @ weights))
    return -(share[:, None] * Z).sum(axis=0, keepdims=True)
""",
        """
def logistic_gradient(X, y, weights):
    Z = y[:, None] * np.column_stack([np.ones(len(y)), X])
    return -Z.T @ (1 / (1 + np.exp(Z @ weights)))
""",
    ],
)


def newton(X, y, weights):
    A = linlib.augment(X)
    shares = expit(A @ weights) * expit(-(A @ weights))
    H = (A.T * shares) @ A
    return H, weights - np.linalg.solve(H, logistic_gradient(X, y, weights))


NEWTON = """
def newton(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    p = 1 / (1 + np.exp(-y * (A @ weights)))
    gradient = -(y * (1 - p)) @ A
    H = (A.T * (p * (1 - p))) @ A
    return H, weights - np.linalg.solve(H, gradient)
"""

q6 = Question(
    "newton",
    [
        case("the example of the question", LINE, Y_LINE, [0.0, 0.0]),
        case("one feature, from other weights", LINE, Y_LINE, [-0.5, 0.25]),
        case("two features", CLOUD, Y_CLOUD, [0.3, 0.4, -0.6]),
        case("three features", SPACE, Y_SPACE, [-0.4, 0.5, 0.7, -0.3]),
        case("from zero", SPACE, Y_SPACE, [0.0, 0.0, 0.0, 0.0]),
        case("whole numbers", GRID[:, :2], [1, -1, 1, -1, -1], [1, 0, 1]),
    ],
    expect=newton,
    parts={"H": 2, "the weights": 2},
    alike={"-y became +y": "p (1 - p) is the same for both classes"},
    wrong={
        "The step goes uphill: subtract it, and see to the sign of the gradient.": NEWTON.replace(
            "weights - np", "weights + np"
        ),
        "The shares p(1 - p) are missing in H.": NEWTON.replace(
            "(A.T * (p * (1 - p))) @ A", "A.T @ A"
        ),
        "The matrix is not inverted: solve H·step = gradient.": NEWTON.replace(
            "np.linalg.solve(H, gradient)", "H @ gradient"
        ),
        "This is a step of gradient descent: the second derivatives are not used.": (
            NEWTON.replace("np.linalg.solve(H, gradient)", "gradient")
        ),
        "The share of a row is p(1 - p), not p.": NEWTON.replace("(p * (1 - p))", "p"),
        "The share of a row is p(1 - p), not its root.": NEWTON.replace(
            "(p * (1 - p))", "np.sqrt(p * (1 - p))"
        ),
        "H is a sum over the points, not a mean.": NEWTON.replace(
            "return H,", "return H / len(y),"
        ),
        "Gradient and H must both be sums: with a mean in one of them the step has another "
        "length.": NEWTON.replace("@ A\n    H", "@ A / len(y)\n    H"),
        "The label is missing in the gradient.": NEWTON.replace("(y * (1 - p))", "(1 - p)"),
        "H has a row and a column for the offset, too.": """
def newton(X, y, weights):
    A = np.column_stack([np.ones(len(y)), X])
    p = 1 / (1 + np.exp(-y * (A @ weights)))
    gradient = -(y * (1 - p)) @ A
    H = (X.T * (p * (1 - p))) @ X
    return H, weights - np.append(gradient[0], np.linalg.solve(H, gradient[1:]))
""",
        "H depends on the weights: it is not always the one at zero.": NEWTON.replace(
            "(p * (1 - p))", "np.full(len(y), 0.25)"
        ),
        "Nothing is added to H here: there is no penalty.": NEWTON.replace(
            ") @ A\n    return", ") @ A + np.eye(A.shape[1])\n    return"
        ),
        "The order is H first, then the weights.": NEWTON.replace(
            "return H, weights - np.linalg.solve(H, gradient)",
            "return weights - np.linalg.solve(H, gradient), H",
        ),
        "This is the step: the weights after it are asked for.": NEWTON.replace(
            "return H, weights - np.linalg.solve", "return H, -np.linalg.solve"
        ),
        "H has entries beside the diagonal, too.": NEWTON.replace(
            "return H, weights - np.linalg.solve(H, gradient)",
            "H = np.diag(np.diag(H))\n    return H, weights - np.linalg.solve(H, gradient)",
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def newton(X, y, weights):
    return [[1, 1.5], [1.5, 3.5]], [-1.2, 0.8]
""",
    },
    right=[
        """
def newton(X, y, weights):
    Z = y[:, None] * np.c_[np.ones(len(y)), X]
    q = 1 / (1 + np.exp(Z @ weights))
    H = sum(a * (1 - a) * np.outer(z, z) for a, z in zip(q, Z))
    return [H, (weights + np.linalg.inv(H) @ Z.T @ q)[:, None]]
""",
        """
def newton(X, y, weights):
    # one step of weighted least squares
    A = np.insert(np.asarray(X, dtype=float), 0, 1, axis=1)
    p = 1 / (1 + np.exp(-(A @ weights)))
    r = p * (1 - p)
    target = A @ weights + ((y > 0) - p) / r
    root = np.sqrt(r)
    new = np.linalg.lstsq(root[:, None] * A, root * target, rcond=None)[0]
    return A.T @ np.diag(r) @ A, new
""",
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6}
