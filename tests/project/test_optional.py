"""Optional programs: there, absent, hidden, or there and not allowed to work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lincourse import optional
from lincourse.optional import tool
from lincourse.publish import pdf
from tests import needs

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = "bwrap: No permissions to create new namespace"
STUBS = {"bwrap": f"echo '{NAMESPACE}' >&2; exit 1", "chromium": "exit 0"}


@pytest.fixture
def forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put programs that do not work before all others; return where Linux keeps its settings."""
    for name, script in STUBS.items():
        path = tmp_path / "bin" / optional.PROGRAMS[name][0]  # which is looked for first
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.delenv("LINLIB_WITHOUT", raising=False)
    monkeypatch.setattr(optional, "SYSTEM", tmp_path)
    return tmp_path


def test_absent_programs_can_be_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("LINLIB_WITHOUT", raising=False)
    assert tool("bwrap").state == tool("chromium").state == "absent"
    assert tool("bwrap").why == "bwrap is not on this machine: install the package bubblewrap"
    assert tool("chromium").why.endswith("install the package chromium")


def test_a_wheel_can_bring_a_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "npm").write_text("#!/bin/sh\nexit 0\n", "utf-8")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("LINLIB_WITHOUT", raising=False)
    assert tool("npm").state == "absent"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert tool("npm").path == str(tmp_path / "npm")


def test_the_switch_hides_what_is_there_from_tests_and_tools(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINLIB_WITHOUT", " chromium,bwrap ")
    assert tool("chromium").state == tool("bwrap").state == "hidden"
    assert not tool("chromium")
    assert not tool("chromium").path
    assert not pdf.printer()
    assert capsys.readouterr().out == (
        "No PDF: LINLIB_WITHOUT hides chromium: unset it to use chromium.\n"
    )


def test_an_unknown_name_in_the_switch_gets_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LINLIB_WITHOUT", "bwrap,chrome")
    with pytest.raises(SystemExit, match=r"^LINLIB_WITHOUT: 'chrome' is not an optional program;"):
        tool("bwrap")
    with pytest.raises(pytest.UsageError, match="'chrome' is not an optional program"):
        needs.pytest_configure()


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "=0"),
        ("kernel/unprivileged_userns_clone", "0", "=1"),
        ("user/max_user_namespaces", "0", "=15000"),
        ("kernel/unprivileged_userns_clone", "1", ""),
    ],
)
def test_a_forbidden_sandbox_names_the_setting_that_forbids_it(
    forbidden: Path, setting: str, value: str, remedy: str
) -> None:
    (forbidden / setting).parent.mkdir()
    (forbidden / setting).write_text(f"{value}\n", "utf-8")
    found = tool("bwrap")
    assert found.state == "forbidden"
    assert f"{forbidden / 'bin' / 'bwrap'} does not work here ({NAMESPACE}): " in found.why
    sysctl = f"sudo sysctl {setting.replace('/', '.')}{remedy}"
    assert found.why.endswith(sysctl if remedy else "--security-opt seccomp=unconfined)")
    assert "install" not in found.why


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
@pytest.mark.slow
def test_a_forbidden_program_skips_tests_with_its_remedy(
    forbidden: Path,
) -> None:
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if ".needs(" in path.read_text()]
    outer = {k: v for k, v in os.environ.items() if k != "CI" and not k.startswith("PYTEST")}

    def run(*arguments: str | Path) -> tuple[int, list[str]]:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "needs"]
        ended = subprocess.run(
            [*command, *arguments], cwd=ROOT, env=outer, capture_output=True, text=True
        )
        return ended.returncode, ended.stdout.splitlines()

    status, lines = run(*files)
    why = {line.partition(": ")[2] for line in lines if line.startswith("SKIPPED")}
    assert {tool("bwrap").why, tool("chromium").why} <= why
    assert status == 0, lines
    assert not any("install" in reason for reason in why if "does not work" in reason)
    strictly = "--strict-skips", ROOT / "tests" / "homework" / "test_marking.py"
    status, lines = run(*strictly)
    assert status == 1
    assert "1 error" in lines[-1]
    outer["LINLIB_WITHOUT"] = "chromium"
    assert run(*strictly)[0] == 0, "a skip that is expected"
