"""Files for a proof assistant: what they state, what is refused, and what Coq says of them."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import linlib
from linlib import data
from linlib.formal import THEORY, theory

PROOFS = Path(__file__).resolve().parents[2] / "proofs"
CLOSED = "Closed under the global context"
needs_coq = pytest.mark.needs("coqc")


def accepted(folder, text):
    """Return what Coq prints of a file, and what it complains of; '' if it accepts the file."""
    file = folder / "written.v"
    file.write_text(text, encoding="utf-8")
    command = ["coqc", file.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stdout, done.stderr


def penguins(first, second, features):
    """Return two species of penguins, by two of their features."""
    X, y = data.load("penguins")[:2]
    chosen = (y == first) | (y == second)
    return X[chosen][:, features], np.where(y[chosen] == first, 1, -1)


# ---------------------------------------------------------------- what is written


def test_the_file_of_a_run_states_its_mistakes_weights_and_bound():
    text = linlib.pla(*data.and_gate()).proof([-3, 2, 2])
    assert "[0; 3; 0; 1; 3; 1; 2; 3; 2; 3; 1; 3; 1; 2; 3; 2; 3; 1]%nat" in text
    assert "weights := [(-4); 3; 2]; updates := 18" in text
    assert "updates (run order) <= 51" in text


def test_the_length_of_the_reference_does_not_change_the_bound():
    run = linlib.pla(*data.and_gate())
    for reference in ([-3, 2, 2], [-1.5, 1, 1], [-0.3, 0.2, 0.2]):
        assert "updates (run order) <= 51" in run.proof(reference)


def test_decimals_are_written_as_they_were_typed():
    text = linlib.pla([[0.1], [0.25]], [-1, 1]).proof()
    assert "multiplied by 20" in text  # 0.1 and 0.25 are 2/20 and 5/20
    assert "[(-20); (-2)];\n    [20; 5]" in text


def test_a_run_that_has_not_stopped_states_no_bound():
    text = linlib.pla(*data.xor_gate(), max_passes=5).proof()
    assert "this_run" in text
    assert "no_run_makes_more" not in text


def test_a_certificate_states_its_multipliers():
    X, y = data.xor_gate()
    assert "multipliers : list Z := [1; 1; 1; 1]" in linlib.certify(X, y).proof(X, y)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"start": [1, 0, 0]}, "from zero weights"), ({"schedule": "1/k"}, "a constant step")],
)
def test_a_run_that_the_theorem_does_not_cover_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        linlib.pla(*data.and_gate(), **options).proof()


def test_a_reference_that_does_not_separate_is_refused():
    with pytest.raises(ValueError, match=r"^reference: its smallest product with a row is -"):
        linlib.pla(*data.and_gate()).proof([1, 1, 1])


def test_a_run_whose_floats_were_rounded_is_refused_with_the_row():
    # From zero the step cannot matter, and with step 1 there are 18 updates. In floats 0.1 + 0.2 is
    # more than 0.3, so with step 0.1 the run ends after 8, at weights that do not separate.
    run = linlib.pla(*data.and_gate(), step=0.1)
    assert run.updates == 8
    with pytest.raises(
        ValueError, match=r"^run: in exact arithmetic row \d is .* mistake at .*whole"
    ):
        run.proof()


def test_a_certificate_of_other_data_is_refused():
    verdict = linlib.certify(*data.xor_gate())
    with pytest.raises(ValueError, match="give the certified data"):
        verdict.proof(*data.and_gate())


def test_the_theory_is_the_folder_of_proofs_without_its_loading_lines():
    text = theory()
    for name in THEORY:
        for line in (PROOFS / f"{name}.v").read_text("utf-8").splitlines():
            if not re.match(r"From |Require |Import |Open Scope ", line):
                assert line in text


def test_nothing_is_assumed_or_left_out():
    for file in PROOFS.glob("*.v"):
        text = re.sub(r"\(\*.*?\*\)", "", file.read_text("utf-8"), flags=re.DOTALL)
        found = re.findall(r"\b(Axiom|Parameter|Conjecture|Admitted|admit|Abort)\b", text)
        assert found == [], f"{file.name} assumes something: {found}"


# ---------------------------------------------------------------- what Coq says


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda: linlib.pla(*data.and_gate()).proof([-3, 2, 2]), id="AND"),
        pytest.param(lambda: linlib.pla(*data.xor_gate(), max_passes=9).proof(), id="XOR, a run"),
        pytest.param(lambda: linlib.pla(*penguins(0, 2, [1, 2])).proof(), id="penguins"),
        pytest.param(lambda: certificate(data.and_gate()), id="AND, weights"),
        pytest.param(lambda: certificate(data.xor_gate()), id="XOR, multipliers"),
        pytest.param(lambda: certificate(penguins(0, 1, [0, 1])), id="penguins, multipliers"),
    ],
)
def test_coq_accepts_what_linlib_writes(tmp_path, text):
    written = text()
    printed, complaint = accepted(tmp_path, written)
    assert complaint == ""
    assert printed.splitlines() == [CLOSED] * written.count("Print Assumptions")


def certificate(points):
    return linlib.certify(*points).proof(*points)


FALSE = {
    "one weight changed": ("weights := [(-4); 3; 2]", "weights := [(-4); 3; 1]"),
    "one mistake left out": ("[0; 3; 0; 1;", "[0; 3; 1;"),
    "one update more": ("updates := 18", "updates := 19"),
    "a bound too low": ("<= 51.", "<= 50."),
    "a margin too large": ("gamma : Z := 1", "gamma : Z := 2"),
    "a radius too small": ("R2 : Z := 3", "R2 : Z := 2"),
    "another row": ("[1; 1; 1] ]", "[1; 1; (-1)] ]"),
}


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("change", FALSE)
def test_coq_refuses_a_false_run(tmp_path, change):
    text = linlib.pla(*data.and_gate()).proof([-3, 2, 2])
    old, new = FALSE[change]
    assert text.count(old) == 1, f"the file no longer has {old!r} exactly once"
    printed, complaint = accepted(tmp_path, text.replace(old, new))
    assert "Error" in complaint, f"Coq accepted a run with {change}: {printed}"


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("multipliers", ["1; 1; 1; 2", "1; 1; 1; 0", "0; 0; 0; 0", "1; 1; 1"])
def test_coq_refuses_multipliers_that_prove_nothing(tmp_path, multipliers):
    text = certificate(data.xor_gate())
    false = text.replace(
        "multipliers : list Z := [1; 1; 1; 1]", f"multipliers : list Z := [{multipliers}]"
    )
    assert false != text
    assert "Error" in accepted(tmp_path, false)[1]


# A hypothesis that is taken away, and the lemma whose proof is the first to fail.
STOLEN = {
    "the row was a mistake": (
        "In z rows -> dot z w <= 0 -> squared_length (add w z) <= squared_length w + R2",
        "In z rows -> dot z w <= 1 -> squared_length (add w z) <= squared_length w + R2",
        "length_grows_slowly",
    ),
    "no row is longer than R": (
        "forall z, In z rows -> squared_length z <= R2.\nHypothesis",
        "forall z, In z rows -> squared_length z <= R2 + 1.\nHypothesis",
        "length_grows_slowly",
    ),
    "every row has the margin": (
        "margin : forall z, In z rows -> gamma <= dot z u",
        "margin : forall z, In z rows -> gamma <= dot z u + 1",
        "alignment_grows",
    ),
    "gamma is not negative": (
        "Hypothesis gamma_not_negative : 0 <= gamma",
        "Hypothesis gamma_not_negative : -1 <= gamma",
        "squeeze",
    ),
    "zero is a mistake": (
        "is_mistake (w z : vector) : bool := dot z w <=? 0",
        "is_mistake (w z : vector) : bool := dot z w <? 0",
        "every_run",
    ),
    "start from zero": (
        "start : state := {| weights := []; updates := 0 |}",
        "start : state := {| weights := [1]; updates := 0 |}",
        "alignment_floor",
    ),
    "gamma is positive": (
        "(forall z, In z rows -> gamma <= dot z u) -> 0 < gamma ->",
        "(forall z, In z rows -> gamma <= dot z u) -> 0 <= gamma ->",
        "the_perceptron_stops",
    ),
}


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("hypothesis", STOLEN)
def test_without_a_hypothesis_the_lemma_that_uses_it_fails_first(tmp_path, hypothesis):
    old, new, lemma = STOLEN[hypothesis]
    text = theory()
    assert text.count(old) == 1, f"the proofs no longer have {old!r} exactly once"
    stolen = text.replace(old, new)
    complaint = accepted(tmp_path, stolen)[1]
    found = re.search(r"line (\d+)", complaint)
    assert found, f"Coq proves everything without it: {hypothesis}"
    above = "\n".join(stolen.splitlines()[: int(found[1])])
    assert re.findall(r"^(?:Lemma|Theorem) (\w+)", above, re.MULTILINE)[-1] == lemma
