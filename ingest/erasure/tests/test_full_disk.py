"""Tests that the erasure of a tenant and loaders whose disk is full do not wait for each other."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

import pytest
from clickhouse_connect.driver.client import Client

from ingest.erasure import owner
from ingest.erasure.owner import Owner
from ingest.tests.deleted_tenant import add_deleted_tenant
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.erasures import Ends, Erasure, Phase, Progress, read_erasures, save_progress

TENANT: Final = 7
NOW_NS: Final = 1_800_000_000 * 10**9
ROWS: Final = 25
DELETION: Final = f"ALTER TABLE `logs_0` DELETE WHERE tenant_id IN ({TENANT}) SETTINGS mutations_sync = 0"
LATE: Final = [3]
"""Partitions in which loaders have yet to load messages."""


class Server:
    """Server with ROWS rows of TENANT, whose disk is used to `percent`. Executes a deletion at once."""

    def __init__(self, percent: float) -> None:
        self.percent = percent
        self.commands = list[str]()

    def query(self, statement: str, **_: object) -> SimpleNamespace:
        if "FROM system.disks" in statement:
            rows: list[tuple[object, ...]] = [(1_000, 1_000 - round(10 * self.percent))]
        elif "system.columns" in statement:
            rows = [("logs_0",)]
        elif "tenant_id, count()" in statement:
            rows = [] if self.commands else [(TENANT, ROWS)]
        elif "toUnixTimestamp(now())" in statement:
            rows = [(NOW_NS // 10**9,)]
        else:
            assert any(each in statement for each in ("system.mutations", "system.storage_policies")), statement
            rows = []
        return SimpleNamespace(result_rows=rows)

    def command(self, statement: str) -> None:
        self.commands.append(statement)


@pytest.mark.parametrize(
    ("used_percent", "commands", "found"),
    [((10.0, 94.9), ([], []), {}), ((10.0, 95.0), ([], [DELETION]), {"shard 1 logs_0": ROWS})],
    ids=["loaders insert", "loaders wait for space"],
)
def test_rows_are_deleted_before_the_last_ones_are_loaded_only_on_a_shard_whose_loaders_wait_for_space(
    used_percent: tuple[float, ...],
    commands: tuple[list[str], ...],
    found: dict[str, int],
    control_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, servers = Settings(home=control_home), [Server(each) for each in used_percent]

    @contextmanager
    def connect(_settings: Settings) -> Iterator[tuple[Client, ...]]:
        yield tuple(cast("Client", each) for each in servers)

    monkeypatch.setattr(owner, "connect_shards", connect)
    monkeypatch.setattr(owner, "partitions_to_load", lambda *_: LATE)

    async def run_twice() -> Progress:
        async with opened(settings.control_plane_url) as engine:
            async with engine.begin() as connection:
                await add_deleted_tenant(connection, TENANT)
                ends = Ends(topic_id="0" * 32, offsets={LATE[0]: 9})
                erasure = Erasure(TENANT, "acme", 2, settings.consumer_group, ends, Progress(), None)
                await save_progress(connection, erasure, erasure.progress, ends)
            for _ in range(2):
                assert await Owner(settings, ManualClock(NOW_NS), "this process").run_once(engine)
            async with engine.connect() as connection:
                [saved] = await read_erasures(connection, settings.consumer_group)
        return saved.progress

    progress = asyncio.run(run_twice())

    assert tuple(each.commands for each in servers) == commands
    assert progress.phase is Phase.loading
    assert progress.detail == "loaders have yet to load messages of partitions 3"
    assert progress.found == found
