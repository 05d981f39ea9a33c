"""Gives every name of the class list a Unix account of its own: the wall between students."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess

from deploy import disks
from deploy.settings import Place, WrongError

MARK = "linlib class"  # in the comment of an account: what bears it may be changed here


def ensure(place: Place, name: str) -> pwd.struct_passwd:
    """Return an account that is the student's and nobody else's; make it if there is none."""
    home = place.home(name)
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        make = ["useradd", "--no-create-home", "--home-dir", str(home), "--user-group"]
        subprocess.run([*make, "--shell", "/bin/sh", "--comment", MARK, name], check=True)
        account = pwd.getpwnam(name)
    if account.pw_gecos != MARK or account.pw_dir != str(home):
        raise WrongError(
            f"{name} is an account of this machine already, and not one of this class: "
            "choose another name in class.txt."
        )
    if not disks.attach(place, name) and not home.exists():
        home.mkdir(mode=0o700)
    info = home.lstat()
    if info.st_uid != account.pw_uid or info.st_mode & 0o777 != 0o700:
        os.chown(home, account.pw_uid, account.pw_gid, follow_symlinks=False)
        home.chmod(0o700)
    return account


def members(place: Place) -> list[str]:
    """Return the accounts of this class, also of those who are no longer on the list."""
    return [a.pw_name for a in pwd.getpwall() if a.pw_gecos == MARK and ours(place, a)]


def ours(place: Place, account: pwd.struct_passwd) -> bool:
    """Tell whether an account lives in this place."""
    return account.pw_dir == str(place.home(account.pw_name))


def remove(place: Place, name: str) -> None:
    """Take an account away, and its folder; leave accounts that are not of this class."""
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        return
    if account.pw_gecos == MARK and account.pw_dir == str(place.home(name)):
        subprocess.run(["userdel", name], check=True, capture_output=True)
        disks.discard(place, name)
        shutil.rmtree(place.home(name), ignore_errors=True)
