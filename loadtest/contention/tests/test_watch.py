"""Tests that a phase is watched as long as its stacks are read."""

import os
import threading
from contextlib import nullcontext

import pytest

from kit.settings import Settings
from loadtest.contention import watch
from loadtest.contention.watch import watching

SECONDS = 20.0


def test_counts_continue_until_the_last_snapshot_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    block_ended, counted_after = threading.Event(), threading.Event()
    continued = []

    def snapshot(*_: object) -> None:
        block_ended.wait(SECONDS)
        continued.append(counted_after.wait(SECONDS))

    def waits(*_: object) -> None:
        if block_ended.is_set():
            counted_after.set()

    monkeypatch.setattr(watch, "connect", lambda *_: nullcontext())
    monkeypatch.setattr(watch, "_add_snapshot", snapshot)
    monkeypatch.setattr(watch, "_add_waits", waits)

    with watching(Settings(), os.getpid()) as watched:
        block_ended.set()

    assert continued == [True]
    assert watched.running
