"""The exercises of the lecture on more than two classes."""

from linlib.notebook.exercises.form import exercise, tried

decide = exercise(
    "decide",
    tries=[
        tried("decide(np.array([[0, 1, 0], [0, 0, 2], [1, -1, -1]]), np.array([1, 1]))"),
        tried("decide(np.array([[0, 1, 0], [5, 0, 2], [-9, 9, 0]]), np.array([1, -1]))"),
    ],
    answer="def decide(W, x): return (W @ [1, *x]).argmax()",
    wrong={
        "Class 0 has a positive score too, but not the largest: in a linear machine the "
        "largest score wins.": "def decide(W, x): return np.flatnonzero(W @ [1, *x] > 0)[0]",
        "Classes are numbered from 0; or was it the smallest score?": """
def decide(W, x):
    return 1 + (W @ [1, *x]).argmax()
""",
        "The offsets are missing: each row begins with one, so let x begin with 1.": """
def decide(W, x):
    return (W[:, 1:] @ x).argmax()
""",
    },
)


ambiguous_shares = exercise(
    "ambiguous_shares",
    tries=[
        tried(
            "ambiguous_shares(np.array([[0, 3], [1, 3], [3, -2], [3, -1], [-3, -2], [-3, "
            "-1]]), np.array([0, 0, 1, 1, 2, 2]), np.array([[0, 0], [0, 1], [0, 9], [5, "
            "5], [-5, 5], [0, -9]]))",
            hint="one_vs_rest(X, y, pla) is a scheme; scheme.ambiguous(grid) tells which "
            "places are in doubt: take the mean.",
        ),
    ],
    answer="""
def ambiguous_shares(X, y, grid):
    schemes = one_vs_rest(X, y, pla), one_vs_one(X, y, pla)
    return [scheme.ambiguous(grid).mean() for scheme in schemes]
""",
    wrong={
        "These are the shares of max_margin: hand pla over as the learner.": """
def ambiguous_shares(X, y, grid):
    schemes = one_vs_rest(X, y, max_margin), one_vs_one(X, y, max_margin)
    return [scheme.ambiguous(grid).mean() for scheme in schemes]
""",
        "The other way round: first against the rest, then in pairs.": """
def ambiguous_shares(X, y, grid):
    schemes = one_vs_one(X, y, pla), one_vs_rest(X, y, pla)
    return [scheme.ambiguous(grid).mean() for scheme in schemes]
""",
    },
)


QUESTIONS = [decide, ambiguous_shares]
