"""``python -m bench [--quick]``: time linlib beside its peers and write ``bench/RESULTS.md``.

Only ratios measured side by side in one run are reported; nothing passes or fails on a clock.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy is imported: one thread for everyone

import argparse  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from bench import report, tasks  # noqa: E402


def main(arguments: list[str] | None = None) -> None:
    """Measure every task and print the report; without ``--quick`` also write it."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    quick = parser.parse_args(arguments).quick
    sections = {}
    for section in tasks.SECTIONS:
        print(f"measuring {section.title} …", file=sys.stderr, flush=True)
        sections[section] = [report.timed(task, quick) for task in section.tasks(quick)]
    text = report.written(sections)
    if not quick:
        Path(__file__).with_name("RESULTS.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
