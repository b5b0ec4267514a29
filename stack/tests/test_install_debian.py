"""Tests the steps that install Debian's packages, with a fake of apt-get."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import pytest

from stack.install import step, steps
from stack.install.__main__ import install
from stack.install.step import Step, StepFailed

PROGRAMS = {"chromium": "chromium", steps.HEADLESS_SHELL: steps.HEADLESS_SHELL, "postgresql": "initdb"}
"""Program that each package has."""


class Apt:
    """Fake of apt-get, which installs programs into a folder on PATH. `lacks` are packages that it does not know."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._together = threading.Barrier(2)
        self.lacks: set[str] = set()
        self.installed: list[str] = []
        self.ran_together = False

    def call(self, _log: TextIO, command: Sequence[str], **_: object) -> None:
        try:
            # Fails after this time unless two calls wait at the same time.
            self._together.wait(0.3)
            self.ran_together = True
        except threading.BrokenBarrierError:
            pass
        package = command[-1]
        if package in self.lacks:
            raise StepFailed("no such package")
        if package in PROGRAMS:
            self.installed.append(package)
            make_program(self._folder / PROGRAMS[package])


def make_program(file: Path) -> None:
    file.touch()
    file.chmod(0o700)


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Apt:
    """Returns the fake of a machine on which nothing is installed."""
    for module, name in ((step, "RUNTIME"), (step, "LOGS")):
        monkeypatch.setattr(module, name, tmp_path / "runtime")
    monkeypatch.setattr(steps, "NO_HEADLESS_SHELL", tmp_path / "runtime" / "no-headless-shell")
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("apt-get", "sudo"):
        make_program(folder / name)
    monkeypatch.setenv("PATH", str(folder))
    fake = Apt(folder)
    monkeypatch.setattr(steps, "call", fake.call)
    return fake


def debian_steps(*names: str) -> list[Step]:
    return [each for each in steps.steps(with_tests=True) if each.name in names]


def test_packages_are_installed_one_after_the_other(apt: Apt) -> None:
    assert install(debian_steps("browser", "postgresql")) == 0

    assert set(apt.installed) == {"chromium", "postgresql"}
    assert not apt.ran_together


@pytest.mark.usefixtures("apt")
def test_a_headless_shell_that_is_gone_is_installed_again() -> None:
    (shell,) = debian_steps("headless-shell")
    shell.run()
    assert shell.is_done()

    (Path(os.environ["PATH"]) / steps.HEADLESS_SHELL).unlink()

    assert not shell.is_done()
    shell.run()
    assert shell.is_done()


def test_a_machine_without_a_package_of_the_headless_shell_is_not_asked_again(apt: Apt) -> None:
    apt.lacks.add(steps.HEADLESS_SHELL)
    (shell,) = debian_steps("headless-shell")

    shell.run()

    assert shell.is_done()
