"""What exporting found, as a value and as JSON."""

from dataclasses import asdict, dataclass

from loadtest.export.measure import GOAL_BYTES, Growth


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Of `records` records; each client in the order of its turn."""

    records: int
    clients: tuple[Growth, ...]

    @property
    def passed(self) -> bool:
        return all(each.grown_bytes < GOAL_BYTES and each.complete for each in self.clients)


def plain(report: ExportReport) -> dict[str, object]:
    """For JSON."""
    return {
        "passed": report.passed,
        "goal_bytes": GOAL_BYTES,
        "records": report.records,
        "clients": [asdict(each) for each in report.clients],
    }
