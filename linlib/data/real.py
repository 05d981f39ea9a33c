"""Real data sets, by name; none needs a network."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from linlib.base import checks, extras
from linlib.base.checks import FloatArray, IntArray
from linlib.base.frozen import Frozen


class RealData(NamedTuple):
    """A real data set, with the names of its features and classes."""

    X: FloatArray
    y: IntArray
    features: tuple[str, ...]
    classes: tuple[str, ...]

    def _facts(self) -> Mapping[str, str]:
        counts = Counter(self.y.tolist())
        sizes = (f"{name}: {counts[code]}" for code, name in enumerate(self.classes))
        return {"points": " × ".join(map(str, self.X.shape)), "classes": ", ".join(sizes)}

    __repr__, _repr_html_ = Frozen.__repr__, Frozen._repr_html_  # type: ignore[misc]


def load(name: str) -> RealData:
    """Return a real data set by its name; none needs a network.

    "iris", "wine", "digits" and "breast_cancer" come with scikit-learn, "penguins" and "haberman"
    with linlib (``linlib/data/files/README.md`` names their sources and licences). The two penguins
    that were not measured are left out.

    >>> load("penguins")
    RealData(points 342 × 4; classes Adelie: 151, Chinstrap: 68, Gentoo: 123)
    >>> load("haberman").features
    ('age', 'year', 'nodes')
    """
    checks.choice(name, "name", (*_BUNDLED, *_SHIPPED))
    if name in _SHIPPED:
        return _read(name, *_SHIPPED[name])
    with extras.needed("sklearn"):
        from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return RealData(
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.int64),
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
    )


_BUNDLED = ("iris", "wine", "digits", "breast_cancer")


# The column that holds the class, the classes in the order of their numbers, and the features.
_SHIPPED = {
    "penguins": (
        "species",
        ("Adelie", "Chinstrap", "Gentoo"),
        ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"),
    ),
    "haberman": ("outcome", ("survived", "died"), ("age", "year", "nodes")),
}


def _read(name: str, label: str, classes: tuple[str, ...], features: tuple[str, ...]) -> RealData:
    """Return the rows of a shipped file in which no feature is missing."""
    text = (files("linlib") / "data" / "files" / f"{name}.csv").read_text("utf-8")
    table = csv.DictReader(text.splitlines())
    rows = [row for row in table if "NA" not in map(row.get, features)]
    return RealData(
        np.array([[float(row[feature]) for feature in features] for row in rows]),
        np.array([classes.index(row[label]) for row in rows], dtype=np.int64),
        features,
        classes,
    )
