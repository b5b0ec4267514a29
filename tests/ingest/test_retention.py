"""Tests that retention removes only whole days that are past it, also when several processes run it at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest

from ingest.retention.run import run_retention
from kit.clickhouse import connect
from kit.clock import CLOCKS_APART, ManualClock, SystemClock
from kit.errors import Conflict
from schema.control.lifecycles import Lifecycles
from tests.running_stack import Stack

TENANT = 4_000_000_000
TABLE = "logs_0"
KNOWN = Lifecycles({"r30": 30, "r3": 3})


def insert(stack: Stack, cohort: str, day: date) -> None:
    with connect(stack.settings) as client:
        client.command(
            f"INSERT INTO {TABLE} (tenant_id, cohort, timestamp, id, body)"
            f" SELECT {TENANT}, '{cohort}', toDateTime64('{day} 12:00:00', 9, 'UTC'), number, 'old'"
            f" FROM numbers(5) SETTINGS insert_deduplicate = 0"
        )


def stored(stack: Stack, today: date) -> list[tuple[str, int]]:
    """Returns the distinct pairs of cohort and age in days of the tenant's rows, at the day `today`."""
    with connect(stack.settings) as client:
        rows = client.query(
            f"SELECT DISTINCT cohort, dateDiff('day', toDate(timestamp), toDate('{today}')) FROM {TABLE}"
            f" WHERE tenant_id = {TENANT} ORDER BY cohort, timestamp DESC"
        ).result_rows
    return [(str(cohort), int(age)) for cohort, age in rows]


@pytest.fixture
def today() -> date:
    """Returns the UTC day from which a test counts the ages of its rows, even if midnight comes while it runs."""
    return datetime.now(UTC).date()


@pytest.fixture
def old_rows(stack: Stack, today: date) -> None:
    with connect(stack.settings) as client:
        client.command(f"DELETE FROM {TABLE} WHERE tenant_id = {TENANT}")
    for cohort, days_ago in (("r3", 1), ("r3", 3), ("r3", 5), ("r3", 9), ("r30", 9), ("r30", 40), ("lost", 400)):
        insert(stack, cohort, today - timedelta(days=days_ago))


@pytest.mark.usefixtures("old_rows")
def test_only_whole_days_past_their_cohorts_retention_go(stack: Stack, today: date) -> None:
    before, clock = stored(stack, today), ManualClock(SystemClock().now_ns())
    with connect(stack.settings) as client:
        shown = run_retention(client, KNOWN, clock, dry_run=True)
        assert stored(stack, today) == before
        done = run_retention(client, KNOWN, clock, dry_run=False)

    assert {each.cohort for each in shown.dropped} >= {"r3", "r30"}
    assert done.dropped == shown.dropped
    assert "lost" in done.unknown
    assert stored(stack, today) == [("lost", 400), ("r3", 1), ("r3", 3), ("r30", 9)]


@pytest.mark.usefixtures("old_rows")
def test_runs_at_once_do_what_one_does(stack: Stack, today: date) -> None:
    clock = ManualClock(SystemClock().now_ns())

    def run(_: int) -> int:
        with connect(stack.settings) as client:
            return len(run_retention(client, KNOWN, clock, dry_run=False).dropped)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))

    assert stored(stack, today) == [("lost", 400), ("r3", 1), ("r3", 3), ("r30", 9)]


@pytest.mark.usefixtures("old_rows")
def test_nothing_goes_by_a_clock_that_is_wrong(stack: Stack, today: date) -> None:
    before = stored(stack, today)
    ahead = ManualClock(SystemClock().now_ns())
    ahead.advance(2 * CLOCKS_APART.total_seconds())
    with connect(stack.settings) as client, pytest.raises(Conflict, match="nothing was dropped"):
        run_retention(client, KNOWN, ahead, dry_run=False)
    assert stored(stack, today) == before
