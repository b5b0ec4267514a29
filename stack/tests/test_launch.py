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
from stack.launch import start_supervisor
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


def test_down_does_not_call_a_starting_stack_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))

    with lock_file(Settings()).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Internal, match="run `logsieve down` again"):
            down()
    down()
