"""The exercises of the lecture on margins and support vector machines."""

from linlib.notebook.exercises.form import exercise, tried

svm_cost = exercise(
    "svm_cost",
    tries=[
        tried("svm_cost(np.array([[1.0, 2.0], [1.0, -1.0]]), np.array([0.0, 1.0]), 0.5)"),
        tried("svm_cost(np.array([[1.0, 2.0]]), np.array([2.0, 0.0]), 0.5)"),
    ],
    answer="""
def svm_cost(Z, weights, lam):
    return np.maximum(0, 1 - Z @ weights).mean() + lam / 2 * weights[1:] @ weights[1:]
""",
    wrong={
        "The hinge losses are averaged, not added up.": """
def svm_cost(Z, weights, lam):
    return np.maximum(0, 1 - Z @ weights).sum() + lam / 2 * weights[1:] @ weights[1:]
""",
        "The penalty is λ/2 times ‖w‖²: the half is missing.": """
def svm_cost(Z, weights, lam):
    return np.maximum(0, 1 - Z @ weights).mean() + lam * weights[1:] @ weights[1:]
""",
        "That is the perceptron's loss; the hinge begins at 1: max(0, 1 − s).": """
def svm_cost(Z, weights, lam):
    return np.maximum(0, -Z @ weights).mean() + lam / 2 * weights[1:] @ weights[1:]
""",
        "The price of length is missing.": """
def svm_cost(Z, weights, lam):
    return np.maximum(0, 1 - Z @ weights).mean()
""",
        "The offset is free: only the weights w₁, w₂, … have a price.": """
def svm_cost(Z, weights, lam):
    return np.maximum(0, 1 - Z @ weights).mean() + lam / 2 * weights @ weights
""",
    },
)


pegasos = exercise(
    "pegasos",
    tries=[
        tried("pegasos(np.array([[1.0, 2.0], [-1.0, 1.0]]), 0.5, np.array([0]))"),
        tried("pegasos(np.array([[1.0, 2.0], [-1.0, 1.0]]), 0.5, np.array([0, 0]))"),
        tried("pegasos(np.array([[1.0, 2.0], [-1.0, 0.5]]), 0.5, np.array([0, 1]))"),
    ],
    answer="""
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 1 else 0 * Z[i]
        w = w - (lam * np.array([0, *w[1:]]) - push) / (lam * k)
    return w
""",
    wrong={
        "The step is 1/(λk): λ is missing.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 1 else 0 * Z[i]
        w = w - (lam * np.array([0, *w[1:]]) - push) / k
    return w
""",
        "Downhill is minus the subgradient: add the row.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 1 else 0 * Z[i]
        w = w + (lam * np.array([0, *w[1:]]) - push) / (lam * k)
    return w
""",
        "The row is right, and the penalty still pulls: w shrinks at every visit.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        if Z[i] @ w < 1:
            w = w - (lam * np.array([0, *w[1:]]) - Z[i]) / (lam * k)
    return w
""",
        "The offset has no price: it does not shrink.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 1 else 0 * Z[i]
        w = w - (lam * w - push) / (lam * k)
    return w
""",
        "The row's product is 10: above 1 its hinge is flat, and only the price of length "
        "is left.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        w = w - (lam * np.array([0, *w[1:]]) - Z[i]) / (lam * k)
    return w
""",
        "The product is 0, inside the street: the hinge pushes until 1.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 0 or not w.any() else 0 * Z[i]
        w = w - (lam * np.array([0, *w[1:]]) - push) / (lam * k)
    return w
""",
        "The second step is half the first: divide by k.": """
def pegasos(Z, lam, drawn):
    w = np.zeros(Z.shape[1])
    for k, i in enumerate(drawn, start=1):
        push = Z[i] if Z[i] @ w < 1 else 0 * Z[i]
        w = w - lam * np.array([0, *w[1:]]) / (lam * k) + push / lam
    return w
""",
    },
)


QUESTIONS = [svm_cost, pegasos]
