"""Every data set shows what its name, docstring or source promises."""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest

from linlib import Points, certify, data, max_margin
from tests.helpers.sentences import assert_one_sentence

SEEDS = range(6)
many_seeds = pytest.mark.parametrize("seed", SEEDS)


def rng(seed):
    return np.random.default_rng(seed)


DRAWN = {
    "separable": lambda g: data.separable(30, 3, g),
    "two_clouds": lambda g: data.two_clouds(30, g),
    "circle": lambda g: data.circle(30, g),
    "with_outliers": lambda g: data.with_outliers(30, g),
    "clouds": lambda g: data.clouds([[0, 0], [1, 2]], 15, g),
    "three_in_a_row": lambda g: data.three_in_a_row(10, g),
}
FIXED = {
    "and_gate": data.and_gate,
    "xor_gate": data.xor_gate,
    "three_points": data.three_points,
    "orthonormal": lambda: data.orthonormal(4),
}
drawn = pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)


# --- what all have in common -------------------------------------------------------------------


@drawn
def test_the_seed_decides_the_data_and_nothing_else_is_drawn(draw):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again = draw(rng(7)), draw(rng(7))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, draw(rng(8)).X)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(
    "make",
    [*(lambda d=d: d(rng(7)) for d in DRAWN.values()), *FIXED.values()],
    ids=[*DRAWN, *FIXED],
)
def test_every_set_is_float_points_with_one_integer_label_a_row(make):
    points = make()
    assert isinstance(points, Points)
    assert points.X.dtype == np.float64
    assert points.X.ndim == 2
    assert points.y.dtype == np.int64
    assert points.y.shape == (len(points.X),)


@pytest.mark.parametrize("make", FIXED.values(), ids=FIXED)
def test_a_fixed_set_is_a_fresh_copy_every_time(make):
    make().X[:] = 99.0
    assert not (make().X == 99.0).any(), "changing one copy must not change the next"


# --- gates and small sets ----------------------------------------------------------------------


def test_the_gates_are_the_truth_tables_of_and_and_xor():
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert data.and_gate().X.tolist() == data.xor_gate().X.tolist() == corners
    assert data.and_gate().y.tolist() == [1 if a and b else -1 for a, b in corners]
    assert data.xor_gate().y.tolist() == [1 if a != b else -1 for a, b in corners]


def test_the_three_points_are_those_of_the_lecture_and_separable_through_the_origin():
    near, far = data.three_points(), data.three_points(far=True)
    assert near.X.tolist() == [[-1, -1], [1, 0], [-1, 1.5]]
    assert far.X.tolist() == [[-1, -1], [1, 0], [-1, 10]]
    assert near.y.tolist() == far.y.tolist() == [1, -1, 1]
    assert certify(*near, bias=False).separable
    assert certify(*far, bias=False).separable


@pytest.mark.parametrize("d", [1, 2, 5])
def test_orthonormal_points_are_orthonormal_positive_and_have_margin_one_over_root_d(d):
    X, y = data.orthonormal(d)
    assert np.array_equal(X @ X.T, np.eye(d))
    assert y.tolist() == [1] * d
    assert np.isclose(max_margin(X, y, bias=False).margin, 1 / np.sqrt(d))


# --- separable ---------------------------------------------------------------------------------


@many_seeds
@pytest.mark.parametrize(
    ("n", "d", "margin"), [(2, 1, 0.4), (30, 2, 0.0), (50, 3, 0.2), (9, 8, 0.1)]
)
def test_separable_keeps_its_promises(seed, n, d, margin):
    X, y = data.separable(n, d, rng(seed), margin=margin)
    assert X.shape == (n, d)
    assert set(y.tolist()) == {-1, 1}, "both labels must occur"
    assert np.abs(X).max() <= 1, "the points must lie in the cube"
    assert certify(X, y).check(X, y), "the set must be separable"
    assert max_margin(X, y).margin >= margin - 1e-12, "the widest street is at least as wide"


@many_seeds
def test_the_widest_margin_is_refused_or_delivered_even_for_two_points(seed):
    for k in range(10):
        X, y = data.separable(2, 2, rng(100 * seed + k), margin=0.4999)
        assert np.linalg.norm(X[0] - X[1]) >= 2 * 0.4999
        assert sorted(y.tolist()) == [-1, 1]


# --- clouds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "share", "positive"), [(10, 0.5, 5), (10, 0.3, 3), (200, 0.05, 10)])
def test_two_clouds_have_the_share_asked_for(n, share, positive):
    X, y = data.two_clouds(n, rng(1), share=share, d=3)
    assert X.shape == (n, 3)
    assert (y == 1).sum() == positive
    assert (y == -1).sum() == n - positive
    assert data.two_clouds(2, rng(7)).y.tolist() == [1, -1], "two points are enough"
    assert data.with_outliers(n, rng(1), outliers=0).X.shape == (n, 2), "as are no outliers"
    assert data.two_clouds(n, rng(1), distance=0.0).X.shape == (n, 2)
    assert data.clouds([[1, 2]], 2, rng(1), spread=0).X.tolist() == [[1, 2], [1, 2]]


def test_two_clouds_are_round_of_variance_one_and_their_centres_as_far_apart_as_asked():
    X, y = data.two_clouds(40_000, rng(1), distance=5.0, d=2)
    plus, minus = X[y == 1], X[y == -1]
    assert np.allclose(plus.mean(axis=0), [2.5, 0], atol=0.04)
    assert np.allclose(minus.mean(axis=0), [-2.5, 0], atol=0.04)
    assert np.allclose(np.cov(plus.T), np.eye(2), atol=0.05)
    assert np.allclose(np.cov(minus.T), np.eye(2), atol=0.05)


def test_clouds_stand_around_their_centres_in_order():
    centres = np.array([[0, 0, 0], [9, 0, 1], [0, 9, 2]])
    X, y = data.clouds(centres, 4_000, rng(1), spread=0.5)
    assert y.tolist() == sorted(y.tolist())
    assert np.bincount(y).tolist() == [4_000] * 3
    for k, centre in enumerate(centres):
        assert np.allclose(X[y == k].mean(axis=0), centre, atol=0.05)
        assert np.allclose(X[y == k].std(axis=0), 0.5, atol=0.03)


@many_seeds
def test_three_in_a_row_have_equally_spaced_means_on_the_diagonal(seed):
    X, y = data.three_in_a_row(12, rng(seed))
    means = [X[y == k].mean(axis=0) for k in range(3)]
    assert np.bincount(y).tolist() == [12, 12, 12]
    assert np.allclose(means, [[-4, -4], [0, 0], [4, 4]], atol=1e-12)
    assert X.std() > 0.5, "they must still be clouds"
    X, y = data.three_in_a_row(1000, rng(seed))
    assert np.allclose([X[y == k].std(axis=0) for k in range(3)], 0.8, rtol=0.1)


# --- circle and outliers -----------------------------------------------------------------------


@many_seeds
@pytest.mark.parametrize("radius", [0.3, 0.8, 1.2])
def test_circle_labels_tell_inside_from_outside(seed, radius):
    X, y = data.circle(60, rng(seed), radius=radius)
    assert X.shape == (60, 2)
    assert np.abs(X).max() <= 1
    for x, label in zip(X, y, strict=True):
        assert label == (1 if np.hypot(*x) < radius else -1)


@many_seeds
def test_outliers_come_last_positive_and_far_on_the_right_side(seed):
    X, y = data.with_outliers(40, rng(seed), outliers=6)
    assert X.shape == (46, 2)
    assert y[-6:].tolist() == [1] * 6
    assert (X[-6:, 0] > 10).all(), "they must be right by far for the line x1 = 0"
    assert np.linalg.norm(X[:-6], axis=1).max() < 10, "nothing else is far out"


# --- bad input ---------------------------------------------------------------------------------

BAD_CALLS = [
    (lambda: data.load("mnist"), "name", "'breast_cancer', 'penguins', 'haberman'"),
    (lambda: data.separable(9, 2, rng(1), margin=0.5), "margin", "below 0.5"),
    (lambda: data.two_clouds(9, rng(1), share=0.01), "share", "leaves a class empty"),
    (lambda: data.two_clouds(9, rng(1), share=1.0), "share", "leaves a class empty"),
]


@pytest.mark.parametrize(("call", "argument", "reason"), BAD_CALLS)
def test_bad_input_is_refused_with_one_sentence(call, argument, reason):
    assert_one_sentence(call, argument, reason)


def test_data_say_how_many_points_there_are_of_each_class():
    assert repr(data.three_points()) == "Points(points 3 × 2; labels -1: 1, +1: 2)"


# --- real data ----------------------------------------------------------------------------------

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


def test_real_data_say_how_many_points_there_are_of_each_class():
    iris = "RealData(points 150 × 4; classes setosa: 50, versicolor: 50, virginica: 50)"
    assert repr(data.load("iris")) == iris
    assert "<td" in data.load("iris")._repr_html_()


def test_without_scikit_learn_it_is_said_who_carries_the_data(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match="sklearn"):
        data.load("iris")
    assert len(data.load("penguins").y) == 342, "linlib carries this one"
