"""How time grows with the number of rows, features and classes, and with 1/margin."""

import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import Perceptron

from bench.contest import Part
from bench.report import duration, figure
from bench.samples import gaussians, two_classes
from linlib import averaged, certify, fit_lda, fit_qda, linear_machine, lms, one_vs_rest, pla

TITLE = "Growth"
NOTE = (
    "Time against one quantity at a time, the others fixed; the exponent p of time ∝ quantityᵖ is "
    "a least-squares line through the logarithms of the larger half. Best of three runs each."
)
ALT = (
    "Four log-log panels of seconds against rows, features, classes and one over the margin. "
    "Time grows about linearly in the rows and with the exponents of the table in the others; as "
    "the margin narrows and mistakes multiply, linlib's perceptron rises faster than its rival."
)
found: dict[str, dict[str, tuple[list[float], list[float]]]] = {}


def run(quick: bool) -> Part:
    """Measure the four panels and fit their exponents."""
    warnings.simplefilter("ignore")
    small = [1, 2] if quick else [1, 2, 4, 8, 16]
    unit = 100 if quick else 2000
    found.clear()
    found["rows n (d = 20)"] = {
        "averaged, 10 passes": _curve([unit * k for k in small], lambda n: _averaged(n, 20)),
        "lms, 100 passes": _curve([unit * k for k in small], lambda n: _lms(n, 20)),
        "fit_lda": _curve([unit * k for k in small], lambda n: _lda(n, 20, 3)),
        "fit_qda": _curve([unit * k for k in small], lambda n: _qda(n, 20, 3)),
        "certify": _curve([unit * k for k in small], lambda n: _certify(n, 20)),
    }
    n = 400 if quick else 4000
    found[f"features d (n = {n})"] = {
        "averaged, 10 passes": _curve([8 * k for k in small], lambda d: _averaged(n, d)),
        "lms, 100 passes": _curve([8 * k for k in small], lambda d: _lms(n, d)),
        "fit_lda": _curve([8 * k for k in small], lambda d: _lda(n, d, 3)),
        "fit_qda": _curve([8 * k for k in small], lambda d: _qda(n, d, 3)),
        "certify": _curve([8 * k for k in small], lambda d: _certify(n, d)),
    }
    found[f"classes K (n = {n}, d = 20)"] = {
        "fit_lda": _curve([2 * k for k in small], lambda k: _lda(n, 20, k)),
        "fit_qda": _curve([2 * k for k in small], lambda k: _qda(n, 20, k)),
        "one_vs_rest, averaged": _curve([2 * k for k in small], lambda k: _rest(n, 20, k)),
        "linear machine": _curve([2 * k for k in small], lambda k: _machine(n, 20, k)),
    }
    n = 400 if quick else 10_000
    found[f"1/margin (n = {n}, d = 10)"] = {
        "pla": _curve([8 * k for k in small], lambda m: _pla(n, 10, 1 / m)),
        "scikit-learn": _curve([8 * k for k in small], lambda m: _theirs(n, 10, 1 / m)),
    }
    return Part(note=NOTE, markdown=_table())


def _table() -> str:
    lines = ["| against | exponents |", "|---|---|"]
    for panel, curves in found.items():
        parts = [f"{name} {exponent(*curve):.1f}" for name, curve in curves.items()]
        lines.append(f"| {panel} | {', '.join(parts)} |")
    return "\n".join([*lines, "", _margins(), "", f"![{ALT}](growth.png)"])


def _margins() -> str:
    """Return how the perceptron compares at the widest and at the narrowest margin."""
    curves = next(curves for panel, curves in found.items() if panel.startswith("1/margin"))
    (sizes, ours), (_, theirs) = curves["pla"], curves["scikit-learn"]
    parts = (
        f"at a margin of σ/{sizes[k]} scikit-learn takes {figure(theirs[k] / ours[k])} times as "
        f"long as pla ({duration(ours[k])})"
        for k in (0, -1)
    )
    return f"From one end to the other: {'; '.join(parts)}."


def exponent(sizes: list[float], seconds: list[float]) -> float:
    """Return the slope of the logarithms over the larger half of the sizes."""
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    return float(np.polyfit(np.log(sizes[half:]), np.log(seconds[half:]), 1)[0])


def _curve(sizes, task):
    seconds = []
    for size in sizes:
        job = task(size)
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            job()
            times.append(time.perf_counter() - begin)
        seconds.append(min(times))
    return list(sizes), seconds


def _averaged(n, d):
    X, y = two_classes(n, d, 0.1)
    return lambda: averaged(X, y, max_passes=10)


def _lms(n, d):
    X, y = two_classes(n, d, 0.1)
    X = X / 20
    return lambda: lms(X, y, step=0.1 / d, max_passes=100)


def _lda(n, d, k):
    X, y = gaussians(n, d, k)
    return lambda: fit_lda(X, y)


def _qda(n, d, k):
    X, y = gaussians(n, d, k)
    return lambda: fit_qda(X, y, penalty=1e-3)


def _certify(n, d):
    X, y = two_classes(n, d, 0.1)
    return lambda: certify(X, y)


def _rest(n, d, k):
    X, y = gaussians(n, d, k)
    return lambda: one_vs_rest(X, y, lambda X, y: averaged(X, y, max_passes=5))


def _machine(n, d, k):
    X, y = gaussians(n, d, k)
    return lambda: linear_machine(X, y, learner="least_squares")


def _pla(n, d, margin):
    X, y = two_classes(n, d, margin)
    return lambda: pla(X, y, max_updates=1_000_000)


def _theirs(n, d, margin):
    X, y = two_classes(n, d, margin)
    passes = pla(X, y, max_updates=1_000_000).passes
    return lambda: Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)


def draw(folder: Path) -> None:
    """Draw what was found."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]
    markers = "osD^v"
    names = list(dict.fromkeys(name for curves in found.values() for name in curves))
    style = {
        name: (colours[i % 5], markers[i % 5], "-" if i < 5 else "--")
        for i, name in enumerate(names)
    }
    figure, axes = plt.subplots(2, 2, figsize=(11, 8.5), layout="constrained")
    for ax, (panel, curves) in zip(axes.flat, found.items(), strict=True):
        for name, (sizes, seconds) in curves.items():
            colour, marker, line = style[name]
            label = f"{name}: {exponent(sizes, seconds):.1f}"
            ax.loglog(sizes, seconds, color=colour, marker=marker, linestyle=line, label=label)
        ticks = next(iter(curves.values()))[0]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.xaxis.minorticks_off()
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * (high / low) ** (0.16 * len(curves)))  # room for the legend
        ax.set_xlabel(panel, fontsize=13)
        ax.set_ylabel("seconds", fontsize=13)
        ax.grid(alpha=0.3)
        ax.legend(title="exponent", fontsize=11, title_fontsize=11, loc="upper left")
    figure.savefig(folder / "growth.png", dpi=100, metadata={"Software": None})
    plt.close(figure)
