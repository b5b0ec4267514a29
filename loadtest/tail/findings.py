"""The tails' result: what they missed, and what ClickHouse noticed of them."""

from loadtest.report.findings import Correctness, Findings, Row, Table


class TailFindings(Findings, Correctness):
    tails: int
    rate: float
    sent: int
    expected: int
    other_events: dict[str, int]
    reconnects: int
    behind: float
    backend_cpu_share: float
    backend_log_queries: int

    def headline(self) -> tuple[Row, ...]:
        return (
            Row(
                f"wrong of {self.expected:,} records that {self.tails} tails should get",
                f"{self.wrong:,}",
                "0",
                self.wrong == 0,
            ),
            Row(
                "queries of log tables for it",
                f"{self.backend_log_queries:,}",
                "0",
                self.backend_log_queries == 0,
            ),
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
