"""The exercises of the lecture on the convergence of the perceptron."""

from linlib.notebook.exercises.form import exercise, tried

radius = exercise(
    "radius",
    tries=[
        tried("radius(np.array([[1.0, 0.0], [3.0, 4.0]]))"),
        tried("radius(np.array([[-6.0, 0.0], [3.0, 4.0]]))"),
    ],
    answer="def radius(Z): return np.linalg.norm(Z, axis=1).max()",
    wrong={
        "That is R²; take the square root.": "def radius(Z): return (Z**2).sum(axis=1).max()",
        "That is the largest entry; a length is the root of a sum of squares.": """
def radius(Z):
    return Z.max()
""",
        "That is a sum of entries; a length is the root of a sum of squares.": """
def radius(Z):
    return Z.sum(axis=1).max()
""",
        "That is the length of the last row; R is the largest of all.": """
def radius(Z):
    return np.linalg.norm(Z[-1])
""",
    },
)


first_failure = exercise(
    "first_failure",
    tries=[
        tried(
            "first_failure(signed_rows(*data.and_gate()), np.array([-3, 2, 2]) / 17**0.5)",
            hint="With a w* of length 1 that separates, no sign can fail: allow a rounding of "
            "1e-9.",
        ),
        tried("first_failure(signed_rows(*data.and_gate()), np.array([-3, 2, 2]))"),
    ],
    answer="""
def first_failure(Z, w_star):
    gamma, R = (Z @ w_star).min(), np.linalg.norm(Z, axis=1).max()
    w, k = 0 * Z[0], 0
    while (Z @ w).min() <= 0:
        for z in Z[Z @ w <= 0][:1]:
            w, k = w + z, k + 1
            chain = [k * gamma, w @ w_star, np.linalg.norm(w), k**0.5 * R]
            for which in range(3):
                if chain[which] > chain[which + 1] + 1e-9:
                    return k, which + 1
""",
    wrong={
        "kγ is 1 and w·w* is 3: the first sign holds. Number the signs from 1.": """
def first_failure(Z, w_star):
    return None if np.isclose(w_star @ w_star, 1) else (1, 1)
""",
        "Count updates from 1: before the first, all four are 0.": """
def first_failure(Z, w_star):
    return None if np.isclose(w_star @ w_star, 1) else (0, 2)
""",
        "After the first update w·w* is 3 and ‖w‖ is 1. Compare after every update, not "
        "only at the end.": "def first_failure(Z, w_star): return None",
    },
)


QUESTIONS = [radius, first_failure]
