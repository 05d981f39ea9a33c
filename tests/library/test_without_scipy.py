"""In a browser there is NumPy and no SciPy, Matplotlib or scikit-learn: the learners need none."""

import subprocess
import sys

LEARN = """
import json, numpy as np, linlib

random = np.random.default_rng(7)
X = random.normal(size=(30, 2)).round(2)
apart = np.where(X @ [1.0, 0.5] > 0.1, 1, -1)
mixed = np.where(X @ [1.0, 0.5] + random.normal(size=30) > 0.1, 1, -1)
three = random.integers(0, 3, 30)
run = linlib.pla(X, apart)
found = {
    "pla": [run.weights, run.mistakes_per_row],
    "averaged": [linlib.averaged(X, apart).weights],
    "certify": [linlib.certify(X, apart).weights, linlib.certify(X, mixed).multipliers],
    "max_margin": [linlib.max_margin(X, apart).weights, linlib.max_margin(X, apart).shares],
    "soft_margin": [linlib.soft_margin(X, mixed, penalty=0.1).weights],
    "fit_lda": [linlib.fit_lda(X, three).weights],
    "fit_qda": [linlib.fit_qda(X, three).scores(X)],
    "logistic": [linlib.logistic(X, mixed).weights, linlib.overlap(X, mixed).multipliers],
    "softmax": [linlib.softmax(X, three).weights],
    "lms": [linlib.lms(X, mixed).weights],
    "lasso": [linlib.lasso(X, mixed, penalty=0.1).weights],
}
print(json.dumps({name: [array.tolist() for array in arrays] for name, arrays in found.items()}))
"""
BLOCK = """
import sys
sys.modules.update(dict.fromkeys(["scipy", "matplotlib", "sklearn", "IPython"]))
"""


def printed(code):
    return subprocess.check_output([sys.executable, "-c", code], text=True)


def test_learners_need_numpy_alone():
    assert printed(BLOCK + LEARN) == printed(LEARN)
