"""Tests that load tests report rows which were deleted, doubled or moved in ClickHouse, with their places in Kafka."""

import time

import pytest
from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.clock import SystemClock
from loadtest.comparison import Numbered, Sent
from loadtest.corpus.records import NUMBER, SMALL, RecordSource, export_request
from loadtest.topic import wait_until_loaded
from loadtest.traffic.otlp_http import HttpConnection, SendOutcome
from loadtest.verdict import judge
from schema.clickhouse.tables import table_name
from schema.columns import NAMES
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

RECORDS = 30
FIRST = 5_000_000
"""Number of the first record. It is larger than the numbers of other tests' records in this stack."""


@pytest.mark.faults
def test_a_lost_a_doubled_and_a_foreign_row(stack: Stack) -> None:
    # The other tenant's records have the same numbers.
    send(stack, "as-many-mistakes")
    created = send(stack, "mistakes")
    tenant_id, table = created.id, table_name(created.lane)
    nobody = tenant_id + 1000
    clock = SystemClock()
    wait_until_loaded(stack.settings, clock, 60)
    sent = {tenant_id: Sent(acknowledged=[range(FIRST, FIRST + RECORDS)])}
    others = frozenset(range(1, tenant_id))  # records of other tests in this stack also have numbers
    assert judge(sent, stack.settings, clock, others).wrong == 0

    with connect(stack.settings) as client:
        delete(client, table, is_record(Numbered(tenant_id, FIRST + 3)))
        double(client, table, Numbered(tenant_id, FIRST + 4), tenant_id)
        double(client, table, Numbered(tenant_id, FIRST + 5), nobody)
        try:
            verdict = judge(sent, stack.settings, clock, others)
        finally:
            # A later run on this stack would find the row.
            delete(client, table, f"tenant_id = {nobody}")

    assert (verdict.lost, verdict.doubled, verdict.foreign) == (1, 1, 1)
    [lost], [doubled], [foreign] = (verdict.examples[kind] for kind in ("lost", "doubled", "foreign"))
    assert lost.record == Numbered(tenant_id, FIRST + 3)
    assert doubled.record == Numbered(tenant_id, FIRST + 4)
    assert foreign.record == Numbered(nobody, FIRST + 5)
    assert [each.index for each in lost.in_topic] == [3]
    assert lost.in_store == ()
    assert doubled.in_store == doubled.in_topic * 2
    assert foreign.in_topic == ()


def send(stack: Stack, tenant: str) -> TenantKeys:
    """Creates a tenant, sends RECORDS records, and returns the tenant."""
    created = new_tenant(stack, tenant)
    address = (stack.settings.bind_host, stack.settings.port(stack.settings.otlp_http_port))
    body = export_request(RecordSource(SMALL, 1, FIRST).take(RECORDS, time.time_ns()), 0)
    with HttpConnection(address, created.ingest) as connection:
        assert connection.export(body) is SendOutcome.acknowledged
    return created


def delete(client: Client, table: str, condition: str) -> None:
    client.command(f"ALTER TABLE {table} DELETE WHERE {condition}", settings={"mutations_sync": 2})


def is_record(record: Numbered) -> str:
    """Returns the condition of a record's row."""
    return f"tenant_id = {record.tenant_id} AND attributes['{NUMBER}'] = '{record.number}'"


def double(client: Client, table: str, record: Numbered, tenant_id: int) -> None:
    """Inserts a copy of a record, as one of the tenant `tenant_id`."""
    columns = ", ".join(NAMES[1:])
    client.command(
        f"INSERT INTO {table} (tenant_id, {columns}) SELECT toUInt32({tenant_id}), {columns} FROM {table}"
        f" WHERE {is_record(record)}"
    )
