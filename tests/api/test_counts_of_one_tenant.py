"""Tests that counts from minute counts have the rows of one tenant only, under ClickHouse's row policies."""

import asyncio
from collections.abc import Callable, Iterator
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
from schema.clickhouse.minute_counts import add_minute_counts
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
    """Creates a table with minute counts and one without. Both have the same rows, of which five share a count."""
    with connect(stack.settings) as client:
        for lane in (COUNTED, PLAIN):
            client.command(create_table(stack.settings.clickhouse_database, table_name(lane)))
            if lane == COUNTED:
                client.command(add_minute_counts(table_name(lane)))
            for tenant, rows in ROWS.items():
                client.command(
                    f"INSERT INTO {table_name(lane)} (tenant_id, cohort, timestamp, id, severity_number, service)"
                    f" SELECT {tenant}, 'r30', fromUnixTimestamp64Nano(toInt64({START_NS} + number * {MINUTE_NS // 5}),"
                    f" 'UTC'), number, intDiv(number, 5) % 25, 'svc' || toString(intDiv(number, 5) % 3)"
                    f" FROM numbers({rows})"
                )
        yield client
        for lane in (COUNTED, PLAIN):
            client.command(f"DROP TABLE {table_name(lane)}")


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("lanes", [(COUNTED,), (COUNTED, PLAIN)], ids=["one lane", "two lanes"])
@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("", lambda _: True),
        ("service:svc1", lambda minute: minute % 3 == 1),
        ("severity:>=warn -service:svc2", lambda minute: minute % 25 >= 13 and minute % 3 != 2),
    ],
)
def test_each_tenant_counts_its_own_rows(
    stack: Stack, lanes: tuple[int, ...], text: str, is_found: Callable[[int], bool]
) -> None:
    matching = compile_filter(parse(text))
    has_counts = len(lanes) == 1

    async def counted(executor: Executor, scope: Scope, *, by_minute: bool) -> tuple[int, int]:
        """Returns the number of records, and the number of rows that ClickHouse has read for it."""
        found = await executor.run(count_buckets(scope, matching, Buckets(10 * MINUTE_NS, by_minute)))
        return sum(each.records for each in found.rows), found.cost.rows_read

    async def all_tenants() -> list[tuple[tuple[int, int], tuple[int, int]]]:
        executor = Executor(stack.settings)
        found = []
        try:
            for tenant in ROWS:
                scope = Scope(tenant, lanes, ("r30",), RANGE)
                may_answer = await MinuteCounts(executor, ManualClock()).may_answer(scope, matching, (), 10 * MINUTE_NS)
                assert may_answer == has_counts
                found.append(
                    (
                        await counted(executor, scope, by_minute=may_answer),
                        await counted(executor, scope, by_minute=False),
                    )
                )
        finally:
            await executor.close()
        return found

    for rows, ((from_counts, counts_read), (from_records, records_read)) in zip(
        ROWS.values(), asyncio.run(all_tenants()), strict=True
    ):
        expected = sum(is_found(number // 5) for number in range(rows)) * len(lanes)
        assert from_counts == from_records == expected
        assert (expected > 0) == (rows > 0)
        assert (counts_read < records_read) == (has_counts and rows > 0)
