"""Tests that a migration prints the command that fills a replica which searches do not read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from kit.settings import Settings
from schema import migrate


@pytest.mark.parametrize(
    ("missing", "commands"), [([], []), ([1, 2], ["fill 1 --from 0", "fill 2 --from 0"]), ([0], ["fill 0 --from 1"])]
)
def test_the_command_names_a_complete_replica(
    monkeypatch: pytest.MonkeyPatch, missing: list[int], commands: list[str]
) -> None:
    @contextmanager
    def connect(settings: Settings, **_: int) -> Iterator[int]:
        yield settings.loader_replica

    def mark_first(clients: Sequence[int]) -> list[int]:
        assert clients == [0, 1, 2]
        return missing

    monkeypatch.setattr(migrate, "connect", connect)
    monkeypatch.setattr(migrate, "mark_first", mark_first)
    said = list[str]()
    migrate._mark_complete(Settings(clickhouse_url="http://a:1|http://b:1|http://c:1"), said.append)
    assert [each.partition("`logsieve replica ")[2].partition("`")[0] for each in said] == commands


def test_the_command_fills_only_the_shard_that_may_lack_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replica 0 has lost shard 0, and replica 1 has lost shard 1. A command for all shards would be refused."""
    lost = {0: [0], 1: [1]}

    @contextmanager
    def connect(_settings: Settings, shard: int) -> Iterator[int]:
        yield shard

    monkeypatch.setattr(migrate, "connect", connect)
    monkeypatch.setattr(migrate, "mark_first", lambda shards: lost[shards[0]])
    said = list[str]()
    migrate._mark_complete(Settings(clickhouse_url="http://a:1|http://b:1,http://c:1|http://d:1"), said.append)
    assert [each.partition("`logsieve replica ")[2].partition("`")[0] for each in said] == [
        "fill 0 --from 1 --shard 0",
        "fill 1 --from 0 --shard 1",
    ]
