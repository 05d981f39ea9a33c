"""Says what is wrong with the values for a cluster before anything is installed.

``python -m deploy.cluster.check values.yaml fill.yaml`` puts the files together as helm does and
looks at every key, at the class, and for what was not filled in. ``--chart FOLDER`` also asks the
schema that comes with the chart (``helm pull … --untar``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from deploy.settings import NAME

OURS = Path(__file__).resolve().parent
KEYS = OURS / "chart-4.4.0.txt"
FIRST, LAST = 20_000, 29_999  # the numbers that the image knows
TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "list": (list,),
}


def merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Put values together as helm does: what comes later wins, key by key."""
    result = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


def read(*files: Path) -> dict[str, Any]:
    """Return the values that these files say together."""
    values: dict[str, Any] = {}
    for file in files:
        values = merged(values, yaml.safe_load(file.read_text(encoding="utf-8")))
    return values


def known() -> dict[str, str]:
    """Return what may stand at each key of the chart."""
    lines = KEYS.read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


def unknown(values: Any, path: str = "") -> Iterator[str]:
    """Yield what the chart would not take."""
    table = known()
    if table.get(path) == "any":
        return
    if path in table:
        if not fits(values, table[path]):
            yield f"{path}: {values!r} should be {table[path]}."
    elif isinstance(values, dict) and (
        not path or any(key.startswith(f"{path}.") for key in table)
    ):
        for key, value in values.items():
            yield from unknown(value, f"{path}.{key}" if path else key)
    else:
        yield f"{path}: the chart has no such key, or it is not in {KEYS.name}."


def fits(value: Any, allowed: str) -> bool:
    """Tell whether a value is one of the words, or of one of the types."""
    for word in allowed.split("|"):
        kinds = TYPES.get(word, ())
        if value == word or (
            isinstance(value, kinds) and isinstance(value, bool) == (bool in kinds)
        ):
            return True
    return False


def unfilled(values: Any, path: str = "") -> Iterator[str]:
    """Yield what still stands in angle brackets."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from unfilled(value, f"{path}.{key}" if path else key)
    elif isinstance(values, list):
        for value in values:
            yield from unfilled(value, path)
    elif isinstance(values, str) and values.startswith("<"):
        yield f"{path}: not filled in."


def wrong_class(values: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the list of the class."""
    numbers = values.get("custom", {}).get("class", {})
    if values.get("custom", {}).get("instructor") not in numbers:
        yield "custom.instructor: must be in custom.class."
    for name, number in numbers.items():
        if not NAME.match(str(name)):
            yield f"custom.class: {name!r} must be small letters, digits and hyphens, at most 31."
        if not isinstance(number, int) or not FIRST <= number <= LAST:
            yield f"custom.class: {name}'s number must be between {FIRST} and {LAST}."
    for number, times in Counter(numbers.values()).items():
        if times > 1:
            yield f"custom.class: {number} is given to {times} people."


def refused_by_chart(values: dict[str, Any], chart: Path) -> Iterator[str]:
    """Yield what the schema in a chart's folder refuses, its own values filled in as helm does."""
    schema = json.loads((chart / "values.schema.json").read_text(encoding="utf-8"))
    everything = merged(yaml.safe_load((chart / "values.yaml").read_text(encoding="utf-8")), values)
    for error in jsonschema.Draft7Validator(schema).iter_errors(everything):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"


def main() -> int:
    """Check and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--chart", type=Path)
    options = parser.parse_args()
    values = read(*options.files)
    problems = [*unknown(values), *wrong_class(values), *unfilled(values)]
    if options.chart:
        problems += refused_by_chart(values, options.chart)
    print("\n".join(problems) or "Nothing is wrong with these values.")
    return min(len(problems), 100)


if __name__ == "__main__":
    sys.exit(main())
