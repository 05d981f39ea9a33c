"""Explorer 3: both proofs that the perceptron stops, on points that can be moved."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure

from linlib.certificates import Inseparable
from linlib.checks import FloatArray, IntArray
from linlib.convergence import ProofTable, proof_table
from linlib.hyperplane import Hyperplane
from linlib.plotting import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE
from linlib.street import MaxMargin, max_margin
from linlib.widgets import scene, still
from linlib.widgets.controls import chooser
from linlib.widgets.perceptron import BUDGET, HULLS, UNIT, PerceptronExplorer
from linlib.widgets.scene import Item, Limits, brief, mark

MOST_SPOTS = 150  # of one curve; a curve that swings has up to four times as many
DASH_DOT = "9 4 2 4"
TALL, WIDE = 230.0, 195.0  # pixels: three panels fit beside each other in JupyterLab
ROOM = 1.26  # the still picture is that much larger
LOG, PLAIN = "logarithmic", "plain"
PROOFS, WEIGHTS = "both proofs", "weight space"


class ProofExplorer(PerceptronExplorer):
    """The perceptron stepper, with :func:`linlib.proof_table` drawn up to update ``k``.

    The reference is the separator whose bound is smallest, ``max_margin(..., augmented=True)``.

    >>> explorer = ProofExplorer()
    >>> explorer.to_end()
    >>> explorer.k, round(explorer.table.bound)
    (18, 51)
    >>> explorer.move("p3", 0.6, 0.6)
    >>> explorer.k, round(explorer.table.bound)
    (28, 642)
    """

    name = "Proof monitor"
    shows: ClassVar = [PROOFS, WEIGHTS, HULLS]
    seen_only: ClassVar = PerceptronExplorer.seen_only | {"scale"}

    def __init__(self, points: str = "AND") -> None:
        self.scale = chooser("Axes", [LOG, PLAIN], LOG)
        super().__init__(points, scale=self.scale)

    def refit(self) -> None:
        """Run the perceptron, and evaluate both proofs at every update of it."""
        super().refit()
        self.table: ProofTable | None = None
        self.best: MaxMargin | None = None
        if self.run and self.verdict and self.verdict.separable:
            try:
                self.best = max_margin(self.X, self.y, augmented=True, bias=self.offset.value)
                self.table = _in_units(proof_table(self.run, self.best.weights))
            except ValueError:  # a margin too small for floats: the sentence says so
                self.best = None

    def python(self) -> str:
        """Return the lines that make the run and both proofs."""
        if self.run is None:
            return self.data_alone()
        lines = super().python().rsplit("\n", 2)[0]
        bias = "" if self.offset.value else ", bias=False"
        if self.table is None:
            return f"from linlib import certify\n{lines}\ncertify(X, y{bias}), run.path[{self.k}]\n"
        return (
            f"from linlib import max_margin, proof_table\n{lines}\n"
            f"reference = max_margin(X, y, augmented=True{bias}).weights\n"
            f"table = proof_table(run, reference)\ntable.bound, run.path[{self.k}]\n"
        )

    # ---- what is seen

    def sentence(self) -> str:
        """Return the two inequalities, the potential, and the bound beside the mistakes."""
        if not self.run or not self.verdict:
            return "There are no points. Click into the picture, or press Add, to add one."
        words = self._in_words()
        return words + (self._hulls_in_words() if self.show.value == HULLS else "")

    def _in_words(self) -> str:
        assert self.run
        total = f"{self.run.updates}" if self.run.converged else f"more than {BUDGET}"
        if isinstance(self.verdict, Inseparable):
            return f"{self._made(total)} {self._never(self.verdict)}"
        if self.table is None:
            return (
                f"{self._made(total)} A line separates the points, but by a margin too small to "
                f"compute: the bound is beyond all numbers worth printing. Move a point away."
            )
        return f"{self._made(total)} {self._proofs(self.table)} {self._wall(self.table, total)}"

    def _made(self, total: str) -> str:
        endless = isinstance(self.verdict, Inseparable)
        many = f"{self.k} update{'' if self.k == 1 else 's'}"
        if endless or self.k == 0:
            return f"After {many}:" if endless else "Before the first update:"
        return f"After {self.k} of {total} updates:"

    def _never(self, verdict: Inseparable) -> str:
        spent = f", and the budget of {BUDGET} updates is spent" if self.k == BUDGET else ""
        length = mark("length", brief(float(self._lengths()[: self.k + 1].max())))
        return (
            f"there is no w*, so no bound and no end: {self._why_never(verdict)} "
            f"‖w‖ was at most {length} so far{spent}."
        )

    def _proofs(self, table: ProofTable) -> str:
        k = self.k
        chain = [table.alignment_floor[k], table.alignment[k]]
        chain += [np.sqrt(table.squared_length[k]), np.sqrt(table.length_ceiling[k])]
        names = ("kγ", "w·w*", "‖w‖", "√k R")
        drawn = ("floor", "alignment", "length", "ceiling")
        squeezed = " ≤ ".join(
            f"{name} = {mark(curve, brief(float(value)))}"
            for name, curve, value in zip(names, drawn, chain, strict=True)
        )
        begun, now = (mark("potential", brief(float(v))) for v in table.potential[[0, k]])
        fell = f"‖w − a w*‖² fell from {begun} to {now}" if k else f"‖w − a w*‖² is {begun}"
        return f"{squeezed}. {fell}; every update takes at least R² = {brief(table.least_drop)}."

    def _wall(self, table: ProofTable, total: str) -> str:
        assert self.run
        words = (
            f"With R = {brief(table.radius)} and γ = {brief(table.margin)} the bound R²/γ² is "
            f"{mark('wall', brief(table.bound))}; the run makes {total} "
            f"mistake{'' if total == '1' else 's'}"
        )
        if not (self.run.converged and self.run.updates):
            return f"{words}."
        factor = brief(table.bound / self.run.updates)
        return f"{words}: the wall is {factor} times as far."

    def panels(self) -> list[Item]:
        """Return the points, and beside them both proofs, or the first with the weights."""
        points = self._points_panel()
        if self.show.value == WEIGHTS:
            return [points, self.weights_panel(TALL), self._squeeze_panel()]
        return [points, self._squeeze_panel(), self._potential_panel()]

    @property
    def axis(self) -> _Plain:
        """How numbers become places on the axes."""
        return _Log() if self.scale.value == LOG else _Plain()

    def still(self) -> Figure:
        """Return the picture as a figure, with room for Matplotlib's larger letters."""
        shown = self.canvas.scene
        larger = [
            panel | {"size": [ROOM * length for length in panel["size"]]}
            for panel in shown["panels"]
        ]
        return still.draw(shown | {"panels": larger})

    def _points_panel(self) -> Item:
        drawn = [item for item in self._lines() if item["name"] != "old-line"]
        for item in drawn:
            if item["name"] == "line":
                item["label"] = "line of w(k)"
        if self.best and self.best.weights[-2:].any():
            h = Hyperplane.from_weights(self.best.weights, bias=self.offset.value)
            look: Item = {"colour": PURPLE, "dash": scene.DASHED, "name": "best-line"}
            drawn += scene.line(h, self.view, label="line of w*", **look)
        title = f"after {self.k} update{'' if self.k == 1 else 's'}"
        look = {"title": title, "width": TALL, "adds": True, "step": self.step_of_keys}
        under = self.hulls()[0] if self.show.value == HULLS else []
        return scene.panel(
            self.view, under + drawn + self._notes(), self.handles_of_points(), **look
        )

    def _lengths(self) -> FloatArray:
        return np.asarray(np.linalg.norm(self.path, axis=1))

    def _why_none(self, endless: str) -> str:
        """Return why there is no table: in most cases because nothing separates the points."""
        if isinstance(self.verdict, Inseparable):
            return endless
        return "the margin is too small" if self.run else "no points"

    def _squeeze_panel(self) -> Item:
        """Return kγ ≤ w(k) · w* ≤ ‖w(k)‖ ≤ √k R, whose ends meet at the bound."""
        axis, table, lengths = self.axis, self.table, self._lengths()
        names: Item = {"title": "first proof: squeeze", "width": WIDE, "height": TALL}
        names |= {"xlabel": "updates k", "ylabel": "alignment, length"}
        green: Item = {"colour": GREEN, "label": "‖w(k)‖", "name": "length"}
        if table is None:
            reach = float(max(self.run.updates if self.run else 1, 10))
            across = axis.across(reach)
            up = (0.0, 1.25 * max(float(lengths.max()), 1.0))  # a length may return to 0: no logs
            names |= {"yticks": scene.ticks(up, about=4), "ylabel": "length ‖w(k)‖"}
            drawn = self._curve(lengths, axis, upright=False, **green)
            drawn.append(_note(across, up, self._why_none("no w*: no floor, no wall")))
            return scene.panel((across, up), drawn, xticks=axis.xticks(across), **names)
        across, up = axis.across(table.bound), axis.up(table.margin, table.radius**2 / table.margin)
        drawn = self._barrier(table, across, up) + _limits(table, axis, across)
        drawn += self._curve(lengths, axis, **green)
        blue: Item = {"colour": BLUE, "dash": scene.DASHED, "label": "w(k)·w*", "name": "alignment"}
        drawn += self._curve(table.alignment, axis, **blue)
        return scene.panel((across, up), drawn, **axis.ticks(across, up), **names)

    def _potential_panel(self) -> Item:
        """Return the potential in per cent of its start, above it the slowest fall allowed."""
        axis, table = self.axis, self.table
        up: Limits = (0.0, 109.0)
        names: Item = {"title": "second proof: potential", "width": WIDE, "height": TALL}
        names |= {"xlabel": "updates k", "ylabel": "potential, % of start"}
        names["yticks"] = [[value, str(value)] for value in (0, 25, 50, 75, 100)]
        if table is None:
            across = axis.across(float(max(self.run.updates if self.run else 1, 10)))
            note = _note(across, up, self._why_none("no w*: no potential"))
            return scene.panel((across, up), [note], xticks=axis.xticks(across), **names)
        across = axis.across(table.bound)
        k = axis.samples((across[0], float(axis.of(table.bound))))
        share = 100.0 / table.potential[0]
        slowest = 100.0 - share * table.least_drop * k
        orange: Item = {"colour": ORANGE, "dash": DASH_DOT, "width": 2.0, "name": "slowest"}
        limit = np.column_stack([axis.of(k), np.maximum(slowest, 0.0)])
        drawn = self._barrier(table, across, up, named=False)
        drawn.append(scene.path(limit, label="slowest fall allowed", **orange))
        black: Item = {"label": "‖w(k) − a w*‖²", "name": "potential"}
        drawn += self._curve(share * table.potential, axis, upright=False, **black)
        return scene.panel((across, up), drawn, xticks=axis.xticks(across), **names)

    def _barrier(
        self, table: ProofTable, across: Limits, up: Limits, *, named: bool = True
    ) -> list[Item]:
        """Return the bound as a wall: nothing may happen to the right of it."""
        at = float(self.axis.of(table.bound))
        shade = scene.polygon(
            scene.corners(((at, across[1]), up)), fill=GREY, opacity=0.3, name="beyond"
        )
        look: Item = {"colour": GREY, "width": 5, "name": "wall", "label": "wall at R²/γ²"}
        drawn = [shade, scene.path([[at, up[0]], [at, up[1]]], **look)]
        if named:
            right = at > (across[0] + across[1]) / 2
            aside: Item = {
                "offset": (-8.0 if right else 8.0, 12.0),
                "anchor": "end" if right else "start",
            }
            drawn.append(
                scene.text([at, up[0]], f"R²/γ² = {brief(table.bound)}", name="bound", **aside)
            )
        return drawn

    def _curve(
        self, values: FloatArray, axis: _Plain, *, upright: bool = True, **look: object
    ) -> list[Item]:
        """Return a column of the table up to update k, and a dot at its end."""
        k = _thinned(axis.first, self.k, values)
        if not len(k):
            return []
        heights = values[k]
        xy = axis.spots(k, heights) if upright else np.column_stack([axis.of(k), heights])
        drawn = [scene.path(xy, **look)] if len(k) > 1 else []  # type: ignore[arg-type]
        colour, name = str(look.get("colour", BLACK)), str(look["name"])
        name = f"{name}-now" if drawn else name
        return [*drawn, scene.marks(xy[-1:], colour=colour, size=5, name=name)]


class _Plain:
    """Plain axes."""

    first = 0

    def of(self, values: float | FloatArray | IntArray) -> FloatArray:
        return np.asarray(values, dtype=np.float64)

    def spots(self, k: FloatArray | IntArray, heights: FloatArray) -> FloatArray:
        return np.column_stack([self.of(k), self.of(heights)])

    def across(self, reach: float) -> Limits:
        return 0.0, 1.2 * reach

    def up(self, low: float, high: float) -> Limits:
        return 0.0, 1.25 * high

    def samples(self, across: Limits) -> FloatArray:
        return np.linspace(*across, 100)

    def xticks(self, across: Limits) -> list[list[object]]:
        return [[at, brief(at)] for at, _ in scene.ticks(across, about=4)]

    def ticks(self, across: Limits, up: Limits) -> Item:
        return {"xticks": self.xticks(across), "yticks": self.xticks(up)}


class _Log(_Plain):
    """Logarithmic axes, in whole powers of ten so that they hold still while a point moves."""

    first = 1

    def of(self, values: float | FloatArray | IntArray) -> FloatArray:
        return np.log10(np.asarray(values, dtype=np.float64))

    def across(self, reach: float) -> Limits:
        return 0.0, max(4.0, float(np.ceil(np.log10(1.5 * reach))))

    def up(self, low: float, high: float) -> Limits:
        return min(-1.0, float(np.floor(np.log10(low)))), max(2.0, float(np.ceil(np.log10(high))))

    def samples(self, across: Limits) -> FloatArray:
        return np.asarray(10.0 ** np.linspace(*across, 100))

    def xticks(self, across: Limits) -> list[list[object]]:
        apart = max(1, int(np.ceil((across[1] - across[0]) / 6)))
        powers = range(int(np.ceil(across[0])), int(across[1]) + 1, apart)
        named = {-1: "0.1", 0: "1", 1: "10", 2: "100"}
        return [[float(p), named.get(p) or scene.power_of_ten(p)] for p in powers]


def _in_units(table: ProofTable) -> ProofTable:
    """Return the table of a run over whole numbers in the units of the points."""
    lengths = ("alignment", "alignment_floor", "radius", "margin")
    squares = ("squared_length", "length_ceiling", "potential", "drop", "least_drop")
    scaled = {name: getattr(table, name) / UNIT for name in lengths}
    return replace(table, **scaled | {name: getattr(table, name) / UNIT**2 for name in squares})


def _thinned(first: int, last: int, values: FloatArray) -> IntArray:
    """Return numbers of updates from first to last, not more than a curve needs.

    Where a stretch is shortened, its ends, its lowest and its highest value stay: a curve that
    swings at every update is drawn as the band it fills, not as some slower swing of the samples.
    """
    if last - first < MOST_SPOTS:
        return np.arange(first, last + 1)
    edges = np.geomspace(max(first, 1), last + 1, MOST_SPOTS).round().astype(np.int64)
    edges[0] = first
    kept = {first, last}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if high > low:
            stretch = values[low:high]
            kept |= {low, high - 1, low + int(stretch.argmin()), low + int(stretch.argmax())}
    return np.array(sorted(kept))


def _limits(table: ProofTable, axis: _Plain, across: Limits) -> list[Item]:
    """Return the table's own limits, continued: from zero weights they are kγ and √k R."""
    k = axis.samples(across)
    high: Item = {"colour": PURPLE, "dash": scene.DOTTED, "label": "√k R", "name": "ceiling"}
    low: Item = {"colour": ORANGE, "dash": DASH_DOT, "label": "kγ", "name": "floor"}
    return [
        scene.path(axis.spots(k, np.sqrt(k) * table.radius), width=2.0, **high),
        scene.path(axis.spots(k, k * table.margin), width=2.0, **low),
    ]


def _note(across: Limits, up: Limits, words: str) -> Item:
    at = [(across[0] + across[1]) / 2, up[0] + 0.88 * (up[1] - up[0])]
    return scene.text(at, words, offset=(0.0, 0.0), anchor="middle", name="note")
