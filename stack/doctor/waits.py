"""Measures how long the server waits for locks and how long it plans statements."""

from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE
from stack.doctor.finding import Bounds, Finding, Level, graded

LOCKS: Final = ("PartsLockWaitMicroseconds", "SharedPartsLockWaitMicroseconds", "ContextLockWaitMicroseconds")
PLANNING: Final = ("QueryAnalysisMicroseconds", "QueryPlanBuildMicroseconds", "QueryPlanOptimizeMicroseconds")

_CPU: Final = "ProfileEvents['OSCPUVirtualTimeMicroseconds']"
_CPU_WAIT: Final = "ProfileEvents['OSCPUWaitMicroseconds']"
_ON_A_CORE: Final = f"if({_CPU} + {_CPU_WAIT} = 0, 1, {_CPU} / ({_CPU} + {_CPU_WAIT}))"
"""Share of a statement's time in which its threads ran, rather than waited for a core. It converts ClickHouse's
planning times, which are wall-clock times, to CPU time. On a busy machine, most of the wall-clock time is waiting."""

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
    if not client.command("EXISTS TABLE system.query_log"):
        return Finding(
            about, Level.warn, "the server keeps no system.query_log", "turn query_log on to measure planning"
        )
    sums = " + ".join(f"ProfileEvents['{event}']" for event in PLANNING)
    searches, planned, took = client.query(
        f"SELECT count(), sum(({sums}) * {_ON_A_CORE}) / 1e6, sum({_CPU}) / 1e6 FROM system.query_log"
        " WHERE type = 'QueryFinish' AND query_kind = 'Select' AND event_time > now() - 3600"
        f" AND arrayExists(table -> match(table, concat('^', currentDatabase(), '[.]{LOG_TABLE}$')), tables)"
    ).result_rows[0]
    return judge_planning(int(searches), float(planned), float(took))


def judge_planning(searches: int, planned_seconds: float, took_seconds: float) -> Finding:
    """Rates planning by its CPU milliseconds per search. A search without rows costs hardly anything but planning."""
    if not searches:
        return Finding("planning", Level.ok, "no search ran in the last hour")
    each_ms = planned_seconds / searches * 1000
    share = planned_seconds / max(took_seconds, 1e-3)
    seen = f"{each_ms:.1f} ms of CPU a search, {min(share, 1.0):.0%} of the CPU of {searches} searches in the last hour"
    return graded("planning", each_ms, PLANNING_MS, seen)
