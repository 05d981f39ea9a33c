"""The command line of the benchmark."""

import argparse
import importlib
import sys
import traceback
from pathlib import Path

from bench import machine, report
from bench.contest import Part

HERE = Path(__file__).resolve().parent
FIRST = [
    "lectures",
    "perceptron",
    "lms",
    "gaussian",
    "certificates",
    "multiclass",
    "growth",
    "memory",
]
FOUND = sorted(path.stem for path in (HERE / "sections").glob("[!_]*.py"))
SECTIONS = FIRST + [name for name in FOUND if name not in FIRST]  # a new module is a new section


def main(arguments: list[str] | None = None) -> None:
    """Measure the sections asked for; write the report if that is all of them, or if told where."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    parser.add_argument("--out", type=Path, help="the folder to write to (default: bench)")
    options = parser.parse_args(arguments)
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    folder = options.out or (None if options.sections or options.quick else HERE)
    parts, failed = {}, []
    for name in options.sections or SECTIONS:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        try:
            parts[name] = measured(name, options.quick, folder)
        except Exception:  # the other findings must not be lost
            traceback.print_exc()
            failed.append(name)
            parts[name] = name.capitalize(), Part(markdown="Not measured: it failed.")
    text = report.written(parts, machine.described())
    if folder is not None:
        (folder / "RESULTS.md").write_text(text, "utf-8")
    print(text)
    if failed:
        raise SystemExit(f"not measured, see above: {', '.join(failed)}")


def measured(name: str, quick: bool, folder: Path | None) -> tuple[str, Part]:
    """Run a section, and let it draw where the report will be."""
    section = importlib.import_module(f"bench.sections.{name}")
    part = section.run(quick)
    if folder is not None and hasattr(section, "draw"):
        section.draw(folder)
    return section.TITLE, part
