"""Explorers in random and nasty states: points on a grid, a line, one spot, or hardly apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from linlib import Hyperplane
from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    GaussianExplorer,
    HyperplaneExplorer,
    LineExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    PredictLine,
    ProofExplorer,
)
from linlib.explorers.kit.explorer import Show
from linlib.explorers.kit.points import Stepper
from linlib.explorers.kit.state import OWN
from linlib.explorers.logistic import LogisticState
from linlib.explorers.margin import MarginState
from linlib.explorers.perceptron import PerceptronState

ROUND = (-4, -3, -2, -1, -0.5, -0.25, 0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.7, 1, 2, 3, 4)


def places(rng: np.random.Generator, n: int, reach: float) -> np.ndarray:
    """Return n places of a kind that makes trouble: grids, lines, repeats, one spot, any."""
    kind = rng.integers(8)
    if kind == 0:
        X = rng.integers(-3, 4, size=(n, 2)) * reach / 4
    elif kind == 1:
        X = rng.choice(ROUND, size=(n, 2)) * reach / 4
    elif kind == 2:  # on one line, in tenths: binary fractions that are not exact
        X = (
            np.outer(rng.integers(-10, 11, size=n) / 10, rng.choice([0.1, 0.3, 0.7, 1.0], 2))
            * reach
        )
    elif kind == 3:
        X = np.repeat(rng.choice(ROUND, size=(1, 2)) * reach / 4, n, axis=0)
    elif kind == 4:
        X = rng.uniform(-reach, reach, size=(max(1, n // 3), 2))[
            rng.integers(max(1, n // 3), size=n)
        ]
    elif kind == 5:  # hardly apart
        X = rng.uniform(-reach, reach, size=(n, 2)) * [1.0, 1e-3]
    else:
        X = rng.uniform(-reach, reach, size=(n, 2))
    return np.clip(X, -reach, reach).round(4) + 0.0


def labels(rng: np.random.Generator, X: np.ndarray, known: list[int]) -> np.ndarray:
    kind = rng.integers(4)
    if kind == 0 or not len(X):
        return rng.choice(known, size=len(X))
    if kind == 1:
        return np.full(len(X), rng.choice(known))
    direction = rng.normal(size=X.shape[1])
    cut = np.digitize(X @ direction, np.linspace(-1, 1, len(known) + 1)[1:-1])
    y = np.array(known)[cut]
    if kind == 2 and len(X):
        y[rng.integers(len(X))] = rng.choice(known)
    return y


def with_points(now: Any, X: Any, y: Any) -> Any:
    """Return a state in which a reader has moved, added and labelled these points."""
    rows = np.array(X, dtype=np.float64).reshape(-1, now.X.shape[1])
    return now.changed(X=rows, y=np.array(y, dtype=np.int64).reshape(-1), preset=OWN)


def fill(explorer: Any, X: Any, y: Any) -> None:
    """Show these points instead, in one change."""
    after = with_points(explorer.now, X, y)
    show(explorer, after.follow(explorer.now) if isinstance(explorer, Stepper) else after)


def show(explorer: Any, state: Any) -> None:
    """Show another state, in one change."""
    explorer.act(Show(state))


def size(rng: np.random.Generator) -> int:
    return int(
        rng.choice(
            [0, 1, 2, 3, 4, 5, 6, 8, 12, 20],
            p=[0.01, 0.03, 0.1, 0.16, 0.2, 0.15, 0.1, 0.1, 0.1, 0.05],
        )
    )


def states_of_hyperplane(rng: np.random.Generator) -> Iterator[Any]:
    explorer = HyperplaneExplorer()
    while True:
        act = rng.integers(5)
        nasty = rng.random() < 0.5
        x, y = rng.choice(ROUND, 2) if nasty else rng.uniform(-5, 5, 2)
        if rng.random() < 0.1:
            x, y = x * 1e-3, y * 1e-3
        if act < 2:
            explorer.move("normal", x, y)
        elif act == 2 and "offset" in explorer.handles:
            explorer.move("offset", x, y)
        elif act == 3 and explorer.hyperplane is not None:
            spot = explorer.handles["offset"]  # a point on the line, as the decimals have it
            explorer.move("point", *spot)
        else:
            explorer.move("point", x, y)
        yield explorer


def states_of_line(rng: np.random.Generator) -> Iterator[Any]:
    explorer = LineExplorer()
    while True:
        explorer.species.value = rng.choice(explorer.species.options)
        good = rng.integers(4) == 0  # hardly anybody is wrong
        for end, spot in (("from", (31, 13)), ("to", (60, 22))):
            at = rng.normal(spot, 0.1) if good else rng.uniform([30, 12], [61, 23])
            at = explorer.X[rng.integers(len(explorer.X))] if rng.integers(3) == 0 else at
            explorer.move(end, *at)
        yield explorer


def _points(kind: type[Any], reach: float, known: list[int]) -> Callable[..., Iterator[Any]]:
    def states(rng: np.random.Generator) -> Iterator[Any]:
        explorer = kind()
        while True:
            show(explorer, _arranged(explorer.now, rng, reach, known))
            if isinstance(explorer, PerceptronExplorer) and (way := rng.integers(3)) < 2:
                explorer.go(1000 if way == 0 else int(rng.integers(1, 6)))
            yield explorer
            if len(explorer.X) and rng.random() < 0.3:  # and a drag from there
                spot = rng.choice(ROUND, 2) * reach / 4
                explorer.move(f"p{rng.integers(len(explorer.X))}", *spot)
                yield explorer

    return states


def _arranged(now: Any, rng: np.random.Generator, reach: float, known: list[int]) -> Any:
    X = places(rng, size(rng), reach)
    after = with_points(now, X, labels(rng, X, known)).changed(**_chosen(now, rng))
    if not isinstance(now, PerceptronState):
        return after
    if (now.order, now.offset) != (after.order, after.offset):
        return after.changed(k=0)  # another run begins
    return after.follow(now)


def _chosen(now: Any, rng: np.random.Generator) -> dict[str, Any]:
    if isinstance(now, PerceptronState):
        return {
            "order": str(rng.choice(["cyclic", "random", "worst"])),
            "offset": bool(rng.integers(2)),
            "show": str(rng.choice(now.shows)),
        }
    if isinstance(now, MarginState):
        return {
            "lam": float(10.0 ** (rng.integers(-30, 11) / 10)),
            "show": str(rng.choice(["street", "street and hulls"])),
        }
    if isinstance(now, LogisticState):
        return {
            "lam": float(10.0 ** (rng.integers(-24, 5) / 4)),
            "penalty": str(rng.choice(["λ/2 ‖w‖²", "none"])),
        }
    shown = ["all three", "one against the rest", "pair by pair", "linear machine"]
    return {
        "learner": str(rng.choice(["widest street", "perceptron", "least squares"])),
        "scheme": str(rng.choice(shown, p=[0.4, 0.2, 0.2, 0.2])),
    }


def states_of_descent(rng: np.random.Generator) -> Iterator[Any]:
    explorer = DescentExplorer()

    def arranged(now: Any) -> Any:
        preset = str(rng.choice(["six points", "four on a line"]))
        again = preset == now.preset
        after = now if again else now.with_preset(preset)
        X = places(rng, size(rng), 4.0)[:, : after.X.shape[1]]
        after = with_points(after, X, labels(rng, X, [1, -1])).changed(
            loss=str(rng.choice(["squared", "perceptron", "hinge"])),
            pick=str(rng.choice(["all at once", "one by one"])),
        )
        step = rng.choice([0.005, 0.05, 0.1, 0.3, 0.5, 1.0, rng.integers(1, 201) * 0.005])
        start = rng.choice(ROUND, 2) if rng.integers(2) else rng.uniform(-4, 4, 2).round(4)
        after = after.changed(eta=float(step), start=np.array(start, dtype=np.float64))
        return after.follow(now) if again else after

    while True:
        show(explorer, arranged(explorer.now))
        if rng.random() < 0.05 and np.isfinite(explorer.limit) and 0.005 <= explorer.limit <= 1:
            explorer.eta.value = explorer.limit
        if rng.random() < 0.5:
            explorer.go(explorer.last - int(rng.integers(3)))
        yield explorer


def states_of_gaussians(rng: np.random.Generator) -> Iterator[Any]:
    explorer = GaussianExplorer()
    while True:
        act = rng.integers(8)
        spot = rng.choice(ROUND, 2) if rng.integers(2) else rng.uniform(-4, 4, 2)
        if act == 0:
            explorer.preset.value = str(rng.choice(list(explorer.presets)))
        elif act == 1:
            explorer.equalise()
        elif act == 2:  # the same spread in one direction: parabolas, parallel lines
            for k in (0, 1):
                mean = explorer.shapes[k].mean
                explorer.move(f"axis{k}", mean[0] + 0.5, mean[1])
                explorer.move(f"wide{k}", mean[0], mean[1] + float(rng.choice([0.4, 0.5, 0.8])))
            if rng.integers(2):
                explorer.move("mean1", explorer.shapes[1].mean[0], explorer.shapes[0].mean[1])
        elif act == 3:
            explorer.prior.value = float(rng.integers(1, 20) * 0.05)
        elif act == 4:
            explorer.move("mean1", *explorer.shapes[0].mean)
        else:
            explorer.move(str(rng.choice(list(explorer.handles))), *spot)
        yield explorer


def states_of_predict(rng: np.random.Generator) -> Iterator[Any]:
    while True:
        X = places(rng, max(1, size(rng)), 4.0)
        y = np.where(rng.integers(2, size=len(X)), 1, -1)
        w = rng.choice(ROUND, 2) if rng.integers(2) else rng.normal(size=2).round(3)
        truth = Hyperplane(w if w.any() else [1.0, 0.0], float(rng.choice(ROUND)))
        explorer = PredictLine("Where is it?", X, y, lambda truth=truth: truth)
        for _ in range(10):
            for end in ("from", "to"):
                spot = rng.choice(ROUND, 2) if rng.integers(2) else rng.uniform(-4, 4, 2)
                spot = truth.project(spot) if rng.integers(3) == 0 else spot
                explorer.move(end, *spot)
            if not np.array_equal(*explorer.ends):
                explorer.commit()
                yield explorer
            explorer.reset()


KINDS: dict[str, Callable[[np.random.Generator], Iterator[Any]]] = {
    "line": states_of_line,
    "hyperplane": states_of_hyperplane,
    "perceptron": _points(PerceptronExplorer, 1.25, [1, -1]),
    "proof": _points(ProofExplorer, 1.25, [1, -1]),
    "descent": states_of_descent,
    "margin": _points(MarginExplorer, 4.0, [1, -1]),
    "logistic": _points(LogisticExplorer, 4.0, [1, -1]),
    "gaussians": states_of_gaussians,
    "predict": states_of_predict,
    "classes": _points(ClassesExplorer, 6.0, [0, 1, 2, 3]),
}


def states(kind: str, number: int, seed: int) -> Iterator[Any]:
    """Yield an explorer in so many states, each with the next of its challenges taken up."""
    for turn, explorer in enumerate(islice(KINDS[kind](np.random.default_rng(seed)), number)):
        if challenges := list(explorer.challenges):
            explorer.challenge.value = challenges[turn % len(challenges)]
        yield explorer
