"""The policy study's report: the chosen structure against looking at every rule, and what a request pays."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from pydantic import Field

from loadtest.chart import Axis, lines
from loadtest.report.report import Part, Picture, Report, Row, Table

BASELINE: Final = "every rule against every name"
CHOSEN: Final = "hash + sorted prefixes, decisions in a dict"
_PICTURED_MISS_SHARE: Final = 0.9


class Timing(Part):
    """One structure's median microseconds a record for one workload, and how many times as fast as the baseline."""

    structure: str
    rules: int
    miss_share: float
    repeat: bool
    """True if names repeat from record to record; otherwise every name is new."""
    microseconds: float
    spread: float = 0.0
    """Slowest round minus the fastest, over the median."""
    speedup: float


class RequestCost(Part):
    """Microseconds a record where `hit_share` of the attributes meet a rule. `writing` is for the changed request."""

    hit_share: float
    decoding: float
    applying: float
    writing: float
    spread: float = 0.0
    """Slowest round minus the fastest, over the median, of all three together."""


class RedactionCost(Part):
    """Microseconds a record with bodies of so many bytes, in which `patterns` find nothing."""

    patterns: str
    body_bytes: int
    microseconds: float
    spread: float = 0.0


class Effort(Part):
    """Amount of work: records a round, and rounds, whose median counts."""

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

    def tables(self) -> tuple[Table, ...]:
        again = [each for each in self.structures if each.repeat]
        again.sort(key=lambda each: (each.miss_share, each.rules))
        new = [each for each in self.structures if not each.repeat]
        requests = tuple(
            (
                f"{each.hit_share:.0%}",
                *(f"{spent:.1f}" for spent in (each.decoding, each.applying, each.writing)),
                f"{each.spread:.0%}",
            )
            for each in self.requests
        )
        head = ("attributes that meet a rule", "decoding", "applying the policy", "writing what changed", "spread")
        versions = (f"{name} {number}" for name, number in self.versions.items())
        return (
            _structures("Names come again from record to record, as in real logs", again),
            _structures("No name comes twice, as a hostile sender could have it", new),
            Table(f"What a request under 100 rules pays in the receiver, {', '.join(versions)}", head, requests),
            _redactions(self.redactions),
        )

    def pictures(self) -> tuple[Picture, ...]:
        pictured = [each for each in self.structures if each.repeat and each.miss_share == _PICTURED_MISS_SHARE]
        draw = partial(
            lines,
            title=f"Microseconds of CPU a record, {_PICTURED_MISS_SHARE:.0%} of names under no rule",
            x=Axis("rules", logarithmic=True),
            y=Axis("µs a record", logarithmic=True),
            series={
                structure: [(each.rules, each.microseconds) for each in pictured if each.structure == structure]
                for structure in dict.fromkeys(each.structure for each in pictured)
            },
        )
        shows = "Microseconds a record over the number of rules, a line a structure"
        return (Picture("attribute-policy.svg", shows, draw),)


def _structures(title: str, timings: Sequence[Timing]) -> Table:
    """Returns a row for each structure, a column for each workload."""
    workloads = dict.fromkeys((each.rules, each.miss_share) for each in timings)
    rows = []
    for structure in dict.fromkeys(each.structure for each in timings):
        own = [each for each in timings if each.structure == structure]
        rows.append(
            (structure, *(f"{each.microseconds:,.1f} ({each.speedup:,.1f}x, {each.spread:.0%})" for each in own))
        )
    head = ("structure", *(f"{rules:,} rules, {miss:.0%} miss" for rules, miss in workloads))
    return Table(title, head, tuple(rows))


def _redactions(costs: Sequence[RedactionCost]) -> Table:
    """Returns a row for each pattern, a column for each size; ratios are to the first pattern, which is none."""
    by_pattern: dict[str, list[RedactionCost]] = {}
    for each in costs:
        by_pattern.setdefault(each.patterns, []).append(each)
    without = next(iter(by_pattern.values()), [])
    rows = tuple(
        (name, *(_redaction(each, base) for each, base in zip(own, without, strict=True)))
        for name, own in by_pattern.items()
    )
    head = ("redactions", *(f"{size:,} bytes" for size in dict.fromkeys(each.body_bytes for each in costs)))
    return Table("Redacting bodies", head, rows)


def _redaction(cost: RedactionCost, without: RedactionCost) -> str:
    return f"{cost.microseconds:.1f} ({cost.microseconds / without.microseconds:.1f}x, {cost.spread:.0%})"
