"""Reads from ClickHouse's query_log how much CPU time searches have used, and how much of it was planning, by lane."""

from typing import Final, NamedTuple

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE

PERIOD_SECONDS: Final = 3_600
"""Age, in seconds, of the oldest searches that are read."""

MIN_CPU_SECONDS: Final = 10.0
"""CPU time of a lane's searches, in seconds within `PERIOD_SECONDS`, below which the lane is not slow, because moves
would save little of the server's time."""

EVENTS: Final = ("QueryAnalysisMicroseconds", "QueryPlanBuildMicroseconds", "QueryPlanOptimizeMicroseconds")
"""Events of ClickHouse that count the wall-clock time of planning."""

_CPU: Final = "ProfileEvents['OSCPUVirtualTimeMicroseconds']"
_CPU_WAIT: Final = "ProfileEvents['OSCPUWaitMicroseconds']"
_ON_A_CORE: Final = f"if({_CPU} + {_CPU_WAIT} = 0, 1, {_CPU} / ({_CPU} + {_CPU_WAIT}))"
"""Share of a statement's time, 0 to 1, in which its threads ran and did not wait for a core. Multiplied by it,
wall-clock time becomes CPU time. On a busy machine, threads wait for most of the time."""

_PLANNING: Final = " + ".join(f"ProfileEvents['{event}']" for event in EVENTS)

_SEARCHES: Final = (
    "SELECT toUInt32(extract(lanes[1], '[0-9]+$')) AS lane, count(),"
    f" sum(({_PLANNING}) * {_ON_A_CORE}) / 1e6, sum({_CPU}) / 1e6"
    f" FROM (SELECT ProfileEvents, arrayFilter(name -> match(name, concat('^', currentDatabase(), '[.]{LOG_TABLE}$')),"
    " tables) AS lanes FROM system.query_log WHERE event_date >= toDate(now() - {seconds:UInt32})"
    " AND event_time > now() - {seconds:UInt32} AND type = 'QueryFinish' AND query_kind = 'Select'"
    " AND length(lanes) = 1) GROUP BY lane"
)


class LaneSearches(NamedTuple):
    """Statements that read one lane of one server: their number, and CPU time in seconds, of planning and of all."""

    statements: int
    planning_seconds: float
    cpu_seconds: float

    @property
    def planning_share(self) -> float:
        """Returns the share of planning in the CPU time, 0 to 1."""
        return min(1.0, self.planning_seconds / self.cpu_seconds) if self.cpu_seconds else 0.0


def read_lane_searches(client: Client) -> dict[int, LaneSearches] | None:
    """Returns the statements of the last hour, by lane. Statements that read several lanes do not count.

    Returns None if the server has no query_log. Raises clickhouse-connect's Error.
    """
    if not client.command("EXISTS TABLE system.query_log"):
        return None
    rows = client.query(_SEARCHES, parameters={"seconds": PERIOD_SECONDS}).result_rows
    return {int(lane): LaneSearches(int(count), float(planning), float(cpu)) for lane, count, planning, cpu in rows}


def slow_lanes(searches: dict[int, LaneSearches], most_percent: float) -> set[int]:
    """Returns the lanes whose searches spend more than `most_percent` of their CPU time on planning, and use at
    least MIN_CPU_SECONDS of CPU time in PERIOD_SECONDS."""
    return {
        lane
        for lane, found in searches.items()
        if found.cpu_seconds >= MIN_CPU_SECONDS and 100 * found.planning_share > most_percent
    }
