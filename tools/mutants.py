"""Break linlib in small ways, one at a time, and see whether the tests notice.

    python -m tools.mutants [module …] [--sample 30] [--jobs 2] [--fresh] [--equivalents]

(or: make mutants MODULES="loop rows"). A mutant is a module with one small change: ``<`` for
``<=``, a dropped ``raise``, a 1 for a 0. It lives in memory only, in a forked process that runs the
module's own tests, the cheap ones first, until one fails. Of all mutants of a module a sample is
tried, even over its lines; a larger sample contains the smaller one. Verdicts are kept in
``.mutants/``, so that an interrupted run goes on where it was: a killed mutant is tried again when
its module has changed or the test that killed it is gone, a survivor also when any of its tests
has. A change that no test can notice is listed, with the reason, in ``tests/equivalent.toml``.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import hashlib
import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".mutants"
EQUIVALENT = ROOT / "tests" / "equivalent.toml"
NEEDED = 0.95  # the share of mutants, equivalent ones aside, that must be killed
GOLDEN = (5**0.5 - 1) / 2  # its multiples fill the unit interval evenly, whenever one stops
LEAST_SECONDS, SECONDS_EACH = 10, 4  # of CPU: at least, and times what the tests take otherwise

# Tests besides linlib/x.py (its examples) and tests/test_x.py; after the bar: tried on survivors.
ALSO = {
    "checks": ["test_frozen", "|", "test_hyperplane", "test_perceptron", "test_gaussian"],
    "loop": ["|", "test_perceptron"],
    "perceptron": ["test_runs", "|", "test_perceptron"],
    "results": ["test_runs"],
    "rows": ["test_loop", "test_runs", "|", "test_perceptron", "test_multiclass"],
    "runs": ["|", "test_perceptron"],
    "tables": ["|", "test_convergence", "test_proof_explorer"],
}
BESIDE = ("__init__", "plotting")  # plotting is judged by the stored figures of the notebooks

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALLED = {
    a: b
    for pair in ("min max", "argmin argmax", "minimum maximum", "any all", "zeros ones")
    for a, b in (pair.split(), pair.split()[::-1])
}


class Mutant(NamedTuple):
    """One change of a module; ``place`` is its position among all changes of that module."""

    module: str
    place: int
    number: int
    line: str
    change: str

    def __str__(self) -> str:
        return f"linlib/{self.module}.py:{self.number}: {self.change}"

    @property
    def name(self) -> str:
        """What stays the same when lines are added above."""
        return f"{self.module} | {self.line} | {self.change}"


class Site(NamedTuple):
    """Where a node stands in its tree, and what could stand there instead."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    instead: ast.AST
    change: str

    def apply(self) -> None:
        ast.copy_location(self.instead, self.node)
        if self.index is None:
            setattr(self.parent, self.field, self.instead)
        else:
            getattr(self.parent, self.field)[self.index] = self.instead


def source(module: str) -> Path:
    return ROOT / "linlib" / f"{module}.py"


def sites(tree: ast.Module) -> list[Site]:
    """Return every change of a module that is tried, from its first line to its last."""

    def below(parent: ast.AST) -> Iterator[Site]:
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "format_spec", "type_params"):
                continue  # declarations, which mypy checks, and the spelling of numbers
            for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(node, ast.AST) and getattr(node, "arg", "") != "strict":
                    for change, instead in variants(node):
                        yield Site(parent, field, index, node, instead, change)
                    yield from below(node)

    def at(site: Site) -> tuple[int, int]:
        return site.node.lineno, site.node.col_offset  # type: ignore[attr-defined]

    return sorted(below(tree), key=at)


def variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what could stand in a node's place, each with a description of the change."""
    for instead in _expressions(node):
        yield f"{ast.unparse(node)}  →  {ast.unparse(instead)}", instead
    match node:
        case ast.Call():
            for i, keyword in enumerate(node.keywords):
                if keyword.arg not in (None, "strict"):  # strict guards against ourselves
                    fewer = node.keywords[:i] + node.keywords[i + 1 :]
                    call = f"{ast.unparse(node.func)}(…)"
                    yield f"{call} without {ast.unparse(keyword)}", changed(node, keywords=fewer)
        case ast.If():
            yield (
                f"if {ast.unparse(node.test)}  →  if not …",
                changed(node, test=ast.UnaryOp(ast.Not(), node.test)),
            )
        case ast.Return(value=ast.AST() as value):
            if not isinstance(value, ast.Constant) or value.value:  # False and 0 pass for None
                yield f"return {ast.unparse(value)[:50]}  →  return None", changed(node, value=None)
        case ast.Raise(exc=ast.AST() as what) if "NotImplemented" not in ast.unparse(what):
            kind = what.func if isinstance(what, ast.Call) else what
            yield f"raise {ast.unparse(kind)}  →  pass", ast.Pass()
        case ast.Expr(value=ast.Call()):
            yield f"{ast.unparse(node)[:60]}  →  pass", ast.Pass()
        case ast.AugAssign() if type(node.op) in COMPUTED:
            instead = changed(node, op=COMPUTED[type(node.op)]())
            yield f"{ast.unparse(node)}  →  {ast.unparse(instead)}", instead


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], COMPARED[type(op)](), *node.ops[i + 1 :]]
                yield changed(node, ops=ops)
        case ast.BinOp(op=op) if type(op) in COMPUTED:
            yield changed(node, op=COMPUTED[type(op)]())
        case ast.BoolOp(op=op):
            yield changed(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield changed(node, value=not value)
        case ast.Constant(value=int() | float() as value):
            yield changed(node, value=value + 1)
        case ast.IfExp():
            yield changed(node, body=node.orelse, orelse=node.body)
        case ast.Name(id=name) if name in CALLED and isinstance(node.ctx, ast.Load):
            yield changed(node, id=CALLED[name])
        case ast.Attribute(attr=name) if name in CALLED:
            yield changed(node, attr=CALLED[name])


def changed(node: ast.AST, **fields: Any) -> ast.AST:
    """Return the node with other fields; what lies below it is shared."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def mutants(module: str) -> list[Mutant]:
    """Return all mutants of a module."""
    text = source(module).read_text("utf-8")
    lines = text.splitlines()
    return [
        Mutant(module, place, number, lines[number - 1].strip(), site.change)
        for place, site in enumerate(sites(ast.parse(text)))
        if (number := site.node.lineno)  # type: ignore[attr-defined]
    ]


def sampled(everything: Sequence[Mutant], most: int) -> list[Mutant]:
    """Return so many mutants, spread evenly; the first ones of a larger sample are the smaller."""
    left = list(range(len(everything)))
    chosen = []
    for k in range(min(most, len(everything))):
        wanted = (k + 0.5) * GOLDEN % 1 * len(everything)
        chosen.append(left.pop(min(range(len(left)), key=lambda i: abs(left[i] - wanted))))
    return [everything[place] for place in chosen]


class Mutated(SourceFileLoader):
    """Loads one module of linlib with one change, or with none; nothing is written."""

    def __init__(self, module: str, place: int | None) -> None:
        super().__init__(f"linlib.{module}", str(source(module)))
        self.place = place

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(source(fullname.rpartition(".")[2]).read_text("utf-8"))
        if self.place is not None:
            sites(tree)[self.place].apply()
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)


def stages(module: str) -> list[list[Path]]:
    """Return the files with a module's own tests, and those that only survivors are tried on."""
    own, *more = " ".join(ALSO.get(module, [])).split("|")
    names = [f"test_{module}"] * (f"test_{module}" not in ALSO.get(module, [])) + own.split()
    first = [source(module), *(ROOT / "tests" / f"{name}.py" for name in names)]
    then = [ROOT / "tests" / f"{name}.py" for part in more for name in part.split()]
    return [[f for f in files if f.exists()] for files in (first, then) if files]


class Watch:
    """A pytest plugin: cheap tests come first, and what failed or how long each took is told."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.known, self.seconds, self.failed = seconds, Counter[str](), ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))
        tries = Counter[str]()
        costs = {}
        for item in items:
            # The same test on other data seldom notices what it did not notice at first.
            test = item.nodeid.partition("[")[0]
            tries[test] += 1
            costs[item.nodeid] = self.known.get(item.nodeid, 0.0) * tries[test]
        items.sort(key=lambda item: costs[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        self._look(report)

    def pytest_collectreport(self, report: Any) -> None:
        self._look(report)

    def _look(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def prepare() -> None:
    """Import once what every forked process needs, but nothing of linlib."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"  # threads do not survive a fork
    os.environ["MPLBACKEND"] = "agg"
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    for module in (
        "tests.early",
        "numpy",
        "scipy.linalg",
        "scipy.optimize",
        "sklearn.linear_model",
    ):
        importlib.import_module(module)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without its children

    # A counterexample kills a mutant; a smaller one would only take longer.
    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


def fork(
    module: str, place: int | None, files: list[Path], known: dict[str, Any], told: Path
) -> int:
    """Start the tests on a mutant in a process of their own; return its id."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        if place is not None:
            seconds = int(LEAST_SECONDS + SECONDS_EACH * known["cpu"])
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            signal.alarm(30 * seconds)  # should it sleep for ever
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
        status = _tests(module, place, files, known, told)
    finally:
        os._exit(status)


def _tests(
    module: str, place: int | None, files: list[Path], known: dict[str, Any], told: Path
) -> int:
    sys.meta_path.insert(0, Mutated(module, place))  # type: ignore[arg-type]
    importlib.import_module(f"linlib.{module}")  # before pytest, which would load it itself
    watch = Watch(known.get("seconds", {}))
    options = ["--noconftest", "--doctest-modules", "-x", "-q", "--tb=no", "-o", "addopts="]
    options += [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:nbval",
        "-p",
        "no:hypothesispytest",
    ]
    status = int(pytest.main([*options, *map(str, files)], plugins=[watch]))
    told.write_text(
        json.dumps({"failed": watch.failed, "seconds": watch.seconds, "imported": _imported()}),
        "utf-8",
    )
    return status


def _imported() -> list[str]:
    """Return what the tests imported from other packages: the next process finds it there."""
    places = ((name, getattr(module, "__file__", None)) for name, module in sys.modules.items())
    return [name for name, file in places if file and "site-packages" in file]


class Verdicts:
    """What is known already, kept in a file that only ever grows."""

    def __init__(self, path: Path, fresh: bool) -> None:
        path.parent.mkdir(exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        self.path, self.known = path, dict[str, dict[str, Any]]()
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self.known[entry["key"]] = entry
                except (ValueError, KeyError):  # cut off by an interruption
                    continue

    def add(self, key: str, **facts: Any) -> dict[str, Any]:
        self.known[key] = {"key": key, **facts}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.known[key]) + "\n")
        return self.known[key]

    def of(self, mutant: Mutant, digests: dict[str, str]) -> str | None:
        """Return the verdict that still holds: what killed the mutant, "" if nothing did."""
        entry = self.known.get(key(mutant))
        if entry is None or entry["source"] != digests["source"]:
            return None
        if not entry["killer"]:
            return "" if entry["tests"] == digests["tests"] else None
        return str(entry["killer"]) if _exists(entry["killer"]) else None


def key(mutant: Mutant) -> str:
    return f"{mutant.place} | {mutant.name}"


def _exists(killer: str) -> bool:
    file, _, test = killer.partition("::")
    path = ROOT / file
    return (
        not test
        or "doctest" in test
        or (
            path.is_file()
            and f"def {test.partition('[')[0].rpartition('::')[2]}(" in path.read_text("utf-8")
        )
        or file.startswith("linlib/")
    )


def digest(files: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()


def baseline(module: str, files: list[Path], verdicts: Verdicts, told: Path) -> dict[str, Any]:
    """Return how long each test takes on the module as it is, where all of them must pass."""
    name, now = f"baseline | {module} | {' '.join(f.stem for f in files)}", digest(files)
    known = verdicts.known.get(name)
    for imported in known["imported"] if known else ():
        with contextlib.suppress(ImportError):
            importlib.import_module(imported)
    if known and known["tests"] == now:
        return known
    _, status, used = os.wait4(fork(module, None, files, known or {}, told), 0)
    found = json.loads(told.read_text("utf-8")) if told.exists() else {"failed": "?"}
    if status:
        raise SystemExit(f"{module}: the tests fail before anything is changed: {found['failed']}")
    cpu = used.ru_utime + used.ru_stime
    verdicts.add(name, tests=now, cpu=cpu, seconds=found["seconds"], imported=found["imported"])
    return baseline(module, files, verdicts, told)


def equivalents() -> dict[str, str]:
    """Return the reasons of the changes that no test can notice."""
    if not EQUIVALENT.exists():
        return {}
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])
    return {f"{m['module']} | {m['line']} | {m['change']}": m["why"] for m in listed}


def stale(modules: Sequence[str]) -> list[str]:
    """Return the entries of the list that describe no mutant any more."""
    names = {mutant.name for module in modules for mutant in mutants(module)}
    return [name for name in equivalents() if name.split(" | ")[0] in modules and name not in names]


def judge(
    module: str, chosen: Sequence[Mutant], jobs: int, verdicts: Verdicts, folder: Path
) -> dict[Mutant, str]:
    """Return what killed each mutant: a test, "time", or "" for nothing."""
    parts = stages(module)
    digests = {
        "source": digest([source(module)]),
        "tests": digest([f for part in parts for f in part]),
    }
    result = {m: v for m in chosen if (v := verdicts.of(m, digests)) is not None}
    todo = [(mutant, 0) for mutant in chosen if mutant not in result]
    if not todo:
        return result
    known = {0: baseline(module, parts[0], verdicts, folder / "told")}
    running: dict[int, tuple[Mutant, int, Path]] = {}
    try:
        while todo or running:
            while todo and len(running) < jobs:
                mutant, stage = todo.pop(0)
                if stage not in known:
                    known[stage] = baseline(module, parts[stage], verdicts, folder / "later")
                told = folder / f"{mutant.place}-{stage}"
                pid = fork(module, mutant.place, parts[stage], known[stage], told)
                running[pid] = mutant, stage, told
            pid, status, used = os.wait4(-1, 0)
            mutant, stage, told = running.pop(pid)
            killer = _killer(status, told)
            if not killer and stage + 1 < len(parts):
                todo.insert(0, (mutant, stage + 1))
                continue
            result[mutant] = killer
            cpu = round(used.ru_utime + used.ru_stime, 1)
            verdicts.add(key(mutant), **digests, killer=killer, cpu=cpu)
            _progress(f"{module}: {len(result)} of {len(chosen)}")
    finally:
        for pid in running:
            os.killpg(pid, signal.SIGKILL)
    return result


def _killer(status: int, told: Path) -> str:
    if os.WIFSIGNALED(status):
        late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
        return "time" if late else "crash"
    if os.WEXITSTATUS(status) == 0:
        return ""
    return (
        str(json.loads(told.read_text("utf-8"))["failed"] or "import")
        if told.exists()
        else "import"
    )


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<40}", end="", file=sys.stderr, flush=True)


def report(module: str, verdicts: dict[Mutant, str], even: Sequence[Mutant]) -> tuple[str, bool]:
    """Return the lines to print of a module, and whether enough of its mutants were killed."""
    survivors = sorted(m for m, killer in verdicts.items() if not killer)
    killed, late = len(verdicts) - len(survivors), list(verdicts.values()).count("time")
    line = f"{module}: {len(verdicts) + len(even)} mutants, {killed} killed"
    line += f" ({late} caught by time)" if late else ""
    line += f", {len(even)} equivalent" if even else ""
    line += f", {len(survivors)} survived" if survivors else ""
    lines = [line, *(f"  survived {mutant}" for mutant in survivors)]
    lines += [f"  by time  {mutant}" for mutant, killer in verdicts.items() if killer == "time"]
    return "\n".join(lines), killed >= NEEDED * len(verdicts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants")
    every = sorted(p.stem for p in (ROOT / "linlib").glob("*.py") if p.stem not in BESIDE)
    parser.add_argument("modules", nargs="*", metavar="module", choices=[*every, []])
    parser.add_argument("--sample", type=int, default=30, help="mutants of each module (30)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--fresh", action="store_true", help="forget what is known")
    parser.add_argument("--equivalents", action="store_true", help="try only those listed as such")
    chosen = parser.parse_args(arguments)
    modules = chosen.modules or every
    if old := stale(modules):
        print("Listed as equivalent, but no longer there:", *old, sep="\n  ")
        return 1
    prepare()
    verdicts, reasons, enough = (
        Verdicts(STATE / "verdicts.jsonl", chosen.fresh),
        equivalents(),
        True,
    )
    with tempfile.TemporaryDirectory() as folder:
        for module in modules:
            everything = mutants(module)
            if chosen.equivalents:
                sample, even = [m for m in everything if m.name in reasons], []
            else:
                sample = sampled(everything, chosen.sample)
                even = [m for m in sample if m.name in reasons]
                sample = [m for m in sample if m.name not in reasons]
            judged = judge(module, sample, chosen.jobs, verdicts, Path(folder))
            if chosen.equivalents:
                for mutant, killer in judged.items():
                    print(f"{mutant}: {'is not equivalent: ' + killer if killer else 'survives'}")
                    enough &= not killer
                continue
            text, well = report(module, judged, even)
            _progress("\r")
            print(text, flush=True)
            enough &= well
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
