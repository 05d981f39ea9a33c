"""Where nbgrader finds the class: the exchange, and the folder of a student's homework."""

import os
from pathlib import Path
from typing import Any

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821
c.CourseDirectory.course_id = "linear"
c.Exchange.root = str(Path(os.environ["LINLIB_HUB"]) / "exchange")
c.Exchange.assignment_dir = str(Path.home() / "course/homework/release")
c.Exchange.cache = str(Path.home() / ".local/share/jupyter/nbgrader_cache")
