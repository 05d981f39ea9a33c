"""Why a cell fails: from an earlier failure, for want of something, or in other versions."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from nbsame.kernel import uncoloured
from nbsame.notebook import names, stored_versions

NETWORK_ERRORS = {"URLError", "ConnectionError", "gaierror", "ConnectTimeout", "MaxRetryError"}
NETWORK = re.compile(
    r"Name or service not known|Temporary failure in name resolution|Max retries exceeded"
    r"|NewConnectionError|getaddrinfo failed|Network is unreachable|No address associated"
)


@dataclass
class Failures:
    """The cells of a run that failed, by the names that they would have bound or changed."""

    by_name: dict[str, int] = field(default_factory=dict)

    def cause(self, cell: NotebookNode, error: NotebookNode) -> int:
        """Return the earlier cell from which this one's error follows, 0 if from none."""
        reads, _ = names(cell.source)
        reads |= set(re.findall(r"name '(\w+)' is not defined", error.evalue))
        return min((self.by_name[name] for name in reads if name in self.by_name), default=0)

    def add(self, cell: NotebookNode, number: int) -> None:
        """Note that what this cell would have bound or changed is not there."""
        _, changes = names(cell.source)
        for name in changes:
            self.by_name.setdefault(name, number)


def missing(error: NotebookNode) -> str:
    """Return what a cell needs and this machine has not, '' if the error is another one."""
    text = f"{error.ename}: {error.evalue}"
    traceback = uncoloured("\n".join(error.get("traceback", [])))
    if error.ename in NETWORK_ERRORS or NETWORK.search(traceback):
        return f"needs the network ({shortened(text)})"
    if error.ename == "ModuleNotFoundError":
        return f"needs a package that is not installed ({error.evalue})"
    if error.ename == "FileNotFoundError":
        return f"needs a file that is not here ({shortened(error.evalue)})"
    return ""


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119]}…"


# ---------------------------------------------------------------- versions


def other_matplotlib(notebook: NotebookNode) -> tuple[str, str] | None:
    """Return the recorded Matplotlib and the present one if they may draw differently.

    ``""`` stands for a version that is not recorded, or a Matplotlib that is not there. Where
    versions are recorded and Matplotlib's is not among them, something else drew the pictures.
    """
    versions, present = stored_versions(notebook), installed("matplotlib")
    stored = versions.get("matplotlib", "")
    return None if stored == present or (versions and not stored) else (stored, present)


def installed(name: str) -> str:
    try:
        return importlib.metadata.version({"sklearn": "scikit-learn"}.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return ""


def versions_differ(stored: dict[str, str], present: dict[str, str]) -> str:
    """Say with what outputs were stored and with what they were made now, as far as it differs.

    >>> versions_differ({"numpy": "2.3", "python": "3.11"}, {"numpy": "2.4", "python": "3.11"})
    'stored with numpy 2.3; here numpy 2.4'
    """
    if not stored:
        here = ", ".join(f"{name} {version}" for name, version in present.items())
        return f"stored with unrecorded versions; here {here}" if here else ""
    other = [name for name in stored if present.get(name, stored[name]) != stored[name]]
    if not other:
        return "stored with the versions present: " + joined(stored, list(stored))
    return f"stored with {joined(stored, other)}; here {joined(present, other)}"


def joined(versions: dict[str, str], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {versions[name]}" for name in names)
