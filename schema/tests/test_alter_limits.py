"""Tests that `logsieve migrate` waits for slow statements and for locks when it completes the tables of all lanes."""

from pathlib import Path
from typing import Self

import pytest

import kit.clickhouse
from kit.clickhouse import ALTER_SECONDS, RECEIVE_SECONDS
from kit.settings import Settings
from schema import migrate


class Client:
    """Client that remembers its limits."""

    def __init__(self, receive_seconds: float) -> None:
        self.receive_seconds = receive_seconds
        self.settings = dict[str, object]()

    def set_client_setting(self, name: str, value: object) -> None:
        self.settings[name] = value

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_lanes_are_completed_by_a_client_that_waits_for_alters_and_their_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[Client]()

    def connect(_: Settings, shard: int, receive_seconds: float = RECEIVE_SECONDS) -> Client:
        assert shard == 0
        opened.append(Client(receive_seconds))
        return opened[-1]

    monkeypatch.setattr(kit.clickhouse, "connect", connect)
    migrate._complete_lanes(Settings(home=tmp_path), 0, present=(), lanes=())
    assert [each.receive_seconds for each in opened] == [ALTER_SECONDS]
    assert opened[0].settings == {"lock_acquire_timeout": ALTER_SECONDS}
