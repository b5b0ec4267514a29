"""Report of the fault test: records that are wrong at the end, and seconds until each service was back."""

import statistics

from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table


class Recovery(Part):
    """Seconds from a kill to the acknowledgement of a request begun after it, and until its records were found.

    Both times include the pause of the supervisor before it starts a process again. The pause grows if the process ends
    repeatedly (stack/supervisor.py).
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
