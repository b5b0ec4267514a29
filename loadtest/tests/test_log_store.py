"""Tests that a table counts as merged only after the builds of an index that loaders start some seconds later."""

import time
from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client

from ingest.word_index.late_index import IDLE_SECONDS
from kit.clock import ManualClock
from kit.settings import Settings
from loadtest.log_store import MERGES_QUIET_SECONDS, LogStore

ROUNDED_SECONDS = 1.0
"""Largest difference between the time of a part and that in system.parts, which has whole seconds."""
LOOP_SECONDS = 1.0
"""Seconds between two runs of the loop that starts builds (ingest/word_index/late_index.py)."""


def test_merges_are_over_only_after_the_latest_build_of_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock(0)
    started = clock.monotonic()
    build = IDLE_SECONDS + ROUNDED_SECONDS + LOOP_SECONDS

    def query(*_arguments: object, **_options: object) -> SimpleNamespace:
        return SimpleNamespace(result_rows=[[build <= clock.monotonic() - started <= build + 2]])

    monkeypatch.setattr(time, "sleep", clock.advance)
    store = LogStore([cast(Client, SimpleNamespace(query=query))], Settings(), clock)

    store.wait_for_merges("logs_1", seconds=60)

    assert clock.monotonic() - started >= build + 2 + MERGES_QUIET_SECONDS
