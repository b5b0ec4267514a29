"""The exports' report: how much memory of the backend each client took."""

from typing import Final

from loadtest.report.report import Part, Report, Row, Table

GOAL_BYTES: Final = 100 * 2**20
"""The backend grows by less than this while a client exports."""


class Growth(Part):
    """Growth of the backend's resident memory while one client exported."""

    client: str
    records: int
    bytes: int
    seconds: float
    grown_bytes: int
    complete: bool
    """True if the client got all records, or the part that it read before it stopped."""


class ExportReport(Report):
    goal_bytes: int = GOAL_BYTES
    records: int
    clients: tuple[Growth, ...]
    """In the order of their turns."""

    def headline(self) -> tuple[Row, ...]:
        most = max(each.grown_bytes for each in self.clients)
        return (
            Row(
                f"most that the backend grew, exporting {self.records:,} records",
                f"{most / 2**20:.0f} MiB",
                f"under {self.goal_bytes / 2**20:.0f} MiB",
                most < self.goal_bytes and all(each.complete for each in self.clients),
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
