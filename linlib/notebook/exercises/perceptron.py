"""The exercises of the lecture on the perceptron."""

from linlib.notebook.exercises.form import exercise, tried

update = exercise(
    "update",
    tries=[
        tried(
            "update(np.array([0, 0, 0]), np.array([1, 1]), 1)",
            hint="On a mistake add the signed row, y times (1, x).",
        ),
        tried("update(np.array([1, 1, 1]), np.array([1, 0]), -1)"),
        tried("update(np.array([-1, 1, 1]), np.array([1, 1]), 1)"),
    ],
    answer="""
def update(w, x, y):
    z = y * np.array([1, *x])
    return w + z if w @ z <= 0 else w
""",
    wrong={
        "A product of 0 is a mistake too: the rule asks for > 0, so it updates on ≤ 0.": """
def update(w, x, y):
    z = y * np.array([1, *x])
    return w + z if w @ z < 0 else w
""",
        "The label is missing: add the signed row, y times (1, x).": """
def update(w, x, y):
    return w + np.array([1, *x])
""",
        "y times the score is −2: a mistake.": """
def update(w, x, y):
    z = np.array([1, *x])
    return w + y * z if w @ z <= 0 else w
""",
        "Only mistakes change the weights; this point is right already.": """
def update(w, x, y):
    return w + y * np.array([1, *x])
""",
    },
)


worst_order = exercise(
    "worst_order",
    tries=[
        tried(
            "worst_order(*data.and_gate())",
            hint="Begin at 0, and add the whole row with the lowest product.",
        ),
        tried(
            "worst_order(np.array([[2.0], [-1.0], [3.0]]), np.array([1, -1, 1]))",
            hint="This sample has one feature: how many weights are there?",
        ),
    ],
    answer="""
def worst_order(X, y):
    Z = signed_rows(X, y)
    w = 0 * Z[0]
    while (Z @ w).min() <= 0:
        w = w + Z[(Z @ w).argmin()]
    return w
""",
    wrong={
        "These are the weights of the cyclic order: compare all products before each update.": """
def worst_order(X, y):
    return pla(X, y).weights
""",
        "No update was made. At weights 0 every product is 0, and 0 is a mistake.": """
def worst_order(X, y):
    Z = signed_rows(X, y)
    w = 0 * Z[0]
    while (Z @ w).min() < 0:
        w = w + Z[(Z @ w).argmin()]
    return w
""",
    },
)


QUESTIONS = [update, worst_order]
