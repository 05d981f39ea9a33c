"""Makes the class of a cluster known to the machine on which the instructor grades.

``sudo python -m deploy.cluster.people values.yaml fill.yaml`` gives every student an account with
the number that owns what they hand in, and makes the folders of the class server. With the
cluster's exchange mounted in it, `make hub DO="release hw1"` and the others work as on one machine.
"""

from __future__ import annotations

import pwd
import subprocess
import sys
from pathlib import Path

from deploy import accounts, setup
from deploy.cluster.check import read, wrong_class
from deploy.settings import Place, WrongError, here


def known(place: Place, numbers: dict[str, int], instructor: str) -> None:
    """Make folders, accounts and class list; refuse an account with another number."""
    place.folder.mkdir(parents=True, exist_ok=True)
    place.folder.chmod(setup.ENTER)
    if not (place.folder / "hub.toml").exists():
        (place.folder / "hub.toml").write_text(f'instructor = "{instructor}"\n')
    setup.folders(place)
    for name, number in numbers.items():
        account(place, name, number)
    (place.folder / "class.txt").write_text("\n".join(numbers) + "\n")


def account(place: Place, name: str, number: int) -> None:
    """Make an account with this number, or see that it is there."""
    try:
        found = pwd.getpwnam(name).pw_uid
    except KeyError:
        subprocess.run(["groupadd", "--gid", str(number), name], check=True)
        make = ["useradd", "--uid", str(number), "--gid", str(number), "--no-create-home"]
        make += ["--home-dir", str(place.home(name)), "--shell", "/usr/sbin/nologin"]
        subprocess.run([*make, "--comment", accounts.MARK, name], check=True)
        found = number
    if found != number:
        raise WrongError(f"{name} has the number {found} here, and {number} on the cluster.")
    place.home(name).mkdir(exist_ok=True)  # in use, so that nothing else is put there
    (place.home(name) / "elsewhere.txt").write_text("This student's work is on the cluster.\n")
    accounts.ensure(place, name)


def main() -> None:
    """Read the values and make the class known."""
    values = read(*map(Path, sys.argv[1:]))
    for problem in wrong_class(values):
        sys.exit(problem)
    try:
        setup.check()
        known(here(), values["custom"]["class"], values["custom"]["instructor"])
    except WrongError as problem:
        sys.exit(str(problem))
    print(f"{here().folder}: {len(values['custom']['class'])} people.")


if __name__ == "__main__":
    main()
