"""Homework 7, question 6: whatever the method, an honest comparison keeps its points, others lose.

Methods, types of settings and ways to write it down make thirty honest programs. Each dishonest
one differs from an honest program in what it invents.
"""

from __future__ import annotations

from itertools import product

import pytest

from lincourse.grader.hidden import questions
from lincourse.grader.verdicts import outcomes, verdict_on

# Each gives `answers(A, labels, B, setting)`, the classes of the rows of B.
METHODS = {
    "nearest neighbours": """
def answers(A, labels, B, setting):
    return nearest(A, labels, B, 1 + 4 * strength(setting))
""",
    "shrunken means": """
def answers(A, labels, B, setting):
    classes = np.unique(labels)
    means = np.array([A[labels == c].mean(axis=0) for c in classes])
    means = means / (1 + strength(setting) * np.array([0, 3])[: len(means) % 2 + 1].sum())
    weights = np.log(np.array([np.mean(labels == c) for c in classes])) * strength(setting)
    far = ((B[:, None, :] - means[None]) ** 2).sum(axis=2) - weights
    return classes[far.argmin(axis=1)]
""",
    "ridge regression": """
def answers(A, labels, B, setting):
    add = lambda P: np.column_stack([np.ones(len(P)), P])
    D = 30.0 ** strength(setting) * np.eye(A.shape[1] + 1)
    W = np.linalg.solve(add(A).T @ add(A) + D, add(A).T @ np.eye(labels.max() + 1)[labels])
    return (add(B) @ W).argmax(axis=1)
""",
}
# A setting of each type, and the strength 0, 1, 2 or 3 that it stands for.
SETTINGS = {
    "integers": ("[0, 1, 2, 3]", "setting"),
    "decimals": ("np.array([0.5, 1.5, 2.5, 3.5])", "int(setting)"),
    "words": (
        "['none', 'some', 'more', 'much']",
        "['none', 'some', 'more', 'much'].index(setting)",
    ),
    "tuples": ("[(k, 'a') for k in range(4)]", "setting[0]"),
    "dictionaries": ("[{'k': k, 'w': None} for k in range(4)]", "setting['k']"),
}
WRITTEN = {
    "step by step": """
def compare(X, y, splits):
    settings, chosen, errors = SETTINGS, [], []
    for train, validation, test in splits:
        A, V = standardise(X[train], X[validation])
        B = standardise(X[train], X[test])[1]
        wrong = [np.mean(answers(A, y[train], V, s) != y[validation]) for s in settings]
        best = settings[int(np.argmin(wrong))]
        said = answers(A, y[train], B, best)
        chosen.append(best)
        largest = np.bincount(y[train]).argmax()
        errors.append([np.mean(y[test] != largest), np.mean(said != y[test])])
    errors = np.array(errors)
    result = duel(errors[:, 1], errors[:, 0], len(splits[0][2]), len(splits[0][0]))
    return {"settings": settings, "chosen": chosen, "errors": errors, "mean": result[0],
            "uncertainty": result[1], "counts": result[2]}
""",
    "with functions": """
def compare(X, y, splits):
    def error(train, part, setting):
        m, s = X[train].mean(axis=0), X[train].std(axis=0)
        said = answers((X[train] - m) / s, y[train], (X[part] - m) / s, setting)
        return float((said != y[part]).mean())
    settings = list(SETTINGS)
    rows, chosen = [], []
    for train, validation, test in splits:
        best = min(settings, key=lambda s: error(train, validation, s))
        values, counts = np.unique(y[train], return_counts=True)
        rows.append((float(np.mean(values[counts.argmax()] != y[test])), error(train, test, best)))
        chosen.append(best)
    d = np.array([a - b for a, b in rows])
    scale = 1 / len(d) + len(splits[0][2]) / len(splits[0][0])
    return dict(settings=tuple(settings), chosen=tuple(chosen), errors=rows, mean=d.mean(),
                uncertainty=(d.var(ddof=1) * scale) ** 0.5,
                counts=[int(sum(d > 0)), int(sum(d == 0)), int(sum(d < 0))])
""",
}


def program(method: str, settings: str, written: str) -> str:
    values, strength = SETTINGS[settings]
    helper = f"def strength(setting):\n    return {strength}\n"
    return helper + METHODS[method] + WRITTEN[written].replace("SETTINGS", values)


def verdict(answer: str) -> tuple[bool, str]:
    question = questions("hw7")["q6"]
    found = verdict_on(question, outcomes(question, answer))
    return found.passed, found.message


@pytest.mark.parametrize(("method", "settings", "written"), product(METHODS, SETTINGS, WRITTEN))
def test_an_honest_program_keeps_its_points(method: str, settings: str, written: str) -> None:
    assert verdict(program(method, settings, written)) == (True, "")


SAID = "np.mean(said != y[test])"
WRONG = "np.mean(answers(A, y[train], V, s) != y[validation])"
BEST = "best = settings[int(np.argmin(wrong))]"
DISHONEST = {
    "a column of zeros": (SAID, "0.0"),
    "labels looked up": ("said = answers(A, y[train], B, best)", "said = y[test]"),
    "chosen by the training error": (WRONG, "np.mean(answers(A, y[train], A, s) != y[train])"),
    "chosen by the test error": (WRONG, "np.mean(answers(A, y[train], B, s) != y[test])"),
    "never chosen": (BEST, "best = settings[1]"),
    "the worst is chosen": ("np.argmin(wrong)", "np.argmax(wrong)"),
    "learnt again with the validation part": (
        "said = answers(A, y[train], B, best)",
        "said = answers(np.vstack([A, V]), np.append(y[train], y[validation]), B, best)",
    ),
    "half of the errors left out": (SAID, "(said != y[test]).sum() // 2 / len(test)"),
    "the validation error reported": (SAID, "min(wrong)"),
    "the best error on the test part reported": (
        SAID,
        "min(np.mean(answers(A, y[train], B, s) != y[test]) for s in settings)",
    ),
    "scaled by all parts": (
        "B = standardise(X[train], X[test])[1]",
        "rows = np.concatenate([train, validation, test]); "
        "A, V = standardise(X[rows], X[validation]); A = A[: len(train)]; "
        "B = standardise(X[rows], X[test])[1]",
    ),
    "the baseline reported twice": (SAID, "errors and errors[-1][0] or 0.5"),
    "chosen by a coin": (BEST, "best = settings[int(X[test].sum() * 1e6) % 3]"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("what", DISHONEST)
def test_a_dishonest_program_loses_them(what: str, method: str) -> None:
    old, new = DISHONEST[what]
    honest = program(method, "integers", "step by step")
    assert old in honest
    passed, message = verdict(honest.replace(old, new))
    assert not passed
    assert message
