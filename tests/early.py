"""Loaded before all other plugins, by ``-p tests.early``: what makes every process cheaper.

Tests run side by side already: threads within one product would only wait for each other.
"""

import os

from lincourse import garbage

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
garbage.seldom()
