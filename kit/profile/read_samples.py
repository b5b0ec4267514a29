"""Reads stacks and names of functions from a ClickHouse server."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error, ProgrammingError

from kit.profile.stacks import Kind, Sample

SNAPSHOT_TIMEOUT_MS: Final = 100
"""Longest time, in milliseconds, that the server waits for a thread's stack. A thread that gets no core does not answer
in time."""
_ADDRESSES: Final = 5_000
"""Largest number of addresses in one statement that looks up names."""
_NOT_ALLOWED: Final = {
    446,  # FUNCTION_NOT_ALLOWED: allow_introspection_functions is off
    452,  # SETTING_CONSTRAINT_VIOLATION
    497,  # ACCESS_DENIED
    164,  # READONLY
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters of a profile. None selects all."""

    query_id: str | None = None
    user: str | None = None
    thread: str | None = None

    @property
    def condition(self) -> str:
        """SQL condition of the filters on columns that both system tables have. Its parameters are `parameters`."""
        chosen = ["query_id != ''"]
        chosen += ["query_id = {query_id:String}"] if self.query_id is not None else []
        chosen += ["thread_name = {thread:String}"] if self.thread is not None else []
        return " AND ".join(chosen)

    @property
    def parameters(self) -> dict[str, str]:
        given = {"query_id": self.query_id, "thread": self.thread}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Stacks of all selected threads. Threads that did not answer within SNAPSHOT_TIMEOUT_MS have none."""

    samples: tuple[Sample, ...]
    unanswered: int


def refuses(error: Error) -> bool:
    """Returns whether the server refused a statement because of the user's rights or settings."""
    return error.code in _NOT_ALLOWED or isinstance(error, ProgrammingError)  # the client refuses a read-only setting


def read_snapshot(client: Client, selection: Selection) -> Snapshot:
    """Interrupts all threads of the server, and returns the stacks of the selected ones that run a statement.

    The statement that reads them, and statements of the server itself, are left out.
    """
    rows = client.query(
        f"SELECT thread_name, query_id, trace FROM system.stack_trace WHERE {selection.condition}"
        " AND query_id != queryID() AND query_id NOT IN (SELECT query_id FROM system.processes WHERE user = '')",
        parameters=selection.parameters,
        settings={"storage_system_stack_trace_pipe_read_timeout_ms": SNAPSHOT_TIMEOUT_MS, "log_queries": 0},
    ).result_rows
    samples = tuple(
        Sample(Kind.real, str(thread), str(query_id), tuple(trace)) for thread, query_id, trace in rows if trace
    )
    return Snapshot(samples, len(rows) - len(samples))


def read_trace_log(client: Client, selection: Selection, since: datetime, until: datetime) -> Iterator[Sample]:
    """Yields the samples of system.trace_log between two times of the server, `since` inclusive."""
    rows = client.query(
        "SELECT toString(trace_type), thread_name, query_id, trace, count() FROM system.trace_log"
        " WHERE event_date >= toDate({since:DateTime64(6, 'UTC')}) - 1"
        " AND event_time_microseconds >= {since:DateTime64(6, 'UTC')}"
        " AND event_time_microseconds < {until:DateTime64(6, 'UTC')}"
        f" AND trace_type IN ('Real', 'CPU') AND {selection.condition} GROUP BY ALL",
        parameters={"since": since, "until": until, **selection.parameters},
    ).result_rows
    for kind, thread, query_id, trace, count in rows:
        yield Sample(Kind(kind), str(thread), str(query_id), tuple(trace), int(count))


def read_names(client: Client, addresses: Collection[int]) -> dict[int, str]:
    """Returns the names of functions by their addresses; without those that the server does not know.

    Returns nothing if the server does not allow its user to look up names.
    """
    ordered = sorted(addresses)
    names: dict[int, str] = {}
    for first in range(0, len(ordered), _ADDRESSES):
        try:
            rows = client.query(
                "SELECT address, demangle(addressToSymbol(address)) AS name"
                " FROM (SELECT arrayJoin({addresses:Array(UInt64)}) AS address) WHERE name != ''",
                parameters={"addresses": ordered[first : first + _ADDRESSES]},
                settings={"allow_introspection_functions": 1},
            ).result_rows
        except Error as error:
            if refuses(error):
                return {}
            raise
        names |= {int(address): str(name) for address, name in rows}
    return names
