"""The tails' report: what they missed, and what ClickHouse noticed of them."""

from loadtest.report.correctness import Correctness
from loadtest.report.report import Report, Row, Table, none_of


class TailReport(Report, Correctness):
    """Counts of wrong records are of pairs of a tail and a record."""

    tails: int
    seconds: float = 0.0
    """Seconds that sending took."""
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

    def headline(self) -> tuple[Row, ...]:
        happened = self.expected > 0 and self.reconnects > 0 and not self.other_events
        return (
            self.row(f"wrong of {self.expected:,} records that {self.tails} tails should get", also=happened),
            none_of("queries of log tables for it", self.backend_log_queries, also=self.loader_inserts > 0),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = (
            ("records sent", f"{self.sent:,}"),
            ("records a second", f"{self.rate:,.0f}"),
            ("sender late at most", f"{self.behind:.2f} s"),
            ("broken connections that went on", f"{self.reconnects:,}"),
            ("events other than records", f"{sum(self.other_events.values()):,}"),
            ("processors that the backend used", f"{self.backend_cpu_share:.2f}"),
        )
        return (Table("More of the same run", ("", ""), lines),)
