"""The measurement as a page of docs/benchmarks and as one line of JSON; no number in it is written by hand."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from loadtest.machine import this_machine
from loadtest.policy.catalog import BASELINE, CHOSEN
from loadtest.policy.measure import MISS_SHARES, RULE_COUNTS, Case, Effort, Timing
from loadtest.policy.picture import draw
from loadtest.policy.redaction_cost import ATTRIBUTES, RedactionCost
from loadtest.policy.request_cost import RULES, RequestCost
from loadtest.policy.workload import FEWEST, MOST

NAME: Final = "attribute-policy"
PICTURE_MISS_SHARE: Final = 0.9


@dataclass(frozen=True, slots=True)
class Measurement:
    """Everything of one run."""

    effort: Effort
    timings: Sequence[Timing]
    requests: Sequence[RequestCost]
    redactions: Sequence[RedactionCost]


def as_plain(measurement: Measurement) -> dict[str, Any]:
    """For JSON."""
    return {
        "passed": True,
        "machine": this_machine().line(),
        "versions": versions(),
        "chosen": CHOSEN,
        "baseline": BASELINE,
        "effort": asdict(measurement.effort),
        "structures": [
            {
                "structure": each.structure,
                **asdict(each.case),
                "microseconds": each.microseconds,
                "speedup": each.speedup,
            }
            for each in measurement.timings
        ],
        "requests": [asdict(cost) for cost in measurement.requests],
        "redactions": [asdict(cost) for cost in measurement.redactions],
    }


def write_page(measurement: Measurement, command: str, folder: Path) -> None:
    """The page and its picture."""
    title = f"Microseconds of CPU a record, {PICTURE_MISS_SHARE:.0%} of names under no rule"
    pictured = [
        timing for timing in measurement.timings if timing.case.repeat and timing.case.miss_share == PICTURE_MISS_SHARE
    ]
    (folder / f"{NAME}.svg").write_text(draw(pictured, title))
    (folder / f"{NAME}.md").write_text(page(measurement, command))


def page(measurement: Measurement, command: str) -> str:
    """Markdown; `command` is what measured."""
    effort = measurement.effort
    return f"""\
# Looking attribute names up in a policy
What does it cost to find the rules that a record's attributes meet? Why the structure in the product was chosen is in
[decision 0008](../decisions/0008-attribute-rules-are-looked-up-by-name.md); this page is written by

    {command} --write docs/benchmarks

{this_machine().line()}, {", ".join(f"{name} {number}" for name, number in versions().items())}

Records have {FEWEST} to {MOST} attributes, named by OpenTelemetry's semantic conventions and by applications; half of
the rules are names, half prefixes. Microseconds of CPU a record, the fastest of {effort.rounds} rounds of
{effort.records} new records each; in brackets how many times as fast as *{BASELINE}* in the same case.
*Miss* is the share of names that no rule is about. Both structures gave the same matches in the same run. **Bold** is
the structure in the product (`ingest/policy`).

![Microseconds a record over the number of rules, a line a structure]({NAME}.svg)

## Names come again from record to record, as in real logs
{_table(measurement.timings, [Case(rules, miss, True) for miss in MISS_SHARES for rules in RULE_COUNTS])}
## No name comes twice, as a hostile sender could have it
{_table(measurement.timings, [timing.case for timing in measurement.timings if not timing.case.repeat])}
## What a request pays in the receiver
One protobuf request of {effort.records} records, {RULES} rules, in microseconds of CPU a record. A tenant
under no rule pays none of it; where nothing matches, nothing is written and the original bytes go on.

| attributes that meet a rule | decoding | applying the policy | writing the changed request |
| ---: | ---: | ---: | ---: |
{"".join(_request_row(cost) for cost in measurement.requests)}
## Redacting bodies
Microseconds of CPU that the receiver's native code takes for a record of {ATTRIBUTES} attributes, whose body has words,
numbers, times and ids in which nothing is found; in brackets how many times as much as without redactions. Where
something is found, the expressions that found it are searched for once more.
Why it is done so is in [decision 0020](../decisions/0020-bodies-are-redacted-before-kafka.md).

{_redactions(measurement.redactions)}"""


def _table(timings: Sequence[Timing], cases: Sequence[Case]) -> str:
    """A row a structure, a column a case."""
    cases = list(dict.fromkeys(cases))
    by_cell = {(timing.structure, timing.case): timing for timing in timings}
    head = "".join(f" {case.rules:,} rules, {case.miss_share:.0%} miss |" for case in cases)
    rows = [f"| structure |{head}\n", f"| --- |{' ---: |' * len(cases)}\n"]
    for structure in dict.fromkeys(timing.structure for timing in timings):
        name = f"**{structure}**" if structure == CHOSEN else structure
        cells = (by_cell[structure, case] for case in cases)
        rows.append(f"| {name} |" + "".join(f" {cell(timing)} |" for timing in cells) + "\n")
    return "".join(rows)


def _redactions(costs: Sequence[RedactionCost]) -> str:
    """A row a pattern, a column a size."""
    by_cell = {(cost.patterns, cost.body_bytes): cost.microseconds for cost in costs}
    sizes, patterns = list(dict.fromkeys(c.body_bytes for c in costs)), list(dict.fromkeys(c.patterns for c in costs))
    rows = [f"| redactions |{''.join(f' {size:,} bytes |' for size in sizes)}\n", f"| --- |{' ---: |' * len(sizes)}\n"]
    for name in patterns:
        cells = ((by_cell[name, size], by_cell[name, size] / by_cell[patterns[0], size]) for size in sizes)
        rows.append(f"| {name} |" + "".join(f" {spent:.1f} ({ratio:.1f}x) |" for spent, ratio in cells) + "\n")
    return "".join(rows)


def cell(timing: Timing) -> str:
    """Microseconds and the ratio to the baseline."""
    return f"{timing.microseconds:,.1f} ({timing.speedup:,.1f}x)"


def _request_row(cost: RequestCost) -> str:
    return f"| {cost.hit_share:.0%} | {cost.decoding:.1f} | {cost.applying:.1f} | {cost.writing:.1f} |\n"


def versions() -> dict[str, str]:
    """Of the libraries whose speed is in the numbers."""
    return {name: version(name) for name in ("protobuf", "google-re2")}
