"""The tasks: linlib's learners and the peers they are timed against, at course size and above."""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    SGDRegressor,
)
from sklearn.svm import SVC, LinearSVC

import linlib
from bench.report import Section, Task
from bench.samples import gaussians, two_classes
from linlib.descent.adaline import LMSRun

warnings.simplefilter("ignore")  # peers that are told how many passes to make warn that they stop


def bare(Z: list[list[float]]) -> list[int]:
    """Return the mistakes of the shortest loop that is still the perceptron."""
    weights, mistakes, clean = [0.0] * len(Z[0]), [], False
    while not clean:
        clean = True
        for i, row in enumerate(Z):
            score = 0.0
            for entry, weight in zip(row, weights):  # noqa: B905 (nothing that costs time)
                score += entry * weight
            if score <= 0:
                weights = [weight + entry for entry, weight in zip(row, weights)]  # noqa: B905
                mistakes.append(i)
                clean = False
    return mistakes


def lectures(quick: bool) -> list[Task]:
    """Return a lecture's perceptron runs beside a bare loop over lists, which checks nothing."""
    iris = linlib.data.load("iris")
    samples = {
        "AND, 4 × 2": linlib.data.and_gate(),
        "20 × 2": linlib.data.separable(20, 2, np.random.default_rng(4)),
        "40 × 2": linlib.data.separable(40, 2, np.random.default_rng(4)),
        "iris, one kind against the rest, 150 × 4": (iris.X, np.where(iris.y == 0, 1.0, -1.0)),
    }
    return [_lecture(name, *sample) for name, sample in samples.items()]


def _lecture(name: str, X: np.ndarray, y: np.ndarray) -> Task:
    Z, run = linlib.signed_rows(X, y).tolist(), linlib.pla(X, y)
    assert run.converged
    assert bare(Z) == run.mistakes.tolist()
    note = f"{run.updates} updates, {run.passes} passes"
    return Task(name, lambda: linlib.pla(X, y), lambda: bare(Z), note)


def perceptrons(quick: bool) -> list[Task]:
    """Return perceptron runs to convergence on integers: weights equal to the last bit."""
    sizes = [(60, 2)] if quick else [(100, 2), (1000, 2), (10_000, 10), (20_000, 50), (2000, 500)]
    return [_perceptron(n, d, margin) for n, d in sizes for margin in (1.0, 0.1)]


def _perceptron(n: int, d: int, margin: float) -> Task:
    X, y = two_classes(n, d, margin)
    start = np.r_[0.5, np.zeros(d)]  # no score is then ever exactly 0, on which rules differ

    def ours() -> linlib.Run:
        return linlib.pla(X, y, start=start, max_updates=1_000_000)

    run = ours()

    def theirs() -> Perceptron:
        model = Perceptron(shuffle=False, tol=None, max_iter=run.passes)
        return model.fit(X, y, coef_init=np.zeros((1, d)), intercept_init=np.full(1, 0.5))

    model = theirs()
    assert np.array_equal(run.weights, np.r_[model.intercept_, model.coef_[0]])
    note = f"{run.updates} updates, {run.passes} passes"
    return Task(f"{n} × {d}, margin {margin} σ", ours, theirs, note)


def passes(quick: bool) -> list[Task]:
    """Return passes of the LMS rule with a constant step: weights equal to nine digits."""
    sizes = [(60, 3, 2)] if quick else [(100, 2, 5), (1000, 10, 5), (1000, 10, 500), (5000, 50, 50)]
    return [_lms(*size) for size in sizes]


def _lms(n: int, d: int, count: int) -> Task:
    X, y = two_classes(n, d, 0.1)
    X, step = X / 20, 0.1 / d

    def ours() -> LMSRun:
        return linlib.lms(X, y, step=step, max_passes=count)

    def theirs() -> SGDRegressor:
        options = {"penalty": None, "learning_rate": "constant", "eta0": step, "shuffle": False}
        return SGDRegressor(tol=None, max_iter=count, **options).fit(X, y)

    model = theirs()
    assert np.allclose(ours().weights, np.r_[model.intercept_, model.coef_], rtol=1e-9, atol=1e-12)
    return Task(f"{n} × {d}, {count} passes", ours, theirs)


def discriminants(quick: bool) -> list[Task]:
    """Return LDA and QDA, fitting and predicting: the same class for every row."""
    iris = linlib.data.load("iris")
    samples = {"iris, 150 × 4, 3 classes": (iris.X, iris.y)}
    if not quick:
        for n, d, k in [(5000, 20, 5), (50_000, 50, 10)]:
            samples[f"{n} × {d}, {k} classes"] = gaussians(n, d, k)
    return [task for name, sample in samples.items() for task in _discriminants(name, *sample)]


def _discriminants(name: str, X: np.ndarray, y: np.ndarray) -> list[Task]:
    made = []
    for kind, ours, theirs in (
        ("LDA", linlib.fit_lda, LinearDiscriminantAnalysis(solver="lsqr")),
        ("QDA", linlib.fit_qda, QuadraticDiscriminantAnalysis(solver="eigen")),
    ):
        model, peer = ours(X, y), theirs.fit(X, y)
        assert np.array_equal(model.predict(X), peer.predict(X))
        made += [
            Task(f"{kind} fit, {name}", _calls(ours, X, y), _calls(theirs.fit, X, y)),
            Task(f"{kind} predict, {name}", _calls(model.predict, X), _calls(peer.predict, X)),
        ]
    return made


def _calls(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


def certificates(quick: bool) -> list[Task]:
    """Return verdicts with proof beside the linear program Z w ≥ 1: the same verdicts."""
    sizes = [(40, 2)] if quick else [(20, 2), (200, 2), (569, 30), (1000, 10), (5000, 20)]
    return [_certificate(n, d, flipped) for n, d in sizes for flipped in (0, n // 4)]


def _certificate(n: int, d: int, flipped: int) -> Task:
    X, y = two_classes(n, d, 0.1)
    y[np.random.default_rng(n).choice(n, flipped, replace=False)] *= -1

    def highs() -> object:
        Z = linlib.signed_rows(X, y)
        free = [(None, None)] * Z.shape[1]
        return linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=free)

    verdict = linlib.certify(X, y)
    assert verdict.separable == (highs().status == 0)  # type: ignore[attr-defined]
    assert verdict.check(X, y)
    kind = "separable" if verdict.separable else "not separable"
    return Task(f"{n} × {d}, {kind}", lambda: linlib.certify(X, y), highs)


def minima(quick: bool) -> list[Task]:
    """Return minima of penalised losses: scikit-learn's value is never lower than linlib's."""
    sizes = [(60, 2)] if quick else [(100, 2), (1000, 10), (5000, 20)]
    return [task for n, d in sizes for task in _minima(n, d)]


def _minima(n: int, d: int) -> list[Task]:
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    y = np.where(np.random.default_rng(n).random(n) < 0.1, -y, y)
    penalty = 0.01
    svm = SVC(kernel="linear", C=1 / (n * penalty), tol=1e-6)
    log = LogisticRegression(C=1 / (n * penalty), tol=1e-9, max_iter=1000)
    found = []
    for name, learn, peer, loss in (
        ("soft margin", linlib.soft_margin, svm, linlib.hinge_loss),
        ("logistic", linlib.logistic, log, linlib.logistic_loss),
    ):
        goal = linlib.objective(X, y, loss, penalty=penalty, average=True)
        fit = learn(X, y, penalty=penalty)
        model = peer.fit(X, y)
        theirs = goal.value(np.r_[model.intercept_, model.coef_[0]])
        assert goal.value(fit.weights) <= theirs + 1e-9
        call = _calls(_penalised(learn, penalty), X, y)
        found.append(Task(f"{name}, {n} × {d}", call, _calls(peer.fit, X, y)))
    ridge = Ridge(alpha=1.0)
    ours = linlib.least_squares(X, y, penalty=1.0).weights
    assert np.allclose(ours[1:], ridge.fit(X, y).coef_)
    call = _calls(_penalised(linlib.least_squares, 1.0), X, y)
    return [*found, Task(f"ridge, {n} × {d}", call, _calls(ridge.fit, X, y))]


def soft_margins(quick: bool) -> list[Task]:
    """Return soft margins of both losses at course size: no peer's value is lower."""
    sizes = [(60, 2)] if quick else [(n, d) for n in (100, 300, 1000, 2000) for d in (2, 10, 30)]
    penalties = [0.01] if quick else [1.0, 0.1, 0.01]
    return [task for n, d in sizes for penalty in penalties for task in _margins(n, d, penalty)]


def _margins(n: int, d: int, penalty: float) -> list[Task]:
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    y = np.where(np.random.default_rng(n).random(n) < 0.1, -y, y)
    C = 1 / (n * penalty)
    liblinear = {"intercept_scaling": 100.0, "tol": 1e-6, "max_iter": 10_000}
    pairs = {
        "hinge": (linlib.hinge_loss, SVC(kernel="linear", C=C, max_iter=1_000_000)),
        "squared hinge": (linlib.squared_hinge_loss, LinearSVC(C=C, dual=False, **liblinear)),
    }
    made = []
    for name, (loss, peer) in pairs.items():
        goal = linlib.objective(X, y, loss, penalty=penalty, average=True)
        ours = partial(linlib.soft_margin, X, y, penalty=penalty, loss=loss)
        model = peer.fit(X, y)
        theirs = goal.value(np.r_[model.intercept_, np.ravel(model.coef_)])
        assert ours().value <= theirs + 1e-9
        made.append(Task(f"{name}, {n} × {d}, λ = {penalty:g}", ours, _calls(peer.fit, X, y)))
    return made


def streets(quick: bool) -> list[Task]:
    """Return widest streets: none of scikit-learn's is wider."""
    sizes = [(60, 2)] if quick else [(100, 2), (100, 10), (100, 30), (300, 10), (600, 30)]
    return [_street(n, d) for n, d in sizes]


def _street(n: int, d: int) -> Task:
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    peer = SVC(kernel="linear", C=1e6)
    found = linlib.max_margin(X, y)
    model = peer.fit(X, y)
    theirs = linlib.Hyperplane(model.coef_[0], model.intercept_[0])
    assert found.margin >= theirs.margin(X, y) - 1e-9
    return Task(f"{n} × {d}", _calls(linlib.max_margin, X, y), _calls(peer.fit, X, y))


def _penalised(learn: Callable[..., object], penalty: float) -> Callable[..., object]:
    return lambda X, y: learn(X, y, penalty=penalty)


def regressions(quick: bool) -> list[Task]:
    """Return squared and logistic losses, with and without penalty: equal weights or values."""
    sizes = [(60, 2)] if quick else [(100, 2), (1000, 10), (5000, 20), (100_000, 20)]
    return [task for n, d in sizes for task in _regressions(n, d)]


def _regressions(n: int, d: int) -> list[Task]:
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    y = np.where(np.random.default_rng(n).random(n) < 0.1, -y, y)
    strength = 0.05 * float(np.abs(X.T @ (y - y.mean())).max())
    share = 0.01  # of the mean loss
    logistic = LogisticRegression(C=1 / (n * share), tol=1e-9, max_iter=1000)
    three = np.where(X[:, 0] > 1, 2, y > 0)
    found = []
    for name, ours, peer, labels in (
        ("least squares", linlib.least_squares, LinearRegression(), y),
        ("ridge", _penalised(linlib.least_squares, 1.0), Ridge(alpha=1.0), y),
        ("lasso", _penalised(linlib.lasso, strength), Lasso(alpha=strength / n, tol=1e-9), y),
        ("logistic", _penalised(linlib.logistic, share), logistic, y),
        ("softmax of three", _penalised(linlib.softmax, share), clone(logistic), three),
    ):
        weights = np.atleast_2d(ours(X, labels).weights)[:, 1:]  # type: ignore[attr-defined]
        theirs = np.atleast_2d(peer.fit(X, labels).coef_)
        assert np.allclose(weights, theirs, atol=1e-5), name
        call = _calls(ours, X, labels)
        found.append(Task(f"{name}, {n} × {d}", call, _calls(peer.fit, X, labels)))
    return found


SKLEARN = "scikit-learn"
SECTIONS = [
    Section("The perceptron on a lecture's data", "bare loop", lectures),
    Section("Perceptron to convergence", SKLEARN, perceptrons),
    Section("LMS passes", SKLEARN, passes),
    Section("LDA and QDA", SKLEARN, discriminants),
    Section("Certificates", "HiGHS", certificates),
    Section("Minima", SKLEARN, minima),
    Section("Regressions", SKLEARN, regressions),
    Section("Soft margin at course size", SKLEARN, soft_margins),
    Section("The widest street", SKLEARN, streets),
]
