"""Tests that a copied folder's commands leave the processes of the first folder's stack alone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Final

import pytest

from kit.folders import PACKAGES
from kit.settings import Settings
from stack.cli.down import down
from stack.launch import leftovers, running_state
from stack.processes import ProcessIdentity, identify
from stack.state import ServiceState, StackState, state_file, write_state

PATIENCE_SECONDS: Final = 60


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Yields two running processes: one for the supervisor, one for its service."""
    started = [subprocess.Popen(["sleep", "600"]) for _ in range(2)]
    yield started
    for each in started:
        each.kill()
        each.wait()


def state_of(home: Path, processes: list[subprocess.Popen[bytes]]) -> StackState:
    """Returns the state of a stack in this home with these processes."""
    supervisor, service = (identify(each.pid) for each in processes)
    assert supervisor is not None
    services = (ServiceState(name="kafka", process=service),)
    return StackState(supervisor=supervisor, port_offset=0, services=services, home=home)


def are_running(processes: list[subprocess.Popen[bytes]]) -> bool:
    return all(each.poll() is None for each in processes)


def test_down_of_a_copied_home_ends_nothing_and_says_so(
    processes: list[subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home, copy = Settings(home=tmp_path / "home"), Settings(home=tmp_path / "copy")
    home.home.mkdir()
    write_state(state_file(home), state_of(home.home, processes))
    copytree(home.home, copy.home)
    assert running_state(home) is not None
    assert running_state(copy) is None

    monkeypatch.setenv("LOGSIEVE_HOME", str(copy.home))
    down()
    assert f"no stack is running for {copy.home}" in capsys.readouterr().err
    assert are_running(processes)


def test_processes_that_outlived_their_supervisor_are_not_those_of_a_copied_home(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    home, copy = Settings(home=tmp_path / "home"), Settings(home=tmp_path / "copy")
    home.home.mkdir()
    ended = ProcessIdentity(pid=os.getpid(), started="before")
    write_state(state_file(home), state_of(home.home, processes).model_copy(update={"supervisor": ended}))
    copytree(home.home, copy.home)
    assert [name for name, _ in leftovers(home)] == ["kafka"]
    assert leftovers(copy) == []


@pytest.mark.parametrize("has_home", [True, False])
def test_a_moved_home_and_a_state_of_an_earlier_release_keep_their_stack(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path, has_home: bool
) -> None:
    home, moved = tmp_path / "home", Settings(home=tmp_path / "moved")
    home.mkdir()
    state = state_of(home, processes)
    write_state(home / "stack.json", state if has_home else state.model_copy(update={"home": None}))
    home.rename(moved.home)
    assert running_state(moved) is not None


@pytest.mark.parametrize("follows", ["nothing", "a stack", "a stack of another release"])
def test_a_moved_home_keeps_its_stack_when_its_former_path_exists_again(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path, follows: str
) -> None:
    home, moved = Settings(home=tmp_path / "home"), Settings(home=tmp_path / "moved")
    home.home.mkdir()
    write_state(state_file(home), state_of(home.home, processes))
    home.home.rename(moved.home)
    home.home.mkdir()
    if follows == "a stack":
        write_state(state_file(home), state_of(home.home, processes[::-1]))
    elif follows == "a stack of another release":
        state_file(home).write_text("{}")
    assert running_state(moved) == state_of(home.home, processes)


def test_a_home_that_this_user_may_not_read_was_not_moved(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, copy = Settings(home=tmp_path / "home"), Settings(home=tmp_path / "copy")
    home.home.mkdir()
    write_state(state_file(home), state_of(home.home, processes))
    copytree(home.home, copy.home)
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == state_file(home):
            raise PermissionError
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert running_state(copy) is None


@pytest.mark.parametrize("target", ["down", "status"])
def test_make_runs_the_code_of_a_copied_checkout(tmp_path: Path, target: str) -> None:
    programs, package = tmp_path / ".venv" / "bin", tmp_path / "stack"
    programs.mkdir(parents=True)
    package.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "logsieve").write_text("#!/bin/sh\necho the first checkout\n")
    for program in programs.iterdir():
        program.chmod(0o700)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("import sys\nprint(__file__, *sys.argv[1:])\n")

    command = ["make", "--silent", "-f", str(PACKAGES / "Makefile"), target]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    assert done.stdout.split() == [str(package / "__main__.py"), target]
