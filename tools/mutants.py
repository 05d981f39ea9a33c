"""Break linlib in small ways, one at a time, and see whether the tests notice.

    python -m tools.mutants [module …] [--sample 30] [--jobs 2] [--fresh] [--quick] [--equivalents]

(or: make mutants MODULES="loop rows"). A mutant is a module with one small change: ``<`` for
``<=``, a dropped ``raise``, a 1 for a 0. It lives in memory only, in a forked process that runs the
module's own tests, the cheap ones first, until one fails. Of all mutants of a module a sample is
tried, even over its lines; a larger sample contains the smaller one. Verdicts are kept in
``.mutants/``, so that an interrupted run goes on where it was: a killed mutant is tried again when
its module has changed or the test that killed it is gone, a survivor also when any of its tests
has. A change that no test can notice is listed, with the reason, in ``tests/equivalent.toml``.

The tests are imported and collected once a module. A change within a function replaces the code of
that function in a fork of this process; only a change outside functions imports everything again.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import gc
import hashlib
import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".mutants"
EQUIVALENT = ROOT / "tests" / "equivalent.toml"
NEEDED = 0.95  # the share of mutants, equivalent ones aside, that must be killed
GOLDEN = (5**0.5 - 1) / 2  # its multiples fill the unit interval evenly, whenever one stops
LEAST_SECONDS, SECONDS_EACH = 3, 10  # of CPU for a test: and so many times what it takes otherwise

ESTIMATORS = ("base", "gaussians", "linear", "machines", "perceptrons")
# What explorers say and draw is stored (test_shown), what all share is tested on a toy; the rest
# is tried on what survives these.
EXPLORERS = {
    "test_challenges": "challenges",
    "test_room": "base canvas controls events history room points hulls",
    "test_stepper": "stepper",
    "test_widgets": "hyperplane moment moment_picture perceptron",
    "test_descent_explorer": "descent descent_moment descent_picture surface",
    "test_widgets_boundaries": "claims classes clouds gaussians learners logistic margin odds "
    "regions shapes",
    "test_curves": "curves",
    "test_proof_explorer": "axes proof proof_picture",
    "test_predict": "predict predict_points",
    "test_scene": "scene.drawn scene.kinds scene.lines scene.panels scene.words",
    "stills": "still",
}
# Tests besides linlib/x.py (its examples) and tests/test_x.py; after the bar: tried on survivors.
ALSO = {
    "audit": ["test_convergence"],
    "certificates": ["test_separability"],
    "cross_entropy": ["test_softmax"],
    "discriminants": ["test_gaussian"],
    "machine": ["test_gaussian"],
    "dual": ["test_soft_margin"],
    "kesler": ["test_runs"],
    "lasso": ["test_least_squares", "|", "test_invariance"],
    "following": ["test_runs", "|", "test_perceptron"],
    "frozen": ["test_checks"],
    "schemes": ["test_multiclass"],
    **{
        part: ["test_checks", "test_frozen", "|", "test_hyperplane", "test_rows", "test_gaussian"]
        for part in ("arrays", "labels", "options")
    },
    "least_squares": ["test_descent", "|", "test_invariance"],
    "loop": ["test_runs"],
    "mistakes": ["test_loop", "test_runs"],
    "objectives": ["test_descent"],
    "orders": ["test_runs", "|", "test_perceptron"],
    "passes": ["test_widrow_hoff"],
    "perceptron": ["test_runs", "|", "test_perceptron"],
    "relatives": ["test_runs", "|", "test_perceptron"],
    "results": ["test_runs"],
    "rows": ["test_loop", "test_runs"],
    **{f"sklearn.{part}": ["test_sklearn"] for part in ESTIMATORS},
    "street": ["test_separability"],
    "solvers.exact": ["test_exact", "test_overlap"],
    **{
        f"widgets.{part}": ["test_toy", "test_shown", "|", tests]
        for tests, parts in EXPLORERS.items()
        for part in parts.split()
    },
    # These decide what explorers say, and that is recomputed from the reader's own numbers.
    **{
        part: ["|", "test_explorer_facts"]
        for part in ("affine", "held", "hulls", "outlook", "quadric", "sides")
    },
}
# Pictures are judged by the stored figures of the notebooks; checks holds no code of its own.
BESIDE = ("__init__", "checks", "figures", "plotting")

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
    function: str  # in whose body it is, "" if in none

    def __str__(self) -> str:
        return f"{source(self.module).relative_to(ROOT)}:{self.number}: {self.change}"

    @property
    def name(self) -> str:
        """What stays the same when lines are added above."""
        return f"{self.module} | {self.function} | {self.line} | {self.change}"


class Site(NamedTuple):
    """Where a node stands in its tree, and what could stand there instead."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    instead: ast.AST
    change: str
    function: str

    def apply(self) -> None:
        ast.copy_location(self.instead, self.node)
        if self.index is None:
            setattr(self.parent, self.field, self.instead)
        else:
            getattr(self.parent, self.field)[self.index] = self.instead


def source(module: str) -> Path:
    return ROOT.joinpath("linlib", *module.split(".")).with_suffix(".py")


def sites(tree: ast.Module) -> list[Site]:
    """Return every change of a module that is tried, from its first line to its last."""

    def below(parent: ast.AST, scope: str, function: str) -> Iterator[Site]:
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "format_spec", "type_params"):
                continue  # declarations, which mypy checks, and the spelling of numbers
            for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(node, ast.AST) and getattr(node, "arg", "") != "strict":
                    inside = function or (scope if field == "body" and is_function(parent) else "")
                    for change, instead in variants(node):
                        yield Site(parent, field, index, node, instead, change, inside)
                    name = getattr(node, "name", "") if not isinstance(node, ast.alias) else ""
                    yield from below(node, f"{scope}.{name}".strip(".") if name else scope, inside)

    def at(site: Site) -> tuple[int, int]:
        return site.node.lineno, site.node.col_offset  # type: ignore[attr-defined]

    return sorted(below(tree, "", ""), key=at)


def is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef)


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
        case ast.Constant(value=int() | float() as value) if value + 1 != value:
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
    lines, seen, found = text.splitlines(), Counter[tuple[int, str]](), []
    for place, site in enumerate(sites(ast.parse(text))):
        number = site.node.lineno  # type: ignore[attr-defined]
        seen[number, site.change] += 1
        again = seen[number, site.change]
        change = f"{site.change} ({again})" if again > 1 else site.change
        line = lines[number - 1].strip()
        found.append(Mutant(module, place, number, line, change, site.function))
    return found


def sampled(everything: Sequence[Mutant], most: int) -> list[Mutant]:
    """Return so many mutants, spread evenly; the first ones of a larger sample are the smaller."""
    left = list(range(len(everything)))
    chosen = []
    for k in range(min(most, len(everything))):
        wanted = (k + 0.5) * GOLDEN % 1 * len(everything)
        chosen.append(left.pop(min(range(len(left)), key=lambda i: abs(left[i] - wanted))))
    return [everything[place] for place in chosen]


def mutated(mutant: Mutant) -> CodeType:
    """Return the code of a module with the change."""
    tree = ast.parse(source(mutant.module).read_text("utf-8"))
    sites(tree)[mutant.place].apply()
    path = str(source(mutant.module))
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Mutated(SourceFileLoader):
    """Loads one module of linlib with a change; nothing is written."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(f"linlib.{mutant.module}", str(source(mutant.module)))
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return mutated(self.mutant)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)


def transplant(mutant: Mutant) -> None:
    """Give the functions that exist already the mutant's code, whoever has imported them."""

    def codes(code: CodeType) -> Iterator[CodeType]:
        for const in code.co_consts:
            if isinstance(const, CodeType):
                yield const
                yield from codes(const)

    new = {code.co_qualname: code for code in codes(mutated(mutant))}[mutant.function]
    living = [
        function
        for function in gc.get_objects()
        if isinstance(function, FunctionType)
        and function.__qualname__ == mutant.function
        and function.__module__ == f"linlib.{mutant.module}"
    ]
    if not living:
        raise LookupError(f"no function {mutant.function} in {mutant.module}")
    for function in living:
        function.__code__ = new


def stages(module: str) -> list[list[Path]]:
    """Return the files with a module's own tests, and those that only survivors are tried on."""
    own, *more = " ".join(ALSO.get(module, [])).split("|")
    names = [f"test_{module}"] * (f"test_{module}" not in ALSO.get(module, [])) + own.split()
    first = [source(module), *(ROOT / "tests" / f"{name}.py" for name in names)]
    then = [ROOT / "tests" / f"{name}.py" for part in more for name in part.split()]
    return [[f for f in files if f.exists()] for files in (first, then) if files]


def forked(
    tasks: Iterable[tuple[Mutant | None, Callable[[], int]]], jobs: int
) -> Iterator[tuple[Mutant | None, int, float]]:
    """Run each task in a process of its own, so many at a time; yield how and when each ended."""
    waiting, running = iter(tasks), dict[int, Mutant | None]()
    try:
        while True:
            for mutant, task in waiting:
                if pid := os.fork():
                    running[pid] = mutant
                else:
                    status = 70
                    try:
                        status = task()
                    finally:
                        os._exit(status)
                if len(running) >= jobs:
                    break
            if not running:
                return
            pid, status, used = os.wait4(-1, 0)
            if pid in running:
                yield running.pop(pid), status, used.ru_utime + used.ru_stime
    finally:
        for pid in running:
            os.kill(pid, signal.SIGTERM)


class Trial:
    """A pytest plugin: all tests are collected once, and run in a fork for each mutant."""

    def __init__(self, book: Book, mutants: Sequence[Mutant | None], jobs: int) -> None:
        self.book, self.mutants, self.jobs = book, mutants, jobs
        self.seconds, self.failed = dict[str, float](), ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        known = self.book.seconds
        items.sort(key=lambda item: known.get(item.nodeid, 0.0))
        tries, costs = Counter[str](), dict[str, float]()
        for item in items:
            # The same test on other data seldom notices what it did not notice at first.
            test = item.nodeid.partition("[")[0]
            tries[test] += 1
            costs[item.nodeid] = known.get(item.nodeid, 0.0) * tries[test]
        items.sort(key=lambda item: costs[item.nodeid])

    def pytest_runtestloop(self, session: Any) -> bool:
        if session.testsfailed:
            raise session.Interrupted("not collected")
        tasks = ((mutant, lambda m=mutant: self._run(session, m)) for mutant in self.mutants)
        for mutant, status, cpu in forked(tasks, self.jobs):
            self.book.enter(mutant, status, cpu)
        return True

    def _run(self, session: Any, mutant: Mutant | None) -> int:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if mutant:
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            limited(self.book.cpu)
            if mutant.function:
                transplant(mutant)
        for i, item in enumerate(session.items):
            later = session.items[i + 1] if i + 1 < len(session.items) else None
            before = time.process_time()
            if mutant:
                allowed = LEAST_SECONDS + SECONDS_EACH * self.book.seconds.get(item.nodeid, 0.0)
                signal.setitimer(signal.ITIMER_PROF, allowed)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=later)
            self.seconds[item.nodeid] = time.process_time() - before
            if self.failed:
                break
        self.book.tell(
            mutant, {"failed": self.failed, "seconds": self.seconds, "imports": _imports()}
        )
        return 1 if self.failed else 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def limited(cpu: float) -> None:
    """Let this process end after some CPU seconds, many more than the tests need."""
    seconds = int(10 + 4 * cpu)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
    signal.alarm(60 * seconds)  # should it sleep for ever


def _imports() -> list[str]:
    """Return what the tests imported from other packages: the next process finds it there."""
    places = ((name, getattr(module, "__file__", None)) for name, module in sys.modules.items())
    return [name for name, file in places if file and "site-packages" in file]


def collected(book: Book, mutants: Sequence[Mutant | None], jobs: int) -> int:
    """Collect the tests of a stage and run them on each mutant."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    if mutants[0] and not mutants[0].function:
        limited(book.cpu)
        sys.meta_path.insert(0, Mutated(mutants[0]))  # type: ignore[arg-type]
    importlib.import_module(f"linlib.{book.module}")  # before pytest, which would load it itself
    options = ["--noconftest", "--doctest-modules", "-x", "-q", "-s", "--tb=no", "-o", "addopts="]
    for plugin in ("cacheprovider", "xdist", "nbval", "hypothesispytest"):
        options += ["-p", f"no:{plugin}"]
    return int(pytest.main([*options, *map(str, book.files)], [Trial(book, mutants, jobs)]))


class Book:
    """What is known of the mutants of a module at one stage, in a file that only ever grows."""

    def __init__(self, module: str, files: list[Path], path: Path, folder: Path) -> None:
        self.module, self.files, self.path, self.folder = module, files, path, folder
        self.digests = {"source": digest([source(module)]), "tests": digest(files + read_by(files))}
        self.stage = f"{module} | {' '.join(file.stem for file in files)}"
        self.read()

    def read(self) -> None:
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        self.known = dict[str, dict[str, Any]]()
        for line in lines:
            with contextlib.suppress(ValueError):  # cut off by an interruption
                entry = json.loads(line)
                self.known[entry["key"]] = entry
        plain = self.known.get(self.stage, {})
        self.cpu, self.seconds = plain.get("cpu", 0.0), plain.get("seconds", {})

    def told(self, mutant: Mutant | None) -> Path:
        return self.folder / f"{self.module}-{mutant.place if mutant else 'plain'}"

    def tell(self, mutant: Mutant | None, facts: dict[str, Any]) -> None:
        self.told(mutant).write_text(json.dumps(facts), "utf-8")

    def enter(self, mutant: Mutant | None, status: int, cpu: float) -> None:
        """Write down how the tests ended on a mutant."""
        file = self.told(mutant)
        facts = json.loads(file.read_text("utf-8")) if file.exists() else {"failed": "import"}
        file.unlink(missing_ok=True)
        if os.WIFSIGNALED(status):
            late = (signal.SIGPROF, signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
            facts["failed"] = "time" if os.WTERMSIG(status) in late else "crash"
        entry = {"key": self.key(mutant), **self.digests, "cpu": cpu, "killer": facts["failed"]}
        if mutant is None:
            entry |= {"seconds": facts.get("seconds", {}), "imports": facts.get("imports", [])}
        with self.path.open("a", encoding="utf-8") as book:
            book.write(json.dumps(entry) + "\n")

    def key(self, mutant: Mutant | None) -> str:
        return self.stage if mutant is None else f"{self.stage} | {mutant.place} | {mutant.name}"

    def verdict(self, mutant: Mutant | None) -> str | None:
        """Return what killed the mutant, "" if nothing did, None if that is not known any more."""
        entry = self.known.get(self.key(mutant))
        if entry is None or (mutant and entry["source"] != self.digests["source"]):
            return None
        if not entry["killer"] or mutant is None:
            return str(entry["killer"]) if entry["tests"] == self.digests["tests"] else None
        return str(entry["killer"]) if _exists(entry["killer"]) else None


def _exists(killer: str) -> bool:
    """Tell whether a test is still there, by its name."""
    file, _, test = killer.partition("::")
    if not test or file.startswith("linlib/"):
        return True
    name = test.partition("[")[0].rpartition("::")[2]
    path = ROOT / file
    return path.is_file() and f"def {name}(" in path.read_text("utf-8")


def read_by(files: Sequence[Path]) -> list[Path]:
    """Return what tests read: the folder tests/x belongs to tests/test_x.py."""
    folders = [file.with_name(file.stem.removeprefix("test_")) for file in files]
    return [path for folder in folders for path in sorted(folder.glob("*.*"))]


def digest(files: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()


def prepare() -> None:
    """Import once what every forked process needs, but nothing of linlib."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"  # threads do not survive a fork
    os.environ["MPLBACKEND"] = "agg"
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    importlib.import_module("tests.early")
    importlib.import_module("numpy")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without its children
    # A counterexample kills a mutant; a smaller one would only take longer.
    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


def judge(book: Book, chosen: Sequence[Mutant], jobs: int) -> dict[Mutant, str]:
    """Return what killed each mutant at this stage: a test, "time", or "" for nothing."""
    todo = [mutant for mutant in chosen if book.verdict(mutant) is None]
    if todo and book.verdict(None) is None:
        list(forked([(None, lambda: collected(book, [None], 1))], 1))
        book.read()
    if todo and book.verdict(None) != "":
        raise SystemExit(f"{book.module}: fails before anything is changed: {book.verdict(None)}")
    for name in book.known[book.stage]["imports"] if todo else ():
        with contextlib.suppress(ImportError):  # else the first test that needs it seems slow
            importlib.import_module(name)
    inner = [mutant for mutant in todo if mutant.function]
    outer = [mutant for mutant in todo if not mutant.function]
    if inner:
        list(forked([(None, lambda: collected(book, inner, jobs))], 1))
    tasks = ((m, lambda m=m: collected(book, [m], 1)) for m in outer)
    for mutant, status, cpu in forked(tasks, jobs):
        if status:  # not even collected
            book.enter(mutant, status, cpu)
    book.read()
    return {mutant: book.verdict(mutant) or "" for mutant in chosen}


def equivalents() -> dict[str, str]:
    """Return the reasons of the changes that no test can notice."""
    if not EQUIVALENT.exists():
        return {}
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8")).get("mutant", [])
    parts = ("module", "function", "line", "change")
    return {" | ".join(entry[part] for part in parts): entry["why"] for entry in listed}


def stale(modules: Sequence[str]) -> list[str]:
    """Return the entries of the list that describe no mutant any more."""
    names = {mutant.name for module in modules for mutant in mutants(module)}
    return [name for name in equivalents() if name.split(" | ")[0] in modules and name not in names]


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


def modules() -> list[str]:
    """Return the modules that are tried: all but the pictures of the lectures."""
    folder = ROOT / "linlib"
    found = folder.rglob("*.py")
    names = [".".join(path.relative_to(folder).with_suffix("").parts) for path in found]
    return sorted(name for name in names if name.rpartition(".")[2] not in BESIDE)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants")
    every = modules()
    parser.add_argument("modules", nargs="*", metavar="module", choices=[*every, []])
    parser.add_argument("--sample", type=int, default=30, help="mutants of each module (30)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--fresh", action="store_true", help="forget what is known")
    parser.add_argument("--equivalents", action="store_true", help="try only those listed as such")
    parser.add_argument("--quick", action="store_true", help="leave out tests tried on survivors")
    options = parser.parse_args(arguments)
    chosen_modules = options.modules or every
    if old := stale(chosen_modules):
        print("Listed as equivalent, but no longer there:", *old, sep="\n  ")
        return 1
    prepare()
    STATE.mkdir(exist_ok=True)
    path, reasons, enough = STATE / "verdicts.jsonl", equivalents(), True
    if options.fresh:
        path.unlink(missing_ok=True)
    for module in chosen_modules:
        chosen = (
            mutants(module) if options.equivalents else sampled(mutants(module), options.sample)
        )
        even = [mutant for mutant in chosen if mutant.name in reasons]
        tried = even if options.equivalents else [m for m in chosen if m.name not in reasons]
        verdicts = dict.fromkeys(tried, "")
        with tempfile.TemporaryDirectory() as folder:
            for files in stages(module)[: 1 if options.quick else None]:
                left = [mutant for mutant, killer in verdicts.items() if not killer]
                if left:
                    verdicts |= judge(Book(module, files, path, Path(folder)), left, options.jobs)
        if options.equivalents:
            wrong = [f"{m} is not equivalent: {killer}" for m, killer in verdicts.items() if killer]
            print(f"{module}: {len(even)} listed as equivalent", *wrong, sep="\n  ", flush=True)
            enough &= not wrong
        else:
            text, well = report(module, verdicts, even)
            print(text, flush=True)
            enough &= well
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
