"""The policy study's page and picture; no number in it is written by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from loadtest.chart import Axis, lines
from loadtest.policy.report import PolicyReport, RedactionCost, Timing
from loadtest.report.markdown import markdown_table

_PICTURED_MISS_SHARE: Final = 0.9
_PAGE: Final = """\
# Looking attribute names up in a policy
What does it cost to find the rules that a record's attributes meet? Why the structure in the product was chosen is in
[decision 0008](../decisions/0008-attribute-rules-are-looked-up-by-name.md); this page is written by

    {command} --write docs/benchmarks

{machine}, {versions}

Records have 10 to 30 attributes, named by OpenTelemetry's semantic conventions and by applications; half of
the rules are names, half prefixes. Microseconds of CPU a record, the fastest of {rounds} rounds of
{records} new records each; in brackets how many times as fast as *{baseline}* in the same case.
*Miss* is the share of names that no rule is about. Both structures gave the same matches in the same run. **Bold** is
the structure in the product (`ingest/policy`).

![Microseconds a record over the number of rules, a line a structure](attribute-policy.svg)

## Names come again from record to record, as in real logs
{again}

## No name comes twice, as a hostile sender could have it
{new}

## What a request pays in the receiver
One protobuf request of {records} records, 100 rules, in microseconds of CPU a record. A tenant
under no rule pays none of it; where nothing matches, nothing is written and the original bytes go on.

{requests}

## Redacting bodies
Microseconds of CPU that the receiver's native code takes for a record of 10 attributes, whose body has words,
numbers, times and ids in which nothing is found; in brackets how many times as much as without redactions. Where
something is found, the expressions that found it are searched for once more.
Why it is done so is in [decision 0020](../decisions/0020-bodies-are-redacted-before-kafka.md).

{redactions}
"""


def write_page(report: PolicyReport, command: str, machine: str, folder: Path) -> None:
    """Writes `attribute-policy.md` and its picture. Raises InvalidRequest without matplotlib."""
    again = [each for each in report.structures if each.repeat]
    pictured = [each for each in again if each.miss_share == _PICTURED_MISS_SHARE]
    lines(
        folder / "attribute-policy.svg",
        f"Microseconds of CPU a record, {_PICTURED_MISS_SHARE:.0%} of names under no rule",
        Axis("rules", logarithmic=True),
        Axis("µs a record", logarithmic=True),
        {
            structure: [(each.rules, each.microseconds) for each in pictured if each.structure == structure]
            for structure in dict.fromkeys(each.structure for each in pictured)
        },
    )
    effort = report.effort
    text = _PAGE.format(
        command=command,
        machine=machine,
        versions=", ".join(f"{name} {number}" for name, number in report.versions.items()),
        rounds=effort.rounds if effort else "",
        records=effort.records if effort else "",
        baseline=report.baseline,
        again=_structures(report, sorted(again, key=lambda each: (each.miss_share, each.rules))),
        new=_structures(report, [each for each in report.structures if not each.repeat]),
        requests=markdown_table(
            ("attributes that meet a rule", "decoding", "applying the policy", "writing the changed request"),
            [
                (f"{each.hit_share:.0%}", f"{each.decoding:.1f}", f"{each.applying:.1f}", f"{each.writing:.1f}")
                for each in report.requests
            ],
        ),
        redactions=_redactions(report.redactions),
    )
    (folder / "attribute-policy.md").write_text(text)


def _structures(report: PolicyReport, timings: Sequence[Timing]) -> str:
    """Returns a row for each structure, a column for each workload."""
    workloads = dict.fromkeys((each.rules, each.miss_share) for each in timings)
    rows = []
    for structure in dict.fromkeys(each.structure for each in timings):
        name = f"**{structure}**" if structure == report.chosen else structure
        own = (each for each in timings if each.structure == structure)
        rows.append((name, *(f"{each.microseconds:,.1f} ({each.speedup:,.1f}x)" for each in own)))
    return markdown_table(("structure", *(f"{rules:,} rules, {miss:.0%} miss" for rules, miss in workloads)), rows)


def _redactions(costs: Sequence[RedactionCost]) -> str:
    """Returns a row for each pattern, a column for each size; ratios are to the first pattern, which is none."""
    sizes = dict.fromkeys(each.body_bytes for each in costs)
    by_pattern = {name: [each.microseconds for each in costs if each.patterns == name] for name in dict.fromkeys(
        each.patterns for each in costs
    )}  # fmt: skip
    without = next(iter(by_pattern.values()), [])
    rows = [
        (name, *(f"{spent:.1f} ({spent / base:.1f}x)" for spent, base in zip(own, without, strict=True)))
        for name, own in by_pattern.items()
    ]
    return markdown_table(("redactions", *(f"{size:,} bytes" for size in sizes)), rows)
