"""The exports' result: how much memory of the backend each client took."""

from loadtest.export.measure import Growth
from loadtest.report.findings import Findings, Row, Table


class ExportFindings(Findings):
    goal_bytes: int
    records: int
    clients: tuple[Growth, ...]

    def headline(self) -> tuple[Row, ...]:
        most = max(each.grown_bytes for each in self.clients)
        return (
            Row(
                f"most that the backend grew, exporting {self.records:,} records",
                f"{most / 2**20:.0f} MiB",
                f"under {self.goal_bytes / 2**20:.0f} MiB",
                self.passed,
            ),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = tuple(
            (
                each.client,
                f"{each.records:,}",
                f"{each.bytes / 2**20:,.0f}",
                f"{each.seconds:.1f}",
                f"{each.records / each.seconds:,.0f}",
                f"{each.grown_bytes / 2**20:.0f}",
            )
            for each in self.clients
        )
        head = ("client", "records", "MiB", "seconds", "records a second", "backend grew, MiB")
        return (Table("By client", head, lines),)
