"""pytest-xdist: a notebook is one unit, whatever the mode; other tests go as the mode says."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling


def whole_notebooks(config: pytest.Config, log: Any) -> Any:
    """Return a schedule for the modes that would split a notebook, None for the others.

    ``loadfile`` does not split it, and ``each`` runs everything everywhere.
    """
    mode = config.getvalue("dist")
    if mode not in ("load", "worksteal", "loadscope", "loadgroup"):
        return None

    class WholeNotebooks(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            if path.endswith(".ipynb"):
                return path
            if mode == "loadscope":
                return str(super()._split_scope(nodeid))
            if mode == "loadgroup" and "@" in nodeid.rpartition("]")[2]:
                return nodeid.rpartition("@")[2]
            return nodeid

    return WholeNotebooks(config, log)
