"""Declares `logsieve loadtest export`: its options, results and goals."""

from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table
from loadtest.study import Study

GOAL_BYTES: Final = 100 * 2**20
"""Largest permitted growth of the backend's resident memory, in bytes, while a client exports."""


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
    amounts: ClassVar[tuple[str, ...]] = ("records",)
    records: int
    clients: tuple[Growth, ...]
    """Growth for each client, in the order in which the clients exported."""

    def headline(self) -> tuple[Row, ...]:
        grown = max(each.grown_bytes for each in self.clients)
        return (
            Row(
                f"most that the backend grew, exporting {self.records:,} records",
                f"{grown / 2**20:.0f} MiB",
                f"under {GOAL_BYTES / 2**20:.0f} MiB",
                grown < GOAL_BYTES and all(each.complete for each in self.clients),
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


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=10_000, help="Records to export.")] = 1_000_000,
    slow_seconds: Annotated[float, typer.Option(min=1, help="Seconds that the slow client reads.")] = 20.0,
) -> ExportReport:
    """Export many records at full speed, slowly, and to clients that disconnect; the backend's memory must not grow."""
    from loadtest.export.measure import measure_exports

    with bench.stack("api", "receiver") as stack:
        return measure_exports(bench, stack, records, slow_seconds)


STUDY: Final = Study(
    "export",
    "Memory of exports",
    ExportReport,
    run,
    smoke=("--records", "50000", "--slow-seconds", "2"),
    takes_seed=False,
)
