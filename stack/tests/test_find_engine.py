"""Tests that a `clickhouse` binary that does not answer is an error which the supervisor survives."""

import subprocess
from pathlib import Path

import pytest

from kit.errors import Unavailable
from stack.clickhouse import prepare
from stack.clickhouse.prepare import find_engine
from stack.install.prerequisites import Prerequisite, version


def test_a_binary_that_does_not_answer_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = tmp_path / "clickhouse"
    binary.write_text("#!/bin/sh\nexec sleep 600\n")
    binary.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(prepare, "_VERSION_SECONDS", 0.1)

    with pytest.raises(Unavailable, match="server --version` did not answer"):
        find_engine()


def test_a_prerequisite_that_does_not_answer_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("java", 60)

    monkeypatch.setattr(subprocess, "run", run)

    assert version(Prerequisite("java", "Java", ("-version",), (17,), "x", "y")) is None
