"""Tests that `logsieve index use` switches every lane, also those that loaders create while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import kit.clickhouse
from kit.settings import Settings
from schema.clickhouse import lanes, switch_profile
from schema.clickhouse.index_profiles import Profile
from stack.cli import index

SETTINGS = Settings(clickhouse_url="http://a:1|http://b:1")

Server = tuple[int, list[int]]
"""Number of the replica, and the lanes that the server has."""


def test_lanes_that_are_created_meanwhile_are_switched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    servers: list[Server] = [(0, [0, 1]), (1, [0, 1])]
    switched = list[tuple[int, str]]()

    @contextmanager
    def connect_to_alter(settings: Settings, shard: int) -> Iterator[Server]:
        assert shard == 0
        yield servers[settings.loader_replica]

    def switch(client: Server, table: str, profile: Profile, *_: object) -> None:
        number, present = client
        assert profile is Profile.text
        switched.append((number, table))
        # The last lane of the first reading, and then the lane that was created meanwhile, give one more lane each.
        if table in {"logs_1", "logs_2"}:
            present.append(len(present))

    monkeypatch.setattr(index, "running_settings", lambda _: SETTINGS)
    monkeypatch.setattr(kit.clickhouse, "connect_to_alter", connect_to_alter)
    monkeypatch.setattr(lanes, "existing_lanes", lambda client: tuple(client[1]))
    monkeypatch.setattr(switch_profile, "switch_profile", switch)
    index.use_profile("text")
    assert switched == [(number, f"logs_{lane}") for number in range(2) for lane in range(4)]
    assert capsys.readouterr().out.count("has profile text") == 8
