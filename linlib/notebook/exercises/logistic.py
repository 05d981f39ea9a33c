"""The exercises of the lecture on logistic regression."""

from linlib.notebook.exercises.form import exercise, tried

log_loss = exercise(
    "log_loss",
    tries=[
        tried("log_loss(0.0)"),
        tried("log_loss(2.0)"),
        tried("log_loss(-1000.0)"),
    ],
    answer="def log_loss(s): return np.logaddexp(0, -s)",
    wrong={
        "That is in bits; the lecture takes the natural logarithm, so that it is ln 2 on "
        "the boundary.": "def log_loss(s): return np.log2(1 + np.exp(-s))",
        "That is the probability on the boundary; the loss is minus its logarithm.": """
def log_loss(s):
    return 1 / (1 + np.exp(-s))
""",
        "A loss is minus the logarithm of the probability.": """
def log_loss(s):
    return np.log(1 / (1 + np.exp(-s)))
""",
        "The sign is turned: a large agreement is cheap.": """
def log_loss(s):
    return np.log(1 + np.exp(s))
""",
        "e¹⁰⁰⁰ overflows. For negative s take −s + ln(1 + eˢ), or np.logaddexp(0, −s).": """
def log_loss(s):
    with np.errstate(over="ignore"):
        return np.log(1 + np.exp(-s))
""",
    },
)


calibration = exercise(
    "calibration",
    tries=[
        tried("calibration(np.array([0.9, 0.6, 0.2, 0.7]), np.array([1, -1, -1, 1]))"),
    ],
    answer="""
def calibration(said, y):
    sure = np.maximum(said, 1 - said)
    return sure.mean(), np.mean((said > 0.5) == (y == 1))
""",
    wrong={
        "The model is 80 % sure where it says 0.2: of p and 1 − p take the larger.": """
def calibration(said, y):
    return said.mean(), np.mean((said > 0.5) == (y == 1))
""",
        "That is the share of the label +1; right is whoever says above 0.5 at +1 and "
        "below at −1.": """
def calibration(said, y):
    return np.maximum(said, 1 - said).mean(), np.mean(y == 1)
""",
        "Both are those of class +1; a model that says 0.2 is 80 % sure of the other class.": """
def calibration(said, y):
    return said.mean(), np.mean(y == 1)
""",
        "That is the share of mistakes; asked for is how often it is right.": """
def calibration(said, y):
    return np.maximum(said, 1 - said).mean(), np.mean((said > 0.5) != (y == 1))
""",
    },
)


QUESTIONS = [log_loss, calibration]
