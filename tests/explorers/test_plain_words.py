"""What explorers say is read as a person reads it, in some hundred random states of each.

No zero that rounding made, no "1 points", no "584 of 100", no two numbers that look alike and are
called different. ``python -m tests.explorers.test_plain_words 5000`` reads more of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from linlib import Hyperplane, explorers
from linlib.explorers.kit.sentences import beside, brief, from_to, out_of, rounded, vector
from tests.helpers.states import KINDS, fill, states

THINGS = "point|mistake|step|update|error|penguin|row|pass|time|Newton step"
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# What is wrong in whichever sentence it stands.
NEVER = {
    "a zero that has a minus": r"[−-]0(?![.\d])",
    "a number as programs write it": r"\d[eE][-+]?\d|\bnan\b|\binf\b",
    "one thing as if it were several": rf"(?<![\d.,·−])(?<!of )1 ({THINGS})(e?s)\b",
    "several things as if they were one": rf"(?<![\d.])(0|[2-9]|\d\d+) ({THINGS})\b",
    "several of one thing": rf"\bof 1 ({THINGS})s\b",
    "several that is": r"(?<![\d.])(0|[2-9]|\d\d+) of (\d\d+|[2-9]) \w+ is\b",
    "one that are": r"(?<![\d.])1 of \d+ \w+ are\b",
    "a line whose normal vector is 0": r"w = \(0, 0\)",
    "a change from a number to itself": r"from ([\d.·⁻⁰¹²³⁴⁵⁶⁷⁸⁹−]+) to \1(?=[ ,;]|\.$|\. )",
    "a growth, or a decay, by 1": r"multiplies the error by −?1( in the long run)?(;|\.(?!\d))",
    "a bound that is once as far": r"(?<![\d.])1 times\b",
    "a right angle beside the line": r"(positive|negative) side: .* angle to w 90°",
    "a score of 0 beside the line": r"(positive|negative) side: score 0,",
}
# A loss may be as small as it likes: near a minimum it is the square of what is small already.
LOSSES = r"(loss|to|‖w‖² =|makes) [\d.]+(·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)"


def sentences(explorer: Any) -> Iterator[str]:
    """Yield everything that stands in words beside and in the pictures of an explorer."""
    scene = explorer.canvas.scene
    yield scene["text"]
    yield scene["task"]
    if scene["card"]:
        yield scene["card"]["words"]
    for control in scene["controls"]:
        yield str(control.get("words", ""))
    for panel in scene["panels"]:
        yield from (panel["title"], panel["xlabel"], panel["ylabel"])
        yield from (item["text"] for item in panel["drawables"] if item["kind"] == "text")


def value_of(words: str) -> float:
    """Return the value of a number as it is printed."""
    digits, raised, power = words.replace("−", "-").rpartition("10⁻" if "10⁻" in words else "10⁺")
    if not raised:
        return float(power)
    factor = {"": 1.0, "-": -1.0}.get(digits) or float(digits.removesuffix("·"))
    return factor * 10.0 ** -int(power.translate(RAISED))


def misread(explorer: Any) -> list[str]:
    """Return what a reader of these sentences would stumble over."""
    found = []
    for words in sentences(explorer):
        for what, pattern in NEVER.items():
            if match := re.search(pattern, words):
                found.append(f"{what}, {match[0]!r}, in {words!r}")
        for part, total in re.findall(r"(?<![\d.])(\d+) of (\d+)", words):
            if int(part) > int(total):
                found.append(f"{part} of {total}, in {words!r}")
        for power in re.findall(r"10(⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", re.sub(LOSSES, "", words)):
            if int(power.translate(RAISED)) < -9:
                found.append(f"rounding called a number, in {words!r}")
        found += _limit(words)
    return found + _verdict(explorer)


def _limit(words: str) -> list[str]:
    """The step size is above, below or exactly the limit in the digits that are shown."""
    match = re.search(r"η = (\S+):.*η is (above|below|exactly) 2/λmax = (\S+?)[,:.]?(?= |$)", words)
    if not match:
        return []
    step, where, limit = value_of(match[1]), match[2], np.inf
    if "∞" not in match[3]:
        limit = value_of(match[3])
    shown = "exactly" if step == limit else "above" if step > limit else "below"
    return [] if shown == where else [f"{where}, but {match[1]} and {match[3]} are shown"]


def _verdict(explorer: Any) -> list[str]:
    """A challenge is done exactly where the numbers on its card say so."""
    card = explorer.canvas.scene["card"]
    if not card:
        return []
    words, shown = card["words"], None
    if match := re.fullmatch(r"the score is (\S+), the distance (\S+)\.", words):
        shown = value_of(match[1]) >= 5 and value_of(match[2]) <= 1
    if match := re.fullmatch(r"([\d.]+) % in doubt, (\d+) points? wrong\.", words):
        shown = value_of(match[1]) >= 10 and match[2] == "0"
    if match := re.fullmatch(r"(\d+) mistakes?; 100 (are|were) asked for\.", words):
        shown = int(match[1]) >= 100
    if match := re.fullmatch(r"your line makes (\d+) errors?, LDA makes (\d+) .*", words):
        shown = int(match[1]) < int(match[2])
    if shown is None or shown == card["done"]:
        return []
    return [f"{card['goal']!r} is {'' if card['done'] else 'not '}done, and says {words!r}"]


def read(kind: str, number: int, seed: int) -> Iterator[str]:
    """Drive an explorer through random states and challenges; yield what is misread."""
    for explorer in states(kind, number, seed):
        yield from misread(explorer)


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_stumbles(kind: str) -> None:
    found = list(read(kind, 50, seed=11))
    assert not found, f"{len(found)} of 50 states:\n" + "\n".join(found[:5])


# ---- what was said once


def test_an_offset_that_only_rounding_keeps_from_0_is_0() -> None:
    classes = explorers.GaussianExplorer("same shape")
    assert "and w₀ = 0." in classes.text
    line = explorers.HyperplaneExplorer([0.1, 0.7], 0.0)
    line.move("offset", 0.7, -0.1)
    assert "and w₀ = 0: the line is shifted by 0 along w" in line.text


def test_a_street_that_a_point_widens_is_wider_in_the_digits_shown() -> None:
    explorer = explorers.MarginExplorer(penalty=0.001)
    assert "street is 1.59 wide" in explorer.text
    h = explorer.hyperplane
    explorer.move("p6", *(explorer.X[6] + explorer.y[6] * h.w / h.norm))
    assert "street is 1.591 wide" in explorer.text


def test_no_street_is_found_where_the_best_w_is_0_but_for_the_gap() -> None:
    explorer = explorers.MarginExplorer(penalty=10.0)
    right = [0.4945, -2.2768, 0.6276, 3.611, 3.4435, 1.4416]
    right += [-2.1573, -1.1584, 3.7496, -1.1571, 2.5339, -1.86]
    up = [-24, -27, 33, -13, -14, -20, -32, -17, 35, -7, -23, -26]
    signs = [-1, -1, -1, 1, -1, 1, 1, 1, 1, -1, -1, -1]
    fill(explorer, np.column_stack([right, np.array(up) / 10_000]), signs)
    assert 0 < np.linalg.norm(explorer.fit.weights[1:]) < 1e-6
    assert "the best w is zero" in explorer.text
    assert "plus λ/2 ‖w‖² = 0 makes" in explorer.text


def test_a_challenge_that_is_met_asks_for_nothing_more() -> None:
    curve = explorers.GaussianExplorer("same shape")
    curve.challenge.value = "a parabola"
    mean = curve.shapes[1].mean
    curve.move("wide1", mean[0] - 0.8, mean[1] + 1.2)
    card = curve.card()
    assert (card.done, card.words) == (
        True,
        "it is a parabola: the log odds curve in one direction only.",
    )
    penguins = explorers.LineExplorer()
    penguins.move("from", 31, 13)
    penguins.move("to", 60, 22)
    assert penguins.card().words == "nobody is on the wrong side."


def test_a_line_is_no_parabola_though_nothing_of_it_is_curved() -> None:
    curve = explorers.GaussianExplorer("same shape")
    curve.challenge.value = "a parabola"
    assert (curve.card().words, curve.card().done) == ("it is a line, not a parabola.", False)


def test_a_descent_that_stands_still_took_no_weights_anywhere() -> None:
    explorer = explorers.DescentExplorer(loss="perceptron")
    explorer.pick.value = "one by one"
    explorer.move("start", 3.0, 2.0)
    explorer.to_end()
    assert "120 steps left the weights at (3, 2) and the loss at 0;" in explorer.text


def test_a_hair_beside_a_limit_is_seen() -> None:
    assert [beside(v, 10) for v in (9.996, 10.0, 10.0004)] == ["9.996", "10", "10.0004"]
    assert beside(10 + 1e-7, 10) == "hardly more than 10"
    assert beside(-1.0000004, -1) == "hardly less than −1"
    assert beside(10 * (1 + 1e-12), 10) == "10", "two numbers that only rounding keeps apart"
    assert beside(0.99999, np.inf) == "1"
    assert from_to(2.00004, 2.00001) == "from 2.00004 to 2.00001"


def test_rounding_is_judged_beside_what_was_added_up() -> None:
    tiny = 0.1 + 0.2 - 0.3
    assert (brief(tiny, of=0.3), rounded(tiny, of=0.3), brief(tiny)) == ("0", "0", "5.55·10⁻¹⁷")
    assert brief(3e-10, of=1.0) == "3·10⁻¹⁰", "a number that the decimals of a place can make"


def test_one_is_and_many_are() -> None:
    said = [out_of(1, 1, "point"), out_of(1, 69, "penguin"), out_of(2, 2, "row")]
    assert said == ["1 of 1 point is", "1 of 69 penguins is", "2 of 2 rows are"]


def test_a_vector_that_is_not_0_does_not_look_like_it() -> None:
    assert vector([0.0001, -0.00005]) == "(0.0001, −0.00005)"
    assert vector([1e-17, 3.0]) == "(0, 3)"


def test_the_angle_between_lines_that_are_nearly_parallel_keeps_its_digits() -> None:
    truth = Hyperplane([1.0, 0.0], 0.0)
    line = explorers.PredictLine("Where?", [[0, 0], [1, 1]], [1, -1], lambda: truth)
    line.move("from", 0.5, -0.25)
    line.move("to", 0.5001, 1.25)  # by an angle whose tangent is 1/15,000
    line.commit()
    assert "Your line is 0.00382° off" in line.text


if __name__ == "__main__":
    for name in KINDS:
        wrong = list(read(name, int(sys.argv[1]), seed=7))
        print(f"{name}: {len(wrong)} of {sys.argv[1]}", *wrong[:5], sep="\n  ", flush=True)
