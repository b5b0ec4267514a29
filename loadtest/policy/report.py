"""The policy study's report: the chosen structure against looking at every rule, and what a request pays."""

from typing import Final

from pydantic import Field

from loadtest.report.report import Part, Report, Row

BASELINE: Final = "every rule against every name"
CHOSEN: Final = "hash + sorted prefixes, decisions in a dict"


class Timing(Part):
    """One structure's time for one workload: microseconds a record, and how many times as fast as the baseline."""

    structure: str
    rules: int
    miss_share: float
    repeat: bool
    """True if names repeat from record to record; otherwise every name is new."""
    microseconds: float
    speedup: float


class RequestCost(Part):
    """Microseconds a record where `hit_share` of the attributes meet a rule. `writing` is for the changed request."""

    hit_share: float
    decoding: float
    applying: float
    writing: float


class RedactionCost(Part):
    """Microseconds a record with bodies of so many bytes, in which `patterns` find nothing."""

    patterns: str
    body_bytes: int
    microseconds: float


class Effort(Part):
    """Amount of work: records a round, and rounds, of which the fastest counts."""

    records: int
    rounds: int
    seed: int


class PolicyReport(Report):
    chosen: str = CHOSEN
    baseline: str = BASELINE
    effort: Effort | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of the libraries whose speed is in the numbers."""
    structures: tuple[Timing, ...]
    requests: tuple[RequestCost, ...] = ()
    redactions: tuple[RedactionCost, ...] = ()

    def headline(self) -> tuple[Row, ...]:
        chosen = [each for each in self.structures if each.structure == self.chosen and each.repeat]
        most = max((each.rules, each.miss_share) for each in chosen)
        return tuple(
            Row(
                f"{each.rules:,} rules, {each.miss_share:.0%} of names under none: times as fast as {self.baseline}"
                f" ({each.microseconds:.1f} µs a record)",
                f"{each.speedup:,.0f}",
            )
            for each in chosen
            if (each.rules, each.miss_share) == most
        )
