"""What explorers count, compute and draw, where mathematics decides it, in random nasty states.

Recomputed from the reader's own numbers: in whole numbers or fractions where a sign decides, in
plain sums otherwise. Places have four decimals, so that in units of the last one they are integers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import explorers as kinds
from linlib.data import real
from linlib.explorers.kit.geometry import difference
from linlib.explorers.kit.sentences import brief
from linlib.margins.certificates import certify
from tests.helpers.states import KINDS, fill, states

UNIT = 10_000
STATES = 25
AROUND = ((0.03, 0.03), (-0.03, -0.03), (0.03, -0.03), (-0.03, 0.03))


def whole(values: Any) -> list[Any]:
    return np.rint(np.asarray(values, dtype=float) * UNIT).astype(int).tolist()


def drawn(explorer: Any, name: str, panel: int = 0) -> list[dict[str, Any]]:
    """Return what a panel draws under a name."""
    items = explorer.canvas.scene["panels"][panel]["drawables"]
    return [item for item in items if item.get("name") == name]


def spots(explorer: Any, name: str) -> np.ndarray:
    """Return where the marks of a name are drawn, a row each."""
    return np.array([item["at"] for item in drawn(explorer, name)]).reshape(-1, 2)


def lies_on(explorer: Any, name: str, w0: float, w: Any, level: float = 0.0) -> bool:
    """Tell whether what is drawn under a name lies where the score is the level."""
    ways = np.array([item["xy"] for item in drawn(explorer, name)]).reshape(-1, 2)
    off = np.abs(ways @ np.asarray(w, dtype=float) + w0 - level)
    return bool(off.max(initial=0.0) < 1e-5 * (1 + np.linalg.norm(w)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_fails_and_the_still_picture_is_drawn(kind: str) -> None:
    for turn, explorer in enumerate(states(kind, STATES, seed=2)):
        assert "could not be done" not in explorer.text, explorer.state
        if turn < 6:
            plt.close(explorer.still())


def test_who_is_on_the_wrong_side_of_a_line_is_decided_in_whole_numbers() -> None:
    for explorer in states("line", STATES, seed=1):
        (a, b), (c, d) = whole(explorer.ends)
        if (a, b) == (c, d):
            assert len(explorer.wrong) == len(explorer.X)
            continue
        turns = np.array([(c - a) * (y - b) - (d - b) * (x - a) for x, y in whole(explorer.X)])
        ways = [np.flatnonzero(turns * way * explorer.y <= 0).tolist() for way in (1, -1)]
        assert explorer.wrong.tolist() in ways
        # The side that gets more of them right is the positive one, up to points on the line.
        assert abs(len(explorer.wrong) - min(map(len, ways))) <= np.count_nonzero(turns == 0)
        assert np.allclose(spots(explorer, "wrong"), explorer.X[explorer.wrong])


def test_what_is_measured_of_a_point_is_exact() -> None:
    for explorer in states("hyperplane", 3 * STATES, seed=1):
        h = explorer.hyperplane
        if h is None:
            continue
        w, x = ([Fraction(v, UNIT) for v in whole(part)] for part in (explorer.w, explorer.point))
        w0 = Fraction(round(explorer.w0 * UNIT**2), UNIT**2)
        score, norm = w[0] * x[0] + w[1] * x[1] + w0, math.hypot(*w)
        side, value, distance = kinds.hyperplane.measured(h, explorer.point)
        assert side == (score > 0) - (score < 0)
        assert (value, distance) == pytest.approx((float(score), float(score) / norm), abs=1e-9)
        foot = [float(a - b * score / (w[0] ** 2 + w[1] ** 2)) for a, b in zip(x, w, strict=True)]
        for item in drawn(explorer, "distance"):
            assert np.allclose(item["xy"], [explorer.point, foot], rtol=0, atol=1e-5)
        for item in drawn(explorer, "shift"):
            base = [-float(w0 * b / (w[0] ** 2 + w[1] ** 2)) for b in w]
            assert np.allclose(item["xy"], [[0, 0], base], rtol=1e-6, atol=1e-5)
        assert lies_on(explorer, "line", float(w0), list(map(float, w)))


def test_an_offset_that_is_dragged_puts_the_line_through_the_place() -> None:
    explorer = kinds.HyperplaneExplorer([0.3, 0.7], 1.0)
    explorer.move("offset", 1.1, -0.4)
    assert explorer.w0 == -0.05
    assert explorer.hyperplane.score([1.1, -0.4]) == pytest.approx(0, abs=1e-15)


def signed_rows_of(explorer: Any) -> list[list[int]]:
    """Return the signed rows in whole numbers."""
    bias = [UNIT] if explorer.offset.value else []
    labelled = zip(whole(explorer.X), explorer.y.tolist(), strict=True)
    return [[label * v for v in [*bias, *x]] for x, label in labelled]


def naive_run(explorer: Any, budget: int = 1000) -> tuple[list[list[int]], list[int], bool]:
    """Return path, mistakes and whether the run converged, in whole numbers."""
    rows = signed_rows_of(explorer)
    path, mistakes = [[0] * len(rows[0])], list[int]()

    def score(row: int) -> int:
        return sum(a * b for a, b in zip(rows[row], path[-1], strict=True))

    rng = np.random.default_rng(7)
    while True:
        wrong = [row for row in range(len(rows)) if score(row) <= 0]
        if not wrong:
            return path, mistakes, True
        if explorer.order.value == "cyclic":
            visited = list(range(len(rows)))
        elif explorer.order.value == "worst":
            visited = [min(range(len(rows)), key=score)]
        else:
            visited = [int(rng.choice(np.array(wrong)))]
        for row in visited:
            if score(row) <= 0:
                if len(mistakes) == budget:
                    return path, mistakes, False
                mistakes.append(row)
                path.append([a + b for a, b in zip(path[-1], rows[row], strict=True)])


@pytest.mark.parametrize("kind", ["perceptron", "proof"])
def test_a_run_makes_the_mistakes_of_whole_numbers(kind: str) -> None:
    for explorer in states(kind, STATES, seed=1):
        if not len(explorer.X):
            continue
        path, mistakes, converged = naive_run(explorer)
        assert explorer.run.mistakes.tolist() == mistakes
        assert explorer.run.converged == converged
        assert whole(explorer.path) == path
        rows = np.array(signed_rows_of(explorer), dtype=object)
        assert explorer.wrong == sum(rows @ np.array(path[explorer.k], dtype=object) <= 0)
        if explorer.k:
            last = explorer.X[mistakes[explorer.k - 1]]
            assert np.allclose(spots(explorer, "mistake"), [last])
        w0, *w = [0] * (not explorer.offset.value) + [v / UNIT for v in path[explorer.k]]
        assert lies_on(explorer, "line", w0, w)


def test_the_proof_is_drawn_where_its_numbers_are() -> None:
    for explorer in states("proof", STATES, seed=1):
        table, k = explorer.table, explorer.k
        if table is None or not k or explorer.show.value == "weight space":
            continue
        Z = np.array(signed_rows_of(explorer)) / UNIT
        u = explorer.best.weights / np.linalg.norm(explorer.best.weights)
        R, gamma = np.linalg.norm(Z, axis=1).max(), (Z @ u).min()
        w = explorer.weights
        chain = [k * gamma, w @ u, np.linalg.norm(w), math.sqrt(k) * R]
        assert all(a <= b * (1 + 1e-6) + 1e-9 for a, b in pairwise(chain))
        for panel in (1, 2):
            for item in drawn(explorer, "wall", panel):
                assert np.allclose(
                    np.array(item["xy"])[:, 0], np.log10((R / gamma) ** 2), atol=1e-4
                )
        for name, height in (("alignment", w @ u), ("length", np.linalg.norm(w))):
            for item in drawn(explorer, name, 1):
                assert np.allclose(item["xy"][-1], np.log10([k, height]), atol=1e-4), name


def test_a_descent_walks_down_its_loss_and_its_path_is_drawn() -> None:
    slopes = {
        "squared": lambda s: s - 1,
        "perceptron": lambda s: np.where(s > 0, 0.0, -1.0),
        "hinge": lambda s: np.where(s < 1, -1.0, 0.0),
    }
    for explorer in states("descent", 2 * STATES, seed=1):
        if not len(explorer.X):
            continue
        X = np.column_stack([np.ones(len(explorer.X)), explorer.X]) if explorer.bias else explorer.X
        Z = X * explorer.y[:, None]
        slope, path = slopes[explorer.loss.value], explorer.run.path
        for step in range(min(explorer.k, 40)):
            rows = Z[[step % len(Z)]] if explorer.singly else Z
            down = slope(rows @ path[step]) @ rows
            assert np.allclose(path[step + 1], path[step] - explorer.eta.value * down, atol=1e-9)
        for item in drawn(explorer, "path"):
            seen = np.array(item["xy"])[:-1]
            assert np.allclose(seen, path[: len(seen)], rtol=1e-6, atol=2e-5)
            assert len(seen) == explorer.k or np.abs(path[: explorer.k + 1]).max() > 4
        scores = Z @ path[explorer.k]
        if (np.abs(scores) > 1e-9 * (np.abs(Z) @ np.abs(path[explorer.k]))).all():
            assert explorer.wrong == np.count_nonzero(scores < 0)
        if explorer.bottom is not None and np.isfinite(explorer.limit):
            curvature = np.linalg.eigvalsh(Z.T @ Z).max()
            assert explorer.limit * curvature == pytest.approx(2)


def test_a_point_on_the_line_of_a_descent_is_wrong() -> None:
    explorer = kinds.DescentExplorer(start=[0.0, 0.0])
    explorer.to_start()
    assert explorer.wrong == len(explorer.X), "all scores are 0"
    explorer.move("start", 0.1, 0.3)
    fill(explorer, [[3, -1], [0.6, -0.2], [1, 1]], [1, -1, 1])
    explorer.to_start()
    assert explorer.wrong == 2, "two lie on the line by their decimals"


def test_a_street_is_held_by_those_on_its_edges_and_within() -> None:
    for explorer in states("margin", STATES, seed=1):
        if explorer.hyperplane is None:
            continue
        found = explorer.street
        w0, w = found.weights[0], found.weights[1:]
        agreement = explorer.y * (explorer.X @ w + w0)
        assert sorted([*found.edge, *found.inside]) == found.support.tolist()
        assert set(found.wrong) <= set(found.inside)
        sure = np.abs(agreement) > 1e-3
        assert set(np.flatnonzero(sure & (agreement < 0))) == set(found.wrong) & set(
            np.flatnonzero(sure)
        )
        assert (agreement[found.inside] < 1).all()
        assert np.allclose(agreement[found.edge], 1, atol=5e-3)
        for name, level in (("line", 0), ("edge-1", -1), ("edge+1", 1)):
            assert lies_on(explorer, name, w0, w, level), name
        assert np.allclose(spots(explorer, "support"), explorer.X[found.support])
        costs = [
            np.maximum(0, 1 - explorer.y * (explorer.X @ w + offset)).mean()
            for offset in (found.lowest, w0, found.highest)
        ]
        assert np.ptp(costs) < 1e-9, "every offset of the range costs the same"


def test_levels_of_probability_are_drawn_where_the_odds_are_9_to_1() -> None:
    for explorer in states("logistic", STATES, seed=1):
        h = explorer.hyperplane
        if h is None:
            continue
        assert lies_on(explorer, "line", h.w0, h.w)
        for item in drawn(explorer, "level"):
            odds = np.abs(np.array(item["xy"]) @ h.w + h.w0)
            assert np.allclose(odds, math.log(9), atol=1e-5 * (1 + h.norm))
        for item in explorer.canvas.scene["panels"][0]["drawables"]:
            if item["kind"] == "text" and item["text"] in ("0.1", "0.9"):
                above = np.array(item["at"]) @ h.w + h.w0 > 0
                assert above == (item["text"] == "0.9")


def test_gaussian_samples_have_the_moments_of_their_handles_and_boundaries_their_odds() -> None:
    for explorer in states("gaussians", STATES, seed=1):
        for k, shape in enumerate(explorer.shapes):
            X = explorer.X[explorer.y == k]
            x, y = np.array(shape.axis) / np.hypot(*shape.axis)
            turn = np.array([[x, -y], [y, x]])
            sizes = np.diag([np.hypot(*shape.axis) ** 2, shape.width**2])
            assert np.allclose(X.mean(axis=0), shape.mean)
            assert np.allclose(np.cov(X.T, bias=True), turn @ sizes @ turn.T, atol=1e-9)
        odds = explorer.qda.log_odds(explorer.X)
        wrong = int(((odds > 0) != (explorer.y == 1)).sum())
        if np.abs(odds).min() > 1e-7:
            assert explorer.errors[1] == wrong
        if h := explorer.hyperplane:
            scores = explorer.X @ h.w + h.w0
            assert explorer.errors[0] == int(((scores > 0) != (explorer.y == 1)).sum())
            assert lies_on(explorer, "lda", h.w0, h.w)
        for item in drawn(explorer, "qda"):
            xy = np.array(item.get("xy"))
            log_odds = explorer.qda.log_odds
            signs = [np.sign(log_odds(xy + np.array(way))) for way in AROUND]
            flat = np.abs(log_odds(xy)) < 1e-3 * (1 + abs(explorer.curve.level))
            assert (flat | (np.ptp(signs, axis=0) > 0)).all(), "both classes lie beside the curve"


def test_what_classes_leave_in_doubt_is_counted_on_a_grid() -> None:
    for explorer in states("classes", STATES, seed=1):
        (left, right), (low, high) = explorer.view
        side = (np.arange(60) + 0.5) / 60
        grid = np.meshgrid(left + side * (right - left), low + side * (high - low))
        places = np.stack(grid, axis=-1).reshape(-1, 2)
        for name, scheme in explorer.schemes.items():
            claims = scheme.claims(places).sum(axis=1)
            assert explorer.doubt(name) == pytest.approx((claims != 1).mean(), abs=0.03), name
            parts = [explorer.share(name, lambda n, k=k: n == k) for k in range(5)]
            assert sum(parts) == pytest.approx(1), "the regions fill the picture"


def test_how_far_off_a_prediction_is() -> None:
    for explorer in states("predict", STATES, seed=1):
        ends = [[Fraction(v, UNIT) for v in spot] for spot in whole(explorer.ends)]
        (a, b), (c, d) = ends
        mine = [b - d, c - a, a * d - b * c]
        truth = explorer.truth()
        true = [Fraction(str(v)) for v in (*truth.w.tolist(), truth.w0)]
        turn = math.atan2(
            abs(mine[0] * true[1] - mine[1] * true[0]), abs(mine[0] * true[0] + mine[1] * true[1])
        )
        points = [[Fraction(v, UNIT) for v in x] for x in whole(explorer.X)]
        middle = [sum(column) / len(points) for column in zip(*points, strict=True)]
        feet = []
        for p, q, r in (mine, true):
            share = (p * middle[0] + q * middle[1] + r) / (p * p + q * q)
            feet.append([middle[0] - share * p, middle[1] - share * q])
        apart = math.hypot(*(float(s - t) for s, t in zip(*feet, strict=True)))
        found = difference(explorer.line, truth, explorer.X.mean(axis=0))
        assert found == pytest.approx((math.degrees(turn), apart), rel=1e-6, abs=1e-9)
        sides = [[(s > 0) - (s < 0) for x, y in points for s in [p * x + q * y + r]]
                 for p, q, r in (mine, true)]  # fmt: skip
        other = min(sum(s != way * t for s, t in zip(*sides, strict=True)) for way in (1, -1))
        assert f"; {other} of {len(points)} point" in explorer.text


@pytest.mark.parametrize("kind", ["perceptron", "proof"])
def test_hulls_meet_exactly_where_no_line_separates(kind: str) -> None:
    for explorer in states(kind, STATES, seed=3):
        if "hulls" in explorer.show.value and len(set(explorer.y.tolist())) == 2:
            apart = certify(explorer.X, explorer.y).separable
            assert ("The hulls meet" in explorer.text) != apart, explorer.text


def test_the_gap_between_two_hulls_is_that_of_a_point_and_an_edge() -> None:
    explorer = kinds.MarginExplorer()
    explorer.show.value = "street and hulls"
    fill(explorer, [[0, 0], [2, 0], [1, 1.5], [3, 1.5]], [1, 1, -1, -1])
    assert "The hulls are 1.5 apart" in explorer.text


# ---- what a click makes of the points


def test_a_click_gives_the_next_label_adds_and_removes() -> None:
    explorer = kinds.ClassesExplorer()
    labels = [int(explorer.y[0])]
    for _ in explorer.looks:
        explorer.relabel("p0")
        labels.append(int(explorer.y[0]))
    assert labels == [0, 1, 2, 3, 0]


# ---- what was wrong, or hidden, once
def test_the_penguins_kept_back_are_those_not_drawn() -> None:
    explorer = kinds.LineExplorer(test=True)
    explorer.move("from", 31, 13)
    explorer.move("to", 60, 22)  # 9 / 29 upwards for 1 to the right
    birds = real.load("penguins")
    drawn = set(map(tuple, explorer.X))
    others = [(*x, species) for x, species in zip(birds.X[:, :2], birds.y, strict=True)]
    others = [bird for bird in others if bird[2] != 1 and bird[:2] not in drawn]
    below = [29 * (depth - 13) < 9 * (length - 31) for length, depth, _ in others]
    missed = sum(low != (species == 2) for low, (_, _, species) in zip(below, others, strict=True))
    assert f"Of the {len(others)} kept back it gets {missed} wrong." in explorer.text


def test_a_fit_that_spends_its_budget_says_how_far_it_may_be_off(monkeypatch: Any) -> None:
    from linlib.explorers import margin

    monkeypatch.setattr(margin, "BUDGET", 1)
    explorer = kinds.MarginExplorer("overlapping")
    assert f"the minimum is at most {brief(explorer.fit.gap, 2)} lower." in explorer.text


def test_a_free_point_moves_nothing() -> None:
    explorer = kinds.MarginExplorer()
    before = explorer.text
    explorer.move("p0", *(explorer.X[0] + [0.5, 0.3]))
    assert explorer.text == before


def test_a_run_that_had_ended_is_shown_at_its_new_end_while_a_point_moves() -> None:
    explorer = kinds.PerceptronExplorer("three points")
    explorer.to_end()
    explorer.move("p2", -1, 10)
    assert (explorer.k, explorer.counts.tolist()) == (6, [5, 0, 1])
    explorer.go(explorer.k - 1)
    explorer.move("p2", -1, 1.5)
    assert explorer.k == 2, "never beyond the end"


def test_the_length_of_a_run_keeps_its_band_when_its_curve_is_thinned() -> None:
    explorer = kinds.ProofExplorer("XOR")
    explorer.to_end()
    (curve,) = drawn(explorer, "length", 1)
    x, heights = np.array(curve["xy"]).T
    lengths = np.linalg.norm(explorer.path[1:], axis=1)
    assert len(x) < 400
    assert heights.max() == pytest.approx(lengths.max(), abs=1e-5)
    late = heights[x > np.log10(900)]
    assert [late.min(), late.max()] == pytest.approx([lengths[900:].min(), lengths[900:].max()])
