"""What a fault test found, as a value and as JSON."""

from dataclasses import asdict, dataclass

from loadtest.faults.recovery import Recovery
from loadtest.verdict import Verdict
from loadtest.verdict import plain as plain_verdict


@dataclass(frozen=True, slots=True)
class FaultReport:
    """What was done and what came of it."""

    seed: int
    kills: dict[str, int]
    pauses: int
    cuts: int
    requests: int
    acknowledged: int
    uncertain: int
    verdict: Verdict
    recoveries: tuple[Recovery, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        return self.verdict.difference.nothing


def plain(report: FaultReport) -> dict[str, object]:
    """For JSON."""
    return {
        "passed": report.passed,
        "seed": report.seed,
        "kills": report.kills,
        "pauses": report.pauses,
        "cuts": report.cuts,
        "requests": report.requests,
        "acknowledged": report.acknowledged,
        "uncertain": report.uncertain,
        **plain_verdict(report.verdict),
        "recoveries": [asdict(each) for each in report.recoveries],
        "seconds": report.seconds,
    }
