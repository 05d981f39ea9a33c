"""Explorers 5, 6 and 7 without a browser: what they show is what linlib says."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from linlib import (
    Hyperplane,
    data,
    fit_lda,
    fit_qda,
    hinge_objective,
    least_squares,
    linear_machine,
    logistic,
    max_margin,
    one_vs_one,
    one_vs_rest,
    pla,
    soft_margin,
)
from linlib.discriminants.quadric import boundary
from linlib.explorers import (
    ClassesExplorer,
    GaussianExplorer,
    LogisticExplorer,
    MarginExplorer,
    margin,
)
from linlib.explorers import classes as many
from linlib.explorers import logistic as logistic_module
from linlib.explorers.classes import learners
from linlib.explorers.classes.regions import area, cells, regions
from linlib.explorers.gaussians import shapes
from linlib.explorers.kit import geometry as shared
from linlib.explorers.kit.explorer import OWN
from linlib.explorers.kit.points import MOST_POINTS
from linlib.explorers.kit.sentences import brief, say
from linlib.margins.linear_svm import street
from tests.cost import crowd
from tests.explorers.test_widgets import button, drawn, fill, send

SCHEMES = [learners.REST, learners.PAIRS, learners.MACHINE]


def sound(explorer: Any) -> None:
    """Check what must hold whatever the reader did."""
    said(explorer)
    explorer.still()
    plt.close("all")


def said(explorer: Any) -> None:
    """Check all of it but the still picture."""
    assert "could not be done" not in explorer.text
    assert len(explorer.text) >= 40
    json.dumps(explorer.canvas.scene, allow_nan=False)


# ---------------------------------------------------------------- margin


def agrees_with_soft_margin(explorer: MarginExplorer) -> None:
    X, y, lam = explorer.X, explorer.y, explorer.lam.value
    fit = soft_margin(X, y, penalty=lam)
    held = street(fit, X, y, lam)
    h = Hyperplane.from_weights(held.weights)
    rings = [item["at"] for item in drawn(explorer, "support")]
    assert np.allclose(rings, X[held.support], atol=1e-5)
    for name, level in (("line", 0), ("edge-1", -1), ("edge+1", 1)):
        (line,) = drawn(explorer, name)
        assert np.allclose(h.score(line["xy"]), level, atol=1e-4)
    loss = hinge_objective(X, y, 0.0).value(fit.weights)
    for words in (
        f"λ = {lam:.3g}: the street is {say(2 / h.norm)} wide",
        f"{len(held.support)} of {len(X)} points support it",
        f"{int((h.predict(X) != y).sum())} of them wrong",
        f"Mean hinge loss {brief(round(loss, 12))} plus",
        f"makes {brief(fit.value)}.",
    ):
        assert words in explorer.text


@pytest.mark.parametrize("lam", [0.001, 0.03, 0.1, 0.5])
@pytest.mark.parametrize("points", ["apart", "overlapping"])
def test_street_support_and_losses_are_those_of_soft_margin(points: str, lam: float) -> None:
    explorer = MarginExplorer(points)
    explorer.lam.value = lam
    agrees_with_soft_margin(explorer)
    send(explorer, type="move", id="p3", x=0.4, y=-0.7)
    assert explorer.X[3].tolist() == [0.4, -0.7]
    agrees_with_soft_margin(explorer)


def test_the_stroke_of_a_loss_leads_to_the_points_own_edge() -> None:
    explorer = MarginExplorer("overlapping")
    h, losses = explorer.hyperplane, explorer.losses
    strokes = drawn(explorer, "loss")
    rows = np.flatnonzero(losses > 1e-7)
    assert len(strokes) == len(rows) > 5
    for row, stroke in zip(rows, strokes, strict=True):
        start, end = np.array(stroke["xy"])
        assert np.allclose(start, explorer.X[row], atol=1e-5)
        assert np.isclose(h.score(end), explorer.y[row], atol=1e-4)
        assert np.isclose(np.linalg.norm(end - start), losses[row] / h.norm, atol=1e-4)


def test_the_legend_explains_rings_and_strokes() -> None:
    legend = {
        entry["label"]: entry for entry in MarginExplorer("overlapping").canvas.scene["legend"]
    }
    assert legend["support point"]["marker"] == "grip"  # a hollow circle, as in the picture
    assert legend["loss / ‖w‖"]["width"] > legend["line, score 0"]["width"]


def test_a_small_lambda_shows_the_widest_street_and_a_free_point_does_not_move_it() -> None:
    explorer = MarginExplorer()
    explorer.lam.value = 0.001
    best = max_margin(explorer.X, explorer.y)
    assert f"{say(2 * best.margin)} wide" in explorer.text
    assert np.array_equal(explorer.fit.support, best.support)
    explorer.move("p0", -4, -3)
    assert explorer.hyperplane.coincides(best.hyperplane, tolerance=1e-6)


def test_margin_reset_restores_points_and_lambda() -> None:
    explorer = MarginExplorer()
    shown = explorer.canvas.scene["panels"], explorer.text
    explorer.lam.value = 2.0
    explorer.move("p0", 1, 1)
    explorer.relabel("p1")
    assert explorer.preset.value == OWN
    assert (explorer.canvas.scene["panels"], explorer.text) != shown
    explorer.reset()
    assert (explorer.canvas.scene["panels"], explorer.text) == shown
    assert explorer.preset.value == "apart"
    assert explorer.lam.value == margin.START


ABSURD = {
    "no points": ([], []),
    "one point": ([[0.5, 0.5]], [1]),
    "one class": ([[0, 0], [1, 1], [0, 1]], [-1, -1, -1]),
    "all equal, both labels": ([[0.5, 0.5]] * 6, [1, -1] * 3),
    "two points": ([[0, 0], [1, 0]], [1, -1]),
    "twice, with opposite labels": ([[0, 0], [1, 1], [1, 1]], [-1, 1, -1]),
    "on one line": ([[k / 2, k / 2] for k in range(5)], [1, -1, 1, -1, 1]),
    "in the corners": ([[9, 9], [9, -9], [-9, 9], [-9, -9]], [1, -1, -1, 1]),
    "a hundred": (np.random.default_rng(1).uniform(-3, 3, (100, 2)), [1, -1] * 50),
}


@pytest.mark.slow
@pytest.mark.parametrize("lam", [0.001, 10.0])
@pytest.mark.parametrize("name", ABSURD)
def test_absurd_points_leave_a_street_or_a_clear_sentence(name: str, lam: float) -> None:
    explorer = MarginExplorer()
    explorer.lam.value = lam
    X, y = ABSURD[name]
    fill(explorer, X, y)
    sound(explorer)
    if len(set(y)) < 2:
        assert "a street needs both classes" in explorer.text
    elif explorer.hyperplane is None:
        assert "the best w is zero, so there is no street" in explorer.text
        assert not drawn(explorer, "line")
        assert np.allclose(
            soft_margin(explorer.X, explorer.y, penalty=lam).weights[1:], 0, atol=1e-9
        )
    else:
        assert "the street is" in explorer.text


def test_a_fit_that_spends_its_budget_says_how_far_it_may_be_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(margin, "BUDGET", 1)
    explorer = MarginExplorer("overlapping")
    fit = soft_margin(explorer.X, explorer.y, penalty=0.1, max_updates=1)
    assert f"The budget is spent: at most {fit.gap:.2g} could still be gained." in explorer.text


@pytest.mark.parametrize("kind", [MarginExplorer, ClassesExplorer])
def test_one_point_too_many_is_refused_with_a_sentence(kind: Any) -> None:
    explorer = kind()
    explorer.X = np.zeros((MOST_POINTS, 2))
    explorer.y = np.ones(MOST_POINTS, dtype=np.int64)
    send(explorer, type="add", panel=0, x=0, y=0)
    assert f"there are already {MOST_POINTS} points; remove one first." in explorer.text
    assert len(explorer.X) == MOST_POINTS


@pytest.mark.parametrize("kind", [MarginExplorer, GaussianExplorer, ClassesExplorer])
def test_an_unknown_preset_is_refused_with_the_choices(kind: Any) -> None:
    with pytest.raises(ValueError, match="'nowhere'"):
        kind("nowhere")


# ---------------------------------------------------------------- logistic


@pytest.mark.parametrize("lam", [1e-6, 0.01, 10.0])
@pytest.mark.parametrize("points", ["overlapping", "apart", "apart but for a line"])
def test_the_line_and_its_levels_are_those_of_logistic(points: str, lam: float) -> None:
    explorer = LogisticExplorer(points)
    explorer.lam.value = lam
    fit = logistic(explorer.X, explorer.y, penalty=lam)
    assert np.allclose(explorer.weights, fit.weights)
    for name, levels in (("line", {0.0}), ("level", {-np.log(9), np.log(9)})):
        for item in drawn(explorer, name):
            scores = np.array(item["xy"]) @ fit.weights[1:] + fit.weights[0]
            assert min(np.abs(scores - o).max() for o in levels) < 1e-4
    numbers = [i["text"] for i in drawn(explorer, "") if i["kind"] == "text"]
    assert len(numbers) == len(drawn(explorer, "line")) + len(drawn(explorer, "level"))
    sound(explorer)


def test_without_a_penalty_each_preset_shows_its_own_case() -> None:
    cases = {"overlapping": None, "apart": "complete", "apart but for a line": "quasi-complete"}
    for points, kind in cases.items():
        explorer = LogisticExplorer(points)
        explorer.penalty.value = "none"
        assert explorer.fit is not None
        assert (explorer.fit.overlap.kind if explorer.fit.overlap else None) == kind
        assert ("no minimum exists" in explorer.text) == (kind is not None)
        assert len(drawn(explorer, "limit")) == (kind is not None)
        assert len(drawn(explorer, "clash")) == (4 if kind == "quasi-complete" else 0)
        sound(explorer)


def test_the_limit_of_separable_points_is_the_widest_street() -> None:
    explorer = LogisticExplorer("apart")
    explorer.penalty.value = "none"
    best = max_margin(explorer.X, explorer.y).hyperplane
    (item,) = drawn(explorer, "limit")
    assert np.allclose(best.distance(np.array(item["xy"])), 0, atol=1e-5)


def test_points_on_a_line_by_their_decimals_are_not_called_separable() -> None:
    explorer = LogisticExplorer()
    explorer.penalty.value = "none"
    fill(explorer, [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.4, 0.4]], [1, -1, 1, -1])
    assert "no minimum" not in explorer.text
    fill(explorer, [[0.1, 0.1], [0.2, 0.2], [0.2, 0.2], [0.4, 0.4]], [1, 1, -1, -1])
    assert "2 of 4 on itself (quasi-complete separation)" in explorer.text


@pytest.mark.parametrize("penalty", ["none", "λ/2 ‖w‖²"])
@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], "There are no points"),
        ([[1, 1]], [1], "All points have y = +1"),
        ([[1, 1], [1, 1], [1, 1]], [1, -1, 1], "the probability 0.67 of y = +1"),
    ],
)
def test_logistic_on_degenerate_points(X: Any, y: Any, words: str, penalty: str) -> None:
    explorer = LogisticExplorer()
    explorer.penalty.value = penalty
    fill(explorer, X, y)
    assert words in explorer.text
    sound(explorer)


def test_one_wrong_point_and_one_newton_step_are_said_in_the_singular() -> None:
    explorer = LogisticExplorer()
    fill(explorer, [[x, 0] for x in (-3, -2, -1, 1, 2, 3, 1)], [-1, -1, -1, 1, 1, 1, -1])
    assert "1 of 7 points is on the wrong side" in explorer.text
    fill(explorer, [[1, 1], [1, 1]], [1, -1])
    assert "after 1 Newton step." in explorer.text


def test_a_line_outside_the_picture_is_said() -> None:
    explorer = LogisticExplorer()
    explorer.lam.value = 10.0
    fill(explorer, [[0, 0], [0.1, 0], [0.2, 0], [0.3, 0]], [1, 1, 1, -1])
    assert "It lies outside the picture." in explorer.text
    assert not drawn(explorer, "line")


def test_the_challenge_wants_no_minimum_and_no_separation() -> None:
    explorer = LogisticExplorer("apart")
    explorer.challenge.value = "no minimum"
    assert "the penalty must be none" in explorer.text
    explorer.penalty.value = "none"
    assert "the classes are in complete separation." in explorer.text
    explorer.preset.value = "overlapping"
    assert "the classes are in no separation." in explorer.text
    explorer.preset.value = "apart but for a line"
    assert "the classes are in quasi-complete separation." in explorer.text
    assert explorer.challenges["no minimum"].judge(explorer)[1]


# ---------------------------------------------------------------- Gaussians


def agrees_with_both_models(explorer: GaussianExplorer) -> None:
    X, y = explorer.X, explorer.y
    lda, qda = fit_lda(X, y), fit_qda(X, y)
    for k, shape in enumerate(explorer.shapes):
        assert np.allclose(qda.means[k], shape.mean)
        assert np.allclose(qda.covariances[k], shape.covariance)
    assert np.isclose(lda.priors[1], explorer.prior.value)
    for line in drawn(explorer, "lda"):
        assert np.allclose(lda.hyperplane.distance(line["xy"]), 0, atol=1e-5)
    for curve in drawn(explorer, "qda"):
        spots = np.array(curve["xy"])
        slope = np.linalg.norm(2 * spots @ qda.A + qda.b, axis=1)
        assert np.all(np.abs(qda.log_odds(spots)) <= 0.02 * slope + 1e-6)
    wrong = [int((model.predict(X) != y).sum()) for model in (lda, qda)]
    assert list(explorer.errors) == wrong
    shares = [f"{number} ({say(number / 2, 1)} %)" for number in wrong]
    assert f"points LDA gets {shares[0]} wrong, QDA {shares[1]}." in explorer.text


@pytest.mark.parametrize("prior", [0.05, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("classes", shapes.PRESETS)
def test_line_curve_and_errors_are_those_of_lda_and_qda(classes: str, prior: float) -> None:
    explorer = GaussianExplorer(classes)
    explorer.prior.value = prior
    agrees_with_both_models(explorer)
    assert drawn(explorer, "lda") or "LDA's line" in explorer.text


def test_handles_move_the_mean_turn_the_ellipse_and_change_its_width() -> None:
    explorer = GaussianExplorer("same shape")
    send(explorer, type="move", id="mean1", x=1.0, y=-1.0)
    send(explorer, type="move", id="axis1", x=1.0, y=1.0)
    assert np.allclose(explorer.shapes[1].covariance, [[0.6**2, 0], [0, 4]])
    send(explorer, type="move", id="wide1", x=2.5, y=0.0)
    assert np.allclose(explorer.shapes[1].covariance, [[1.5**2, 0], [0, 4]])
    assert explorer.preset.value == OWN
    assert explorer.handles["axis1"] == (1.0, 1.0)
    agrees_with_both_models(explorer)
    (shown,) = drawn(explorer, "ellipse1")
    spots = np.array(shown["xy"]) - [1, -1]
    inverse = np.linalg.inv(explorer.shapes[1].covariance)
    assert np.allclose(np.einsum("ni,ij,nj->n", spots, inverse, spots), 1, atol=1e-4)
    explorer.move("mean0", -3, 2)
    assert explorer.shapes[0].mean == (-3, 2)
    agrees_with_both_models(explorer)


def test_equal_shapes_make_the_curve_the_line() -> None:
    explorer = GaussianExplorer()
    button(explorer, "Equal shapes").click()
    assert "The shapes are equal: QDA draws the same line as LDA." in explorer.text
    for curve in drawn(explorer, "qda"):
        assert np.allclose(explorer.hyperplane.distance(curve["xy"]), 0, atol=1e-5)
    assert explorer.errors[0] == explorer.errors[1]
    assert explorer.shapes[1].mean == shapes.PRESETS["different shapes"][1].mean


def test_a_rarer_class_loses_ground_and_the_line_keeps_its_direction() -> None:
    explorer = GaussianExplorer("same shape")
    lines = []
    for prior in (0.5, 0.25, 0.1):
        explorer.prior.value = prior
        lines.append(explorer.hyperplane)
    assert all(np.allclose(h.w, lines[0].w) for h in lines)
    assert lines[0].w0 > lines[1].w0 > lines[2].w0


@pytest.mark.parametrize(
    ("classes", "kind"),
    [("same shape", "line"), ("small in large", "ellipse"), ("crossed", "hyperbola")],
)
def test_the_kind_of_curve_follows_from_the_eigenvalues(classes: str, kind: str) -> None:
    explorer = GaussianExplorer(classes)
    assert explorer.curve.kind == kind
    assert kind in explorer.text


def test_a_parabola_is_recognised() -> None:
    book = [[3, 0], [1, -2], [5, -2], [3, -4], [3, 4], [3, 8], [2, 6], [4, 6]]
    assert boundary(fit_qda(book, [0] * 4 + [1] * 4)).kind == "parabola"


@pytest.mark.parametrize("prior", [0.05, 0.5, 0.95])
def test_means_on_each_other_leave_no_line_and_are_said(prior: float) -> None:
    explorer = GaussianExplorer()
    explorer.prior.value = prior
    explorer.move("mean1", *explorer.shapes[0].mean)
    assert "The means coincide: LDA has no line" in explorer.text
    assert explorer.hyperplane is None
    assert not drawn(explorer, "lda")
    assert explorer.errors[0] == round(200 * min(prior, 1 - prior))
    sound(explorer)
    button(explorer, "Equal shapes").click()
    sound(explorer)


@pytest.mark.parametrize("id", ["axis0", "wide0", "axis1", "wide1"])
def test_no_ellipse_can_be_crushed(id: str) -> None:
    explorer = GaussianExplorer()
    explorer.move(id, *explorer.shapes[int(id[-1])].mean)
    values = np.linalg.eigvalsh(explorer.shapes[int(id[-1])].covariance)
    assert np.isclose(values.min(), shapes.THINNEST**2)
    agrees_with_both_models(explorer)
    sound(explorer)


def test_every_handle_stays_in_the_picture_wherever_the_means_go() -> None:
    explorer = GaussianExplorer()
    for x, y in [(9, 9), (-9, 9), (9, -9), (-9, -9)]:
        for id in ("axis1", "mean1", "mean0"):
            explorer.move(id, x, y)
            places = np.array(list(explorer.handles.values()))
            assert np.all(np.abs(places) <= [5, 4])
            sound(explorer)
    assert "outside the picture" in explorer.text


def test_the_sample_shown_is_the_part_inside_the_picture() -> None:
    explorer = GaussianExplorer("small in large")
    explorer.move("mean1", 5, 4)
    shown = [spot for k in (0, 1) for item in drawn(explorer, f"sample{k}") for spot in item["xy"]]
    inside = np.all(np.abs(explorer.X) <= [5, 4], axis=1)
    assert np.allclose(shown, explorer.X[inside], atol=1e-5)
    assert f"{200 - inside.sum()} points lie outside the picture." in explorer.text


def test_gaussian_reset_restores_classes_and_prior() -> None:
    explorer = GaussianExplorer("crossed")
    shown = explorer.canvas.scene["panels"], explorer.text
    explorer.prior.value = 0.1
    explorer.move("axis0", 1, 2)
    assert (explorer.canvas.scene["panels"], explorer.text) != shown
    explorer.reset()
    assert (explorer.canvas.scene["panels"], explorer.text) == shown


# ---------------------------------------------------------------- many classes

LEARN = {
    learners.STREET: lambda X, y: soft_margin(X, y, penalty=learners.LAM),
    learners.PERCEPTRON: lambda X, y: pla(X, y, max_updates=learners.UPDATES),
    learners.SQUARES: least_squares,
}


def by_linlib(explorer: ClassesExplorer) -> list[Any]:
    X, y, learner = explorer.X, explorer.y, explorer.learner.value
    kind = "least_squares" if learner == learners.SQUARES else "perceptron"
    machine = linear_machine(X, y, learner=kind, max_updates=learners.UPDATES)
    return [one_vs_rest(X, y, LEARN[learner]), one_vs_one(X, y, LEARN[learner]), machine]


def inside(polygon: Any, Q: Any) -> Any:
    """Tell which places are well inside a polygon that goes anticlockwise."""
    corners = np.asarray(polygon)
    ways = np.roll(corners, -1, axis=0) - corners
    long = np.linalg.norm(ways, axis=1) > 1e-4  # the scene rounds to six decimals
    reach = Q[:, None, :] - corners[long]
    crosses = ways[long, 0] * reach[..., 1] - ways[long, 1] * reach[..., 0]
    return np.all(crosses > 1e-3, axis=1)


@pytest.mark.parametrize("learner", list(LEARN))
@pytest.mark.parametrize("points", ["three classes", "four classes"])
def test_regions_and_shares_are_those_of_the_schemes(points: str, learner: str) -> None:
    explorer = ClassesExplorer(points)
    explorer.learner.value = learner
    explorer.move("p2", -1.0, 0.5)
    Q = np.random.default_rng(7).uniform(-6, 6, (3000, 2))
    for k, (name, scheme) in enumerate(zip(SCHEMES, by_linlib(explorer), strict=True)):
        claims, covered = scheme.claims(Q), np.zeros(len(Q), dtype=int)
        for item in explorer.canvas.scene["panels"][k]["drawables"]:
            if not item["name"].startswith(("region-", "doubt")):
                continue
            rows = inside(item["xy"], Q)
            covered += rows
            if item["name"].startswith("doubt"):
                assert np.all(claims[rows].sum(axis=1) != 1)
            else:
                only = np.eye(claims.shape[1], dtype=bool)[int(item["name"][-1])]
                assert np.all(claims[rows] == only)
        assert covered.max() == 1
        assert covered.mean() > 0.98
        counted = scheme.ambiguous(Q).mean()
        assert abs(explorer.doubt(name) - counted) < 4 * np.sqrt(0.25 / len(Q))
        rows = int(scheme.ambiguous(explorer.X).sum())
        wrong = int((scheme.predict(explorer.X) != explorer.y).sum())
        assert f"{many.percent(explorer.doubt(name))} of the square and {rows} of" in explorer.text
        start = explorer.text.index(name.capitalize())
        assert f", {wrong} wrong." in explorer.text[start : start + 190]
    assert explorer.doubt(learners.MACHINE) == 0


def test_pieces_fill_the_picture_without_overlap() -> None:
    view = ((-1.0, 3.0), (-2.0, 2.0))
    rng = np.random.default_rng(3)
    lines = [Hyperplane(rng.normal(size=2), rng.normal()) for _ in range(6)]
    pieces = cells(view, lines)
    assert np.isclose(sum(map(area, pieces)), 16)
    for h in lines:
        signs = [np.sign(np.round(h.distance(piece), 9)) for piece in pieces]
        assert all(abs(sign.min() - sign.max()) < 2 for sign in signs)
    middles = np.array([piece.mean(axis=0) for piece in pieces])
    codes = {tuple(h.predict(middles)[k] for h in lines) for k in range(len(pieces))}
    assert len(codes) == len(pieces)


def test_doubt_is_exact_where_it_can_be_computed_by_hand() -> None:
    explorer = ClassesExplorer()
    fill(explorer, [[-3, 0], [3, 0]], [0, 1])  # the street's line is x1 = 0 for both classes
    assert explorer.doubt(learners.REST) < 1e-9
    explorer.schemes[learners.REST] = one_vs_rest(
        explorer.X, explorer.y, lambda X, y: Hyperplane([y[0], 0], -1.5)
    )
    found = regions(explorer.schemes[learners.REST], many.VIEW)
    doubt = sum(area(region.polygon) for region in found if len(region.claims) != 1)
    assert np.isclose(doubt, 3 * 12)  # the strip |x1| < 1.5 belongs to nobody


def test_borders_of_the_machine_are_where_two_best_scores_tie() -> None:
    explorer = ClassesExplorer("four classes")
    machine = linear_machine(explorer.X, explorer.y, max_updates=learners.UPDATES)
    borders = [
        (int(a), int(b), item)
        for a, b in combinations("0123", 2)
        for item in drawn(explorer, f"border-{a}{b}", panel=2)
    ]
    assert len(borders) >= 4
    for a, b, item in borders:
        for share in (0.1, 0.5, 0.9):
            start, end = np.array(item["xy"])
            scores = machine.scores([start + share * (end - start)])[0]
            assert np.isclose(scores[a], scores[b], atol=1e-3)
            assert np.isclose(scores.max(), scores[a], atol=1e-3)


def test_one_scheme_can_be_shown_large_and_says_only_its_own() -> None:
    explorer = ClassesExplorer()
    whole = explorer.text
    for name in SCHEMES:
        explorer.scheme.value = name
        (panel,) = explorer.canvas.scene["panels"]
        assert panel["title"] == name
        assert explorer.text.startswith(name.capitalize())
        assert explorer.text in whole
        assert len(panel["handles"]) == len(explorer.X)
    explorer.scheme.value = many.ALL
    assert explorer.text == whole
    assert [len(panel["handles"]) for panel in explorer.canvas.scene["panels"]] == [18, 18, 18]


def test_least_squares_masks_the_middle_class_and_it_is_said() -> None:
    explorer = ClassesExplorer("in a row")
    assert not drawn(explorer, "region-1", panel=0)
    assert drawn(explorer, "region-1", panel=2)
    explorer.learner.value = learners.SQUARES
    assert not drawn(explorer, "region-1", panel=2)
    assert explorer.text.endswith("6 wrong. No place is left to class 1 alone.")


def test_the_pinwheel_has_no_machine_and_it_is_said() -> None:
    explorer = ClassesExplorer("pinwheel")
    assert f"has not converged within {learners.UPDATES} updates" in explorer.text
    assert explorer.doubt(learners.PAIRS) > 0.01
    assert np.array_equal(explorer.schemes[learners.PAIRS].predict(explorer.X), explorer.y)


def test_a_point_passes_through_all_four_classes() -> None:
    explorer = ClassesExplorer()
    seen = []
    for _ in range(4):
        explorer.relabel("p0")
        seen.append(int(explorer.y[0]))
        sound(explorer)
    assert seen == [1, 2, 3, 0]


CROWDED = {
    "no points": ([], []),
    "one point": ([[0.5, 0.5]], [2]),
    "one class": ([[0, 0], [1, 1], [0, 1]], [3, 3, 3]),
    "two classes": ([[0, 0], [1, 1], [2, 1]], [3, 1, 1]),
    "all equal": ([[0.5, 0.5]] * 6, [0, 1, 2] * 2),
    "all at the origin": ([[0, 0]] * 4, [0, 1, 2, 3]),
    "one point a class": ([[0, 3], [3, 0], [-3, 0], [0, -3]], [0, 1, 2, 3]),
    "on one line": ([[k, k] for k in range(-3, 4)], [0, 1, 2, 3, 2, 1, 0]),
    "two classes at one place": ([[0, 0], [0, 0], [3, 3]], [0, 1, 2]),
    "a hundred": (np.random.default_rng(1).uniform(-6, 6, (100, 2)), sorted([0, 1, 2, 3] * 25)),
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", list(LEARN))
@pytest.mark.parametrize("name", CROWDED)
def test_absurd_classes_end_in_a_clear_sentence(name: str, learner: str) -> None:
    explorer = ClassesExplorer()
    explorer.learner.value = learner
    X, y = CROWDED[name]
    fill(explorer, X, y)
    for scheme in (learners.REST, learners.MACHINE, many.ALL):
        explorer.scheme.value = scheme
        said(explorer)
    sound(explorer)  # the last picture shows each scheme in a panel of its own
    if len(set(y)) < 2:
        assert "There are no points" in explorer.text or "Only class" in explorer.text
        return
    for scheme in SCHEMES:
        if scheme in explorer.schemes:
            whole = explorer.share(scheme, lambda _: True)
            assert np.isclose(whole, 1)
        else:
            assert f"{scheme.capitalize()} has no answer: " in explorer.text


def test_classes_reset_restores_points_learner_and_view() -> None:
    explorer = ClassesExplorer("four classes")
    shown = explorer.canvas.scene["panels"], explorer.text
    explorer.learner.value, explorer.scheme.value = learners.SQUARES, learners.PAIRS
    explorer.move("p0", 1, 1)
    explorer.remove("p5")
    assert (explorer.canvas.scene["panels"], explorer.text) != shown
    explorer.reset()
    assert (explorer.canvas.scene["panels"], explorer.text) == shown


def test_the_presets_keep_the_data_untouched() -> None:
    X = data.three_in_a_row(6, np.random.default_rng(7)).X
    explorer = ClassesExplorer("in a row")
    explorer.move("p0", 0, 0)
    assert np.array_equal(ClassesExplorer("in a row").X, X)


def test_a_question_without_any_answer_is_said() -> None:
    explorer = ClassesExplorer()
    fill(explorer, [[1, 1], [1, 1]], [0, 1])
    trouble = "has no answer: for one of its questions the best weights are all zero."
    assert f"Pair by pair {trouble}" in explorer.text
    assert explorer.canvas.scene["panels"][1]["xlabel"] == "x₁ (no answer)"


def test_doubt_is_told_apart_by_who_claims() -> None:
    explorer = ClassesExplorer("four classes")
    Q = np.random.default_rng(7).uniform(-6, 6, (4000, 2))
    claimed = by_linlib(explorer)[0].claims(Q).sum(axis=1)
    none, several = (
        explorer.share(learners.REST, lambda number: number == 0),
        explorer.share(learners.REST, lambda number: number > 1),
    )
    assert abs(none - np.mean(claimed == 0)) < 0.03
    assert abs(several - np.mean(claimed > 1)) < 0.03
    shares = f"({many.percent(none)} claimed by no class, {many.percent(several)} by several)"
    assert shares in explorer.text


@pytest.mark.parametrize("kind", [MarginExplorer, ClassesExplorer])
def test_points_added_one_by_one_are_the_points_filled_in_at_once(kind: Any) -> None:
    X, y = (
        [[-2.0, 0.5], [1.0, 1.0], [2.0, -1.0]],
        [-1, 1, 1] if kind is MarginExplorer else [0, 2, 1],
    )
    slow, quick = kind(), kind()
    while len(slow.X):
        slow.remove("p0")
    for place, label in zip(X, y, strict=True):
        slow.new_label.value = label
        slow.add(*place)
    fill(quick, X, y)
    assert np.array_equal(slow.X, X)
    assert np.array_equal(slow.y, y)
    assert slow.text == quick.text
    assert outlined(slow.canvas.scene["panels"]) == outlined(quick.canvas.scene["panels"])


def outlined(panels: list[Any]) -> list[Any]:
    """Return the panels with corners named once: a search from elsewhere may cut one in two."""
    panels = copy.deepcopy(panels)
    for panel in panels:
        for shape in panel["drawables"]:
            shape["xy"] = sorted({tuple(corner) for corner in shape.get("xy", [])})
    return panels


def test_a_removed_point_takes_its_own_label_with_it() -> None:
    explorer = ClassesExplorer()
    X, y = explorer.X, explorer.y
    explorer.remove("p1")
    assert np.array_equal(explorer.X, np.delete(X, 1, axis=0))
    assert np.array_equal(explorer.y, np.delete(y, 1))


# ---------------------------------------------------------------- what a move costs


def test_a_move_learns_every_question_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """See ``tests.cost`` for the milliseconds."""
    explorer = ClassesExplorer()
    explorer.fill(*crowd(4, 5.0, parted=False))
    done: list[str] = []
    for name in ("soft_margin", "linear_machine"):
        counted(monkeypatch, learners, name, done)
    explorer.move("p99", 1.0, 2.0)
    assert sorted(done) == ["linear_machine"] + ["soft_margin"] * (4 + 6)


def test_a_move_finds_the_street_and_the_hulls_once(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = MarginExplorer()
    X, y = crowd(2, 3.0, parted=True)
    explorer.fill(X, 2 * y - 1)
    explorer.show.value = "street and hulls"
    done: list[str] = []
    counted(monkeypatch, margin, "soft_margin", done)
    counted(monkeypatch, shared, "gap", done)
    explorer.move("p99", 1.0, 2.0)
    assert sorted(done) == ["gap", "soft_margin"]
    explorer.challenge.value = "a free offset"
    assert len(done) == 2, "what is only said anew is not fitted anew"


def test_areas_are_those_of_the_polygons() -> None:
    assert area([[1, 1], [4, 1], [4, 3], [1, 3]]) == 6
    assert area([[2, 1], [5, 2], [3, 4]]) == 4
    assert area([[1, 1], [3, 1], [4, 2], [2, 4], [1, 3]]) == 6
    assert area([]) == 0


def test_a_sliver_is_rounding_and_no_region() -> None:
    view = ((0.0, 12.0), (0.0, 12.0))
    apart = [Hyperplane([1, 0], -6), Hyperplane([1, 0], -6 - 1e-9)]
    assert len(cells(view, apart)) == 2
    assert len(cells(view, [Hyperplane([1, 0], -6), Hyperplane([1, 0], -6 - 1e-6)])) == 3
    machine = linear_machine(*data.three_in_a_row(6, np.random.default_rng(7)))
    for room, number in ((1e-9, 2), (1e-6, 3)):
        weights = np.array([[6.0, -1.0, 0.0], [room / 2, 0.0, 0.0], [-6.0, 1.0, 0.0]])
        assert len(regions(replace(machine, weights=weights), view)) == number


def test_without_a_boundary_qda_says_one_class_everywhere() -> None:
    explorer = GaussianExplorer()
    small, large = shapes.PRESETS["small in large"][::-1]
    explorer.prior.value = 0.95
    explorer.act(lambda: setattr(explorer, "shapes", (small, large)))
    assert (explorer.curve.kind, explorer.curve.sign) == ("none", 1)
    assert explorer.errors[1] == 10, "all of class 0"


def test_the_handle_of_an_axis_is_at_the_end_that_is_inside() -> None:
    explorer = GaussianExplorer()
    explorer.move("mean1", 0.0, 3.9)
    right, up = explorer.shapes[1].axis
    assert up > 0.1, "it points out of the picture"
    assert explorer.handles["axis1"] == pytest.approx((-right, 3.9 - up))
    explorer.move("mean1", 0.0, 0.0)
    assert explorer.handles["axis1"] == pytest.approx((right, up))


def test_streets_of_the_past_are_not_kept_for_ever() -> None:
    kept, X = learners.Learners(), np.arange(14.0).reshape(7, 2)
    for number in range(1, 70):
        y = np.where([number >> k & 1 for k in range(7)], 1.0, -1.0)
        kept.street(X, y)
        assert 1 <= len(kept._before) <= 51
    assert np.array_equal(kept.street(X, y), kept.street(X, y))


def test_the_number_of_a_level_stands_inside_the_frame() -> None:
    for spot in ([5.0, 3.7], [-4.5, 3.7], [5.0, -3.3]):
        x, y = logistic_module._inside(spot, ((-4.5, 5.0), (-3.3, 3.7)))
        assert -4.5 < x <= 5.0 - 0.05 * 9.5
        assert -3.3 + 0.05 * 7.0 <= y < 3.7


def test_sliders_reach_from_hardly_any_to_too_much() -> None:
    margin_, chances, classes = MarginExplorer(), LogisticExplorer(), GaussianExplorer()
    found = [(one.min, one.max, one.step) for one in (margin_.lam, chances.lam, classes.prior)]
    assert found == [(-3, 1, 0.1), (-6, 1, 0.25), (0.05, 0.95, 0.05)]
    assert classes.prior.layout.width == "360px", "its label is long"


def test_without_a_street_nothing_is_lost() -> None:
    explorer = MarginExplorer()
    explorer.fill([[0, 0], [1, 1]], [1, 1])
    assert explorer.losses.tolist() == [0.0, 0.0]
    assert not explorer.fit_is_sure
    assert explorer.hyperplane is None


def test_a_move_fits_the_odds_once(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = LogisticExplorer()
    X, y = crowd(2, 3.0, parted=False)
    explorer.fill(X, 2 * y - 1)
    done: list[str] = []
    counted(monkeypatch, logistic_module, "logistic", done)
    explorer.move("p99", 1.0, 2.0)
    assert done == ["logistic"]


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, done: list[str]) -> None:
    """Note down every call of a function that a module uses."""
    function = getattr(module, name)

    def noted(*arguments: Any, **options: Any) -> Any:
        done.append(name)
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, noted)
