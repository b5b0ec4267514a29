"""Tests that no supervisor goes on unseen, and that `down` says so while one has no state yet."""

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kit.clock import SystemClock
from kit.errors import Internal
from kit.settings import Settings
from stack import launch
from stack.cli.down import down
from stack.launch import require_unlocked, start_supervisor
from stack.state import lock_file


def test_a_supervisor_without_a_state_in_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setattr(launch, "_START_SECONDS", 0)
    monkeypatch.setattr(launch, "keep_private", Path.mkdir)

    with pytest.raises(Internal, match="the supervisor did not start"):
        start_supervisor(Settings(home=tmp_path / "home"), [], SystemClock())

    assert [each.returncode is not None for each in started] == [True]
    require_unlocked(Settings(home=tmp_path / "home"))


def test_a_supervisor_holds_the_home_before_it_has_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(home=tmp_path / "home")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(launch, "keep_private", Path.mkdir)

    def first_state(*_: object) -> None:
        with pytest.raises(Internal, match="is starting or stopping the stack"):
            require_unlocked(settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(launch, "_first_state", first_state)
    with pytest.raises(KeyboardInterrupt):
        start_supervisor(settings, [], SystemClock())
    require_unlocked(settings)


def test_down_does_not_call_a_starting_stack_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))

    with lock_file(Settings()).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Internal, match="is starting or stopping the stack"):
            down()
    down()
