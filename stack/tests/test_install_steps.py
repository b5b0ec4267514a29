"""Tests when the installation of Python's packages into a checkout counts as done."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Final

import pytest

from kit.folders import PACKAGES

_UV: Final = """#!/bin/sh
[ "$1" = --version ] && echo 'uv 99.0.0' && exit
mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"
echo "#!$UV_PROJECT_ENVIRONMENT/bin/python" > "$UV_PROJECT_ENVIRONMENT/bin/logsieve"
"""
_STEP: Final = """
import sys
from stack.install.steps import steps
step = steps(with_tests=sys.argv[1] == "test")[0]
print(step.is_done())
if not step.is_done():
    step.run()
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a checkout in which nothing is installed, with a uv on PATH that only makes the script `logsieve`."""
    uv = tmp_path / "programs" / "uv"
    uv.parent.mkdir()
    uv.write_text(_UV)
    uv.chmod(0o700)
    monkeypatch.setenv("PATH", os.pathsep.join((str(uv.parent), os.environ["PATH"])))
    checkout = tmp_path / "checkout"
    for package in ("kit", "stack"):
        copytree(PACKAGES / package, checkout / package, ignore=ignore_patterns("__pycache__", "tests"))
    for name in ("pyproject.toml", "uv.lock"):
        (checkout / name).write_text(name)
    return checkout


def was_done(checkout: Path, command: str) -> bool:
    """Runs the step that `make up` or `make test` runs, unless it is done. Returns whether it was."""
    done = subprocess.run(
        [sys.executable, "-c", _STEP, command], cwd=checkout, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout == "True\n"


def test_packages_of_another_branch_are_replaced(checkout: Path) -> None:
    lock = checkout / "uv.lock"
    main, branch = lock.read_text(), "of a branch"
    assert not was_done(checkout, "up")
    assert was_done(checkout, "up")

    lock.write_text(branch)
    assert not was_done(checkout, "test")
    lock.write_text(main)
    assert not was_done(checkout, "up")
    lock.write_text(branch)
    assert not was_done(checkout, "test")


def test_packages_of_tests_do_not_replace_those_of_the_same_commit(checkout: Path) -> None:
    for command in ("test", "up"):
        assert not was_done(checkout, command)
    for command in ("test", "up"):
        assert was_done(checkout, command)


def test_a_moved_checkout_gets_a_new_environment(checkout: Path) -> None:
    assert not was_done(checkout, "test")
    tool = checkout / ".venv" / "bin" / "pytest"
    tool.write_text(f"#!{tool.with_name('python')}\n")

    moved = checkout.rename(checkout.with_name("moved"))

    assert not was_done(moved, "test")
    assert was_done(moved, "test")
    scripts = {script.name: script.read_text() for script in (moved / ".venv" / "bin").iterdir()}
    assert scripts == {"logsieve": f"#!{moved}/.venv/bin/python\n"}


def test_an_environment_of_a_folder_with_the_same_end_is_replaced(checkout: Path) -> None:
    assert not was_done(checkout, "test")
    command = checkout / ".venv" / "bin" / "logsieve"
    command.write_text(f"#!/elsewhere{command.with_name('python')}\n")
    tool = command.with_name("pytest")
    tool.touch()
    (checkout / "uv.lock").write_text("changed")

    assert not was_done(checkout, "test")
    assert not tool.exists()
