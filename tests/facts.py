"""What the sentences of the explorers claim, recomputed without linlib wherever that can be done.

Each function looks at one explorer, computes what its sentence should say from the reader's own
numbers (in whole numbers or rationals where they decide, in plain loops otherwise), and returns
what does not agree. ``tests/fuzz.py`` puts the explorers into thousands of states.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np

UNIT = 10_000
SUPER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = r"[−-]?\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|−?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|−?∞"


def drawn(explorer: Any, name: str, panel: int = 0) -> list[dict[str, Any]]:
    """Return what a panel draws under a name."""
    items = explorer.canvas.scene["panels"][panel]["drawables"]
    return [item for item in items if item.get("name") == name]


class Facts:
    """Collects what does not agree with the text or the picture of an explorer."""

    def __init__(self, explorer: Any) -> None:
        self.explorer = explorer
        self.text = explorer.text.partition(" Challenge, ")[0]  # these have facts of their own
        self.wrong: list[str] = []

    def claims(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern.replace("#", f"({NUMBER})"), self.text)

    def says(self, words: str, expected: bool = True) -> None:
        if (words in self.text) != expected:
            self.wrong.append(f"{'lacks' if expected else 'should not say'} {words!r}")

    def number(
        self, pattern: str, *values: float, slack: float = 1e-9, digits: int | None = None
    ) -> None:
        """The numbers of a pattern are these values, to the digits printed."""
        found = self.claims(pattern)
        if not found:
            self.wrong.append(f"lacks {pattern!r}")
            return
        for printed, value in zip(found.groups(), values, strict=True):
            if not agrees(printed, float(value), slack, digits):
                self.wrong.append(f"{pattern!r} says {printed}, it is {float(value)!r}")

    def vector(self, before: str, values: Any, slack: float = 1e-9) -> None:
        found = re.search(before + r"\(([^()]*)\)", self.text)
        if not found:
            self.wrong.append(f"lacks {before!r}")
            return
        printed = found[1].split(", ")
        good = len(printed) == len(values)
        if not (
            good and all(agrees(p, float(v), slack) for p, v in zip(printed, values, strict=False))
        ):
            self.wrong.append(f"{before!r} says {found[1]}, it is {list(map(float, values))}")

    def line(self, name: str, w0: float, w: Any, level: float = 0.0, panel: int = 0) -> None:
        """Whatever is drawn under a name lies where the score is the level."""
        w = np.array([float(v) for v in w])
        for item in drawn(self.explorer, name, panel):
            off = np.array(item["xy"]) @ w + float(w0) - level
            if np.abs(off).max() > 1e-5 * (1 + float(np.linalg.norm(w))):
                self.wrong.append(f"{name} is drawn off by a score of {off}")

    def spots(self, name: str, places: Any, panel: int = 0) -> None:
        """The marks of a name are at these places, in this order."""
        found = [item["at"] for item in drawn(self.explorer, name, panel)]
        if not np.array_equal(np.shape(found), np.shape(places)) or not np.allclose(
            found, places, rtol=0, atol=1e-5
        ):
            self.wrong.append(f"{name} is drawn at {found}, not at {np.asarray(places).tolist()}")


def agrees(printed: str, value: float, slack: float = 1e-9, exactly: int | None = None) -> bool:
    """Tell whether a value is what was printed, to half a unit of the last digit printed."""
    words = printed.replace("−", "-")
    if "∞" in words:
        return math.isinf(value)
    if words.lstrip("-")[:2] == "10" and words[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
        words = words.replace("10", "1·10", 1)
    digits, _, power = words.partition("·10")
    scale = 10.0 ** int(power.translate(SUPER)) if power else 1.0
    decimals = len(digits.partition(".")[2])
    # Trailing zeros are not printed: three significant digits or two decimals at least were meant.
    whole = len(digits.lstrip("-").partition(".")[0].lstrip("0"))
    meant = max(decimals, min(2, 3 - whole)) if not power else max(decimals, 2)
    if whole == 0 and float(digits) != 0:
        meant = max(decimals, 2)
    meant = meant if exactly is None else exactly
    shown = float(digits) * scale
    return abs(shown - value) <= (0.5 * 10.0**-meant) * scale * 1.01 + slack * max(1, abs(value))


def whole(values: Any) -> list[Any]:
    return np.rint(np.asarray(values, dtype=float) * UNIT).astype(int).tolist()


# ---------------------------------------------------------------- line


def sorted_by(explorer: Any) -> list[list[int]] | None:
    """Return who is on the wrong side of the line through both ends, in whole numbers.

    One list for each way to choose the positive side; None where the ends coincide.
    """
    (a, b), (c, d) = whole(explorer.ends)
    if (a, b) == (c, d):
        return None
    turns = [(c - a) * (y - b) - (d - b) * (x - a) for x, y in whole(explorer.X)]
    pairs = list(enumerate(zip(turns, explorer.y.tolist(), strict=True)))
    return [[k for k, (turn, label) in pairs if turn * way * label <= 0] for way in (1, -1)]


def by_lda(X: np.ndarray, y: np.ndarray) -> int:
    """Return how many points LDA gets wrong: pooled covariance, priors by the counts."""
    means = [X[y == label].mean(axis=0) for label in (-1, 1)]
    spread = sum((X[y == s] - m).T @ (X[y == s] - m) for s, m in zip((-1, 1), means, strict=True))
    w = np.linalg.solve(spread / len(X), means[1] - means[0])
    w0 = math.log((y == 1).sum() / (y == -1).sum()) - w @ (means[0] + means[1]) / 2
    return int(np.sum(np.sign(X @ w + w0) != y))


def line(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    ways, n, labels = sorted_by(explorer), len(explorer.X), explorer.y.tolist()
    if ways is None:
        facts.says("lie on each other")
        return facts.wrong
    wrong = min(ways, key=len)
    facts.says(f"separates all {n} penguins", not wrong)
    if wrong:
        facts.number("^# of # penguins", len(wrong), n)
        can = separable(whole(explorer.X), labels, True)
        facts.says("Some line gets all of them right.", can)
        facts.says(f"LDA makes {by_lda(explorer.X, explorer.y)} errors.", not can)
    if wrong and len(ways[0]) != len(ways[1]):
        counts = [sum(labels[k] == label for k in wrong) for label in (-1, 1)]
        facts.number(r"line: # \w+ and # \w+\.", *counts)
        facts.spots("wrong", explorer.X[wrong])
    return facts.wrong


# ---------------------------------------------------------------- hyperplane


def hyperplane(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    w, x = ([Fraction(v, UNIT) for v in whole(part)] for part in (explorer.w, explorer.point))
    w0 = Fraction(round(explorer.w0 * 10**8), 10**8)  # a product of four decimals has eight
    if not any(w):
        facts.says("w is the zero vector")
        return facts.wrong
    score = w[0] * x[0] + w[1] * x[1] + w0
    norm = math.hypot(*w)
    side = (
        "on the line itself" if score == 0 else f"on the {'positive' if score > 0 else 'negative'}"
    )
    facts.says(f"is {side}")
    facts.vector("w = ", w)
    facts.number("w₀ = #:", w0)
    facts.number("score #,", score)
    facts.number("signed distance #,", float(score) / norm)
    facts.number("shifted by # along", -float(w0) / norm)
    foot = [float(a - b * score / (w[0] ** 2 + w[1] ** 2)) for a, b in zip(x, w, strict=False)]
    facts.vector("projection ", foot)
    facts.line("line", w0, w)
    for item in drawn(explorer, "distance"):
        if not np.allclose(item["xy"], [[float(v) for v in x], foot], rtol=0, atol=1e-5):
            facts.wrong.append(f"the distance is drawn along {item['xy']}")
    base = [float(-w0 * b / (w[0] ** 2 + w[1] ** 2)) for b in w]
    way = [float(a) - b for a, b in zip(x, base, strict=False)]
    if math.hypot(*way) > 1e-6:
        turn = math.atan2(float(w[0]) * way[1] - float(w[1]) * way[0],
                          float(w[0]) * way[0] + float(w[1]) * way[1])  # fmt: skip
        facts.number("angle to w #°", abs(math.degrees(turn)), digits=0)
    (left, right), (low, high) = explorer.scene.panels[0].view
    scores = [
        w[0] * Fraction(a) + w[1] * Fraction(b) + w0 for a, b in product((left, right), (low, high))
    ]
    if all(s > Fraction(1, 10**6) for s in scores) or all(s < -Fraction(1, 10**6) for s in scores):
        facts.says("The line lies outside the picture.")
    elif min(scores) < -Fraction(1, 10**6) and max(scores) > Fraction(1, 10**6):
        facts.says("The line lies outside the picture.", False)
    return facts.wrong


# ---------------------------------------------------------------- perceptron and proof


def rows_of(explorer: Any) -> list[list[int]]:
    bias = [UNIT] if explorer.offset.value else []
    return [
        [int(label) * v for v in [*bias, *x]]
        for x, label in zip(whole(explorer.X), explorer.y.tolist(), strict=True)
    ]


def dot(a: list[int], b: list[int]) -> int:
    return sum(p * q for p, q in zip(a, b, strict=False))


def naive_run(rows: list[list[int]], order: str, seed: int, budget: int) -> tuple[Any, ...]:
    """Return path, mistakes, passes and whether it converged, in whole numbers."""
    rng = np.random.default_rng(seed)
    path, mistakes, passes = [[0] * len(rows[0])], [], 0
    while True:
        clean = True
        products = [dot(row, path[-1]) for row in rows] if order != "cyclic" else []
        wrong = [i for i, value in enumerate(products) if value <= 0]
        if order == "cyclic":
            visit = list(range(len(rows)))
        elif order == "worst":
            visit = [min(range(len(rows)), key=products.__getitem__)]
        else:  # any one of the present mistakes
            visit = [int(rng.choice(np.array(wrong)))] if wrong else [0]
        passes += 1
        for i in visit:
            if dot(rows[i], path[-1]) <= 0:
                clean = False
                if len(mistakes) == budget:
                    return path, mistakes, passes, False
                mistakes.append(i)
                path.append([a + b for a, b in zip(path[-1], rows[i], strict=False)])
        if clean:
            return path, mistakes, passes, True


def separable(X: list[list[int]], y: list[int], bias: bool) -> bool:
    """Decide in whole numbers whether a line separates, through the origin without a bias."""
    if not bias:
        rows = [[label * v for v in x] for x, label in zip(X, y, strict=False)]
        return any(
            all(
                (cross := a[0] * b[1] - a[1] * b[0]) > 0 or (cross == 0 and dot(a, b) > 0)
                for b in rows
            )
            for a in rows
        )
    plus, minus = (
        corners([x for x, label in zip(X, y, strict=False) if label == sign]) for sign in (1, -1)
    )
    if not plus or not minus:
        return True
    axes = [
        [b[1] - a[1], a[0] - b[0]] for hull in (plus, minus) for a, b in pairwise([*hull, hull[0]])
    ]
    axes += [[a[0] - b[0], a[1] - b[1]] for a, b in product(plus, minus)]
    for axis in axes:
        high, low = [dot(axis, p) for p in plus], [dot(axis, p) for p in minus]
        if min(high) > max(low) or min(low) > max(high):
            return True
    return False


def corners(points: list[list[int]]) -> list[list[int]]:
    spots = [list(p) for p in sorted(set(map(tuple, points)))]
    if len(spots) < 3:
        return spots
    found: list[list[int]] = []
    for way in (spots, spots[::-1]):
        chain: list[list[int]] = []
        for c in way:
            while len(chain) > 1:
                a, b = chain[-2:]
                if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0:
                    break
                chain.pop()
            chain.append(c)
        found += chain[:-1]
    return found


def _run(explorer: Any) -> Any:
    return naive_run(rows_of(explorer), explorer.order.value, 7, 1000)


def perceptron(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    if not len(explorer.X):
        facts.says("There are no points")
        return facts.wrong
    rows, k = rows_of(explorer), explorer.k
    path, mistakes, passes, converged = _run(explorer)
    n = len(rows)
    now = path[k]
    if k:
        row, before = mistakes[k - 1], path[k - 1]
        facts.says(f"Update {k}: row {row} at ")
        facts.number("its product # is not above 0", dot(rows[row], before) / UNIT**2)
        facts.vector("adding ", [v / UNIT for v in rows[row]])
        facts.vector("took the weights from ", [v / UNIT for v in before])
        facts.vector(r"\) to ", [v / UNIT for v in now])
        facts.spots("mistake", explorer.X[[row]])
        for name, at in (("old-line", before), ("line", now)):
            offset, *w = [v / UNIT for v in ([0] * (len(at) == 2) + at)]
            facts.line(name, offset, w)
        if n <= 12:
            counts = ", ".join(str(mistakes[:k].count(i)) for i in range(n))
            facts.says(f"Mistakes by row: {counts}.")
    else:
        facts.says("Before the first update the weights are (0")
    wrong = sum(dot(row, now) <= 0 for row in rows)
    facts.says(f"{wrong} of {n} point")
    _end(facts, explorer, converged, passes, k == len(mistakes))
    _hulls(facts, explorer)
    return facts.wrong


def _end(facts: Facts, explorer: Any, converged: bool, passes: int, ended: bool) -> None:
    bias = explorer.offset.value
    can = separable(whole(explorer.X), explorer.y.tolist(), bias)
    facts.says("It can never end", not can)
    if not can:
        _multipliers(facts, explorer)
    if converged and not can:
        facts.wrong.append("the run ended on points that no line separates")
    if can and converged and ended:
        facts.says(f"It has converged: pass {passes} over the points is clean.")
    if can and converged and not ended:
        facts.says("It will end: some line separates the points.")
    if can and not converged:
        facts.says("It will end, but not within the 1000 updates shown here.")


def _multipliers(facts: Facts, explorer: Any) -> None:
    rows = rows_of(explorer)
    if found := re.search(r"row (\d+) is all zeros", facts.text):
        if any(rows[int(found[1])]):
            facts.wrong.append("the row is not zero")
        return
    found = re.search(r"with λ = \(([^)]*)\) on rows ([\d, ]+) the signed rows add up", facts.text)
    if not found:
        facts.wrong.append("no multipliers")
        return
    used = [int(row) for row in found[2].split(", ")]
    shares = [explorer.verdict.multipliers[row] for row in used]
    printed = found[1].split(", ")
    if not all(agrees(p, s) and s > 0 for p, s in zip(printed, shares, strict=True)):
        facts.wrong.append("multipliers are not those of the verdict, or not positive")
    total = np.array(shares) @ np.array([rows[row] for row in used], dtype=float)
    size = np.abs(np.array([rows[row] for row in used])).max()
    if np.abs(total).max() > 1e-9 * size or abs(sum(shares) - 1) > 1e-9:
        facts.wrong.append(f"multipliers leave {total}")


def _hulls(facts: Facts, explorer: Any) -> None:
    if "hulls" not in explorer.show.value or len(set(explorer.y.tolist())) < 2:
        return
    X, y = whole(explorer.X), explorer.y.tolist()
    apart = separable(X, y, True)
    facts.says("The hulls meet", not apart)
    plus, minus = (
        corners([x for x, s in zip(X, y, strict=False) if s == sign]) for sign in (1, -1)
    )
    if apart:
        best = min(
            _to_segment(p, a, b)
            for one, other in ((plus, minus), (minus, plus))
            for p in one
            for a, b in pairwise([*other, other[0]])
        )
        facts.number("The hulls are # apart", best / UNIT, slack=1e-6)


def _to_segment(p: list[int], a: list[int], b: list[int]) -> float:
    way, reach = np.subtract(b, a).astype(float), np.subtract(p, a).astype(float)
    t = np.clip(reach @ way / (way @ way), 0, 1) if way.any() else 0.0
    return float(np.linalg.norm(reach - t * way))


def proof(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    if not len(explorer.X):
        facts.says("There are no points")
        return facts.wrong
    path, mistakes, _, converged = _run(explorer)
    k = explorer.k
    Z = np.array(rows_of(explorer), dtype=float) / UNIT
    if not separable(whole(explorer.X), explorer.y.tolist(), explorer.offset.value):
        facts.says("there is no w*, so no bound and no end")
        _multipliers(facts, explorer)
        longest = max(math.hypot(*w) for w in path[: k + 1]) / UNIT
        facts.number("‖w‖ was at most # so far", longest)
        return facts.wrong
    facts.says("there is no w*", False)
    if "margin too small to compute" in facts.text:
        return facts.wrong
    R = np.linalg.norm(Z, axis=1).max()
    u, gamma = _widest(facts, explorer, Z)
    facts.number("With R = # and γ = # the bound", R, gamma, slack=1e-6)
    facts.number("the bound R²/γ² is #;", (R / gamma) ** 2, slack=1e-6)
    w = np.array(path[k]) / UNIT
    chain = (k * gamma, w @ u, np.linalg.norm(w), math.sqrt(k) * R)
    facts.number("kγ = # ≤ w·w\\* = # ≤ ‖w‖ = # ≤ √k R = #\\.", *chain, slack=1e-5)
    printed = [float(v) for v in chain]
    if not all(a <= b * (1 + 1e-5) + 1e-9 for a, b in pairwise(printed)):
        facts.wrong.append(f"the chain does not rise: {printed}")
    a = R**2 / gamma
    start, now = a**2, float(((w - a * u) ** 2).sum())
    if k:
        facts.number("fell from # to #;", start, now, slack=2e-5)
    _curves(facts, explorer, path[: k + 1], u, R, gamma)
    total = str(len(mistakes)) if converged else "more than 1000"
    facts.says(f"the run makes {total} mistake{'' if total == '1' else 's'}")
    if converged and mistakes and "as many as" not in facts.text:
        facts.number("the wall is # times as far", (R / gamma) ** 2 / len(mistakes), slack=1e-6)
    return facts.wrong


def _curves(facts: Facts, explorer: Any, path: Any, u: np.ndarray, R: float, gamma: float) -> None:
    """The curves end at the present update, between both limits, and the wall is at the bound."""
    k, w = len(path) - 1, np.array(path) / UNIT
    heights = {"alignment": w @ u, "length": np.linalg.norm(w, axis=1)}
    for name, height in heights.items():
        for item in drawn(explorer, name, 1):
            x, y = np.array(item["xy"]).T
            if not np.allclose((x[-1], y[-1]), np.log10((k, height[-1])), rtol=1e-5, atol=1e-5):
                facts.wrong.append(f"{name} ends at {(x[-1], y[-1])}")
            shown = [np.log10(low) for low in height if low > 0]
            if abs(y.max() - max(shown)) > 1e-4 * (1 + abs(y.max())):
                facts.wrong.append(f"{name} rises to {y.max()}, not to {max(shown)}")
    straight = "scale" not in explorer.controls or explorer.scale.value == "logarithmic"
    for name, power, at_one in (("floor", 1.0, gamma), ("ceiling", 0.5, R)):
        for item in drawn(explorer, name, 1) if straight else []:
            x, y = np.array(item["xy"]).T
            if np.abs(y - power * x - np.log10(at_one)).max() > 1e-5:
                facts.wrong.append(f"the {name} is drawn elsewhere")
    for panel in (1, 2):
        for item in drawn(explorer, "wall", panel):
            x = np.array(item["xy"])[:, 0]
            if not np.allclose(x, np.log10((R / gamma) ** 2), rtol=1e-5, atol=1e-5):
                facts.wrong.append(f"the wall stands at {x}")
    for item in drawn(explorer, "potential", 2):
        a = R**2 / gamma
        left = 100 * float(((w[-1] - a * u) ** 2).sum()) / a**2
        if abs(np.array(item["xy"])[-1, 1] - left) > 1e-3:
            facts.wrong.append(f"the potential is drawn at {item['xy'][-1]}, it is {left}")


def _widest(facts: Facts, explorer: Any, Z: np.ndarray) -> tuple[np.ndarray, float]:
    """Return direction and margin of the widest cone, proved: no direction has a larger margin.

    A direction proves that its margin is reached, a mixture of the rows that none has more than the
    mixture's length. (SciPy's nnls was tried as a peer, and was wrong where rows repeat.)
    """
    u = explorer.best.weights / np.linalg.norm(explorer.best.weights)
    reached = float((Z @ u).min())
    shares = explorer.best.shares
    most = float(np.linalg.norm(shares @ Z)) / float(shares.sum())
    if shares.min() < 0 or abs(most - reached) > 1e-6 * most:
        facts.wrong.append(f"γ is not proved: reached {reached}, at most {most}")
    return u, reached


# ---------------------------------------------------------------- descent


def descent(explorer: Any) -> list[str]:
    facts = Facts(explorer)
    if not len(explorer.X):
        facts.says("There are no points")
        return facts.wrong
    bias, eta = explorer.bias, explorer.eta.value
    Z = np.array(
        [
            [s * v for v in ([1.0] * bias + list(x))]
            for x, s in zip(explorer.X, explorer.y.tolist(), strict=False)
        ]
    )
    singly, loss = explorer.pick.value == "one by one", explorer.loss.value
    slope = {
        "squared": lambda s: s - 1,
        "perceptron": lambda s: np.where(s > 0, 0.0, -1.0),
        "hinge": lambda s: np.where(s < 1, -1.0, 0.0),
    }[loss]
    cost = {
        "squared": lambda s: 0.5 * (1 - s) ** 2,
        "perceptron": lambda s: np.maximum(0, -s),
        "hinge": lambda s: np.maximum(0, 1 - s),
    }[loss]

    def step(w: np.ndarray, k: int) -> np.ndarray:
        rows = Z[k % len(Z) : k % len(Z) + 1] if singly else Z
        return w - eta * (slope(rows @ w) @ rows)

    k = explorer.k
    if loss == "squared":
        path = [explorer.start.astype(float)]
        for j in range(k):
            path.append(step(path[-1], j))
    else:
        path = kinked(explorer, k)
    now = path[-1]
    if not np.isfinite(now).all() or np.abs(now).max() > 1e30:
        facts.says("It diverges")
        return facts.wrong
    if k and "took the weights from" in facts.text:
        facts.says(f"{k} step{'' if k == 1 else 's'} took the weights from ")
        facts.vector("took the weights from ", explorer.start)
        if "to a length of" in facts.text:
            facts.number("to a length of # and", np.linalg.norm(now), slack=1e-6)
        else:
            facts.vector(r"\) to ", now, slack=1e-6)
        if "left the loss" not in facts.text:
            facts.number(
                "the loss from # to #;", cost(Z @ path[0]).sum(), cost(Z @ now).sum(), slack=1e-6
            )
    _walked(facts, explorer, path)
    doubtful = np.abs(Z @ now) <= 1e-10 * (np.abs(Z) @ np.abs(now) + 1)
    wrong = (
        int(np.count_nonzero(~(Z @ now > 0) | doubtful))
        if doubtful.any()
        else int((Z @ now <= 0).sum())
    )
    if (
        not doubtful.any()
        or (np.abs(Z @ now)[doubtful] <= 1e-12 * (np.abs(Z) @ np.abs(now))[doubtful]).all()
    ):
        facts.says(f"; {wrong} of {len(Z)} point")
    _future(facts, explorer, Z, step, singly, loss, slope)
    return facts.wrong


def _walked(facts: Facts, explorer: Any, path: Any) -> None:
    """The path is the weights so far, until it leaves the picture; the line is that of the last."""
    for item in drawn(explorer, "path"):
        seen = np.array(item["xy"])
        if not np.allclose(seen[:-1], path[: len(seen) - 1], rtol=1e-6, atol=2e-5):
            facts.wrong.append("the path is not drawn along the weights")
    w = path[-1]
    if explorer.bias:
        facts.line("line", w[0], [w[1], -1.0], panel=1)  # the height of the score above x
    else:
        facts.line("line", 0.0, w / (np.linalg.norm(w) or 1.0), panel=1)


def _future(
    facts: Any, explorer: Any, Z: Any, step: Any, singly: bool, loss: str, slope: Any
) -> None:
    """Check the outlook by walking on: many steps, or whole passes, from the end of the budget."""
    made, n = explorer.last, len(Z)
    if loss != "squared":
        period = (m := re.search(r"repeats itself every (\d+) steps", facts.text)) and int(m[1])
        ahead = max(period or 0, n if singly else 1)
        moved = kinked(explorer, made + 2 * ahead)[made:]
        w = moved[0]
        change = max(np.abs(b - a).max() for a, b in pairwise(moved))
        if "comes to rest" in facts.text and change > 1e-8:
            facts.wrong.append(f"says it rests, but it moves by {change}")
        kink = 1e-9 if loss == "hinge" else 0.0  # an agreement of 1 by its decimals pulls no more
        pulls = slope(Z @ w + kink)[:, None] * Z
        if "comes to rest where the gradient of every point is zero" in facts.text and pulls.any():
            facts.wrong.append("some point still pulls")
        if period:
            back = np.abs(moved[period] - moved[0]).max()
            if back > 1e-7 or change < 1e-9:
                facts.wrong.append(f"after {period} steps it is {back} away")
        if "has not come to rest" in facts.text and change == 0:
            facts.wrong.append("says it has not come to rest, but nothing changes")
        return
    _linear(facts, explorer, Z, step, singly)


def _linear(facts: Any, explorer: Any, Z: Any, step: Any, singly: bool) -> None:
    n = len(Z)
    turn = n if singly else 1
    rank = np.linalg.matrix_rank(Z, tol=1e-9 * max(np.abs(Z).max(), 1e-300))
    facts.says("Some direction is seen by no point", bool(rank == 1))
    if rank == 0:
        facts.says("All points are 0")
        return
    # One pass as an affine map, squared again and again: two to the 34th passes.
    origin = _walk(step, np.zeros(2), turn)
    A = np.column_stack([_walk(step, e, turn) - origin for e in np.eye(2)])
    with np.errstate(all="ignore"):
        M, b = A, origin
        for _ in range(34):
            M, b = M @ M, M @ b + b
        far = M @ explorer.start + b
        farther = A @ far + origin
    if "It starts at" in facts.text:  # a rounding of a start at rest may explode in so many passes
        left = float(np.abs(_walk(step, explorer.start, turn) - explorer.start).max())
        if left > 1e-9 * max(1.0, float(np.abs(A).max())):
            facts.wrong.append(f"says it starts where it ends, but a pass moves it by {left}")
        return
    moved = float(np.abs(farther - far).max()) if np.isfinite(farther).all() else np.inf
    blown = not np.isfinite(far).all() or np.abs(far).max() > 1e6
    if found := re.search(r"(?:settle at|least-squares weights|starts at) \(([^)]*)\)", facts.text):
        if "It diverges" in facts.text or "oscillates" in facts.text:
            facts.wrong.append("a resting place of what does not rest")
        near = [agrees(p, v, 1e-4) for p, v in zip(found[1].split(", "), far, strict=True)]
        if moved < 1e-6 and not all(near):
            facts.wrong.append(f"says it ends at {found[1]}, it is at {far} after 2³⁴ passes")
        if blown:
            facts.wrong.append(f"says it settles, but it is at {far}")
    growing = np.abs(np.linalg.eigvals(A)).max()
    if "It diverges" in facts.text and not (blown or growing > 1 + 1e-9):
        facts.wrong.append(f"says it diverges, but it is at {far}")
    if blown and growing > 1.01 and "It diverges" not in facts.text:
        facts.wrong.append(f"it is at {far} and that is not said")
    if "oscillates" in facts.text and (blown or moved < 1e-9):
        facts.wrong.append(f"says it jumps, but it moves by {moved}")


def kinked(explorer: Any, steps: int) -> list[np.ndarray]:
    """Walk down a loss with kinks in whole numbers: on a kink a rounding would decide the step."""
    rows = [
        [int(s) * round(float(v) * 10**4) for v in [1.0] * explorer.bias + list(x)]
        for x, s in zip(explorer.X, explorer.y, strict=True)
    ]
    level = 0 if explorer.loss.value == "perceptron" else 10**16
    eta = round(explorer.eta.value * 10**8)
    w = [round(float(v) * 10**4) * 10**8 for v in explorer.start]
    path = [w]
    for k in range(steps):
        turn = [rows[k % len(rows)]] if explorer.pick.value == "one by one" else rows
        scores = [z[0] * w[0] + z[1] * w[1] - level for z in turn]
        pulls = [z for z, s in zip(turn, scores, strict=True) if s < 0 or (s == 0 and not level)]
        w = [w[j] + eta * sum(z[j] for z in pulls) for j in (0, 1)]
        path.append(w)
    return [np.array([v / 10**12 for v in w]) for w in path]


def _walk(step: Any, w: np.ndarray, steps: int) -> np.ndarray:
    for k in range(steps):
        w = step(w, k)
    return w
