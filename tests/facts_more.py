"""What explorers 5 to 8 claim, recomputed; see :mod:`tests.facts`."""

from __future__ import annotations

import math
import re
import warnings
from fractions import Fraction
from typing import Any

import numpy as np

from tests.facts import UNIT, Facts, _hulls, drawn, separable, whole


def margin(explorer: Any) -> list[str]:
    """Check the street by its optimality: no other weights are better, no other offset as good."""
    facts = Facts(explorer)
    X, y, lam = explorer.X, explorer.y.astype(float), explorer.lam.value
    if len(set(y.tolist())) < 2:
        facts.says("a street needs both classes")
        return facts.wrong
    n = len(X)
    w0, *rest = explorer.street.weights
    w = np.array(rest)

    def loss(offset: float, v: np.ndarray = w) -> float:
        return float(np.maximum(0, 1 - y * (X @ v + offset)).sum()) / n

    if explorer.fit.converged:
        _best(facts, X, y, lam, w0, w)
    if np.linalg.norm(w) < 1e-9:
        facts.says("the best w is zero")
        return facts.wrong
    width = 2 / np.linalg.norm(w)
    facts.number("the street is # wide, # on either side", width, width / 2)
    agreement = y * (X @ w + w0)
    pays = agreement < 1 - 2e-3
    surely = pays | (agreement > 1 - 1e-9)
    held = re.search(
        r"(\d+) of (\d+) points? supports? it: (\d+) on its edges, (\d+) within it or beyond, "
        r"(\d+) of them wrong",
        facts.text,
    )
    support, total, edge, inside, wrong = map(int, held.groups())
    if total != n or support != edge + inside:
        facts.wrong.append(f"{support} supports are not {edge} + {inside}")
    if surely.all() and inside != int(pays.sum()):
        facts.wrong.append(f"{inside} inside, counted {int(pays.sum())}")
    if (np.abs(agreement) > 1e-3).all() and wrong != int((agreement < 0).sum()):
        facts.wrong.append(f"{wrong} wrong, counted {int((agreement < 0).sum())}")
    if explorer.fit.converged and edge > int((np.abs(agreement - 1) < 5e-3).sum()):
        facts.wrong.append(f"{edge} on the edges, counted fewer")
    for name, level in (("line", 0), ("edge-1", -1), ("edge+1", 1)):
        facts.line(name, w0, w, level)
    facts.spots("support", X[explorer.street.support])
    strokes = np.array([item["xy"] for item in drawn(explorer, "loss")]).reshape(-1, 2, 2)
    scores = strokes[:, 1] @ w + w0 - y[explorer.street.inside]
    if not np.allclose(strokes[:, 0], X[explorer.street.inside], rtol=0, atol=1e-5) or (
        np.abs(scores).max(initial=0.0) > 1e-4 * (1 + float(np.linalg.norm(w)))
    ):
        facts.wrong.append("a loss is not drawn from its point to its edge")
    penalty = 0.5 * lam * float(w @ w)
    facts.number("Mean hinge loss # plus", loss(w0), slack=1e-9)
    facts.number("‖w‖² = # makes #\\.", penalty, loss(w0) + penalty, slack=1e-9)
    _offsets(facts, explorer, loss, w0)
    _hulls(facts, explorer)
    return facts.wrong


def _best(facts: Facts, X: Any, y: Any, lam: float, w0: float, w: np.ndarray) -> None:
    """Compare with LIBSVM's minimum of the same objective."""
    from sklearn.svm import SVC

    def value(offset: float, v: np.ndarray) -> float:
        return float(np.maximum(0, 1 - y * (X @ v + offset)).mean()) + 0.5 * lam * float(v @ v)

    with warnings.catch_warnings():  # a peer that gives up early is only a weaker rival
        warnings.simplefilter("ignore")
        peer = SVC(kernel="linear", C=1 / (len(X) * lam), tol=1e-7, max_iter=100_000).fit(X, y)
    theirs = value(float(peer.intercept_[0]), peer.coef_[0])
    if value(w0, w) > theirs + 1e-6 * max(1, theirs):
        facts.wrong.append(f"objective {value(w0, w)} where LIBSVM has {theirs}")


def _offsets(facts: Facts, explorer: Any, loss: Any, w0: float) -> None:
    found = facts.claims("every w₀ from # to # costs the same")
    low, high = explorer.street.lowest, explorer.street.highest
    if (found is not None) != (high > low):
        facts.wrong.append("a free offset is hidden, or claimed without reason")
    if found:
        facts.number("every w₀ from # to # costs the same", low, high)
        if max(loss(low), loss(high), loss(w0)) - min(loss(low), loss(high), loss(w0)) > 1e-9:
            facts.wrong.append("the offsets do not cost the same")
    if explorer.fit.converged:
        for beyond in (low - 1e-2, high + 1e-2):
            if not loss(beyond) > loss(w0) - 1e-12:
                facts.wrong.append(f"the offset {beyond} is better")
        if not found and min(loss(low - 1e-2), loss(high + 1e-2)) <= loss(w0) + 1e-9:
            facts.wrong.append("another offset costs the same")


# ---------------------------------------------------------------- Gaussian classes


def _exact(shape: Any) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Return mean and inverse covariance of a shape, as rationals of its own numbers."""
    x, y = (Fraction(v) for v in shape.axis)
    width, size = Fraction(shape.width) ** 2, x * x + y * y
    s = width / size
    a, b, d = x * x + s * y * y, x * y * (1 - s), y * y + s * x * x
    det = a * d - b * b
    return [Fraction(v) for v in shape.mean], [[d / det, -b / det], [-b / det, a / det]]


def gaussians(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    (m0, P0), (m1, P1) = (_exact(shape) for shape in explorer.shapes)
    positive = round(200 * explorer.prior.value)
    det = [P[0][0] * P[1][1] - P[0][1] ** 2 for P in (P0, P1)]
    log = math.log(positive / (200 - positive)) + 0.5 * math.log(det[1] / det[0])
    A = [[(P0[i][j] - P1[i][j]) / 2 for j in (0, 1)] for i in (0, 1)]
    b = [sum(P1[i][j] * m1[j] - P0[i][j] * m0[j] for j in (0, 1)) for i in (0, 1)]
    quads = [
        sum(m[i] * P[i][j] * m[j] for i in (0, 1) for j in (0, 1)) for m, P in ((m0, P0), (m1, P1))
    ]
    c = log - float(quads[1] - quads[0]) / 2
    size = float(max(abs(v) for P in (P0, P1) for row in P for v in row))
    kind = _kind([[float(v) for v in row] for row in A], [float(v) for v in b], c, size)
    names = {
        "ellipse": "an ellipse",
        "hyperbola": "a hyperbola",
        "parabola": "a parabola",
        "crossing": "two lines that cross",
        "parallel": "two parallel lines",
        "point": "a single point",
        "double": "one line, touched",
        "none": "QDA has no boundary",
        "everywhere": "cannot decide anywhere",
        "line": "QDA draws the same line as LDA",
    }
    if kind:
        facts.says(names[kind])
        if kind == "none":
            sign = float(c if abs(c) > 0 else 0)
            middle = _value(A, b, c, [float(v) for v in m0]) if any(map(any, A)) else sign
            facts.says(f"class {int(middle > 0)} is likelier everywhere")
    # The sample is shaped to have exactly these moments: count its errors by the formulas.
    X, y = explorer.X, explorer.y
    odds = np.array([_value(A, b, c, x) for x in X])
    if np.abs(odds).min() > 1e-7:
        wrong = int(((odds > 0) != (y == 1)).sum())
        facts.says(f"QDA {wrong} (")
    S = (
        sum(
            w * np.linalg.inv(np.array(P, dtype=float))
            for w, P in ((200 - positive, P0), (positive, P1))
        )
        / 200
    )
    apart = np.array([float(p - q) for p, q in zip(m1, m0, strict=False)])
    if apart.any():
        w = np.linalg.solve(S, apart)
        w0 = (
            math.log(positive / (200 - positive))
            - w @ np.array([float(p + q) for p, q in zip(m1, m0, strict=False)]) / 2
        )
        facts.vector("LDA's line has w = ", w, slack=1e-7)
        facts.line("lda", w0, w)
        scores = X @ w + w0
        if np.abs(scores).min() > 1e-7:
            facts.says(f"LDA gets {int(((scores > 0) != (y == 1)).sum())} (")
    else:
        facts.says("The means coincide: LDA has no line")
    _seen(facts, explorer, A, b, c)
    return facts.wrong


def _value(A: Any, b: Any, c: float, x: Any) -> float:
    x = [float(v) for v in x]
    return sum(float(A[i][j]) * x[i] * x[j] for i in (0, 1) for j in (0, 1)) + sum(
        float(b[i]) * x[i] for i in (0, 1)
    ) + c  # fmt: skip


def _kind(A: Any, b: Any, c: float, size: float) -> str:
    """Name the curve by the invariants of its 3×3 matrix; "" where rounding could decide."""
    full = np.array(
        [[*A[0], b[0] / 2], [*A[1], b[1] / 2], [b[0] / 2, b[1] / 2, c]], dtype=np.longdouble
    )
    scale = max(size, abs(b[0]), abs(b[1]), abs(c), 1.0)

    def sign(value: float, power: int) -> int | None:
        ratio = abs(float(value)) / scale**power
        return 0 if ratio < 1e-13 else int(np.sign(value)) if ratio > 1e-7 else None

    trace, det2 = sign(A[0][0] + A[1][1], 1), sign(A[0][0] * A[1][1] - A[0][1] ** 2, 2)
    flat = sign(max(abs(v) for row in A for v in row), 1)
    m = full
    det3 = sign(
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] ** 2)
        - m[0, 1] * (m[0, 1] * m[2, 2] - m[1, 2] * m[0, 2])
        + m[0, 2] * (m[0, 1] * m[1, 2] - m[1, 1] * m[0, 2]),
        3,
    )
    if flat is None or det2 is None:
        return ""
    if flat == 0:
        slope, level = sign(max(map(abs, b)), 1), sign(c, 1)
        if slope is None or level is None:
            return ""
        return "line" if slope else "none" if level else "everywhere"
    if det3 is None or trace is None:
        return ""
    if det2 < 0:
        return "hyperbola" if det3 else "crossing"
    if det2 > 0:
        return "point" if det3 == 0 else "ellipse" if trace * det3 < 0 else "none"
    if det3:
        return "parabola"
    minors = sign(m[0, 0] * m[2, 2] - m[0, 2] ** 2 + m[1, 1] * m[2, 2] - m[1, 2] ** 2, 2)
    if minors is None:
        return ""
    return "double" if minors == 0 else "parallel" if minors < 0 else "none"


def _seen(facts: Facts, explorer: Any, A: Any, b: Any, c: float) -> None:
    """A curve is in the picture where the odds change sign on a grid, or where it was drawn."""
    xs, ys = np.meshgrid(np.linspace(-5, 5, 81), np.linspace(-4, 4, 65))
    P = np.array([[float(v) for v in row] for row in A])
    grid = np.stack([xs, ys], axis=-1)
    odds = (
        np.einsum("...i,ij,...j->...", grid, P, grid) + grid @ np.array([float(v) for v in b]) + c
    )
    outside = "none of it inside the picture" in facts.text
    if odds.min() < -1e-9 and odds.max() > 1e-9 and outside:
        facts.wrong.append("the curve crosses the picture")
    pieces = [np.array(item["xy"]) for item in drawn(explorer, "qda")]
    for piece in pieces:
        slopes = np.linalg.norm(2 * piece @ P + np.array([float(v) for v in b]), axis=1)
        off = np.array([_value(A, b, c, x) for x in piece])
        if not np.all(np.abs(off) <= 0.03 * slopes + 1e-4 * (1 + abs(c))):
            facts.wrong.append("what is drawn is not where the odds are 0")
    if "QDA's boundary is" in facts.text and not outside:
        inside = any((np.abs(p) <= [5.001, 4.001]).all(axis=1).any() for p in pieces)
        near = any(_crosses(p) for p in pieces)
        if not (inside or near):
            facts.wrong.append("nothing of the curve is drawn inside the picture")


def _crosses(piece: np.ndarray) -> bool:
    """Tell whether some stretch of a polygon passes through the picture."""
    steps = [piece[:-1] + t * (piece[1:] - piece[:-1]) for t in np.linspace(0, 1, 21)]
    return any((np.abs(spots) <= [5.001, 4.001]).all(axis=1).any() for spots in steps if len(spots))


# ---------------------------------------------------------------- many classes


def classes(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    present = sorted(set(explorer.y.tolist()))
    if len(present) < 2:
        facts.says("There are no points" if not present else "a rule needs two classes")
        return facts.wrong
    (left, right), (low, high) = explorer.view
    side = (np.arange(60) + 0.5) / 60
    grid = np.stack(np.meshgrid(left + side * (right - left), low + side * (high - low)), axis=-1)
    grid = grid.reshape(-1, 2)
    for name, scheme in explorer.schemes.items():
        claims = claims_of(scheme, grid)
        counts = claims.sum(axis=1)
        found = re.search(
            rf"{name}: (under )?([\d.]+) % of the square and (\d+) of (\d+) points in doubt"
            rf"[^.]*?(?:\([^)]*\))?, (\d+) wrong\.",
            facts.text,
            re.IGNORECASE,
        )
        if not found:
            facts.wrong.append(f"nothing is said of {name}")
            continue
        share = 100 * float((counts != 1).mean())
        if abs(float(found[2]) - share) > 3.0:
            facts.wrong.append(f"{name}: {found[2]} % in doubt, on a grid {share}")
        mine = claims_of(scheme, explorer.X)
        margins = _closeness(scheme, explorer.X)
        sure = margins > 1e-7
        doubt = int((mine.sum(axis=1) != 1).sum())
        if sure.all() and int(found[3]) != doubt:
            facts.wrong.append(f"{name}: {found[3]} points in doubt, counted {doubt}")
        if int(found[4]) != len(explorer.X):
            facts.wrong.append("the number of points is wrong")
        wrong = int((scheme.predict(explorer.X) != explorer.y).sum())
        if int(found[5]) != wrong:
            facts.wrong.append(f"{name}: {found[5]} wrong, counted {wrong}")
    for name, trouble in explorer.troubles.items():
        facts.says(f"{name.capitalize()} has no answer: {trouble}")
    return facts.wrong


def _lines(scheme: Any) -> list[tuple[int, int, Any]]:
    lines = scheme.hyperplanes
    if hasattr(lines, "items"):
        return [(a, b, h) for (a, b), h in lines.items()]
    return [(k, -1, h) for k, h in enumerate(lines)]


def claims_of(scheme: Any, X: np.ndarray) -> np.ndarray:
    number = len(scheme.classes)
    if hasattr(scheme, "weights"):
        scores = X @ scheme.weights[:, 1:].T + scheme.weights[:, 0]
        return scores >= scores.max(axis=1, keepdims=True) - 1e-12
    won = np.zeros((len(X), number), dtype=int)
    pairs = False
    for a, b, h in _lines(scheme):
        scores = X @ h.w + h.w0
        won[:, a] += scores > 0
        if b >= 0:
            pairs = True
            won[:, b] += scores < 0
    return won == won.max(axis=1, keepdims=True) if pairs else won > 0


def _closeness(scheme: Any, X: np.ndarray) -> np.ndarray:
    if hasattr(scheme, "weights"):
        scores = np.sort(X @ scheme.weights[:, 1:].T + scheme.weights[:, 0], axis=1)
        return scores[:, -1] - scores[:, -2]
    return np.min([np.abs(h.distance(X)) for _, _, h in _lines(scheme)], axis=0)


# ---------------------------------------------------------------- logistic regression


def logistic(explorer: Any) -> list[str]:
    """Check the kind of separation in whole numbers, and the minimum against a peer's."""
    facts = Facts(explorer)
    X, y = explorer.X, explorer.y.astype(float)
    if len(set(y.tolist())) < 2:
        facts.says("odds need both classes")
        return facts.wrong
    free = explorer.penalty.value == "none"
    spots, labels = whole(X), [int(label) for label in y]
    if free and separable(spots, labels, True):
        facts.says("the classes can be separated, and the loss falls towards 0")
        return facts.wrong
    facts.says("the classes can be separated", False)
    on = _nearly(spots, labels) if free else None
    if on is not None:
        facts.says("no minimum exists")
        found = facts.claims(r"(\d+) of (\d+) on itself \(quasi-complete separation\)")
        weights = [round(v) for v in _whole_weights(explorer)]
        products = [_product(weights, x, label) for x, label in zip(spots, labels, strict=True)]
        if min(products) < 0 or not any(products):
            facts.wrong.append("the line has points on its wrong side")
        if not found or int(found[1]) != products.count(0) or int(found[2]) != len(X):
            facts.wrong.append(f"{products.count(0)} points are on the line")
        return facts.wrong
    facts.says("no minimum exists", False)
    lam = 0.0 if free else explorer.lam.value
    w0, *rest = explorer.weights
    w = np.array(rest)

    def value(offset: float, v: np.ndarray) -> float:
        return float(np.logaddexp(0, -y * (X @ v + offset)).mean()) + 0.5 * lam * float(v @ v)

    shares = np.exp(-np.logaddexp(0, y * (X @ w + w0)))
    slope = np.array([-(shares * y).mean(), *(lam * w - (shares * y) @ X / len(X))])
    if np.abs(slope).max() > 1e-7 * max(1.0, float(np.abs(X).max())):
        facts.wrong.append(f"the slope there is {slope}")
    size, penalty = float(np.linalg.norm(w)), 0.5 * lam * float(w @ w)
    facts.number("ean logistic loss #", value(w0, w) - penalty)
    if not free:
        facts.number("‖w‖² = # makes #,", penalty, value(w0, w), slack=1e-9)
    if size < 1e-9:
        facts.says("the best w is zero")
        facts.number("the probability # of y", float((y > 0).mean()))
        return facts.wrong
    facts.vector("on the line with w = ", w)
    facts.number("from 0.1 to 0.9 within #\\.", 2 * math.log(9) / size)
    agreement = y * (X @ w + w0)
    if (np.abs(agreement) > 1e-6).all():
        wrong = int((agreement < 0).sum())
        facts.says(f"{wrong} of {len(X)} points {'is' if wrong == 1 else 'are'} on the wrong side")
    facts.line("line", w0, w)
    for item in drawn(explorer, "level"):
        off = np.abs(np.array(item["xy"]) @ w + w0) - math.log(9)
        if np.abs(off).max() > 1e-5 * (1 + size):
            facts.wrong.append(f"a level is drawn off by {off}")
    return facts.wrong


def _product(weights: list[int], x: list[int], label: int) -> int:
    return label * (weights[0] + weights[1] * x[0] + weights[2] * x[1])


def _nearly(spots: list[list[int]], labels: list[int]) -> int | None:
    """Return how many points lie on a line with no point on its wrong side and some not on it.

    If there is such a line there is one through two of the places, or, where all are on one line,
    one across it.
    """
    places = sorted({tuple(x) for x in spots})
    for a in places:
        for b in places:
            if a == b:
                continue
            right, up = b[0] - a[0], b[1] - a[1]
            for n in ((-up, right), (right, up), (-right, -up)):
                weights = [-(n[0] * a[0] + n[1] * a[1]), *n]
                products = [_product(weights, x, k) for x, k in zip(spots, labels, strict=True)]
                if min(products) >= 0 and any(products):
                    return products.count(0)
    return None


def _whole_weights(explorer: Any) -> list[Fraction]:
    w0, *w = explorer.fit.overlap.exact
    exact = [UNIT * w0, *w]  # places are whole numbers of 1 / UNIT
    common = math.lcm(*(weight.denominator for weight in exact))
    return [weight * common for weight in exact]
