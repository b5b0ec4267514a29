"""Tests the rotation of logs on a disk without room, and of a log that cannot be copied."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from stack.logfile import LogRotation


def copy_without_room(_: Path, to: Path) -> None:
    """Copies a part, then fails, like `shutil.copyfile` on a full disk."""
    to.write_bytes(b"x")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(to))


def large_log(folder: Path, name: str = "a.log") -> Path:
    log = folder / name
    log.write_bytes(b"x" * 100)
    return log


def test_a_disk_without_room_costs_the_text_of_the_log_and_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [large_log(tmp_path), large_log(tmp_path, "b.log")]
    rotation = LogRotation(largest=99)

    with monkeypatch.context() as patched, capture_logs() as said:
        patched.setattr(shutil, "copyfile", copy_without_room)
        rotation.rotate(logs)
        rotation.rotate(logs)
        large_log(tmp_path)
        rotation.rotate(logs)
    assert [log.stat().st_size for log in logs] == [0, 0]
    assert not list(tmp_path.glob("*.1"))
    assert [(line["file"], line["result"]) for line in said] == [(str(log), "emptied without a copy") for log in logs]

    large_log(tmp_path)
    rotation.rotate(logs)
    assert (tmp_path / "a.log.1").stat().st_size == 100
    large_log(tmp_path)
    with monkeypatch.context() as patched, capture_logs() as said:
        patched.setattr(shutil, "copyfile", copy_without_room)
        rotation.rotate(logs)
    assert len(said) == 1


def test_a_log_that_cannot_be_copied_does_not_keep_others_from_being_rotated(tmp_path: Path) -> None:
    blocked, log = large_log(tmp_path), large_log(tmp_path, "b.log")
    (tmp_path / "a.log.1").mkdir()

    with capture_logs() as said:
        LogRotation(largest=99).rotate([blocked, log])

    assert (blocked.stat().st_size, log.stat().st_size) == (100, 0)
    assert (tmp_path / "b.log.1").stat().st_size == 100
    assert [line["file"] for line in said] == [str(blocked)]
