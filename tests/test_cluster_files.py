"""The class server on a cluster: what is in the image, what the values say, what a class needs."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from traitlets.config import Config

from deploy import accounts, exchange
from deploy.cluster import check, context, people, sizing
from deploy.settings import COURSE, ROOT, Place, WrongError, size
from grader.handout import refused

OURS = ROOT / "deploy/cluster"
VALUES, FILL = OURS / "values.yaml", OURS / "fill.yaml"
BOTH = check.read(VALUES, FILL)
HUB = tomllib.loads((ROOT / "deploy/hub.toml").read_text())
TAG = f"k{os.getpid():x}"


# ---- the image


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return context.make(tmp_path_factory.mktemp("image") / "image")


def sent(folder: Path) -> dict[str, Path]:
    """Return the files that .dockerignore lets through to the builder; the last rule decides."""
    rules = (folder / ".dockerignore").read_text().splitlines()
    found = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name, ignored = str(path.relative_to(folder)), False
        for rule in (rule for rule in rules if rule and not rule.startswith("#")):
            bare = rule.removeprefix("!")
            inside = name == bare or name.startswith(f"{bare}/")
            anywhere = bare.startswith("**/") and bare[3:] in Path(name).parts
            if bare == "*" or inside or anywhere:
                ignored = not rule.startswith("!")
        if not ignored:
            found[name] = path
    return found


def instructions(folder: Path) -> list[list[str]]:
    """Return the words of each instruction of the Dockerfile."""
    text = (folder / "Dockerfile").read_text().replace("\\\n", " ")
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def copied(folder: Path) -> dict[str, Path]:
    """Follow the COPY instructions: where each file goes, and which it is."""
    files, result, here = sent(folder), {}, "/"
    for word, *rest in instructions(folder):
        if word == "FROM":
            here = "/"
        elif word == "WORKDIR":
            here = rest[0]
        elif word == "COPY" and not rest[0].startswith("--from="):
            *sources, target = rest
            for source in sources:
                taken = {
                    n: p for n, p in files.items() if n == source or n.startswith(f"{source}/")
                }
                assert taken, f"COPY {source}: there is no such thing in the context"
                for name, path in taken.items():
                    end = name.removeprefix(source) or f"/{name}"
                    result[
                        os.path.normpath(
                            f"{here}/{target}{end}" if target[0] != "/" else target + end
                        )
                    ] = path
    return result


@pytest.mark.slow
def test_the_image_holds_the_course_and_nothing_that_is_not_for_students(folder: Path) -> None:
    image = copied(folder)
    assert (
        image["/build/requirements.lock"].read_bytes() == (ROOT / "requirements.lock").read_bytes()
    )
    lectures = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {f"/srv/linlib-hub/lectures/{name}" for name in lectures} <= image.keys()
    assert "/build/linlib/widgets/canvas.js" in image
    assert "/build/tools/lab/data/share/jupyter/labextensions/linlib-lab/package.json" in image
    assert {path for path in image if "homework" in path or "__pycache__" in path} == set()
    assert [problem for path in image for problem in refused(path, image[path].read_bytes())] == []
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == {
        *sent(folder),
        "Dockerfile",
        ".dockerignore",
    }


def test_what_is_put_there_by_mistake_is_not_sent_or_is_noticed(
    folder: Path, tmp_path: Path
) -> None:
    wrong = shutil.copytree(folder, tmp_path / "wrong")
    solutions = "notebooks/homework/solutions/01-hyperplanes.ipynb"
    for name in ("secret.txt", "notebooks/x.ipynb", "linlib/__pycache__/x.pyc", "tools/site.py"):
        (wrong / name).parent.mkdir(parents=True, exist_ok=True)
        (wrong / name).write_text("x")
    assert sent(wrong).keys() == sent(folder).keys()
    (wrong / "lectures/solutions").mkdir()
    shutil.copyfile(ROOT / solutions, wrong / "lectures/solutions/01.ipynb")
    planted = "/srv/linlib-hub/lectures/solutions/01.ipynb"
    assert [*refused(planted, copied(wrong)[planted].read_bytes())]


def test_the_image_s_packages_are_the_lock_s_and_the_hub_s_but_for_jupyterhub() -> None:
    def pinned(path: Path) -> dict[str, str]:
        lines = [line.split(";")[0] for line in path.read_text().splitlines() if "==" in line]
        return dict(line.strip().split("==") for line in lines)

    more, lock = pinned(OURS / "requirements.txt"), pinned(ROOT / "requirements.lock")
    machine = pinned(ROOT / "deploy/requirements.txt")
    assert not more.keys() & lock.keys()
    assert {name for name, version in more.items() if machine[name] != version} <= {"jupyterhub"}
    run = " ".join(" ".join(words) for words in instructions(OURS) if words[0] == "RUN")
    assert "--constraint requirements.lock --requirement requirements.txt" in run
    assert "--compile-bytecode" in run
    assert "'^uv==' requirements.lock" in run


def test_the_values_fit_the_image(folder: Path) -> None:
    image, user = copied(folder), BOTH["singleuser"]
    words = instructions(folder)
    settings = dict(word.split("=", 1) for line in words if line[0] == "ENV" for word in line[1:])
    place = settings["LINLIB_HUB"]
    assert user["cmd"] == [f"{place}/env/bin/python", "-I", f"{place}/server/begin.py"]
    assert user["cmd"][2] in image
    assert user["defaultUrl"].removeprefix("/lab/tree/") in os.listdir(folder / "lectures")
    assert user["storage"]["homeMountPath"] == settings["HOME"]
    assert user["storage"]["extraVolumeMounts"][0]["mountPath"] == f"{place}/exchange"
    claim = yaml.safe_load((OURS / "exchange.yaml").read_text())
    volume = user["storage"]["extraVolumes"][0]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert ["USER", str(user["uid"])] in words
    assert f"$(seq {check.FIRST} {check.LAST})" in (folder / "Dockerfile").read_text()
    assert "nbgrader_config.py" in os.listdir(folder / "server")


# ---- the values


def test_every_key_is_the_chart_s_and_the_class_is_right() -> None:
    assert [*check.unknown(BOTH), *check.wrong_class(BOTH)] == []
    assert [*check.unfilled(yaml.safe_load(VALUES.read_text()))] == []
    left = {problem.split(":")[0] for problem in check.unfilled(BOTH)}
    assert {"hub.config.GenericOAuthenticator.client_secret", "singleuser.image.name"} <= left


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("cull: {timeout: 1h}", "cull.timeout: '1h' should be integer"),
        ("cull: {enabled: 1}", "cull.enabled: 1 should be boolean"),
        ("cull: {idle: 60}", "cull.idle: the chart has no such key"),
        ("singleuser: {storage: {type: nfs}}", "should be dynamic|static|none"),
        ("singleuser: {cpu: 1}", "singleuser.cpu: the chart has no such key"),
        ("auth: {type: dummy}", "auth: the chart has no such key"),
        ("custom: {class: {eve: 20001}}", "20001 is given to 2 people"),
        ("custom: {class: {Eve Smith: 20003}}", "must be small letters"),
        ("custom: {class: {eve: 1000}}", "must be between 20000 and 29999"),
        ("custom: {instructor: nobody}", "custom.instructor: must be in custom.class"),
    ],
)
def test_what_is_wrong_is_named(said: str, complaint: str) -> None:
    values = check.merged(BOTH, yaml.safe_load(said))
    problems = [*check.unknown(values), *check.wrong_class(values)]
    assert len(problems) == 1
    assert complaint in problems[0]


def test_the_chart_s_own_schema_is_asked_if_it_is_there(tmp_path: Path) -> None:
    chart = {
        "values.yaml": "cull: {every: 600}",
        "values.schema.json": '{"required": ["hub", "x"]}',
    }
    for name, text in chart.items():
        (tmp_path / name).write_text(text)
    assert [*check.refused_by_chart(BOTH, tmp_path)] == [": 'x' is a required property"]


def test_limits_are_those_of_one_machine() -> None:
    user = BOTH["singleuser"]
    assert size(user["memory"]["limit"]) == size(HUB["memory"])
    assert user["cpu"]["limit"] == HUB["cpu"]
    assert size(user["storage"]["capacity"].removesuffix("i")) == size(HUB.get("disk", "1G"))
    assert BOTH["cull"]["timeout"] == 60 * HUB["idle_minutes"]
    assert set(user["extraEnv"].values()) == {str(int(HUB["cpu"]))}
    assert BOTH["custom"]["instructor"] == HUB["instructor"]


def test_one_version_of_the_chart_is_named_everywhere() -> None:
    version = check.KEYS.stem.removeprefix("chart-")
    told = re.findall(r"version (\d\S+\d)", VALUES.read_text() + (OURS / "README.md").read_text())
    assert len(told) >= 3
    assert set(told) == {version}
    assert f"chart {version}" in (OURS / "requirements.txt").read_text()


def configured() -> Config:
    """Execute class_config.py as the chart's hub does."""

    def get_config(key: str) -> Any:
        value = BOTH
        for part in key.split("."):
            value = value[part]
        return value

    c = Config()
    exec((OURS / "class_config.py").read_text(), {"c": c, "get_config": get_config})
    return c


def test_the_class_comes_in_each_with_a_number_and_nobody_else() -> None:
    c = configured()
    assert c.Authenticator.allowed_users == {"teacher", "ada", "bob"}
    assert c.Authenticator.admin_users == {"teacher"}
    assert BOTH["hub"]["config"]["Authenticator"] == {
        "allow_all": False,
        "allow_existing_users": False,
    }
    ada, eve = (types.SimpleNamespace(user=types.SimpleNamespace(name=n)) for n in ("ada", "eve"))
    assert c.KubeSpawner.uid(ada) == c.KubeSpawner.gid(ada) == 20001
    c.KubeSpawner.pre_spawn_hook(ada)
    with pytest.raises(Exception, match="not on the class list"):
        c.KubeSpawner.pre_spawn_hook(eve)


# ---- homework


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "hub")
    yield made
    for name in accounts.members(made):
        accounts.remove(made, name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes accounts")
def test_what_a_pod_hands_in_is_known_by_its_number(place: Place) -> None:
    free = [n for n in range(check.LAST, check.FIRST, -1) if not taken(n)][:3]
    ada, bob, teacher = (f"{TAG}-{name}" for name in ("ada", "bob", "teacher"))
    numbers = dict(zip((ada, bob, teacher), free, strict=True))
    people.known(place, numbers, teacher)
    people.known(place, numbers, teacher)  # and once more
    assert place.class_list() == [ada, bob]
    for name, number in ((ada, free[0]), (bob, free[0])):  # ada's pod, once under bob's name
        folder = place.exchange / COURSE / "inbound" / f"{name}+hw1+2026-01-01 00:00:00 UTC+x"
        folder.mkdir()
        for file in ("hw1.ipynb", "submission_secret.txt"):
            (folder / file).write_text("x")
            os.chown(folder / file, number, number)
        os.chown(folder, number, number)
    inbound = place.course / "inbound"
    inbound.mkdir()
    problems = list(exchange.taken(place, "hw1", inbound))
    assert [problem.split(": ")[1] for problem in problems] == [f"it says {bob} and is from {ada}."]
    assert [path.name.split("+")[0] for path in inbound.iterdir()] == [ada]
    with pytest.raises(WrongError, match="on the cluster"):
        people.account(place, ada, free[1])


def taken(number: int) -> bool:
    """Tell whether an account has this number."""
    try:
        return bool(pwd.getpwuid(number))
    except KeyError:
        return False


# ---- what it takes


def test_the_sizing_table_is_the_one_that_the_figures_give() -> None:
    assert sizing.TABLE.read_text() == sizing.table()


def test_the_guarantee_covers_a_student_who_works() -> None:
    one, memory = sizing.figures(), BOTH["singleuser"]["memory"]
    needed = max(one["run_memory"], one["drag_memory"]) * 2**20
    assert needed <= size(memory["guarantee"]) <= 1.25 * needed
    assert size(memory["guarantee"]) < size(memory["limit"])


def test_the_arithmetic_by_hand() -> None:
    one = {"run_memory": 256, "drag_memory": 200, "run_seconds": 9, "move_seconds": 0.01}
    one |= {"reading_cores": 0.01, "server_seconds": 2, "kernel_seconds": 1}
    one |= {"homework": 7, "homework_mib": 0.1}
    user = {"memory": {"guarantee": "512M", "limit": "1G"}, "cpu": {"guarantee": 0.05}}
    user |= {"storage": {"capacity": "1Gi"}}
    row = list(sizing.needs(300, 0.6, one, user).values())
    # 180 there: 45 GiB in use; 90 guaranteed, nodes of 28.8; 0.01 + 0.1·20·0.01 + 9/900 cores each
    assert row[:4] == ["180", "45 GiB", "90 GiB", "180 GiB"]
    assert row[4:7] == ["7.2", "1.8", "9.0"]
    assert row[7:10] == ["3.12", "1.43", "**4**"]
    assert row[10:] == ["300 GiB", "1 GiB"]
