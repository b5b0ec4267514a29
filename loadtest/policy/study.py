"""Declares `logsieve loadtest policy`: its options, results and goals. Needs no stack."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, Table, at_most
from loadtest.study import Study

_RECORDS: Final = 512
_ROUNDS: Final = 15
GOAL: Final = 1.2
"""Largest permitted ratio of the cost of a record with rules to the cost without rules."""
GOAL_RULES: Final = 100
GOAL_HIT_SHARE: Final = 0.01


class RequestCost(Part):
    """Microseconds per record without rules (`without`) and with `rules` rules (`with_rules`).

    `hit_share` is the share of attributes that match a rule, from 0 to 1.
    """

    rules: int
    same_order: bool
    """True if all records have the same attribute names in the same order, false for random names."""
    hit_share: float
    without: float
    with_rules: float
    ratio: float
    """Median over the rounds of the cost with rules divided by the cost without."""
    spread: float = 0.0
    """Difference between the largest and the smallest ratio of a round, divided by the median."""

    @property
    def order(self) -> str:
        return "same order" if self.same_order else "any order"


class RedactionCost(Part):
    """Microseconds per record with a body of `body_bytes` bytes, in which the redactions `patterns` find nothing."""

    patterns: str
    body_bytes: int
    microseconds: float
    spread: float = 0.0


class PolicyReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("records", "rounds")

    records: int = _RECORDS
    """Records per request."""
    rounds: int = _ROUNDS
    requests: tuple[RequestCost, ...]
    redactions: tuple[RedactionCost, ...] = ()

    def headline(self) -> tuple[Row, ...]:
        return tuple(
            at_most(
                f"{each.rules:,} rules that {1 - each.hit_share:.0%} of attributes do not match, {each.order}: cost of "
                f"a record ({each.with_rules:.1f} µs) over one without rules",
                each.ratio,
                GOAL,
            )
            for each in self.requests
            if (each.rules, each.hit_share) == (GOAL_RULES, GOAL_HIT_SHARE)
        )

    def tables(self) -> tuple[Table, ...]:
        return _rules(self.requests), _redactions(self.redactions)


def _rules(costs: Sequence[RequestCost]) -> Table:
    rows = tuple(
        (
            f"{each.rules:,}",
            each.order,
            f"{each.hit_share:.0%}",
            f"{each.without:.2f}",
            f"{each.with_rules:.2f}",
            f"{each.ratio:.2f}x",
            f"{each.spread:.0%}",
        )
        for each in costs
    )
    head = ("rules", "names", "attributes that match a rule", "without rules", "with rules", "ratio", "spread")
    return Table("Attribute rules", head, rows)


def _redactions(costs: Sequence[RedactionCost]) -> Table:
    """Returns a table with a row for each redaction and a column for each size of bodies.

    Ratios refer to the first row, which has no redaction.
    """
    by_pattern: dict[str, list[RedactionCost]] = {}
    for each in costs:
        by_pattern.setdefault(each.patterns, []).append(each)
    without = next(iter(by_pattern.values()), [])
    rows = []
    for name, own in by_pattern.items():
        both = zip(own, without, strict=True)
        cells = (f"{a.microseconds:.1f} ({a.microseconds / b.microseconds:.1f}x, {a.spread:.0%})" for a, b in both)
        rows.append((name, *cells))
    head = ("redactions", *(f"{size:,} bytes" for size in dict.fromkeys(each.body_bytes for each in costs)))
    return Table("Redacting bodies", head, tuple(rows))


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=10, help="Records per request.")] = _RECORDS,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds; the result is their median.")] = _ROUNDS,
) -> PolicyReport:
    """Measure the cost of attribute rules and redactions of bodies, in microseconds of CPU per record."""
    import time

    from loadtest.policy.request_cost import RequestCosts

    requests = RequestCosts(records, rounds, bench.seed, time.thread_time, bench.say)
    rules, redactions = tuple(requests.of_rules()), tuple(requests.of_redactions())
    return PolicyReport(records=records, rounds=rounds, requests=rules, redactions=redactions)


STUDY: Final = Study(
    "policy",
    "What attribute rules and redactions cost",
    PolicyReport,
    run,
    smoke=("--records", "10", "--rounds", "1"),
    own_page="attribute-policy.md",
)
