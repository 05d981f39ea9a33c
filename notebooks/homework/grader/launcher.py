"""Starts the kernel of one submission: launcher.py MEMORY DISK HIDDEN FONTS -f FILE."""

import os
import shutil
import sys


def main() -> None:
    """Set the limits, hide the packages, and become the kernel."""
    memory, disk, hidden, fonts = sys.argv[1:5]
    sys.argv[1:] = [*sys.argv[5:], "--HistoryManager.hist_file=:memory:"]
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory),) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(disk),) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ImportError:  # Windows has no such limits
        pass
    for package in hidden.split(","):
        sys.modules[package] = None  # type: ignore[assignment]  # an import says: not there
    shutil.copytree(fonts, os.environ["MPLCONFIGDIR"])
    sys.path.pop(0)  # this file's folder

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


if __name__ == "__main__":
    main()
