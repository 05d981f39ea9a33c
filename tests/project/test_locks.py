"""One pinned list for each audience: maintainers, readers and graders."""

import functools
import importlib.metadata
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
# What this repository installs; none of it is on an index, so that no list names it.
OURS = {"linlib": "pyproject.toml"}
OURS |= {name: f"{name}/pyproject.toml" for name in ("nbsame", "lincourse")}
# Who installs which list, by what it is made from.
LOCKS = {
    "requirements.lock": "lincourse[test]",
    "requirements-reader.lock": "lincourse",
    "requirements-grader.lock": "lincourse[grade]",
}
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]  # as in noxfile.py


def text(name):
    return (ROOT / name).read_text("utf-8")


def asked_for(ours):
    """Return what one of our distributions asks for, those of ours that it names included."""
    asked = Requirement(ours)
    project = tomllib.loads(text(OURS[asked.name]))["project"]
    lines = [*project["dependencies"]]
    for extra in asked.extras:
        lines += project["optional-dependencies"][extra]
    found = []
    for requirement in map(Requirement, lines):
        found += asked_for(str(requirement)) if requirement.name in OURS else [requirement]
    return found


def lock_lines(name):
    return [line for line in text(name).splitlines() if line.strip()]


def pins(environment=None, name="requirements.lock"):
    """Return name → version of what a lock installs in an environment, or in this one."""
    environment = environment or default_environment()
    found = {}
    for pin in map(Requirement, lock_lines(name)):
        if pin.marker is None or pin.marker.evaluate(environment):
            package = canonicalize_name(pin.name)
            assert package not in found, f"{name} pins {package} twice for {environment}"
            found[package] = str(pin.specifier).removeprefix("==")
    return found


@functools.cache
def requirements_of(name):
    """Return what an installed package requires; nothing if it is not for this platform."""
    try:
        return [Requirement(line) for line in importlib.metadata.requires(name) or []]
    except importlib.metadata.PackageNotFoundError:
        return []


def demands(environment, ours="lincourse[test]"):
    """Return name → requirements on it, for all that one of ours needs, directly or not."""
    found, seen = {}, set()
    todo = [(requirement, "") for requirement in asked_for(ours)]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker and not requirement.marker.evaluate({**environment, "extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        found.setdefault(name, []).append(requirement)
        for wanted in {"", *requirement.extras} - {e for n, e in seen if n == name}:
            seen.add((name, wanted))
            todo += [(needed, wanted) for needed in requirements_of(name)]
    return found


def platform(python, system):
    """Return the markers of a Python release on Linux, macOS or Windows."""
    names = {
        "linux": ("posix", "Linux"),
        "darwin": ("posix", "Darwin"),
        "win32": ("nt", "Windows"),
    }
    return default_environment() | {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_version": f"{python}.0",
        "sys_platform": system,
        "os_name": names[system][0],
        "platform_system": names[system][1],
    }


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_pins_one_package_exactly(name):
    for line in lock_lines(name):
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*( ; .+)?", line), f"not a plain pin: {line!r}"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", LOCKS)
def test_what_each_pyproject_asks_for_is_pinned_as_it_asks(name, python):
    pinned = pins(platform(python, "linux"), name)
    for requirement in asked_for(LOCKS[name]):
        pin = pinned.get(canonicalize_name(requirement.name), "nothing")
        fits = pin != "nothing" and requirement.specifier.contains(pin)
        assert fits, f"{pin} is pinned in {name}, which is not {requirement}: run `make lock`"


def test_a_python_is_not_held_at_what_an_older_one_can_have():
    """NumPy gives up a Python every year; those who have the next one get the next NumPy."""
    each = [pins(platform(python, "linux")) for python in PYTHONS]
    for older, newer in pairwise(each):
        fallen = [name for name in older if Version(newer.get(name, "999")) < Version(older[name])]
        assert not fallen, "pinned lower for a newer Python: run `make lock`"
    held = "every Python gets the same NumPy: `make lock` pins what the oldest of them can have"
    assert Version(each[0]["numpy"]) < Version(each[-1]["numpy"]), held


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", [name for name in LOCKS if name != "requirements.lock"])
def test_readers_and_graders_get_what_the_tests_ran_with(name, python):
    """Only what the tests alone keep back, by an upper bound, may be newer, with what it needs."""
    here, tested = pins(platform(python, "linux"), name), pins(platform(python, "linux"))
    bounded = {r.name for r in asked_for("lincourse[test]") if "<" in str(r.specifier)}
    assert bounded.isdisjoint(r.name for r in asked_for(LOCKS[name]) if "<" in str(r.specifier))
    other = {package for package in here if here[package] != tested.get(package)}
    assert {package for package in other if package in tested} <= bounded
    missing = set(demands(platform(python, "linux"), LOCKS[name])) - set(here)
    assert not missing, f"needed, but not in {name}: run `make lock`"
    assert not {"sphinx", "playwright"} & set(here), "nobody but a maintainer needs these"


def test_the_lock_holds_what_this_environment_needs_and_nothing_else():
    needed, pinned = set(demands(default_environment())), set(pins())
    assert not needed - pinned, "needed, but missing in requirements.lock: run `make lock`"
    assert not pinned - needed, "in requirements.lock, but nothing needs it: run `make lock`"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_lock_holds_what_other_platforms_need(python, system):
    environment = platform(python, system)
    missing = set(demands(environment)) - set(pins(environment))
    assert not missing, f"Python {python} on {system} needs these too: run `make lock`"


def test_every_pin_satisfies_all_that_require_it():
    pinned = pins()
    for name, requirements in demands(default_environment()).items():
        for requirement in requirements:
            fits = requirement.specifier.contains(pinned[name], prereleases=True)
            assert fits, f"{name} is pinned at {pinned[name]}, but something needs {requirement}"


def test_what_is_installed_is_what_is_pinned():
    installed = {name: importlib.metadata.version(name) for name in pins()}
    assert installed == pins(), "run `make setup` to install the lock"
