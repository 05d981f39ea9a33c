"""What is set for a student's server besides what ``make lab`` sets (lincourse/lab)."""

import os
from typing import Any

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821
c.LabApp.extension_manager = "readonly"
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabServerApp.extra_labextensions_path = []  # they are installed with linlib
c.ContentsManager.hide_globs += ["falsifiers.toml", "sentences.toml"]
c.FileContentsManager.delete_to_trash = False  # what is deleted makes room
c.FileContentsManager.always_delete_dir = False
c.ServerApp.shutdown_no_activity_timeout = 0
if os.environ.get("LINLIB_TUNED") == "1":
    c.ServerApp.terminals_enabled = False
    c.ServerApp.jpserver_extensions = {
        "jupyterlab": True,
        "nbgrader.server_extensions.assignment_list": True,
        "nbgrader.server_extensions.validate_assignment": True,
        "jupyter_lsp": False,
        "jupyter_server_terminals": False,
        "nbgrader.server_extensions.course_list": False,
        "nbgrader.server_extensions.formgrader": False,
        "notebook": False,
        "notebook_shim": False,
    }
    # A kernel that nobody uses is stopped before the whole server is.
    c.MappingKernelManager.cull_idle_timeout = 1800
    c.MappingKernelManager.cull_interval = 120
