"""Declares `logsieve loadtest ingest`: its options, results and goals."""

from collections.abc import Sequence
from typing import Final

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table
from loadtest.study import Smoke, Study

_SECONDS: Final = 20.0
"""Seconds for which each size is sent in a full run."""
GOALS: Final = {4096: 0.5, 300: 0.35}
"""Smallest permitted ratio of Logsieve's bytes per CPU second to those of the Native insert, by bytes per record."""


class Cost(Part):
    """Cost of one side."""

    bytes: int
    cpu_seconds: dict[str, float]
    """CPU seconds by process."""

    @property
    def mb_per_cpu_second(self) -> float:
        return self.bytes / 1e6 / sum(self.cpu_seconds.values())


class SizeResult(Part):
    """Costs of both sides for one size of records."""

    record_bytes: int
    stored: int
    doubled: int
    """Rows whose record is stored by another row too. Equal numbers of lost and doubled records would cancel out."""
    logsieve: Cost
    native: Cost

    @property
    def sent(self) -> int:
        """Number of records that Logsieve acknowledged."""
        return self.logsieve.bytes // self.record_bytes

    @property
    def is_exact(self) -> bool:
        """Whether each acknowledged record is stored once."""
        return self.sent == self.stored and not self.doubled

    @property
    def ratio(self) -> float:
        """Logsieve's bytes per CPU second over those of the Native insert."""
        return self.logsieve.mb_per_cpu_second / self.native.mb_per_cpu_second


class IngestReport(Report):
    sizes: tuple[SizeResult, ...]
    seconds: float
    """Seconds for which each size was sent; 0 in a small run, which sends two requests."""

    def extent(self) -> dict[str, float]:
        return {f"seconds of records of {each.record_bytes} bytes": self.seconds for each in self.sizes}

    def headline(self) -> tuple[Row, ...]:
        return tuple(
            Row(
                f"{each.record_bytes:,} bytes: bytes per CPU second over those of a bare Native insert",
                f"{each.ratio:.2f}",
                f"at least {GOALS[each.record_bytes]:g}",
                each.ratio >= GOALS[each.record_bytes] and each.is_exact,
                # A small run ignores the ratio, but not lost or doubled records.
                firm=not each.is_exact,
            )
            for each in self.sizes
        )

    def tables(self) -> tuple[Table, ...]:
        sizes = self.sizes

        def microseconds(costs: Sequence[Cost]) -> list[tuple[str, ...]]:
            """Returns a row for each process of a side: its microseconds of CPU per record, for each size."""
            both = list(zip(costs, sizes, strict=True))
            return [
                (name, *(f"{cost.cpu_seconds.get(name, 0.0) / each.sent * 1e6:.1f}" for cost, each in both))
                for name in dict.fromkeys(name for cost in costs for name in cost.cpu_seconds)
            ]

        ours = microseconds([each.logsieve for each in sizes])
        native = microseconds([each.native for each in sizes])
        rows = (
            ("records", *(f"{each.sent:,}" for each in sizes)),
            *((f"{name}, µs a record", *cells) for name, *cells in ours),
            *((f"Native insert: {name}, µs a record", *cells) for name, *cells in native),
            ("MB per CPU second", *(f"{each.logsieve.mb_per_cpu_second:.1f}" for each in sizes)),
            ("Native insert: MB per CPU second", *(f"{each.native.mb_per_cpu_second:.1f}" for each in sizes)),
        )
        return (Table("Where the CPU goes", ("", *(f"{each.record_bytes:,} bytes" for each in sizes)), rows),)


def run(bench: Bench, smoke: Smoke = False) -> IngestReport:
    """Measure bytes per CPU second from OTLP to ClickHouse against ClickHouse's own Native insert of the same rows."""
    from loadtest.corpus.records import LARGE, SMALL
    from loadtest.ingest.measure import measure_sizes
    from loadtest.own_stack import ONE_NODE, needed
    from loadtest.traffic.sender import Extent

    shapes, extent = ([SMALL], Extent(2, None)) if smoke else ([LARGE, SMALL], Extent(None, _SECONDS))
    with bench.stack("receiver", "loader", settings=needed(ONE_NODE)) as stack:
        return IngestReport(smoke=smoke, sizes=measure_sizes(bench, stack, shapes, extent), seconds=extent.seconds or 0)


STUDY: Final = Study("ingest", "From OTLP to ClickHouse: bytes per CPU second", IngestReport, run, smoke=("--smoke",))
