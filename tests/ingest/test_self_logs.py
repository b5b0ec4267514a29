"""Tests that log lines about a stack's own log lines are not sent, so that an idle stack is not busy with itself."""

import time

from kit.clickhouse import connect
from schema.clickhouse.tables import table_name
from stack.services import self_key_file
from tests import otlp
from tests.ingest.urls import http_url
from tests.running_stack import Stack

SENT = 20
SETTLED_SECONDS = 60.0
QUIET_SECONDS = 5.0


def self_records(stack: Stack) -> int:
    with connect(stack.settings) as client:
        lanes = " UNION ALL ".join(
            f"SELECT count() AS records FROM {table_name(lane)} WHERE resource['service.name'] LIKE 'logsieve-%'"
            for lane in range(stack.settings.lanes)
        )
        return int(client.query(f"SELECT sum(records) FROM ({lanes})").result_rows[0][0])


def settled(stack: Stack) -> int:
    """Returns the number of the stack's own records when it has not changed for QUIET_SECONDS.

    Earlier tests of the session may still cause log lines.
    """
    deadline = time.monotonic() + SETTLED_SECONDS
    while True:
        before = self_records(stack)
        time.sleep(QUIET_SECONDS)
        if self_records(stack) == before:
            return before
        assert time.monotonic() < deadline, "the stack's own records never come to rest"


def test_requests_of_our_own_tenant_cause_no_further_records(stack: Stack) -> None:
    key = self_key_file(stack.settings).read_text().strip()
    before = settled(stack)
    for number in range(SENT):
        sent = otlp.request(otlp.record(f"line {number}"), service="logsieve-test")
        assert otlp.send(http_url(stack), key, sent).status_code == 200
        assert otlp.send(http_url(stack), key, []).status_code == 400
    assert settled(stack) == before + SENT
