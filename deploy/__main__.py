"""The commands of the class server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deploy import exchange, setup
from deploy.settings import ROOT, WrongError, here


def main() -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="deploy", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in {"setup": "set everything up", "up": "set up and run"}.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("--port", type=int, default=8000)
        command.add_argument("--python", help="a Python that students can run")
    for name in ("release", "collect", "feedback", "grade"):
        commands.add_parser(name).add_argument("homework")
    for name in ("backup", "restore"):
        commands.add_parser(name).add_argument("archive", type=Path)
    options, rest = parser.parse_known_args()
    if rest and options.command != "grade":
        parser.error(f"unknown: {' '.join(rest)}")
    try:
        return run(options, rest)
    except WrongError as problem:
        sys.exit(str(problem))


def run(options: argparse.Namespace, rest: list[str]) -> int:
    """Do what the command says; return the exit status."""
    place = here()
    if options.command in ("setup", "up"):
        setup.everything(place, options.python)
        place.settings()
        names = place.class_list()
        if setup.exposed():
            print(f"Students can read the solutions in {ROOT}: chmod 700 {ROOT}", file=sys.stderr)
        print(f"{place.folder}: {len(names)} on the class list (class.txt).")
        if options.command == "up":
            from deploy.up import Keeper

            print(f"http://127.0.0.1:{options.port}  (Ctrl-C ends it and every server)", flush=True)
            Keeper(place, options.port).run()
        return 0
    setup.check()
    if options.command == "release":
        exchange.release(place, options.homework)
    elif options.command == "collect":
        for problem in exchange.collect(place, options.homework):
            print(f"Not taken: {problem}")
    elif options.command == "grade":
        return exchange.grade(place, options.homework, rest)
    elif options.command == "feedback":
        print(f"Feedback for {exchange.feedback(place, options.homework)}.")
    else:
        from deploy import keep

        verb = keep.backup if options.command == "backup" else keep.restore
        print(f"{verb(place, options.archive.absolute())} files: {options.command} done.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
