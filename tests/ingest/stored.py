"""Reads rows from ClickHouse without the search API, for tests of ingest."""

import time
from typing import Any

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.clock import SystemClock
from loadtest.topic import wait_until_loaded
from schema.clickhouse.tables import table_name
from tests.running_stack import Stack

Row = dict[str, Any]


def stored_rows(stack: Stack, marker: str, expected: int, seconds: float = 30) -> list[Row]:
    """Waits until `expected` rows have a body with `marker` and all messages are loaded. Returns them in order of time.

    Fails the test if there are fewer after `seconds`, or more in the end.
    """
    deadline = time.monotonic() + seconds
    with connect(stack.settings) as client:
        while len(rows := _rows(client, stack, marker)) < expected:
            assert time.monotonic() < deadline, f"{len(rows)} of {expected} rows after {seconds} s"
            time.sleep(0.2)
        wait_until_loaded(stack.settings, SystemClock(), seconds)
        rows = _rows(client, stack, marker)
    assert len(rows) == expected
    return rows


def _rows(client: Client, stack: Stack, marker: str) -> list[Row]:
    lanes = " UNION ALL ".join(f"SELECT * FROM {table_name(lane)}" for lane in range(stack.settings.lanes))
    answer = client.query(
        "SELECT *, toUnixTimestamp64Nano(timestamp) AS time_ns, "
        "toUnixTimestamp64Nano(observed_timestamp) AS observed_ns, hex(trace_id) AS trace, hex(span_id) AS span "
        f"FROM ({lanes}) WHERE position(body, {{marker:String}}) > 0 ORDER BY timestamp, id",
        parameters={"marker": marker},
    )
    return list(answer.named_results())
