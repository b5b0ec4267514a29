"""The fault test's result: what is wrong after all of it, and how long each service took to be back."""

import statistics

from loadtest.faults.recovery import Recovery
from loadtest.report.findings import Correctness, Findings, Row, Table


class FaultFindings(Findings, Correctness):
    kills: dict[str, int]
    pauses: int
    cuts: int
    nodes: int = 1
    requests: int
    acknowledged: int
    recoveries: tuple[Recovery, ...]

    @property
    def variant(self) -> str:
        return f"{self.nodes}-nodes" if self.nodes > 1 else ""

    def headline(self) -> tuple[Row, ...]:
        done = f"{sum(self.kills.values())} kills, {self.pauses} pauses, {self.cuts} broken connections"
        where = f", {self.nodes} ClickHouse nodes" if self.nodes > 1 else ""
        return (
            Row(f"wrong of {self.acknowledged:,} records after {done}{where}", f"{self.wrong:,}", "0", self.wrong == 0),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = []
        for target, kills in self.kills.items():
            own = [each for each in self.recoveries if each.target == target]
            seconds = [
                values
                for values in ([each.acknowledged_after for each in own], [each.searchable_after for each in own])
                if values
            ]
            cells = [text for each in seconds for text in (f"{statistics.median(each):.1f}", f"{max(each):.1f}")]
            lines.append((target, str(kills), *(cells or [""] * 4)))
        head = ("killed", "times", "acknowledged again, median s", "longest", "searchable again, median s", "longest")
        return (Table("Back after a kill", head, tuple(lines)),)
