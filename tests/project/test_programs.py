"""Programs that the course can use but does not need: absent, or there and not allowed to work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lincourse.grader import system_calls
from lincourse.programs import missing
from lincourse.publish import pdf

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("nothing_installed")
def test_an_absent_program_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert missing("bwrap") == "bwrap is not on this machine: install the package bubblewrap"
    assert missing("chromium") == "chromium is not on this machine: install the package chromium"
    assert missing("node") == "node is not on this machine: install the package nodejs"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing("bwrap") == "bwrap is not on this machine: it is for Linux only"


@pytest.mark.usefixtures("nothing_installed")
def test_without_chromium_no_pdf_is_printed_and_why_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert not pdf.printer()
    said = capsys.readouterr().out
    assert said == "No PDF: chromium is not on this machine: install the package chromium.\n"


def test_chromium_is_found_under_its_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "google-chrome", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing("chromium") == ""


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


FORBIDDEN = "bwrap: setting up uid map: Permission denied"


@pytest.fixture
def forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a bubblewrap first on the path that is not allowed to make a sandbox."""
    program(tmp_path, "bwrap", f"echo '{FORBIDDEN}' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path / "bwrap"


def test_a_forbidden_sandbox_says_what_to_allow(
    forbidden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    said = missing("bwrap")
    assert said.startswith(f"{forbidden} does not work here ({FORBIDDEN}): ")
    assert "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0" in said
    assert "install" not in said


@pytest.mark.parametrize(
    ("complaint", "remedy"),
    [
        ("Creating new namespace failed", "do not be root, or give this container the right to"),
        ("Permission denied", f"must be able to read {sys.prefix}, or do not be root"),
    ],
)
def test_root_is_told_what_it_needs(
    forbidden: Path, monkeypatch: pytest.MonkeyPatch, complaint: str, remedy: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    program(forbidden.parent, "bwrap", f"echo 'bwrap: {complaint}' >&2; exit 1")
    assert remedy in missing("bwrap")


def test_a_missing_list_of_system_calls_names_the_packages(
    forbidden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    system_calls.program.cache_clear()
    assert missing("bwrap").endswith(
        "(libseccomp is not there): install the packages libseccomp2 (of the system) and "
        "pyseccomp (of Python)"
    )


@pytest.mark.usefixtures("forbidden")
@pytest.mark.slow
def test_continuous_integration_fails_on_a_skip_that_is_not_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = "tests/project/test_hub.py"

    def run(**variables: str) -> subprocess.CompletedProcess[str]:
        outer = {k: v for k, v in os.environ.items() if k != "CI" and not k.startswith("PYTEST")}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "needs", file]
        return subprocess.run(
            command, cwd=ROOT, env=outer | variables, capture_output=True, text=True, check=False
        )

    here = run()
    assert here.returncode == 0, here.stdout
    assert FORBIDDEN in here.stdout, "a person is told why a test was skipped"
    there = run(CI="true")
    assert there.returncode == 1, there.stdout
    assert "skipped, but not expected in conftest.py" in there.stdout
    absent = run(CI="true", PATH="")
    assert absent.returncode == 0, absent.stdout
    assert "bwrap is not on this machine" in absent.stdout
