"""Records a profile of one ClickHouse server: from system.trace_log where the server fills it, else by sampling
system.stack_trace."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import translate
from kit.clock import Clock
from kit.errors import Forbidden
from kit.profile.read_samples import Selection, read_names, read_snapshot, read_trace_log, refuses
from kit.profile.stacks import Profile, Sample, Source, fold
from kit.profile.wait_frames import wait_of

PAUSE_SECONDS: Final = 0.25
"""Seconds between the end of a snapshot of system.stack_trace and the next one."""
UNNAMED: Final = 0.5
"""Smallest share of addresses without a name at which a profile says that names are missing."""


@dataclass(frozen=True, slots=True)
class Window:
    """Length of a profile in seconds, the clock that measures it, and a function that shows one line of progress."""

    seconds: float
    clock: Clock
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A profile of one server, its source, and sentences about what it lacks."""

    profile: Profile
    source: Source
    snapshots: int
    """Number of reads of system.stack_trace; 0 with the other source."""
    notes: tuple[str, ...]


def choose_source(client: Client) -> Source:
    """Returns system.trace_log if the server has filled it in the last hour, else system.stack_trace.

    Raises Forbidden if the user may read neither, and the errors of `translate`.
    """
    try:
        if client.command("EXISTS TABLE system.trace_log") and _is_filled(client):
            return Source.trace_log
        client.query("SELECT thread_id FROM system.stack_trace WHERE 0")
    except Error as error:
        if not refuses(error):
            raise translate(error) from error
        raise Forbidden(
            "The ClickHouse user may read neither system.trace_log nor system.stack_trace. A profile needs one of them:"
            " run `GRANT SELECT ON system.stack_trace TO …` for the user of LOGSIEVE_CLICKHOUSE_USER."
        ) from error
    return Source.stack_trace


def record(client: Client, selection: Selection, window: Window) -> Recorded:
    """Records a profile of the selected threads.

    Raises Forbidden if the server allows neither source, and the errors of `translate`.
    """
    source = choose_source(client)
    window.say(f"reading {source} for {window.seconds:g} s")
    try:
        since = server_time(client)
        samples, snapshots, unanswered = (
            _sampled(client, selection, window)
            if source is Source.stack_trace
            else (_logged(client, selection, window.seconds, since), 0, 0)
        )
        if selection.user is not None:
            own = _statements(client, selection.user, since)
            samples = [sample for sample in samples if sample.query_id in own]
        addresses = {address for sample in samples for address in sample.addresses}
        names = read_names(client, addresses)
    except Error as error:
        raise translate(error) from error
    profile = fold(samples, names, source)
    return Recorded(profile, source, snapshots, notes(profile, source, len(addresses) - len(names), unanswered))


def notes(profile: Profile, source: Source, unnamed: int, unanswered: int) -> tuple[str, ...]:
    """Returns sentences about what a profile lacks. `unnamed` counts addresses, `unanswered` threads of snapshots."""
    found = []
    if not profile.real and not profile.cpu:
        found.append("No thread ran a statement that the filters select. Profile while the slow statements run.")
    addresses = {frame for stack in profile.real for frame in stack if frame.startswith("0x")}
    if unnamed and len(addresses) >= UNNAMED * len({frame for stack in profile.real for frame in stack}):
        found.append(
            "The server has no names for most of its functions, so they are shown as addresses. The ClickHouse engine"
            " of `logsieve up` has no symbols; packages of ClickHouse have them. The user also needs the privilege"
            " INTROSPECTION."
        )
    if source is Source.stack_trace and profile.real:
        found.append(
            "CPU is estimated: it counts the sampled threads that were in no waiting function, including threads that"
            " waited for a core or in a function without a name. A server whose system.trace_log is on measures"
            " wall-clock time and CPU by timers."
        )
        if all(wait_of(stack) is None for stack in profile.real):
            found.append("No waiting function was recognised, so CPU may contain threads that wait.")
    if unanswered:
        found.append(f"{unanswered} stacks are missing, because their threads got no core in time to answer.")
    return tuple(found)


def _is_filled(client: Client) -> bool:
    try:
        return bool(
            client.query(
                "SELECT 1 FROM system.trace_log WHERE event_date >= today() - 1 AND event_time > now() - 3600"
                " AND trace_type IN ('Real', 'CPU') LIMIT 1"
            ).result_rows
        )
    except Error as error:
        if refuses(error):
            return False
        raise


def server_time(client: Client) -> datetime:
    """Returns the time of the server's clock in UTC, to the microsecond."""
    moment: datetime = client.query("SELECT now64(6, 'UTC')").result_rows[0][0]
    return moment


def _sampled(client: Client, selection: Selection, window: Window) -> tuple[Sequence[Sample], int, int]:
    seconds, clock = window.seconds, window.clock
    samples: list[Sample] = []
    snapshots = unanswered = 0
    started = clock.monotonic()
    while not snapshots or clock.monotonic() - started < seconds:
        snapshot = read_snapshot(client, selection)
        samples += snapshot.samples
        unanswered += snapshot.unanswered
        snapshots += 1
        window.say(f"{min(seconds, clock.monotonic() - started):.0f} of {seconds:g} s: {len(samples):,} stacks")
        time.sleep(min(PAUSE_SECONDS, max(0.0, seconds - (clock.monotonic() - started))))
    return samples, snapshots, unanswered


def _logged(client: Client, selection: Selection, seconds: float, since: datetime) -> Sequence[Sample]:
    time.sleep(seconds)
    until = server_time(client)
    _flush(client, "trace_log")
    return list(read_trace_log(client, selection, since, until))


def _flush(client: Client, log: str) -> None:
    """Makes the server write a log's last seconds. Without the right to do so, they are missing."""
    try:
        client.command(f"SYSTEM FLUSH LOGS {log}")
    except Error as error:
        if not refuses(error):
            raise


def _statements(client: Client, user: str, since: datetime) -> frozenset[str]:
    """Returns the query ids of a user's statements that run now or that ended since a time of the server."""
    sql = "SELECT query_id FROM system.processes WHERE user = {user:String}"
    if client.command("EXISTS TABLE system.query_log"):
        _flush(client, "query_log")
        sql += (
            " UNION DISTINCT SELECT query_id FROM system.query_log"
            " WHERE event_date >= toDate({since:DateTime64(6, 'UTC')})"
            " AND event_time >= toDateTime({since:DateTime64(6, 'UTC')}) AND user = {user:String}"
        )
    rows = client.query(sql, parameters={"user": user, "since": since}).result_rows
    return frozenset(str(query_id) for (query_id,) in rows)
