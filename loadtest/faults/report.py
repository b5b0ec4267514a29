"""Report of the fault test: records that are wrong at the end, and seconds until each service was back."""

import statistics

from loadtest.faults.cluster.report import ClusterFindings
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table


class Recovery(Part):
    """Seconds from a kill to the acknowledgement of a request started after it, and until its records were found.

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
    cluster: ClusterFindings | None = None
    """What searches noticed. None if shards had one replica."""
    seconds: float = 0.0

    @property
    def variant(self) -> str:
        nodes = f"{self.nodes}-nodes" if self.nodes > 1 else ""
        return nodes if self.cluster is None else f"{self.nodes}-nodes-{self.cluster.replicas}-replicas"

    def headline(self) -> tuple[Row, ...]:
        if self.cluster is not None:
            done = f"{sum(self.kills.values())} kills, {self.pauses} servers that hang, one wiped"
            where = f"{self.nodes} shards x {self.cluster.replicas} replicas"
            row = self.row(f"wrong of {self.acknowledged:,} records in each replica after {done}, {where}")
            return (row, *self.cluster.headline())
        done = f"{sum(self.kills.values())} kills, {self.pauses} pauses, {self.cuts} broken connections"
        where = f", {self.nodes} ClickHouse nodes" if self.nodes > 1 else ""
        return (self.row(f"wrong of {self.acknowledged:,} records after {done}{where}"),)

    def tables(self) -> tuple[Table, ...]:
        if self.cluster is not None:
            return self.cluster.tables()
        lines = []
        for target, kills in self.kills.items():
            own = [each for each in self.recoveries if each.target == target]
            times = ([each.acknowledged_after for each in own], [each.searchable_after for each in own])
            cells = [f"{figure(each):.1f}" for each in times if each for figure in (statistics.median, max)]
            lines.append((target, str(kills), *(cells or [""] * 4)))
        head = ("killed", "times", "acknowledged again, median s", "longest", "searchable again, median s", "longest")
        return (Table("Back after a kill", head, tuple(lines)),)
