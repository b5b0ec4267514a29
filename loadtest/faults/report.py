"""The fault test's report: what is wrong after all of it, and how long each service took to be back."""

import statistics

from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table


class Recovery(Part):
    """Seconds from a kill until a request begun after it was acknowledged, and until its records were found.

    Both hold the pause that the supervisor makes before it starts a process again, which grows with every death
    within a minute of the last (stack/supervisor.py).
    """

    target: str
    acknowledged_after: float
    searchable_after: float


class FaultReport(Report, Correctness):
    kills: dict[str, int]
    pauses: int
    cuts: int
    nodes: int = 1
    requests: int
    acknowledged: int
    uncertain: int = 0
    recoveries: tuple[Recovery, ...]
    seconds: float = 0.0

    @property
    def variant(self) -> str:
        return f"{self.nodes}-nodes" if self.nodes > 1 else ""

    def headline(self) -> tuple[Row, ...]:
        done = f"{sum(self.kills.values())} kills, {self.pauses} pauses, {self.cuts} broken connections"
        where = f", {self.nodes} ClickHouse nodes" if self.nodes > 1 else ""
        return (self.row(f"wrong of {self.acknowledged:,} records after {done}{where}"),)

    def tables(self) -> tuple[Table, ...]:
        lines = []
        for target, kills in self.kills.items():
            own = [each for each in self.recoveries if each.target == target]
            times = ([each.acknowledged_after for each in own], [each.searchable_after for each in own])
            cells = [f"{figure(each):.1f}" for each in times if each for figure in (statistics.median, max)]
            lines.append((target, str(kills), *(cells or [""] * 4)))
        head = ("killed", "times", "acknowledged again, median s", "longest", "searchable again, median s", "longest")
        return (Table("Back after a kill", head, tuple(lines)),)
