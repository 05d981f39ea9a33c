"""What the numbers were measured on: enough to judge them, nothing that identifies the place."""

import importlib.metadata
import os
import platform
from pathlib import Path

import numpy as np

PACKAGES = ["numpy", "scipy", "scikit-learn", "mlxtend"]


def described() -> str:
    """Return one line of hardware and one of software."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "all")
    packages = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    return (
        f"{_processor()}, {os.cpu_count()} cores; BLAS threads: {threads}.\n"
        f"Python {platform.python_version()}, {packages}, {blas['name']} {blas['version']}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
