"""The exercises of the lecture on least squares and LMS."""

from linlib.notebook.exercises.form import exercise, tried

lms_update = exercise(
    "lms_update",
    tries=[
        tried("lms_update(np.array([0.0, 1.0]), np.array([2.0]), -1, 0.1)"),
        tried("lms_update(np.array([0.0, 1.0]), np.array([2.0]), 1, 0.1)"),
    ],
    answer="""
def lms_update(w, x, y, step):
    row = np.array([1, *x])
    return w + step * (y - w @ row) * row
""",
    wrong={
        "The error is label minus score, so that a score too high makes the weights smaller.": """
def lms_update(w, x, y, step):
    row = np.array([1, *x])
    return w + step * (w @ row - y) * row
""",
        "That is the perceptron's update; LMS adds the row times its error, here −3.": """
def lms_update(w, x, y, step):
    return w + step * y * np.array([1, *x])
""",
        "That is the error's sign, or the label minus the predicted label; LMS takes the "
        "score itself.": """
def lms_update(w, x, y, step):
    row = np.array([1, *x])
    return w + step * (y - np.sign(w @ row)) * row
""",
        "The row begins with 1, so that the offset learns too.": """
def lms_update(w, x, y, step):
    row = np.array([0, *x])
    return w + step * (y - w @ row) * row
""",
        "The step is missing.": """
def lms_update(w, x, y, step):
    row = np.array([1, *x])
    return w + (y - w @ row) * row
""",
        "The point is on the right side, and yet LMS moves: its score is 2, not 1.": """
def lms_update(w, x, y, step):
    row = np.array([1, *x])
    return w + step * (y - w @ row) * row if y * (w @ row) <= 0 else w
""",
    },
)


shuffled_lms = exercise(
    "shuffled_lms",
    tries=[
        tried(
            "shuffled_lms(np.array([[0.0], [1.0], [3.0]]), np.array([-1, 1, 1]), 0.1, 1, "
            "np.random.default_rng(3))",
            hint="Visit the rows in the order rng.permutation(len(y)), and make the update of "
            "LMS at each.",
        ),
        tried(
            "shuffled_lms(np.array([[0.0], [1.0], [3.0]]), np.array([-1, 1, 1]), 0.1, 2, "
            "np.random.default_rng(3))"
        ),
    ],
    answer="""
def shuffled_lms(X, y, step, passes, rng):
    rows, w = augment(X), np.zeros(len(X[0]) + 1)
    for _ in range(passes):
        for i in rng.permutation(len(y)):
            w = w + step * (y[i] - w @ rows[i]) * rows[i]
    return w
""",
    wrong={
        "That is the fixed order: visit the rows as rng.permutation says.": """
def shuffled_lms(X, y, step, passes, rng):
    return lms(X, y, step=step, max_passes=passes).weights
""",
        "Both passes had the same order: draw a fresh one for each.": """
def shuffled_lms(X, y, step, passes, rng):
    rows, w = augment(X), np.zeros(len(X[0]) + 1)
    order = rng.permutation(len(y))
    for _ in range(passes):
        for i in order:
            w = w + step * (y[i] - w @ rows[i]) * rows[i]
    return w
""",
        "Only one pass was made.": """
def shuffled_lms(X, y, step, passes, rng):
    rows, w = augment(X), np.zeros(len(X[0]) + 1)
    for i in rng.permutation(len(y)):
        w = w + step * (y[i] - w @ rows[i]) * rows[i]
    return w
""",
    },
)


QUESTIONS = [lms_update, shuffled_lms]
