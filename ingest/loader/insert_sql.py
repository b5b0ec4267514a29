"""Statements of the loader: inserts that the server begins only before a deadline, and queries about earlier inserts.

An insert contains a time of the server's clock after which the server refuses to start it. Once that time has passed
and no statement with its name runs, no late copy of it (in a proxy's buffer, in the socket of a paused server) can
still run: docs/decisions/0018-what-an-insert-may-cost.md.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from schema.clickhouse.fields_rollup import COLUMNS as FIELDS_COLUMNS
from schema.clickhouse.fields_rollup import fields_table
from schema.clickhouse.index_profiles import NOT_INSERTED, SEARCHED_WORDS
from schema.clickhouse.tables import table_name
from schema.columns import COLUMNS, Column
from schema.coordinates import INDEX_BITS
from schema.otlp import LogMessage

START_SECONDS: Final = 30
"""Seconds of the server's clock within which an insert must begin."""

_CLOCK_GRAIN: Final = 2
"""Largest error of a comparison between a deadline and the server's time, in seconds: both are rounded."""

_ROWS_NEVER_REACHED: Final = 2**31

_TENANTS_WITH_TIMES: Final = 200
"""Largest number of tenants that a statement names with the times of their records."""


SERVER_TIME: Final = "SELECT toUnixTimestamp64Milli(now64(3))"
# This statement does not wait until the killed statements have ended. RUNNING counts those that still run.
KILL: Final = "KILL QUERY WHERE user = currentUser() AND startsWith(query_id, {name:String}) ASYNC"
RUNNING: Final = (
    "SELECT countIf(startsWith(query_id, {name:String})), toUnixTimestamp(now()) FROM system.processes"
    " WHERE user = currentUser()"
)


def insert_target(lane: int, server_time: float, without_days: Iterable[int] = ()) -> str:
    """Returns the SQL after INSERT INTO for a block built at `server_time`, in seconds since the Unix epoch by the
    server's clock.

    The client adds INSERT INTO before it and FORMAT after it. The statement leaves out rows of the days `without_days`
    (UTC days since the Unix epoch).
    """
    days = ", ".join(map(str, sorted(without_days)))
    left_out = f" AND toUInt16(toDate(timestamp)) NOT IN ({days})" if days else ""
    return _target(table_name(lane), COLUMNS, server_time) + left_out


def fields_target(lane: int, server_time: float) -> str:
    """Like `insert_target`, for the counts of a lane's fields."""
    return _target(fields_table(lane), FIELDS_COLUMNS, server_time)


def _target(table: str, columns: Sequence[Column], server_time: float) -> str:
    names = ", ".join(f"`{column.name}`" for column in columns)
    structure = ", ".join(f"`{column.name}` {column.type}" for column in columns).replace("'", "\\'")
    latest = math.ceil(server_time) + START_SECONDS
    return (
        f"`{table}` ({names}) SELECT {names} FROM input('{structure}')"
        f" WHERE NOT throwIf(now() > toDateTime({latest}), 'the insert started too late')"
    )


def none_can_start_after(server_time: float) -> float:
    """Returns the server time after which no insert can begin that was built before `server_time`."""
    return server_time + START_SECONDS + _CLOCK_GRAIN


def stored_days(lane: int, messages: Sequence[LogMessage]) -> str:
    """Returns a SELECT of (first record id of a message, day) for the stored rows of the messages, which must be in
    order.

    Reads of each tenant only the times of its own records, because the whole day of a large tenant takes too long.
    """
    days = ", ".join(f"toDate({day})" for day in sorted({day for each in messages for day in each.message.days}))
    first, last = messages[0].first_record_id, messages[-1].first_record_id + (1 << INDEX_BITS)
    number = f"bitShiftLeft(bitShiftRight(id, {INDEX_BITS}), {INDEX_BITS})"
    return (
        f"SELECT DISTINCT toString({number}), toUInt16(toDate(timestamp)) FROM `{table_name(lane)}`"
        f" WHERE {_tenants_and_times(messages)} AND toDate(timestamp) IN ({days})"
        f" AND id >= toUInt128('{first}') AND id < toUInt128('{last}')"
    )


def _tenants_and_times(messages: Iterable[LogMessage]) -> str:
    """Returns a condition for the tenants of the messages and the times of their records. Of many tenants, it has the
    earliest and the latest time of all, so that the statement stays short."""
    bounds: dict[int, tuple[int, int]] = {}
    for message in messages:
        if (times := message.message.times) is not None:
            first, last = bounds.get(message.envelope.tenant_id, times)
            bounds[message.envelope.tenant_id] = min(first, times[0]), max(last, times[1])
    if len(bounds) <= _TENANTS_WITH_TIMES:
        return "(" + " OR ".join(f"tenant_id = {each} AND {_between(*bounds[each])}" for each in sorted(bounds)) + ")"
    first, last = min(each for each, _ in bounds.values()), max(each for _, each in bounds.values())
    return f"tenant_id IN ({', '.join(map(str, sorted(bounds)))}) AND {_between(first, last)}"


def _between(first: int, last: int) -> str:
    return f"timestamp BETWEEN fromUnixTimestamp64Nano({first}) AND fromUnixTimestamp64Nano({last})"


def insert_settings(max_memory: int, max_seconds: float) -> dict[str, str | int | float]:
    """Returns the settings of every insert of the loader. `max_memory` is in bytes."""
    return {
        "async_insert": 0,
        NOT_INSERTED: SEARCHED_WORDS.name,
        "max_memory_usage": max_memory,
        "max_execution_time": max_seconds,
        "timeout_overflow_mode": "throw",
        # A batch is one block, whatever its size, so that a repetition has the same blocks as the first try.
        "min_insert_block_size_rows": _ROWS_NEVER_REACHED,
        "min_insert_block_size_bytes": 0,
        "max_insert_block_size": _ROWS_NEVER_REACHED,
        # A tenant may send records of every day of its retention. Refusing the batch would stop the partition
        # permanently.
        "max_partitions_per_insert_block": 0,
        # Without this, the status 200 could precede an error late in the insert.
        "wait_end_of_query": 1,
    }


def once(token: str) -> dict[str, str | int]:
    """Returns the settings with which ClickHouse skips an insert whose token it remembers."""
    return {
        "insert_deduplicate": 1,
        "insert_deduplication_token": token,
    }
