"""Real data are those their sources describe."""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest

from linlib import data

FOLDER = Path(data.__file__).parent / "files"


@pytest.mark.parametrize(
    ("name", "shape", "sizes"),
    [
        ("iris", (150, 4), [50, 50, 50]),
        ("wine", (178, 13), [59, 71, 48]),
        ("digits", (1797, 64), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
        ("breast_cancer", (569, 30), [212, 357]),
        ("penguins", (342, 4), [151, 68, 123]),
        ("haberman", (306, 3), [225, 81]),
    ],
)
def test_real_data_have_their_known_shapes_and_class_sizes(name, shape, sizes):
    loaded = data.load(name)
    assert isinstance(loaded, data.RealData)
    assert loaded.X.shape == shape
    assert loaded.X.dtype == np.float64
    assert np.bincount(loaded.y).tolist() == sizes
    assert len(loaded.features) == shape[1]
    assert len(loaded.classes) == len(sizes)
    assert all(type(word) is str for word in loaded.features + loaded.classes)


SHIPPED = {
    "penguins.csv": "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93",
    "haberman.csv": "86f99de591012700d8e3586ca7f45a14eeed17bf0b18dd4cc2f4a4aa10dc29a6",
}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_are_those_whose_source_and_licence_are_written_down(name):
    found = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
    assert found == SHIPPED[name], "the file changed: say why in linlib/data/files/README.md"
    assert f"`{name}`" in (FOLDER / "README.md").read_text("utf-8")


def test_no_data_are_shipped_without_a_source():
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", *SHIPPED}


def test_penguins_have_the_published_means():
    X, y, features, classes = data.load("penguins")
    # What R prints for summary(palmerpenguins::penguins), to its four digits.
    assert dict(zip(features, X.mean(axis=0), strict=True)) == pytest.approx(
        {
            "bill_length_mm": 43.92,
            "bill_depth_mm": 17.15,
            "flipper_length_mm": 200.9,
            "body_mass_g": 4202,
        },
        rel=5e-4,
    )
    assert X[0].tolist() == [39.1, 18.7, 181, 3750]
    assert classes[y[0]] == "Adelie"
    assert X[3].tolist() == [36.7, 19.3, 193, 3450], "the fourth has no measurements: left out"
    gentoo = X[y == classes.index("Gentoo")].mean(axis=0)
    assert gentoo == pytest.approx([47.5, 15.0, 217.2, 5076], abs=0.05)


def test_haberman_has_the_published_means_and_ranges():
    X, y, features, classes = data.load("haberman")
    assert features == ("age", "year", "nodes")
    assert X.mean(axis=0) == pytest.approx([52.4575, 62.8529, 4.0261], abs=5e-5)
    assert X.min(axis=0).tolist() == [30, 58, 0]
    assert X.max(axis=0).tolist() == [83, 69, 52]
    assert [classes[code] for code in y[[0, 7, -1]]] == ["survived", "died", "died"]
    # The dead had more positive nodes on average, 7.46 against 2.79.
    assert [X[y == k, 2].mean() for k in (0, 1)] == pytest.approx([2.791, 7.457], abs=5e-4)


@pytest.mark.parametrize("name", ["penguins", "haberman"])
def test_a_shipped_set_is_read_anew_every_time(name):
    data.load(name).X[:] = 99.0
    assert not (data.load(name).X == 99.0).all()


def test_real_data_say_how_many_points_there_are_of_each_class():
    iris = "RealData(points 150 × 4; classes setosa: 50, versicolor: 50, virginica: 50)"
    assert repr(data.load("iris")) == iris
    assert "<td" in data.load("iris")._repr_html_()


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"^name: 'irises' is not known; .*'iris'.*'haberman'\.$"):
        data.load("irises")


def test_without_scikit_learn_it_is_said_who_carries_the_data(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"^scikit-learn carries this data set; install it "):
        data.load("iris")
    assert len(data.load("penguins").y) == 342, "linlib carries this one"
