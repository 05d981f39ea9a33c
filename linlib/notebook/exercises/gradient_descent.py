"""The exercises of the lecture on gradient descent."""

from linlib.notebook.exercises.form import exercise, tried

gradient = exercise(
    "gradient",
    tries=[
        tried(
            "gradient(np.array([[1, 2], [1, -1], [-1, 1]]), np.array([1, -1]))",
            hint="Each wrong row z costs −z·w: what is the gradient of that?",
        ),
        tried(
            "gradient(np.array([[1, 2], [1, -1]]), np.array([1, 0]))",
            hint="No row is wrong: the loss is flat here, in every direction.",
        ),
    ],
    answer="def gradient(Z, w): return -Z[Z @ w <= 0].sum(axis=0)",
    wrong={
        "That is the way down; the gradient points uphill.": """
def gradient(Z, w):
    return Z[Z @ w <= 0].sum(axis=0)
""",
        "A row that is right costs nothing, and adds nothing to the gradient.": """
def gradient(Z, w):
    return -Z.sum(axis=0)
""",
        "The loss is a sum over the points, not a mean.": """
def gradient(Z, w):
    return -Z[Z @ w <= 0].sum(axis=0) / len(Z)
""",
        "That is the loss itself; its gradient has a number for each weight.": """
def gradient(Z, w):
    return np.maximum(0, -Z @ w).sum()
""",
    },
)


descend = exercise(
    "descend",
    tries=[
        tried(
            "descend(np.array([[1, 2], [1, -1], [-1, 3]]), np.array([-3, 2]), "
            "np.array([0, 1, 2, 1]), 0.5)"
        ),
        tried("descend(np.array([[1, 2]]), np.array([2, -1]), np.array([0]), 1)"),
    ],
    answer="""
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        if Z[i] @ w <= 0:
            w = w + step * Z[i]
            path.append(w)
    return path
""",
    wrong={
        "The step is missing: add step times the row.": """
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        if Z[i] @ w <= 0:
            w = w + Z[i]
            path.append(w)
    return path
""",
        "Correct a row only if it is wrong; a row that is right costs nothing.": """
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        w = w + step * Z[i]
        path.append(w)
    return path
""",
        "Keep the weights after each correction, not after each visit.": """
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        if Z[i] @ w <= 0:
            w = w + step * Z[i]
        path.append(w)
    return path
""",
        "These are the last weights; asked for are those after every correction.": """
def descend(Z, w, drawn, step):
    for i in drawn:
        if Z[i] @ w <= 0:
            w = w + step * Z[i]
    return w
""",
        "Downhill is minus the gradient, and that is plus the row.": """
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        if Z[i] @ w <= 0:
            w = w - step * Z[i]
            path.append(w)
    return path
""",
        "The score is 0: on the line counts as a mistake.": """
def descend(Z, w, drawn, step):
    path = []
    for i in drawn:
        if Z[i] @ w < 0:
            w = w + step * Z[i]
            path.append(w)
    return path
""",
    },
)


QUESTIONS = [gradient, descend]
