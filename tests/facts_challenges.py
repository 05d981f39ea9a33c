"""What the explorers say of challenges and predictions, recomputed."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from tests.facts import Facts, by_lda, naive_run, rows_of, separable, sorted_by, whole

DONE = "Done, and certified."


def challenged(explorer: Any) -> str:
    """Return the challenge in words, and how far the reader is; nothing where there is none."""
    card = explorer.canvas.scene["card"]
    done = f" {DONE}" if card and card["done"] else ""
    return f"{card['goal']}: {card['words']}{done}" if card else ""


def challenge(explorer: Any) -> list[str]:
    """Check the counter of the chosen challenge, and that it is done exactly when it is."""
    said = challenged(explorer)
    if not said:
        return []
    judge = JUDGES[explorer.challenge.value]
    return [f"challenge: {wrong} in {said!r}" for wrong in judge(explorer, explorer.text, said)]


def _expect(said: str, words: str, done: bool | None) -> list[str]:
    wrong = [] if words in said else [f"lacks {words!r}"]
    if done is not None and (DONE in said) != done:
        wrong.append("is done" if done else "is not done")
    return wrong


def _mistakes(explorer: Any, sentence: str, said: str) -> list[str]:
    number = len(explorer.X)
    if number > 4 or not number:
        return _expect(said, "one to four are allowed.", False)
    _, mistakes, _, ended = naive_run(rows_of(explorer), explorer.order.value, 7, 1000)
    if not ended:
        return _expect(said, "the run must end", False)
    return _expect(
        said,
        f"{len(mistakes)} mistake{'' if len(mistakes) == 1 else 's'}; 100 ",
        len(mistakes) >= 100,
    )


def _sorted(explorer: Any, sentence: str, said: str) -> list[str]:
    ways, X, y = sorted_by(explorer), explorer.X, explorer.y
    most = 0 if separable(whole(X), y.tolist(), True) else by_lda(X, y) - 1
    done = ways is not None and min(map(len, ways)) <= most
    return _expect(said, "on the wrong side" if not most else "your line makes", done)


def _wrong_and_right(explorer: Any, sentence: str, said: str) -> list[str]:
    X, y, bias = explorer.X, explorer.y.tolist(), explorer.bias
    if len(X) < 2:
        return _expect(said, "there must be points.", False)
    spots = [[*x, 0][:2] for x in whole(X)]
    if not separable(spots, y, bias):
        return _expect(said, "no perceptron gets these points right.", False)
    Z = np.column_stack([np.ones(len(X)), X] if bias else [X]) * explorer.y[:, None]
    # At least squares of rows that all should score 1; in the span of the rows alone.
    agreement = Z @ np.linalg.lstsq(Z, np.ones(len(Z)), rcond=1e-9)[0]
    if (np.abs(agreement) < 1e-5).any():
        return []  # too near to call
    number = int((agreement < 0).sum())
    words = f"least squares gets {number or 'no'} point{'' if number < 2 else 's'} wrong, "
    rows = [[10_000, x[0]] if bias else list(x) for x in spots]
    signed = [[int(label) * v for v in row] for row, label in zip(rows, y, strict=True)]
    ended = naive_run(signed, "cyclic", 7, 10_000)[3] if number else None
    return _expect(said, words, ended if number else False)


def _by_sentence(words: str) -> Any:
    """Return a judge for what the sentence, which has its own facts, says already."""
    return lambda explorer, sentence, said: _expect(said, "", words in sentence)


def _sure_but_near(explorer: Any, sentence: str, said: str) -> list[str]:
    w = [Fraction(v, 10_000) for v in whole(explorer.w)]
    if not any(w):
        return _expect(said, "there must be a line.", False)
    x = [Fraction(v, 10_000) for v in whole(explorer.point)]
    score = w[0] * x[0] + w[1] * x[1] + Fraction(round(explorer.w0 * 10**8), 10**8)
    # The distance is at most 1 where the squared score is at most that of w's length.
    done = score >= 5 and score**2 <= w[0] ** 2 + w[1] ** 2
    near = abs(float(score) - math.hypot(*map(float, w))) < 1e-8
    return _expect(
        said, "the score is", None if near and score**2 != w[0] ** 2 + w[1] ** 2 else done
    )


def _right_in_doubt(explorer: Any, sentence: str, said: str) -> list[str]:
    found = re.search(r"Pair by pair: (.+? %) of the square.*?, (\d+) wrong\.", sentence, re.I)
    if not found or len(set(explorer.y.tolist())) < 3:
        return _expect(said, "three classes must be learned pair by pair.", False)
    share, wrong = found[1], int(found[2])
    share = said.split(": ")[-1].split(" in doubt")[0] if "10 %" in share else share
    done = (
        None if share == "10 %" else not wrong and "under" not in share and float(share[:-2]) > 10
    )
    words = f"{share} in doubt, {wrong} point{'' if wrong == 1 else 's'} wrong."
    return _expect(said, words, done)


JUDGES = {
    "sure but near": _sure_but_near,
    "right in doubt": _right_in_doubt,
    "sort them": _sorted,
    "a hundred mistakes": _mistakes,
    "wrong and right": _wrong_and_right,
    "a free offset": _by_sentence("Its offset is not unique"),
    "no minimum": _by_sentence("(quasi-complete separation)"),
    "a parabola": _by_sentence("QDA's boundary is a parabola"),
    "no boundary": _by_sentence("QDA has no boundary"),
}


def prediction(explorer: Any) -> list[str]:
    """Check how far a committed line is off: angle, distance at the middle, points between."""
    facts = Facts(explorer)
    if not explorer.committed:
        facts.says("Predict first.")
        return facts.wrong
    ends = [[Fraction(v, 10_000) for v in spot] for spot in whole(explorer.ends)]
    way = [b - a for a, b in zip(*ends, strict=True)]
    mine = [-way[1], way[0]]
    mine.append(-(mine[0] * ends[0][0] + mine[1] * ends[0][1]))
    true = [Fraction(str(v)) for v in (*explorer.truth().w.tolist(), explorer.truth().w0)]
    turn = math.atan2(
        float(mine[0] * true[1] - mine[1] * true[0]), float(mine[0] * true[0] + mine[1] * true[1])
    )
    angle = abs(math.degrees(turn))
    facts.number("Your line is #° off", min(angle, 180 - angle), slack=1e-6, digits=1)
    spots = [[Fraction(v, 10_000) for v in x] for x in whole(explorer.X)]
    middle = [sum(column, Fraction(0)) / len(spots) for column in zip(*spots, strict=True)]
    feet = []
    for a, b, c in (mine, true):
        share = (a * middle[0] + b * middle[1] + c) / (a * a + b * b)
        feet.append([middle[0] - share * a, middle[1] - share * b])
    apart = math.hypot(*(float(p - q) for p, q in zip(*feet, strict=True)))
    facts.number("of the points # from the true one", apart, slack=1e-12)
    if apart == 0 and not re.search(r"points 0 from", facts.text):
        facts.wrong.append("rounding is called a distance")
    sides = [[int(np.sign(a * x + b * y + c)) for x, y in spots] for a, b, c in (mine, true)]
    other = min(sum(p != sign * q for p, q in zip(*sides, strict=True)) for sign in (1, -1))
    facts.says(f"; {other} of {len(spots)} point")
    return facts.wrong
