"""Loaded before all other plugins, by ``-p tests.early``: what makes every process cheaper.

Tests run side by side already: threads within one product would only wait for each other. And
thousands of collected tests are looked through at every collection of garbage: let it be seldom.
"""

import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(100_000, 20, 100)
