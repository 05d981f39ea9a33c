"""Homework 4, LDA and QDA: hidden cases, wrong answers and what to say, right answers."""

import numpy as np
from scipy.special import expit
from scipy.stats import multivariate_normal

import linlib
from lincourse.grader.hidden import hidden_rng
from linlib.notebook.question import Question, case, value_question

rng = hidden_rng(44)
SIX = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [4.0, 4.0], [6.0, 6.0]])
CLOUD = rng.normal(size=(15, 2)) @ np.array([[1.5, 0.6], [0.0, 0.8]]) + [3.0, -1.0]
SPACE = rng.normal(size=(24, 3)) * [1.0, 2.0, 0.5]
LINE = np.array([[0.0], [1.0], [5.0], [4.0], [2.0], [9.0]])
MEANS = np.array([[1.0, -1.0], [2.0, 3.0]])
SLANTED = np.array([[2.0, 0.5], [0.5, 1.0]])
DIAGONAL = np.array([[4.0, 0.0], [0.0, 0.25]])
MEANS3 = np.array([[0.5, 1.0, -1.0], [2.0, 0.0, 1.0]])
SHARED3 = np.array([[2.0, 0.4, 0.1], [0.4, 1.0, -0.3], [0.1, -0.3, 1.5]])


q1 = value_question(
    "models",
    (2, 6, 4, 7),
    parts=dict.fromkeys("ABCD", 1),
    wrong={
        "A is the other way round: the line moves towards the rarer class.": (
            "models = [3, 6, 4, 7]"
        ),
        "The line of A does not pass through the midpoint, so the priors are not equal.": (
            "models = [1, 6, 4, 7]"
        ),
        "B and D are swapped: the circle goes around the class with the smaller covariance.": (
            "models = [2, 7, 4, 6]"
        ),
        "C leans the other way with this model: the boundary follows the clouds' long direction.": (
            "models = [2, 6, 5, 7]"
        ),
        "C is tilted: with the covariance I the line stands upright between these means.": (
            "models = [2, 6, 1, 7]"
        ),
        "These are the numbers of the example, which are not the right ones.": (
            "models = [1, 1, 3, 5]"
        ),
        "The models are numbered from 1, as in the table.": "models = [1, 5, 3, 6]",
    },
)


def estimate(X, y):
    model = linlib.fit_lda(X, y)
    return model.priors, model.means, model.covariance


ESTIMATE = """
def estimate(X, y):
    priors = np.bincount(y) / len(y)
    means = np.array([X[y == k].mean(axis=0) for k in range(len(priors))])
    within = X - means[y]
    return priors, means, within.T @ within / len(X)
"""

q2 = Question(
    "estimate",
    [
        case("the example of the question", SIX, [0, 0, 0, 0, 1, 1]),
        case("two classes of different sizes", CLOUD, [0] * 4 + [1] * 11),
        case("classes in no order", CLOUD, [1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1]),
        case("three classes in three dimensions", SPACE, [0, 1, 2, 2] * 6),
        case("one feature only", LINE, [0, 0, 1, 1, 0, 1]),
        case("a class with a single point", CLOUD[:8], [0, 1, 1, 1, 1, 1, 1, 1]),
    ],
    expect=estimate,
    parts={"the priors": 1, "the means": 1, "the covariance": 2},
    wrong={
        "Maximum likelihood divides the covariance by n, not by n - 1.": ESTIMATE.replace(
            "/ len(X)", "/ (len(X) - 1)"
        ),
        "Dividing by n - K makes it unbiased; maximum likelihood divides by n.": ESTIMATE.replace(
            "/ len(X)", "/ (len(X) - len(means))"
        ),
        "The average of the covariances of the classes must be weighted by their sizes.": """
def estimate(X, y):
    priors = np.bincount(y) / len(y)
    groups = [X[y == k] for k in range(len(priors))]
    means = np.array([g.mean(axis=0) for g in groups])
    each = [(g - m).T @ (g - m) / len(g) for g, m in zip(groups, means)]
    return priors, means, sum(each) / len(each)
""",
        "Each point is compared with the mean of its own class, not with the mean of all.": (
            ESTIMATE.replace("within = X - means[y]", "within = X - X.mean(axis=0)")
        ),
        "The covariance is not divided: it is an average over all points.": ESTIMATE.replace(
            " / len(X)", ""
        ),
        "The means lie on their side: one row for each class.": ESTIMATE.replace(
            "return priors, means,", "return priors, means.T,"
        ),
        "The priors are shares: divide the numbers of points by n.": ESTIMATE.replace(
            "return priors", "return priors * len(y)"
        ),
        "The priors are the shares of the classes in the sample, not equal.": ESTIMATE.replace(
            "return priors", "return np.full(len(priors), 1 / len(priors))"
        ),
        "The transpose is on the wrong side: the covariance has the shape (d, d), not (n, n).": (
            ESTIMATE.replace("within.T @ within", "within @ within.T")
        ),
        "The covariance has entries beside the diagonal, too: variances are not enough.": (
            ESTIMATE.replace("within.T @ within / len(X)", "np.diag((within**2).mean(axis=0))")
        ),
        "One covariance for all classes is asked for, not one for each.": """
def estimate(X, y):
    priors = np.bincount(y) / len(y)
    groups = [X[y == k] for k in range(len(priors))]
    means = np.array([g.mean(axis=0) for g in groups])
    return priors, means, np.array([(g - m).T @ (g - m) / len(g) for g, m in zip(groups, means)])
""",
        "There may be more than two classes: go through all of them.": """
def estimate(X, y):
    priors = np.array([np.mean(y == 0), np.mean(y == 1)])
    means = np.array([X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)])
    within = X - means[np.minimum(y, 1)]
    return priors, means, within.T @ within / len(X)
""",
        "The array you are given changes: subtract the means from a copy.": """
def estimate(X, y):
    priors = np.bincount(y) / len(y)
    means = np.array([X[y == k].mean(axis=0) for k in range(len(priors))])
    X -= means[y]
    return priors, means, X.T @ X / len(X)
""",
        "These are the numbers of the example: compute them from X and y.": """
def estimate(X, y):
    third = 1 / 3
    return [2 * third, third], [[1, 1], [5, 5]], [[1, third], [third, 1]]
""",
    },
    right=[
        """
def estimate(X, y):
    classes, counts = np.unique(y, return_counts=True)
    priors = counts / counts.sum()
    means = np.stack([X[y == k].mean(0) for k in classes])
    each = [np.atleast_2d(np.cov(X[y == k], rowvar=False, bias=True)) for k in classes]
    return [priors, means, np.tensordot(priors, each, axes=1)]
""",
        """
def estimate(X, y):
    indicators = np.eye(y.max() + 1)[y]
    counts = indicators.sum(axis=0)
    means = (indicators.T @ X) / counts[:, None]
    second = X.T @ X / len(X) - means.T @ np.diag(counts / len(X)) @ means
    return tuple(counts / len(X)), means.tolist(), second
""",
    ],
)


def log_ratio(x, priors, means, covariances):
    """Return the log odds of class 1 at x, from SciPy's densities."""
    logs = [
        multivariate_normal(mean, covariance).logpdf(x) + np.log(prior)
        for prior, mean, covariance in zip(priors, means, covariances, strict=True)
    ]
    return logs[1] - logs[0]


def lda(priors, means, covariance):
    d = means.shape[1]
    at = [
        log_ratio(x, priors, means, [covariance] * 2) for x in np.vstack([np.zeros(d), np.eye(d)])
    ]
    return np.array(at[1:]) - at[0], at[0]


LDA = """
def lda(priors, means, covariance):
    S = np.linalg.inv(covariance)
    w = S @ (means[1] - means[0])
    w0 = np.log(priors[1] / priors[0]) - (means[1] + means[0]) @ w / 2
    return w, w0
"""
EXAMPLE = [[0.0, 0.0], [2.0, 2.0]], [[2.0, 1.0], [1.0, 2.0]]

q3 = Question(
    "lda",
    [
        case("the example of the question", [0.75, 0.25], *EXAMPLE),
        case("a slanted covariance and a rare class 0", [0.1, 0.9], MEANS, SLANTED),
        case("equal priors", [0.5, 0.5], MEANS, SLANTED),
        case("features of different scale", [0.3, 0.7], MEANS, DIAGONAL),
        case("three dimensions", [0.6, 0.4], MEANS3, SHARED3),
        case("one feature only", [0.8, 0.2], [[-1.0], [4.0]], [[2.0]]),
        case("two equal means: only the priors speak", [0.2, 0.8], MEANS[[1, 1]], SLANTED),
    ],
    expect=lda,
    parts={"w": 2, "w0": 2},
    wrong={
        "The priors are missing: they enter w0 as ln(π1/π0).": LDA.replace(
            "np.log(priors[1] / priors[0])", "0.0"
        ),
        "The priors are the other way round: a frequent class 1 makes w0 larger.": LDA.replace(
            "priors[1] / priors[0]", "priors[0] / priors[1]"
        ),
        "The logarithm of the priors is missing.": LDA.replace(
            "np.log(priors[1] / priors[0])", "priors[1] / priors[0]"
        ),
        "The factor one half is missing in w0.": LDA.replace(" @ w / 2", " @ w"),
        "The sum of the means belongs in w0: the line passes near their midpoint.": LDA.replace(
            "(means[1] + means[0]) @ w", "(means[1] - means[0]) @ w"
        ),
        "The sign before the half is a minus: at the midpoint of the means w·x must cancel it.": (
            LDA.replace("- (means[1] + means[0])", "+ (means[1] + means[0])")
        ),
        "Multiply by the inverse of the covariance, not by the covariance.": LDA.replace(
            "np.linalg.inv(covariance)", "covariance"
        ),
        "The covariance is missing: w is its inverse times the difference of the means.": (
            LDA.replace("np.linalg.inv(covariance)", "np.eye(len(covariance))")
        ),
        "The variances alone are not enough: invert the whole covariance matrix.": (
            LDA.replace("np.linalg.inv(covariance)", "np.diag(1 / np.diag(covariance))")
        ),
        "The classes are swapped: the log odds are those of class 1.": """
def lda(priors, means, covariance):
    S = np.linalg.inv(covariance)
    w = S @ (means[0] - means[1])
    w0 = np.log(priors[0] / priors[1]) - (means[1] + means[0]) @ w / 2
    return w, w0
""",
        "The order is w first, then w0.": LDA.replace("return w, w0", "return w0, w"),
        "Do not rescale w to length 1: then the scores are no log odds any more.": LDA.replace(
            "return w, w0",
            "size = max(np.linalg.norm(w), 1e-300)\n    return w / size, w0 / size",
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def lda(priors, means, covariance):
    return np.array([2 / 3, 2 / 3]), -4 / 3 - np.log(3)
""",
    },
    right=[
        """
def lda(priors, means, covariance):
    L = np.linalg.cholesky(covariance)
    white = np.linalg.solve(L, means.T)
    w = np.linalg.solve(L.T, white[:, [1]] - white[:, [0]])
    squares = (white**2).sum(axis=0)
    return w, np.array([np.log(priors[1] / priors[0]) + (squares[0] - squares[1]) / 2])
""",
        """
def lda(priors, means, covariance):
    # the log odds at 0 and at the unit vectors
    def score(x):
        total = 0.0
        for k, sign in ((0, -1), (1, 1)):
            z = x - means[k]
            total += sign * (np.log(priors[k]) - 0.5 * z @ np.linalg.solve(covariance, z))
        return total
    d = len(covariance)
    w0 = score(np.zeros(d))
    return tuple(score(e) - w0 for e in np.eye(d)), float(w0)
""",
    ],
)


def posterior(X, w, w0):
    return expit(linlib.augment(X) @ np.append(w0, w))


POSTERIOR = """
def posterior(X, w, w0):
    scores = X @ w + w0
    return 1 / (1 + np.exp(-scores))
"""

q4 = Question(
    "posterior",
    [
        case("the example of the question", [[0.0, 0], [1, 0], [0, 2]], [1.0, -1.0], 0.0),
        case("a line that does not pass through the origin", CLOUD, [0.5, -1.0], -2.0),
        case("points in three dimensions", SPACE, [1.0, 0.2, -0.7], 0.3),
        case("points on the line", [[1.0, 1.0], [3.0, 0.0]], [1.0, 2.0], -3.0),
        case("log odds far from zero", [[500.0], [-500.0], [0.0]], [2.0], 0.5),
        case("one single point", [[0.5, 0.5]], [1.0, 1.0], 0.25),
    ],
    expect=posterior,
    alike={"scores > 0 became scores >= 0": "at 0 both give a half"},
    wrong={
        "These are the log odds: solve s = ln(p/(1-p)) for p.": """
def posterior(X, w, w0):
    return X @ w + w0
""",
        "These are the odds p/(1-p): one step more leads to p.": """
def posterior(X, w, w0):
    return np.exp(X @ w + w0)
""",
        "This is the probability of class 0: the sign in the exponent is the other way round.": (
            POSTERIOR.replace("np.exp(-scores)", "np.exp(scores)")
        ),
        "A probability is asked for, not a decision: it may lie between 0 and 1.": """
def posterior(X, w, w0):
    return (X @ w + w0 > 0).astype(float)
""",
        "Large log odds give nan, inf/inf: divide so that the exponential stands below only.": """
def posterior(X, w, w0):
    odds = np.exp(X @ w + w0)
    return odds / (1 + odds)
""",
        "The offset is forgotten: the log odds are w0 + w·x.": POSTERIOR.replace(" + w0", ""),
        "The logarithm is the natural one: use exp, not powers of 10.": POSTERIOR.replace(
            "np.exp(-scores)", "10.0 ** np.clip(-scores, -300, 300)"
        ),
        "Log odds are not distances: do not divide by the length of w.": POSTERIOR.replace(
            "X @ w + w0", "(X @ w + w0) / np.linalg.norm(w)"
        ),
        "This runs from -1 to 1: a probability runs from 0 to 1.": """
def posterior(X, w, w0):
    return np.tanh((X @ w + w0) / 2)
""",
        "There is no factor one half in the exponent: the log odds are ln p - ln(1-p).": (
            POSTERIOR.replace("-scores", "-scores / 2")
        ),
        "Do not cut the log odds to a short interval: large ones mean probabilities near 0 or 1.": (
            POSTERIOR.replace("-scores", "-np.clip(scores, -1, 1)")
        ),
        "These are the numbers of the example: compute them from X, w and w0.": """
def posterior(X, w, w0):
    return [0.5, 0.7310585786, 0.1192029220]
""",
    },
    right=[
        POSTERIOR,  # it overflows with a warning, and is right
        """
def posterior(X, w, w0):
    return 0.5 * (1 + np.tanh((X @ w + w0) / 2))
""",
        """
def posterior(X, w, w0):
    s = (np.c_[X, np.ones(len(X))] @ np.append(w, w0))[:, None]
    return np.exp(-np.logaddexp(0, -s))
""",
    ],
)


def qda(priors, means, covariances):
    model = linlib.QDA(np.array([0, 1]), priors, means, covariances)
    origin = log_ratio(np.zeros(means.shape[1]), priors, means, covariances)
    assert np.isclose(model.c, origin)  # the constant, from SciPy's densities
    return model.A, model.b, model.c


QDA = """
def qda(priors, means, covariances):
    S0, S1 = np.linalg.inv(covariances)
    det0, det1 = np.linalg.det(covariances)
    A = (S0 - S1) / 2
    b = S1 @ means[1] - S0 @ means[0]
    c = np.log(priors[1] / priors[0]) - np.log(det1 / det0) / 2
    c = c - (means[1] @ S1 @ means[1] - means[0] @ S0 @ means[0]) / 2
    return A, b, c
"""

q5 = Question(
    "qda",
    [
        case(
            "the example of the question",
            [0.5, 0.5],
            [[3.0, -2.0], [3.0, 6.0]],
            [[[2.0, 0], [0, 2]], [[0.5, 0], [0, 2]]],
        ),
        case(
            "two slanted covariances and unequal priors",
            [0.8, 0.2],
            MEANS,
            [SLANTED, [[1.0, -0.6], [-0.6, 3.0]]],
        ),
        case("equal covariances: the curve is a line", [0.3, 0.7], MEANS, [SLANTED, SLANTED]),
        case(
            "equal means, a narrow and a wide class",
            [0.5, 0.5],
            MEANS[[0, 0]],
            [SLANTED, 4 * SLANTED],
        ),
        case("means at the origin", [0.4, 0.6], 0 * MEANS, [DIAGONAL, SLANTED]),
        case("three dimensions", [0.9, 0.1], MEANS3, [SHARED3, np.diag([1.0, 0.5, 2.0])]),
        case("one feature only", [0.5, 0.5], [[0.0], [1.0]], [[[1.0]], [[9.0]]]),
    ],
    expect=qda,
    parts={"A": 2, "b": 2, "c": 1},
    wrong={
        "The determinants are missing in c: the two densities have different heights.": (
            QDA.replace(" - np.log(det1 / det0) / 2", "")
        ),
        "The determinants are the other way round: a wide class has a low density.": QDA.replace(
            "det1 / det0", "det0 / det1"
        ),
        "The logarithm of the determinants has a factor one half.": QDA.replace(
            "np.log(det1 / det0) / 2", "np.log(det1 / det0)"
        ),
        "The factor one half is missing in A.": QDA.replace("(S0 - S1) / 2", "S0 - S1"),
        "The sign of A is wrong: it is the inverse of class 0 minus that of class 1.": QDA.replace(
            "(S0 - S1) / 2", "(S1 - S0) / 2"
        ),
        "The classes are swapped: the log odds are those of class 1.": QDA.replace(
            "return A, b, c", "return -A, -b, -c"
        ),
        "Only b is swapped: class 1 comes first in it.": QDA.replace("return A, b", "return A, -b"),
        "The priors are missing in c.": QDA.replace("np.log(priors[1] / priors[0])", "0.0"),
        "The priors are the other way round: a frequent class 1 makes c larger.": QDA.replace(
            "priors[1] / priors[0]", "priors[0] / priors[1]"
        ),
        "The means are missing in c: it has the terms of μ1 and of μ0 with their inverses.": (
            "".join(line for line in QDA.splitlines(True) if "c = c" not in line)
        ),
        "The factor one half is missing before the terms of the means in c.": QDA.replace(
            "@ means[0]) / 2", "@ means[0])"
        ),
        "The inverses of the covariances belong here, not the covariances.": QDA.replace(
            "np.linalg.inv(covariances)", "covariances"
        ),
        "Each mean goes with the inverse of its own class.": QDA.replace(
            "S1 @ means[1] - S0 @ means[0]\n", "S0 @ means[1] - S1 @ means[0]\n"
        ),
        "Pooling the covariances gives LDA: each class keeps its own here.": QDA.replace(
            "    S0, S1",
            "    covariances = np.array([priors @ covariances.reshape(2, -1)] * 2).reshape("
            "covariances.shape)\n    S0, S1",
        ),
        "These are the numbers of the example: compute them from the arguments.": """
def qda(priors, means, covariances):
    return np.diag([-0.75, 0.0]), np.array([4.5, 4.0]), np.log(2) - 14.75
""",
    },
    right=[
        """
def qda(priors, means, covariances):
    # read A, b and c off the values of the log odds
    d = means.shape[1]
    def g(x):
        parts = []
        for p, m, C in zip(priors, means, covariances):
            z = np.linalg.solve(C, x - m)
            parts.append(np.log(p) - 0.5 * np.log(np.linalg.det(C)) - 0.5 * (x - m) @ z)
        return parts[1] - parts[0]
    I = np.eye(d)
    c = g(np.zeros(d))
    b = [(g(e) - g(-e)) / 2 for e in I]
    A = [[(g(e + f) - g(e) - g(f) + c) / 2 for f in I] for e in I]
    return A, b, c
""",
        """
def qda(priors, means, covariances):
    L = np.linalg.cholesky(covariances)
    S = [np.linalg.solve(l.T, np.linalg.solve(l, np.eye(len(l)))) for l in L]
    Sm = [s @ m for s, m in zip(S, means)]
    logs = [2 * np.log(np.diag(l)).sum() for l in L]
    terms = [np.log(p) - t / 2 - m @ v / 2 for p, t, m, v in zip(priors, logs, means, Sm)]
    return (S[0] - S[1]) * 0.5, tuple(Sm[1] - Sm[0]), float(terms[1] - terms[0])
""",
    ],
)


def prior_through(x, w, w0, prior):
    """Return the root, by bisection, of the score at x as a function of the prior's log odds."""
    bare = linlib.Hyperplane(w, w0).score(x[None])[0] - np.log(prior) + np.log1p(-prior)
    low, high = -60.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if bare + middle < 0 else (low, middle)
    return expit(low)


THROUGH = """
def prior_through(x, w, w0, prior):
    odds = prior / (1 - prior) * np.exp(-(w0 + w @ x))
    return odds / (1 + odds)
"""

q6 = Question(
    "prior_through",
    [
        case("the first example of the question", [2.0, 1.0], [2.0, 0.0], -2.0, 0.5),
        case("the second example of the question", [1.0, 0.0], [2.0, 0.0], -2.0, 0.5),
        case("a prior that is not one half", [1.0, -1.0], [0.5, 1.0], 1.0, 0.2),
        case("a point on the line, and a rare class 1", [3.0, 1.0], [1.0, -1.0], -2.0, 0.05),
        case("a point on the side of class 0", [-1.0, 0.5], [1.5, 1.0], -1.0, 0.7),
        case("three dimensions", [1.0, 2.0, 0.0], [0.3, -0.2, 1.0], 0.4, 0.9),
        case("one feature only", [0.0], [3.0], 1.5, 0.6),
    ],
    expect=prior_through,
    wrong={
        "The old prior is forgotten: it is part of w0, and must be taken out.": THROUGH.replace(
            "prior / (1 - prior) * ", ""
        ),
        "The sign is the other way round: to move the line into class 1, class 1 becomes rarer.": (
            THROUGH.replace("np.exp(-(w0", "np.exp((w0")
        ),
        "These are the odds of the new priors: turn them into the prior of class 1.": (
            THROUGH.replace("return odds / (1 + odds)", "return odds")
        ),
        "These are the log odds of the new priors: turn them into the prior of class 1.": (
            THROUGH.replace("return odds / (1 + odds)", "return np.log(odds)")
        ),
        "This is the new prior of class 0: that of class 1 is asked for.": THROUGH.replace(
            "return odds / (1 + odds)", "return 1 / (1 + odds)"
        ),
        "The offset is forgotten: the log odds at x are w0 + w·x.": THROUGH.replace(
            "(w0 + w @ x)", "(w @ x)"
        ),
        "The prior enters as odds π1/(1-π1), not alone.": THROUGH.replace(
            "prior / (1 - prior)", "prior"
        ),
        "The prior enters w0 through a logarithm: you cannot subtract the log odds from it.": """
def prior_through(x, w, w0, prior):
    return prior - (w0 + w @ x)
""",
        "This is the new w0: the prior that gives it is asked for.": """
def prior_through(x, w, w0, prior):
    return -(w @ x)
""",
        "Log odds are no distance: do not divide by the length of w.": THROUGH.replace(
            "(w0 + w @ x)", "(w0 + w @ x) / np.linalg.norm(w)"
        ),
        "These are the numbers of the example: compute the prior from the arguments.": """
def prior_through(x, w, w0, prior):
    return 0.1192029220221176 if x[0] == 2 else 0.5
""",
    },
    right=[
        """
def prior_through(x, w, w0, prior):
    without = w0 - np.log(prior / (1 - prior))
    return 1 / (1 + np.exp(without + w @ x))
""",
        """
def prior_through(x, w, w0, prior):
    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        score = w0 + np.dot(w, x) - np.log(prior / (1 - prior)) + np.log(p / (1 - p))
        if score > 0:
            high = p
        else:
            low = p
    return np.float64(low)
""",
    ],
)

QUESTIONS = {"q1": q1, "q2": q2, "q3": q3, "q4": q4, "q5": q5, "q6": q6}
