"""A study of indexes as a page with pictures, and as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from loadtest.chart import Axis, bars, scatter
from loadtest.machine import Machine
from loadtest.tune.bloom import Filter, false_positives
from loadtest.tune.results import MOST_INDEX_SHARE, Result, front, recommended
from loadtest.tune.run import Study
from loadtest.tune.step import Step
from schema.clickhouse.index_profiles import BODY_INDEXES, Profile
from schema.clickhouse.tables import TABLE_SETTINGS

_PAGE: Final = "tune.md"
_CALCULATED: Final = (4, 8, 16, 32, 64, 256)
_SHOWN_CASES: Final = ("frequent", "medium", "rare", "absent", "frequent AND rare", "rare OR rare", "phrase")


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a page tells; `tokens` has the distinct words per granule of each granularity."""

    study: Study
    found: Sequence[Result]
    steps: Sequence[Step]
    machine: Machine
    tokens: Mapping[int, float]


def as_plain(outcome: Outcome, goals: bool) -> dict[str, Any]:
    """For `--json`; with `goals` a profile without a candidate that is small enough is a failure."""
    study, found, steps = outcome.study, outcome.found, outcome.steps
    best = {kind: recommended(found, kind) for kind in MOST_INDEX_SHARE}
    return {
        "rows": study.corpus.rows,
        "size": study.corpus.size,
        "rounds": study.rounds,
        "machine": outcome.machine.line(),
        "candidates": [
            {
                "name": each.candidate.name,
                "type": each.candidate.type,
                "table_granularity": each.candidate.table_granularity,
                "seconds": each.seconds,
                "index_share": each.index_share,
                "insert_cpu": each.insert_cpu,
                "merge_cpu": each.merge_cpu,
            }
            for each in found
        ],
        "front": [each.candidate.name for each in front(found)],
        "recommended": {kind: each.candidate.name if each else None for kind, each in best.items()},
        "errors": [f"{step.candidate}: {step.error}" for step in steps if step.error],
        "passed": not any(step.error for step in steps) and (all(best.values()) or not goals),
    }


def write_page(outcome: Outcome, command: str, folder: Path) -> None:
    """`tune.md` and its pictures."""
    _draw(outcome.found, folder)
    (folder / _PAGE).write_text("\n".join(_page(outcome, command)) + "\n")


def _page(outcome: Outcome, command: str) -> list[str]:
    study, found, steps = outcome.study, outcome.found, outcome.steps
    corpus = study.corpus
    on_front = {each.candidate.name for each in front(found)}
    base = next((each for each in found if each.candidate.kind == "none"), None)
    lines = [
        "# Which index over the words of the body",
        "",
        f"Written by `{command}`: {corpus.rows:,} records of {corpus.size} ([the corpus](corpus.md)), {corpus.tenants}"
        f" tenants, one day; {len(study.candidates)} candidates in {study.rounds} rounds. {outcome.machine.line()}.",
        "",
        "Each candidate is the only index of its table while it is measured; rounds go over all candidates, so that a",
        "busy minute hits each alike. Search time is the geometric mean over the suite's cases (newest 100)",
        "of the median of the rounds, from ClickHouse's own query log; sizes are on disk over the bytes of the bodies.",
        f"Insert and merge are CPU seconds for {max(step.write_rows for step in steps):,} rows, everything included.",
        "",
        "![Search time against index size](tune.svg)",
        "",
        "![By case](tune-cases.svg)",
        "",
        "| candidate | search, ms | index/raw | insert, s | merge, s | build, s | front |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for each in sorted(found, key=lambda result: result.seconds):
        mark = "yes" if each.candidate.name in on_front else ""
        lines.append(
            f"| {each.candidate.name} | {each.seconds * 1000:.1f} | {each.index_share:.2%} | {each.insert_cpu:.2f} |"
            f" {each.merge_cpu:.2f} | {each.build_seconds:.1f} | {mark} |"
        )
    lines += ["", "## Recommended", ""]
    for kind, most in MOST_INDEX_SHARE.items():
        best = recommended(found, kind)
        if best is None:
            lines.append(f"- **{kind}**: no candidate has an index of at most {most:.0%} of the raw bytes.")
            continue
        faster = f", {base.seconds / best.seconds:.0f}x faster than no index" if base else ""
        lines.append(
            f"- **{kind}**: `{best.candidate.type}` GRANULARITY {best.candidate.granularity} over granules of"
            f" {best.candidate.table_granularity} rows: {best.seconds * 1000:.1f} ms{faster}, {best.index_share:.2%} of"
            f" raw (at most {most:.0%}). Of those within 5 % of the fastest it is the cheapest to write."
        )
    lines += [
        "",
        f"The tables are made with `{BODY_INDEXES[Profile.tokenbf].type}` or `{BODY_INDEXES[Profile.text].type}`, over"
        f" granules of {TABLE_SETTINGS['index_granularity_bytes']:,} bytes and {TABLE_SETTINGS['index_granularity']:,}"
        " rows at most ([decision 0017](../decisions/0017-granules-are-measured-in-bytes.md)).",
        "",
        "## What the calculator says",
        "",
        "Share of granules without a word that a filter of so many KiB and five hash functions lets through.",
        "",
        f"| rows a granule | distinct words | {' | '.join(map(str, _CALCULATED))} |",
        f"| ---: | ---: |{' ---: |' * len(_CALCULATED)}",
    ]
    for granularity, words in outcome.tokens.items():
        shares = (false_positives(Filter(size * 1024, 5), words) for size in _CALCULATED)
        lines.append(f"| {granularity} | {words:,.0f} | " + " | ".join(f"{share:.2%}" for share in shares) + " |")
    if failed := [step for step in steps if step.error]:
        lines += ["", "## Not measured", ""]
        lines += [f"- round {step.round + 1}, {step.candidate}: {step.error}" for step in failed]
    return lines


def _draw(found: Sequence[Result], folder: Path) -> None:
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for each in found:
        at = (each.index_share * 100, each.seconds * 1000)
        groups.setdefault(each.candidate.kind, {})[each.candidate.name.removeprefix(each.candidate.kind).strip()] = at
    scatter(
        folder / "tune.svg",
        "Search time against index size",
        Axis("index bytes, % of raw"),
        Axis("geometric mean of the suite, ms", logarithmic=True),
        groups,
    )
    base = [each for each in found if each.candidate.kind == "none"][:1]
    shown = base + [best for kind in MOST_INDEX_SHARE if (best := recommended(found, kind)) is not None]
    bars(
        folder / "tune-cases.svg",
        "Newest 100 by words of different frequency",
        Axis("ms", logarithmic=True),
        _SHOWN_CASES,
        {each.candidate.name: [each.by_case[case] * 1000 for case in _SHOWN_CASES] for each in shown},
    )
