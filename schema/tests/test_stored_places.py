"""Tests that places of logs on several servers are joined, with their oldest and newest timestamps."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Final

import pytest

from kit.settings import Settings
from schema.clickhouse import every_server, stored_places
from schema.control.restored_places import StoredPlace

ROWS: Final = {
    (0, 0): [(1, "t1", 50, 60), (2, "r30", 5, 6)],
    (0, 1): [(1, "t1", 10, 90), (1, "r7", 7, 7)],
    (1, 0): [(1, "t1", 50, 60)],
    (1, 1): [(1, "t1", 20, 55)],
}
"""Rows that the server of each replica and shard answers: tenant, cohort, oldest and newest timestamp."""


def test_a_place_on_several_servers_has_the_oldest_and_the_newest_timestamp_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextmanager
    def connect(settings: Settings, shard: int) -> Iterator[object]:
        yield SimpleNamespace(query=lambda _: SimpleNamespace(result_rows=ROWS[settings.loader_replica, shard]))

    monkeypatch.setattr(every_server, "connect", connect)
    monkeypatch.setattr(stored_places, "existing_lanes", lambda _: (4,))
    said = list[str]()
    settings = Settings(clickhouse_url="http://a:1|http://b:1,http://c:1|http://d:1")
    found = stored_places.read_stored_places(settings, said.append)
    assert found == {
        StoredPlace(1, 4, "t1", 10, 90, frozenset({0, 1})),
        StoredPlace(1, 4, "r7", 7, 7, frozenset({1})),
        StoredPlace(2, 4, "r30", 5, 6, frozenset({0})),
    }
    assert said == [f"reading log table 1 of 1 on ClickHouse server {number} of 4" for number in (1, 2, 3, 4)]
