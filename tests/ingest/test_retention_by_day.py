"""Tests that after each day of a moving clock, exactly the days that are past their tenant's retention are gone."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

import pytest
from clickhouse_connect.driver.client import Client

from ingest.retention import run
from ingest.retention.run import run_retention
from kit.clickhouse import connect
from kit.clock import SystemClock
from schema.control.lifecycles import Lifecycles
from tests.chance import SEED
from tests.ingest.pipeline import Pipeline

pytestmark = pytest.mark.lanes(1)

TENANTS: Final = 50
LONGEST_DAYS: Final = 400
SIMULATED_DAYS: Final = 40
FIRST: Final = date(2026, 3, 1)
MARGIN: Final = timedelta(hours=1)
"""Time that a day is kept beyond its retention: docs/operations/storage.md."""

Days = dict[int, set[date]]


@pytest.fixture
def client(pipeline: Pipeline) -> Iterator[Client]:
    with connect(pipeline.settings) as client:
        yield client


def insert(client: Client, retention: dict[int, int], days: Days) -> None:
    """Inserts a record for each tenant and day."""
    rows = [
        (tenant, f"r{retention[tenant]}", datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC), tenant)
        for tenant, all_days in days.items()
        for day in all_days
    ]
    client.insert(
        "logs_0",
        rows,
        column_names=["tenant_id", "cohort", "timestamp", "id"],
        settings={"max_partitions_per_insert_block": 0},
    )


def stored(client: Client) -> Days:
    days: Days = {}
    for tenant, day in client.query("SELECT DISTINCT tenant_id, toDate(timestamp) FROM logs_0").result_rows:
        days.setdefault(int(tenant), set()).add(day)
    return days


def kept(retention: dict[int, int], days: Days, now: datetime) -> Days:
    """Returns the days whose last moment is within the retention of their tenant."""
    remaining = {
        tenant: {
            day
            for day in all_days
            if datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1 + retention[tenant]) + MARGIN > now
        }
        for tenant, all_days in days.items()
    }
    return {tenant: all_days for tenant, all_days in remaining.items() if all_days}


def test_after_each_day_exactly_the_right_days_are_gone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(SEED)
    retention = {tenant: chance.randint(1, LONGEST_DAYS) for tenant in range(1, TENANTS + 1)}
    # About half of the days pass their retention while the clock moves, the others later.
    days = {
        tenant: {FIRST + timedelta(days=chance.randint(0, 2 * SIMULATED_DAYS) - kept_days - 1) for _ in range(4)}
        for tenant, kept_days in retention.items()
    }
    lifecycles = Lifecycles({f"r{kept_days}": kept_days for kept_days in retention.values()})
    insert(client, retention, days)
    assert stored(client) == days

    left = []
    for number in range(SIMULATED_DAYS):
        now = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC) + timedelta(
            days=number, seconds=chance.randrange(86_400)
        )
        # A run compares its clock with the server's, which cannot be set.
        monkeypatch.setattr(run, "agreed_time", lambda *_, now=now: now)
        run_retention(client, lifecycles, SystemClock(), dry_run=False)
        remaining = stored(client)
        assert remaining == kept(retention, days, now), now
        left.append(sum(map(len, remaining.values())))

    assert left[0] > left[-1] > 0
