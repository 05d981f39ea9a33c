"""The exercises of the lecture on LDA and QDA."""

from linlib.notebook.exercises.form import exercise, tried

lda_weights = exercise(
    "lda_weights",
    tries=[
        tried("lda_weights(np.array([0.0, 0.0]), np.array([2.0, 0.0]), np.diag([4.0, 1.0]), 0.5)"),
        tried("lda_weights(np.array([0.0, 0.0]), np.array([2.0, 0.0]), np.diag([4.0, 1.0]), 0.8)"),
    ],
    answer="""
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([np.log(p / (1 - p)) - w @ (m0 + m1) / 2, *w])
""",
    wrong={
        "Multiply by the inverse of the covariance: a direction in which the classes "
        "spread counts less.": """
def lda_weights(m0, m1, cov, p):
    w = cov @ (m1 - m0)
    return np.array([np.log(p / (1 - p)) - w @ (m0 + m1) / 2, *w])
""",
        "The other way round: w points to class 1, so take m₁ − m₀.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m0 - m1)
    return np.array([np.log(p / (1 - p)) - w @ (m0 + m1) / 2, *w])
""",
        "The boundary passes through the midpoint of the means, so w₀ = −w·(m₀ + m₁)/2.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([np.log(p / (1 - p)), *w])
""",
        "The midpoint is half the sum of the means.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([np.log(p / (1 - p)) - w @ (m0 + m1), *w])
""",
        "The prior is missing: a frequent class gets more room.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([-w @ (m0 + m1) / 2, *w])
""",
        "The sign of the prior is turned: a frequent class gets more room.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([np.log((1 - p) / p) - w @ (m0 + m1) / 2, *w])
""",
        "The prior enters as odds, p over 1 − p.": """
def lda_weights(m0, m1, cov, p):
    w = np.linalg.solve(cov, m1 - m0)
    return np.array([np.log(p) * (p != 0.5) - w @ (m0 + m1) / 2, *w])
""",
    },
)


counted_log_odds = exercise(
    "counted_log_odds",
    tries=[
        tried("counted_log_odds(np.array([10.0, 5.0]), np.array([10.0, 20.0]), 0.5)"),
        tried("counted_log_odds(np.array([10.0, 5.0]), np.array([10.0, 20.0]), 0.2)"),
        tried("counted_log_odds(np.array([0.0, 4.0]), np.array([3.0, 4.0]), 0.5)"),
    ],
    answer="""
def counted_log_odds(zero, one, p):
    known = (zero > 0) & (one > 0)
    ratio = np.divide(one, zero, out=np.full(zero.shape, np.nan), where=known)
    return np.log(ratio * p / (1 - p))
""",
    wrong={
        "The odds are of class 1: its count stands above.": """
def counted_log_odds(zero, one, p):
    return np.log(zero / one)
""",
        "Log odds are natural logarithms.": """
def counted_log_odds(zero, one, p):
    return np.log10(one / zero)
""",
        "These are the odds; take their logarithm.": """
def counted_log_odds(zero, one, p):
    return one / zero
""",
        "That is the probability; log odds are the logarithm of p/(1 − p).": """
def counted_log_odds(zero, one, p):
    return one / (zero + one)
""",
        "The sample has equal shares of the classes and the model has not: add the log "
        "odds of the priors.": "def counted_log_odds(zero, one, p): return np.log(one / zero)",
        "Class 1 is rare: that lowers its odds.": """
def counted_log_odds(zero, one, p):
    return np.log(one / zero * (1 - p) / p)
""",
        "Where a class was never counted the ratio says nothing: put nan there.": """
def counted_log_odds(zero, one, p):
    with np.errstate(divide="ignore"):
        return np.log(one / zero * p / (1 - p))
""",
    },
)


QUESTIONS = [lda_weights, counted_log_odds]
