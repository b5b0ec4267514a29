"""What reading all pages found, as a value and as JSON."""

from dataclasses import asdict, dataclass

from loadtest.paging.measure import GOAL, Pass


@dataclass(frozen=True, slots=True)
class PagingReport:
    """`stored` were read of the `records` sent before; `arrived` came while pages were read."""

    records: int
    stored: int
    arrived: int
    passes: tuple[Pass, ...]

    @property
    def passed(self) -> bool:
        return self.stored == self.records and all(each.exact and each.ratio <= GOAL for each in self.passes)


def plain(report: PagingReport) -> dict[str, object]:
    """For JSON."""
    return {
        "passed": report.passed,
        "goal": GOAL,
        "records": report.records,
        "stored": report.stored,
        "arrived": report.arrived,
        "passes": [{**asdict(each), "ratio": each.ratio} for each in report.passes],
    }
