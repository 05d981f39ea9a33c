"""How ``make lab`` serves the course to its readers."""

from pathlib import Path
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

LABEXTENSIONS = "data/share/jupyter/labextensions"
c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821


class LectureManager(AsyncLargeFileManager):
    """Hands out notebooks as JupyterLab itself would describe them.

    JupyterLab writes the running Python's version into a notebook as soon as it is opened, and
    thereby marks it as changed. A notebook that says so already stays as it is.
    """

    async def get(self, path: str, *arguments: Any, **options: Any) -> Any:
        """Return a file, a notebook with the language of its kernel."""
        model = await super().get(path, *arguments, **options)  # type: ignore[no-untyped-call]
        if model["type"] == "notebook" and model["content"] is not None:
            from ipykernel.ipkernel import IPythonKernel

            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name") == "python3":
                metadata["language_info"] = dict(IPythonKernel.language_info)
        return model


c.ServerApp.contents_manager_class = LectureManager
# What belongs to whoever teaches: homework's solutions, the grader, and the ledger of claims.
c.ContentsManager.hide_globs = [
    *("__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~"),
    *("source", "questions", "grader", "*.toml"),
]
# What JupyterLab leaves out; installed with lincourse too, for whoever starts JupyterLab otherwise.
c.LabServerApp.extra_labextensions_path = [str(Path(__file__).resolve().parent / LABEXTENSIONS)]
