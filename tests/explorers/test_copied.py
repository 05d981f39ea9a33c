"""Copy as Python: the lines of any state, pasted elsewhere, make what the explorer shows."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

from linlib.explorers import (
    ClassesExplorer,
    DescentExplorer,
    GaussianExplorer,
    HyperplaneExplorer,
    LogisticExplorer,
    MarginExplorer,
    PerceptronExplorer,
    ProofExplorer,
)
from linlib.explorers.kit.geometry import UNIT
from linlib.explorers.kit.points import PointsExplorer
from tests.helpers.states import KINDS, fill

COPIED = [kind for kind in KINDS if kind != "predict"]  # whose answer is the reader's to find


def lines_of(scheme: Any) -> np.ndarray:
    """Return all weights of a scheme in one array."""
    if hasattr(scheme, "weights"):
        return np.asarray(scheme.weights)
    found = scheme.hyperplanes
    found = found.values() if hasattr(found, "values") else found
    return np.array([[h.w0, *h.w] for h in found])


def agree(explorer: Any, names: dict[str, Any]) -> None:
    """What the pasted lines computed is what the explorer holds."""
    if isinstance(explorer, HyperplaneExplorer) and explorer.hyperplane:
        assert np.array_equal(names["h"].w, explorer.w)
        assert names["h"].w0 == explorer.w0
    if isinstance(explorer, PerceptronExplorer) and explorer.run:
        unit = UNIT if "Z" in names else 1.0
        assert np.array_equal(names["run"].mistakes, explorer.run.mistakes)
        assert np.allclose(names["run"].path[explorer.k] / unit, explorer.weights)
    if isinstance(explorer, ProofExplorer) and explorer.table:
        assert names["table"].bound == pytest.approx(explorer.table.bound)
    if isinstance(explorer, DescentExplorer) and explorer.run:
        assert np.allclose(names["run"].path[explorer.k], explorer.weights, rtol=1e-9)
    if isinstance(explorer, MarginExplorer | LogisticExplorer) and explorer.fit:
        assert np.array_equal(names["fit"].weights, explorer.fit.weights)
    if isinstance(explorer, GaussianExplorer):
        assert np.array_equal(names["X"], explorer.X)
        assert names["boundary"](names["qda"]).kind == explorer.curve.kind
    if isinstance(explorer, ClassesExplorer) and explorer.schemes:
        for pasted, shown in zip(names["schemes"], explorer.schemes.values(), strict=True):
            assert np.allclose(lines_of(pasted), lines_of(shown), atol=1e-3), "less than a pixel"
            # Where two classes hold one place, rounding may decide between them.
            held = [set(explorer.y[(x == explorer.X).all(axis=1)]) for x in explorer.X]
            alone = explorer.X[[len(classes) == 1 for classes in held]]
            assert not len(alone) or np.array_equal(pasted.predict(alone), shown.predict(alone))


@pytest.mark.slow
@pytest.mark.parametrize("kind", COPIED)
def test_pasted_lines_make_what_is_shown(kind: str) -> None:
    for explorer in islice(KINDS[kind](np.random.default_rng(11)), 20):
        names: dict[str, Any] = {}
        exec(explorer.python(), names)
        agree(explorer, names)


@pytest.mark.parametrize("kind", COPIED)
def test_lines_can_be_pasted_though_nothing_could_be_computed(kind: str) -> None:
    explorer = next(KINDS[kind](np.random.default_rng(5)))
    if isinstance(explorer, PointsExplorer):
        label = next(iter(explorer.looks))
        for y in ([], [label], [label, label]):
            fill(explorer, np.ones((len(y), explorer.X.shape[1])), y)
            exec(explorer.python(), {})
    if isinstance(explorer, HyperplaneExplorer):
        explorer.move("normal", 0, 0)
        exec(explorer.python(), {})
    if isinstance(explorer, GaussianExplorer):
        explorer.move("mean1", *explorer.shapes[0].mean)
        exec(explorer.python(), {})
