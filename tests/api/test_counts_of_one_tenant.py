"""Tests that counts from minute counts have the rows of one tenant only, under ClickHouse's row policies."""

import asyncio
from collections.abc import Iterator
from typing import Final

import pytest
from clickhouse_connect.driver.client import Client

from backend.language.parse import parse
from backend.search.buckets import count_buckets
from backend.store.compile.filter import compile_filter
from backend.store.execute import Executor
from backend.store.minute_counts import MinuteCounts
from backend.store.scope import Scope, TimeRange
from backend.store.time_buckets import MINUTE_NS, Buckets
from kit.clickhouse import connect
from kit.clock import ManualClock
from schema.clickhouse.minute_counts import NAME, add_minute_counts
from schema.clickhouse.tables import create_table, table_name
from tests.running_stack import Stack

COUNTED, PLAIN = 61, 62
"""Lanes without a tenant, whose tables the user of searches may read."""
OURS, THEIRS, NOBODY = 4_100_000_011, 4_100_000_012, 4_100_000_013
ROWS: Final = {OURS: 300, THEIRS: 500, NOBODY: 0}
START_NS: Final = 1_790_000_000 // 60 * MINUTE_NS
RANGE = TimeRange(START_NS - 7, START_NS + 120 * MINUTE_NS + 7)


@pytest.fixture(scope="module")
def owner(stack: Stack) -> Iterator[Client]:
    """Creates a table with minute counts and one without. Both have the same rows."""
    with connect(stack.settings) as client:
        for lane in (COUNTED, PLAIN):
            client.command(create_table(stack.settings.clickhouse_database, table_name(lane)))
            if lane == COUNTED:
                client.command(add_minute_counts(table_name(lane)))
            for tenant, rows in ROWS.items():
                client.command(
                    f"INSERT INTO {table_name(lane)} (tenant_id, cohort, timestamp, id, severity_number, service)"
                    f" SELECT {tenant}, 'r30', fromUnixTimestamp64Nano(toInt64({START_NS} + number * {MINUTE_NS // 5}),"
                    f" 'UTC'), number, number % 25, 'svc' || toString(number % 3) FROM numbers({rows})"
                )
        yield client
        for lane in (COUNTED, PLAIN):
            client.command(f"DROP TABLE {table_name(lane)}")


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("lanes", [(COUNTED,), (COUNTED, PLAIN)], ids=["one lane", "two lanes"])
@pytest.mark.parametrize("text", ["", "service:svc1", "severity:>=warn -service:svc2"])
def test_each_tenant_counts_its_own_rows(stack: Stack, lanes: tuple[int, ...], text: str) -> None:
    matching = compile_filter(parse(text))

    async def counted(executor: Executor, tenant_id: int, *, by_minute: bool) -> int:
        scope = Scope(tenant_id, lanes, ("r30",), RANGE)
        assert await MinuteCounts(executor, ManualClock()).may_answer(scope, matching, (), 10 * MINUTE_NS)
        statement = count_buckets(scope, matching, Buckets(10 * MINUTE_NS, by_minute))
        plan = await executor.run(statement.explained("", lambda row: str(row[0])))
        if ROWS[tenant_id] and len(lanes) == 1:  # The plan over several tables does not name what it reads of each.
            assert by_minute == any(NAME in line for line in plan.rows if "ReadFromMergeTree" in line)
        return sum(each.records for each in (await executor.run(statement)).rows)

    async def all_tenants() -> list[tuple[int, int]]:
        executor = Executor(stack.settings)
        try:
            return [
                (
                    await counted(executor, tenant, by_minute=True),
                    await counted(executor, tenant, by_minute=False),
                )
                for tenant in ROWS
            ]
        finally:
            await executor.close()

    found = asyncio.run(all_tenants())
    assert all(from_counts == from_records for from_counts, from_records in found)
    if not text:
        assert [count for count, _ in found] == [rows * len(lanes) for rows in ROWS.values()]
    assert found[0][0] > 0
