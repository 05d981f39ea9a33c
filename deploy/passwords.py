"""Give everybody of class.toml who has none a first password; whoever is named gets a new one.

Run it as the owner of the folder ``state``: ``env/bin/python passwords.py [NAME …]``. New passwords
are added to ``state/passwords.csv``, for the instructor to hand out. Students change theirs at
``/hub/auth/change-password``.
"""

import dbm
import os
import secrets
import sys
import tomllib
from pathlib import Path

import bcrypt

here = Path(__file__).resolve().parent
settings = tomllib.loads((here / "class.toml").read_text(encoding="utf-8"))
members = [settings["instructor"], *settings["students"]]
if unknown := sorted({*sys.argv[1:]} - {*members}):
    sys.exit(f"Not in class.toml: {', '.join(unknown)}.")
state = here / "state"
state.mkdir(mode=0o700, exist_ok=True)
os.umask(0o077)
with dbm.open(str(state / "passwords.dbm"), "c", 0o600) as stored:
    made = {}
    for name in sys.argv[1:] or [name for name in members if name.encode() not in stored]:
        made[name] = secrets.token_urlsafe(12)
        stored[name] = bcrypt.hashpw(made[name].encode(), bcrypt.gensalt())
if made:
    with (state / "passwords.csv").open("a") as file:
        file.writelines(f"{name},{password}\n" for name, password in made.items())
    print(f"{len(made)} new passwords in {state / 'passwords.csv'}: {', '.join(made)}")
