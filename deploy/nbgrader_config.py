"""nbgrader's exchange for the class, and a collection that believes nothing a student wrote.

Everything here runs as the student who submits or as the instructor who collects. The exchange is
nbgrader's own; it only warns about a submission in another's name and it follows links, so
collecting is done with more care: a folder must belong to the student it names, and only plain
files of that student's are read, through descriptors that no later exchange of a file can redirect.
"""

import os
import pwd
import re
import stat
import sys
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821
LARGEST = 50 << 20  # bytes of a file, as in the grader


class CarefulCollect(ExchangeCollect):
    """Collect what students handed in as themselves, and nothing else."""

    def init_src(self) -> None:
        """Put aside what is not a folder of the student it names; it would hide a true one."""
        inbound = Path(self.root, self.coursedir.course_id, "inbound")
        for path in inbound.glob(f"*+{self.coursedir.assignment_id}+*"):
            try:
                student, info = self._path_to_record(str(path))["username"], path.lstat()
                if not stat.S_ISDIR(info.st_mode) or not owned_by(student, info.st_uid):
                    raise ValueError(f"it is not a folder of {student}'s")
            except Exception as problem:
                self.log.error("Refused: %s: %s", path.name, problem)
                path.rename(inbound / f".refused-{os.urandom(8).hex()}")
        super().init_src()

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the notebook and nbgrader's secret; the notebook gets the time it was handed in."""
        record = self._path_to_record(src)
        notebook = f"{self.coursedir.assignment_id}.ipynb"
        try:
            folder = os.open(src, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if not owned_by(record["username"], os.fstat(folder).st_uid):
                    raise ValueError("the folder is another's")
                data, changed = plain(notebook, folder)
                secret, _ = plain("submission_secret.txt", folder)
            finally:
                os.close(folder)
            if not re.fullmatch(rb"[0-9a-f]{128}", secret):
                raise ValueError("its secret is not nbgrader's")
        except (OSError, ValueError) as problem:
            self.log.error("Refused: %s: %s", record["filename"], problem)
            return
        os.makedirs(dest)
        Path(dest, notebook).write_bytes(data)
        os.utime(Path(dest, notebook), (changed, changed))
        Path(dest, "submission_secret.txt").write_bytes(secret)
        Path(dest, "timestamp.txt").write_text(record["filename"].rsplit("+", 3)[2])


def owned_by(student: str, uid: int) -> bool:
    """Tell whether a student made this; in a trial everything is made by whoever collects."""
    return uid == os.getuid() or uid == pwd.getpwnam(student).pw_uid


def plain(name: str, folder: int) -> tuple[bytes, float]:
    """Return the content of a plain file of the folder's owner, and when it was last changed.

    No program of the student's can set that time back, unlike the time of the last modification.
    """
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(file, "rb") as opened:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1:
            raise ValueError(f"{name} is not a plain file")
        if info.st_uid != os.fstat(folder).st_uid:
            raise ValueError(f"{name} is another's")
        if info.st_size > LARGEST:
            raise ValueError(f"{name} is larger than 50 MB")
        return opened.read(LARGEST), info.st_ctime


c.CourseDirectory.course_id = "linear"
c.CourseDirectory.directory_structure = "{nbgrader_step}/{assignment_id}/{student_id}"
c.Exchange.root = str(Path(sys.prefix).parent / "exchange")
c.Exchange.assignment_dir = str(Path.home() / "course/homework/release")
c.ExchangeFactory.collect = CarefulCollect
# Who owns a folder is asked above, and what is refused is said without a word about the student:
# nbgrader's own look would call every submission of a trial a cheating attempt.
c.ExchangeCollect.check_owner = False
user = os.environ.get("JUPYTERHUB_USER", "")
if user and user != os.environ.get("CLASS_INSTRUCTOR"):
    c.CourseDirectory.student_id = user  # in a trial, all students are one account
