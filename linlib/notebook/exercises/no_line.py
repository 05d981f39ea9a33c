"""The exercises of the lecture on what no line separates."""

from linlib.notebook.exercises.form import exercise, tried

cover = exercise(
    "cover",
    tries=[
        tried("cover(4, 2)"),
        tried(
            "cover(3, 5)",
            hint="Three points in five dimensions: every labelling is separable.",
        ),
    ],
    answer="""
def cover(n, d):
    if n == 1 or d == 0:
        return 2
    return cover(n - 1, d) + cover(n - 1, d - 1)
""",
    wrong={
        "That is every labelling; two of them, as in XOR, no line can make.": """
def cover(n, d):
    return 2**n
""",
        "That counts lines through the origin: the offset is one more weight, so add up "
        "to k = d.": """
from math import comb
def cover(n, d):
    return 2 * sum(comb(n - 1, k) for k in range(d))
""",
        "Each labelling comes with its opposite: the factor 2 is missing.": """
from math import comb
def cover(n, d):
    return sum(comb(n - 1, k) for k in range(d + 1))
""",
        "Choose among n − 1, not among n: the count for n points is made from that for n − 1.": """
from math import comb
def cover(n, d):
    return 2 * sum(comb(n, k) for k in range(d + 1))
""",
    },
)


is_certificate = exercise(
    "is_certificate",
    tries=[
        tried("is_certificate(signed_rows(*data.xor_gate()), [0.25, 0.25, 0.25, 0.25])"),
        tried("is_certificate(signed_rows(*data.xor_gate()), [0, 0, 0, 0])"),
        tried("is_certificate(signed_rows(*data.xor_gate()), [0.5, 0, 0.25, 0.25])"),
        tried("is_certificate(signed_rows([[0.0], [1.0], [2.0]], [-1, 1, 1]), [0.5, 1, -0.5])"),
        tried(
            "is_certificate(signed_rows([[1.0], [2.0], [3.0], [9.0]], [-1, 1, -1, 1]), "
            "[0.25, 0.5, 0.25])"
        ),
        tried("is_certificate(np.array([[1e17], [1.0], [-1e17]]), [0.25, 0.5, 0.25])"),
    ],
    answer="""
def is_certificate(Z, shares):
    rows = [[Fraction(value) for value in row] for row in np.asarray(Z).tolist()]
    shares = [Fraction(share) for share in shares]
    if len(shares) != len(rows) or sum(shares) != 1 or min(shares) < 0:
        return False
    return all(sum(s * v for s, v in zip(shares, column)) == 0 for column in zip(*rows))
""",
    wrong={
        "No share is negative, they add up to 1, and the rows cancel: this is evidence.": """
def is_certificate(Z, shares):
    return False
""",
        "Shares of 0 make any rows cancel: they have to add up to 1.": """
def is_certificate(Z, shares):
    return not np.any(np.asarray(shares) @ Z)
""",
        "The rows have to cancel in every column.": """
def is_certificate(Z, shares):
    return sum(shares) == 1
""",
        "A negative share is no evidence: this sample is separable, and yet these rows cancel.": """
def is_certificate(Z, shares):
    return sum(shares) == 1 and not np.any(np.asarray(shares) @ Z)
""",
        "A share is missing: there is one for each row, and zip ends with the shorter list.": """
def is_certificate(Z, shares):
    return sum(shares) == 1 and min(shares) >= 0 and not sum(s * z for s, z in zip(shares, Z)).any()
""",
        "A float forgets 0.5 beside 2.5e16: compute with Fraction.": """
def is_certificate(Z, shares):
    if len(Z) != len(shares) or sum(shares) != 1 or min(shares) < 0:
        return False
    return not sum(s * np.array(z) for s, z in zip(shares, Z)).any()
""",
    },
)


QUESTIONS = [cover, is_certificate]
