"""The exercises of the lecture on hyperplanes."""

from linlib.notebook.exercises.form import exercise, tried

side = exercise(
    "side",
    tries=[
        tried(
            "side(np.array([2, 1]), -3, np.array([3, 1]))",
            hint="Multiply feature by weight, add up, and add w0: here 6 + 1 − 3.",
        ),
        tried("side(np.array([2, 1]), -3, np.array([1, 0.5]))"),
        tried("side(np.array([0, -2]), 6, np.array([0, 0]))"),
    ],
    answer="def side(w, w0, x): return 1 if np.dot(w, x) + w0 > 0 else -1",
    wrong={
        "That is the score; asked for is its sign, +1 or −1.": """
def side(w, w0, x):
    return np.dot(w, x) + w0
""",
        "The offset is missing: the line w·x + w₀ = 0 passes through the origin only if "
        "w₀ = 0.": """
def side(w, w0, x):
    return 1 if np.dot(w, x) > 0 else -1
""",
        "w₀ is added, not subtracted: the score of the origin is w₀ itself.": """
def side(w, w0, x):
    return 1 if np.dot(w, x) - abs(w0) > 0 else -1
""",
    },
)


reflect = exercise(
    "reflect",
    tries=[
        tried(
            "reflect(Hyperplane([1, 0], -1), np.array([[3.0, 2.0]]))",
            hint="From x to its foot p, and as far again: p + (p − x).",
        ),
        tried(
            "reflect(Hyperplane([3, 4], 5), np.array([[0.0, 0.0], [5.0, 5.0]]))",
            hint="The first example has a vertical line; this one is oblique. Is your formula "
            "that of a mirror parallel to an axis?",
        ),
    ],
    answer="def reflect(h, X): return 2 * h.project(X) - X",
    wrong={
        "That is the projection, the foot on the line; the mirror image lies as far again "
        "behind it.": "def reflect(h, X): return h.project(X)",
        "That is the way from the point to its foot; go it twice, beginning at the point.": """
def reflect(h, X):
    return h.project(X) - X
""",
    },
)


QUESTIONS = [side, reflect]
