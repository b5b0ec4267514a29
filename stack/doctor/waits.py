"""Measures how long the server waits for locks and how long it plans statements."""

from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.lanes.search_planning import read_lane_searches
from stack.doctor.finding import Bounds, Finding, Level, graded

LOCKS: Final = ("PartsLockWaitMicroseconds", "SharedPartsLockWaitMicroseconds", "ContextLockWaitMicroseconds")

WAITING: Final = Bounds(
    0.05, 1.0, "reduce the parts of each lane (shown above), or use a server with the patches that are listed above"
)
"""Bounds for the average number of threads that wait for the lock."""
PLANNING_MS: Final = Bounds(50, 500, "reduce the parts of each lane (shown above)")
"""Bounds for the CPU milliseconds that planning takes for one search."""


def wait_findings(client: Client) -> list[Finding]:
    """Returns findings about lock waits since the server's start, and about planning in the last hour's searches."""
    return [*_locks(client), _planning(client)]


def _locks(client: Client) -> list[Finding]:
    uptime = float(client.query("SELECT uptime()").result_rows[0][0])
    rows = client.query(
        "SELECT event, value FROM system.events WHERE event IN {locks:Array(String)}", parameters={"locks": list(LOCKS)}
    ).result_rows
    waited: dict[str, int] = {str(event): int(value) for event, value in rows}
    return [judge_lock(lock, waited.get(lock, 0) / 1e6, uptime) for lock in LOCKS]


def judge_lock(event: str, waited_seconds: float, uptime_seconds: float) -> Finding:
    """Rates a lock by the average number of threads that waited for it since the server's start."""
    threads = waited_seconds / max(uptime_seconds, 1.0)
    seen = (
        f"threads waited {waited_seconds:.3f} s in {uptime_seconds:.0f} s of running ({threads:.3f} threads on average)"
    )
    return graded(event.removesuffix("Microseconds"), threads, WAITING, seen)


def _planning(client: Client) -> Finding:
    about = "planning"
    found = read_lane_searches(client)
    if found is None:
        return Finding(
            about, Level.warn, "the server keeps no system.query_log", "turn query_log on to measure planning"
        )
    lanes = found.values()
    return judge_planning(
        sum(each.statements for each in lanes),
        sum(each.planning_seconds for each in lanes),
        sum(each.cpu_seconds for each in lanes),
    )


def judge_planning(searches: int, planned_seconds: float, took_seconds: float) -> Finding:
    """Rates planning by its CPU milliseconds per search. A search without rows costs hardly anything but planning."""
    if not searches:
        return Finding("planning", Level.ok, "no search ran in the last hour")
    each_ms = planned_seconds / searches * 1000
    share = planned_seconds / max(took_seconds, 1e-3)
    seen = f"{each_ms:.1f} ms of CPU a search, {min(share, 1.0):.0%} of the CPU of {searches} searches in the last hour"
    return graded("planning", each_ms, PLANNING_MS, seen)
