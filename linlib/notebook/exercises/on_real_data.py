"""The exercises of the lecture on comparing classifiers."""

from linlib.notebook.exercises.form import exercise, tried

corrected_error = exercise(
    "corrected_error",
    tries=[
        tried("corrected_error(np.array([1.0, 3.0]), 8, 2)"),
    ],
    answer="""
def corrected_error(d, n_train, n_test):
    return np.std(d, ddof=1) * np.sqrt(1 / len(d) + n_test / n_train)
""",
    wrong={
        "That is s/√J, for independent differences; the training parts overlap, so add "
        "n_test/n_train under the root.": """
def corrected_error(d, n_train, n_test):
    return np.std(d, ddof=1) / np.sqrt(len(d))
""",
        "np.std divides by J; of a sample take ddof=1.": """
def corrected_error(d, n_train, n_test):
    return np.std(d) * np.sqrt(1 / len(d) + n_test / n_train)
""",
        "The ratio is of the test part to the training part, not to all points.": """
def corrected_error(d, n_train, n_test):
    return np.std(d, ddof=1) * np.sqrt(1 / len(d) + n_test / (n_train + n_test))
""",
        "The root over the bracket is missing.": """
def corrected_error(d, n_train, n_test):
    return np.std(d, ddof=1) * (1 / len(d) + n_test / n_train)
""",
    },
)


one_standard_error = exercise(
    "one_standard_error",
    tries=[
        tried(
            "one_standard_error(np.array([0.01, 0.1, 1.0, 10.0]), np.array([0.92, 0.95, "
            "0.93, 0.80]), np.array([0.01, 0.06, 0.02, 0.30]), 4)",
            hint="The best mean is 0.95; its standard error is 0.06/√4 = 0.03.",
        ),
        tried(
            "one_standard_error(np.array([0.01, 0.1, 1.0]), np.array([0.92, 0.95, 0.90]), "
            "np.array([0.01, 0.06, 0.02]), 4)"
        ),
    ],
    answer="""
def one_standard_error(settings, means, stds, folds):
    best = np.argmax(means)
    enough = means[best] - stds[best] / np.sqrt(folds)
    return max(s for s, mean in zip(settings, means) if mean >= enough)
""",
    wrong={
        "That is the best setting; the rule takes the stiffest of those near it.": """
def one_standard_error(settings, means, stds, folds):
    return settings[np.argmax(means)]
""",
        "That one is near the best, and the least stiff; take the largest.": """
def one_standard_error(settings, means, stds, folds):
    best = np.argmax(means)
    enough = means[best] - stds[best] / np.sqrt(folds)
    return min(s for s, mean in zip(settings, means) if mean >= enough - 1e-9)
""",
        "The standard error is that of the best setting, and not that of each setting itself.": """
def one_standard_error(settings, means, stds, folds):
    best = max(means)
    return max(s for s, m, e in zip(settings, means, stds) if m >= best - e / np.sqrt(folds) - 1e-9)
""",
        "The standard error of a mean is the standard deviation divided by the root of "
        "the number of folds.": """
def one_standard_error(settings, means, stds, folds):
    best = np.argmax(means)
    return max(s for s, mean in zip(settings, means) if mean >= means[best] - stds[best])
""",
    },
)


QUESTIONS = [corrected_error, one_standard_error]
