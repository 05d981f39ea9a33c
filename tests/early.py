"""Loaded before all other plugins, by ``-p tests.early``: what makes every process cheaper.

jsonschema, which nbformat needs, would build a grammar of internationalised addresses: a second in
every process, for a format that no notebook has. It does without if the package seems missing.

Tests run side by side already: threads within one product would only wait for each other. And
thousands of collected tests are looked through at every collection of garbage: let it be seldom.
"""

import gc
import os
import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(100_000, 20, 100)
