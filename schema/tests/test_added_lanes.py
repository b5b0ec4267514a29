"""Tests that a migration names a new lane in the control plane only after all servers let searches read its tables."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select

from kit.errors import Unavailable
from kit.settings import Settings
from schema import migrate
from schema.control.database import opened
from schema.control.models import Lane

UNREACHABLE = "http://127.0.0.1:9"
"""URL of a server that refuses connections: nothing listens on the port of the discard service."""


def known_lanes(settings: Settings) -> list[int]:
    async def read() -> list[int]:
        async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
            return sorted(await connection.scalars(select(Lane.number)))

    return asyncio.run(read())


def test_a_migration_without_clickhouse_adds_no_lanes(tmp_path: Path, control_url: str) -> None:
    more = Settings(home=tmp_path, control_url=control_url, lanes=6, clickhouse_url=UNREACHABLE)
    with pytest.raises(Unavailable):
        migrate.migrate(more, lambda _: None)
    assert known_lanes(more) == [0, 1, 2, 3]


def test_lanes_are_added_after_searches_can_read_their_tables_on_every_replica(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = Settings(home=tmp_path, control_url=control_url, lanes=6, clickhouse_url=f"{UNREACHABLE}|http://127.0.0.1:7")
    created, granted = list[tuple[list[int], list[int]]](), list[list[int]]()

    def create(_replica: Settings, lanes: Sequence[int], *_: object) -> None:
        created.append((list(lanes), known_lanes(more)))

    monkeypatch.setattr(migrate, "migrate_clickhouse", create)
    monkeypatch.setattr(migrate, "_make_query_user", lambda _: granted.append(known_lanes(more)))
    monkeypatch.setattr(migrate, "_mark_before_new_replica", lambda *_: None)
    monkeypatch.setattr(migrate, "_mark_complete", lambda *_: None)
    monkeypatch.setattr(migrate, "ensure_topics", lambda _: None)
    migrate.migrate(more, lambda _: None)
    assert created == [([0, 1, 2, 3, 4, 5], [0, 1, 2, 3])] * 2
    assert granted == [[0, 1, 2, 3]] * 2
    assert known_lanes(more) == [0, 1, 2, 3, 4, 5]


def test_lanes_are_added_also_if_only_an_administrator_may_create_the_user_of_searches(
    tmp_path: Path, control_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = Settings(home=tmp_path, control_url=control_url, lanes=6, clickhouse_url=UNREACHABLE)

    def refuse(_: Settings) -> None:
        raise Unavailable("the user may not create users")

    monkeypatch.setattr(migrate, "migrate_clickhouse", lambda *_: None)
    monkeypatch.setattr(migrate, "_make_query_user", refuse)
    with pytest.raises(Unavailable, match="may not create users"):
        migrate.migrate(more, lambda _: None)
    assert known_lanes(more) == [0, 1, 2, 3, 4, 5]
