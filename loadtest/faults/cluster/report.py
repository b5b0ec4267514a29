"""Report of the study on several replicas: what searches noticed of each kind of failure."""

from typing import Final

from loadtest.report.report import Part, Row, Table, at_most, none_of

FAILING_SECONDS: Final = 1.0
"""Goal: longest time, in seconds, for which a tenant's searches may fail."""
SLOWER: Final = 3.0
"""Goal: p99 of searches while a server is unreachable over the p99 before failures."""


class SearchTimes(Part):
    """Searches that were due before failures, or during those of one kind. Times are in seconds."""

    when: str
    failures: int
    searches: int
    failed: int
    failing_seconds: float
    """Longest time from a search that failed until a later search of the same tenant was answered."""
    p50: float
    p99: float
    slowest: float


class ClusterFindings(Part):
    """Results of the study on several replicas."""

    replicas: int
    records_per_second: float
    searches_per_second: float
    before: SearchTimes
    during: tuple[SearchTimes, ...]
    unreachable: SearchTimes
    """Searches that were due while any server was killed, hanging or wiped."""
    unequal: int
    """Shards whose replicas differ in the end."""

    def headline(self) -> tuple[Row, ...]:
        """Returns the goals of the study."""
        every = (*self.during, self.before)
        failed, searches = sum(each.failed for each in every), sum(each.searches for each in every)
        slower = self.unreachable.p99 / self.before.p99
        return (
            none_of("shards whose replicas differ at the end", self.unequal),
            at_most(
                f"longest time in which searches failed ({failed} of {searches:,} failed)",
                max(each.failing_seconds for each in every),
                FAILING_SECONDS,
                unit=" s",
            ),
            Row(
                "p99 of searches while a server is unreachable / before failures, none of which may fail",
                f"{slower:.2f}, {self.before.failed} failed",
                f"at most {SLOWER:g}",
                slower <= SLOWER and not self.before.failed,
            ),
        )

    def tables(self) -> tuple[Table, ...]:
        """Returns the times of searches by kind of failure."""
        rows = [
            (
                each.when,
                str(each.failures),
                f"{each.searches:,}",
                str(each.failed),
                *(f"{value:.2f}" for value in (each.failing_seconds, each.p50, each.p99, each.slowest)),
            )
            for each in (self.before, *self.during, self.unreachable)
        ]
        head = ("due", "failures", "searches", "failed", "failing, s", "p50, s", "p99, s", "slowest, s")
        title = (
            f"Searches, {self.searches_per_second:g} a second beside {self.records_per_second:,.0f} records a second"
        )
        return (Table(title, head, tuple(rows)),)
