"""mlxtend's learners, told to visit rows in order and to begin where the others begin."""

import numpy as np
from mlxtend.classifier import Adaline, Perceptron


class _InOrder:
    def _yield_minibatches_idx(self, rgen, n_batches, data_ary, shuffle=True):
        return super()._yield_minibatches_idx(rgen, n_batches, data_ary, shuffle=False)

    def fit_from(self, X, y, offset):
        """Fit labels ±1 from the weights (offset, 0, …, 0)."""
        self.w_, self.b_, self.cost_ = np.zeros((X.shape[1], 1)), np.array([offset]), []
        return self.fit(X, ((y + 1) / 2).astype(int), init_params=False)


class InOrderPerceptron(_InOrder, Perceptron):
    """Its update is η (y − ŷ) = ±2η, so η = ½ is the textbook's step 1."""


class InOrderAdaline(_InOrder, Adaline):
    """With as many minibatches as rows it is the LMS rule."""
