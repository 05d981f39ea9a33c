"""``python -m bench [section …] [--quick]``: measure, print, and write the report.

Without section names everything is measured and ``bench/RESULTS.md`` and its picture are written.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy is imported: one thread for everyone

from bench.command import main  # noqa: E402

if __name__ == "__main__":
    main()
