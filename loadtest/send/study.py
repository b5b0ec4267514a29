"""Declares `logsieve loadtest send`: its options, results and goals."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.report.correctness import Correctness
from loadtest.report.report import Report, Row, Table, at_most
from loadtest.study import Study


class SendReport(Report, Correctness):
    """Counts of records, and seconds from when a request was due to its answer.

    `stored` counts the sent records in ClickHouse, each once. `behind` is the largest delay of a request behind its
    schedule.
    """

    profile: str
    acknowledged: int
    refused: int
    uncertain: int
    stored: int
    p50: float
    p99: float
    behind: float

    @property
    def variant(self) -> str:
        return self.profile

    def headline(self) -> tuple[Row, ...]:
        # Imported here, because each command imports this file, and the profiles import protobuf.
        from loadtest.send.profile import PROFILES

        limits, sent = PROFILES[self.profile].thresholds, self.acknowledged + self.refused + self.uncertain
        unacknowledged = 100 * (self.refused + self.uncertain) / max(sent, 1)
        p99 = f"{self.profile}: 99th percentile of acknowledgements of {self.acknowledged:,} records"
        return (
            at_most(p99, self.p99, limits.p99_seconds, ".3f", " s"),
            at_most("largest delay of a request behind its schedule", self.behind, limits.behind_seconds, unit=" s"),
            at_most("records without acknowledgement", unacknowledged, 100 * limits.refused_share, unit="%"),
            self.row(f"wrong of {self.acknowledged:,} acknowledged records"),
        )

    def tables(self) -> tuple[Table, ...]:
        lines = (
            ("stored", f"{self.stored:,}"),
            ("refused", f"{self.refused:,}"),
            ("uncertain", f"{self.uncertain:,}"),
            ("median", f"{self.p50:.3f} s"),
        )
        return (Table(f"Profile {self.profile}", ("", ""), lines),)


def run(
    bench: Bench,
    profile: Annotated[str, typer.Option(help="smoke, steady or burst.")] = "smoke",
) -> SendReport:
    """Send at fixed rates, and judge latency and loss by the profile's thresholds."""
    from loadtest.send.measure import run_profile
    from loadtest.send.profile import PROFILES

    if profile not in PROFILES:
        raise typer.BadParameter(f"{profile!r} is no profile; the profiles are {', '.join(PROFILES)}")
    with bench.stack("receiver", "loader") as stack:
        return run_profile(bench, stack, profile)


STUDY: Final = Study("send", "Sending at fixed rates", SendReport, run, smoke=("--profile", "smoke"))
