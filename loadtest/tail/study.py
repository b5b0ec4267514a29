"""Declares `logsieve loadtest tail`: its options, results and goals."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.correctness import Correctness
from loadtest.report.report import Report, Row, Table, none_of
from loadtest.study import Study


class TailReport(Report, Correctness):
    """Results of all tails. `expected` and the counts of wrong records count pairs of a tail and a record.

    `backend_cpu_share` is the backend's CPU seconds per second. `backend_log_queries` counts its statements on log
    tables.
    """

    tails: int
    rate: float
    sent: int
    expected: int
    other_events: dict[str, int]
    reconnects: int
    behind: float
    """Largest delay of a request behind its schedule, in seconds."""
    backend_cpu_share: float
    backend_log_queries: int
    loader_inserts: int = 1

    def extent(self) -> dict[str, float]:
        return {"tails": self.tails, "seconds": round(self.sent / self.rate)}

    def headline(self) -> tuple[Row, ...]:
        happened = self.expected > 0 and self.reconnects > 0 and not self.other_events
        return (
            self.row(f"wrong of {self.expected:,} records that {self.tails} tails should get", also=happened),
            none_of("queries of log tables for the tails", self.backend_log_queries, also=self.loader_inserts > 0),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = (
            ("records sent", f"{self.sent:,}"),
            ("records a second", f"{self.rate:,.0f}"),
            ("largest delay of a request behind its schedule", f"{self.behind:.2f} s"),
            ("broken connections that were resumed", f"{self.reconnects:,}"),
            ("events other than records", f"{sum(self.other_events.values()):,}"),
            ("processors that the backend used", f"{self.backend_cpu_share:.2f}"),
        )
        return (Table("More of the same run", ("", ""), lines),)


def run(
    bench: Bench,
    tails: Annotated[int, typer.Option(min=1, help="Number of concurrent tails.")] = 200,
    seconds: Annotated[float, typer.Option(min=5, help="Seconds for which records are sent.")] = 60,
    rate: Annotated[int, typer.Option(min=10, help="Records per second of all tenants together.")] = 1000,
) -> TailReport:
    """Open many tails; each record must reach every matching tail exactly once, and no query may reach ClickHouse."""
    from loadtest.own_stack import ONE_NODE, needed
    from loadtest.tail.run import TailRun

    with bench.stack("receiver", "loader", "api", settings=needed(ONE_NODE)) as stack:
        report = TailRun(bench, stack).run(tails, seconds, rate)
        if not report.passed:
            stack.kept = True
    return report


STUDY: Final = Study("tail", "Live tail", TailReport, run, smoke=("--tails", "40", "--seconds", "5", "--rate", "200"))
