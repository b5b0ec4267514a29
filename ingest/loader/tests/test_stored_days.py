"""Tests which rows a loader reads to learn what is stored."""

from dataclasses import replace

from ingest.loader.insert_sql import stored_days
from ingest.loader.tests.rows import rows_on_days
from kit.clock import DAY_NS
from schema.otlp import LogMessage


def of_tenant(tenant: int, offset: int, days: set[int]) -> LogMessage:
    message = rows_on_days(offset, days)
    return replace(message, envelope=replace(message.envelope, tenant_id=tenant))


def times(first_day: int, last_day: int) -> str:
    first, last = first_day * DAY_NS, last_day * DAY_NS
    return f"timestamp BETWEEN fromUnixTimestamp64Nano({first}) AND fromUnixTimestamp64Nano({last})"


def test_a_tenant_is_read_only_at_the_times_of_its_own_records() -> None:
    messages = [of_tenant(1, 0, {20_000}), of_tenant(2, 1, {19_000, 20_000}), of_tenant(1, 2, {20_001})]
    statement = stored_days(0, messages)
    assert f"(tenant_id = 1 AND {times(20_000, 20_001)} OR tenant_id = 2 AND {times(19_000, 20_000)})" in statement
    assert "toDate(timestamp) IN (toDate(19000), toDate(20000), toDate(20001))" in statement


def test_a_time_beyond_the_last_time_of_a_row_is_read_as_that_time() -> None:
    last_ns = (1 << 63) - 1
    message = rows_on_days(0, {20_000, (1 << 64) // DAY_NS})
    statement = stored_days(0, [message])
    assert f"fromUnixTimestamp64Nano({20_000 * DAY_NS}) AND fromUnixTimestamp64Nano({last_ns})" in statement
    assert f"toDate({last_ns // DAY_NS})" in statement


def test_the_statement_stays_short_for_many_tenants() -> None:
    messages = [of_tenant(tenant, tenant, {20_000 + tenant % 3}) for tenant in range(1, 5_001)]
    statement = stored_days(0, messages)
    assert f"AND {times(20_000, 20_002)} AND" in statement
    assert len(statement) < 50_000
