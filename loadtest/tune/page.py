"""A study of indexes as a page with pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from loadtest.chart import Axis, bars, scatter
from loadtest.tune.bloom import Filter, false_positives
from loadtest.tune.report import MOST_INDEX_SHARE, TuneReport

_CALCULATED: Final = (4, 8, 16, 32, 64, 256)
"""Sizes of filters in KiB."""
_SHOWN_CASES: Final = ("frequent", "medium", "rare", "absent", "frequent AND rare", "rare OR rare", "phrase")

_INTRODUCTION: Final = """\
# Which index over the words of the body

Written by `{command}`: {report.rows:,} records of {report.size} ([the corpus](corpus.md)), {report.tenants} tenants, \
one day; {candidates} candidates in {report.rounds} rounds. {machine}.

Each candidate is the only index of its table while it is measured; rounds go over all candidates, so that a
busy minute hits each alike. Search time is the geometric mean over the suite's cases (newest 100)
of the median of the rounds, from ClickHouse's own query log; sizes are on disk over the bytes of the bodies.
Insert and merge are CPU seconds for {report.write_rows:,} rows, everything included.

![Search time against index size](tune.svg)

![By case](tune-cases.svg)

| candidate | search, ms | index/raw | insert, s | merge, s | build, s | front |
| --- | ---: | ---: | ---: | ---: | ---: | --- |"""

_CALCULATOR: Final = """
## What the calculator says

Share of granules without a word that a filter of so many KiB and five hash functions lets through.
"""


def write_page(report: TuneReport, command: str, machine: str, folder: Path) -> None:
    """Writes `tune.md` and its pictures. Raises InvalidRequest without matplotlib."""
    _draw(report, folder)
    (folder / "tune.md").write_text("\n".join(_page(report, command, machine)) + "\n")


def _page(report: TuneReport, command: str, machine: str) -> Iterator[str]:
    from schema.clickhouse.index_profiles import BODY_INDEXES, Profile
    from schema.clickhouse.tables import TABLE_SETTINGS

    yield _INTRODUCTION.format(command=command, machine=machine, report=report, candidates=len(report.candidates))
    for each in sorted(report.candidates, key=lambda result: result.seconds):
        mark = "yes" if each.name in report.front else ""
        yield (
            f"| {each.name} | {each.seconds * 1000:.1f} | {each.index_share:.2%} | {each.insert_cpu:.2f} |"
            f" {each.merge_cpu:.2f} | {each.build_seconds:.1f} | {mark} |"
        )
    yield "\n## Recommended\n"
    for kind, most in MOST_INDEX_SHARE.items():
        yield _recommended(report, kind, most)
    size, rows = TABLE_SETTINGS["index_granularity_bytes"], TABLE_SETTINGS["index_granularity"]
    yield (
        f"\nThe tables are made with `{BODY_INDEXES[Profile.tokenbf].type}` or `{BODY_INDEXES[Profile.text].type}`,"
        f" over granules of {size:,} bytes and {rows:,}"
        " rows at most ([decision 0017](../decisions/0017-granules-are-measured-in-bytes.md))."
    )
    yield _CALCULATOR
    yield f"| rows a granule | distinct words | {' | '.join(map(str, _CALCULATED))} |"
    yield f"| ---: | ---: |{' ---: |' * len(_CALCULATED)}"
    for granularity, words in report.tokens.items():
        shares = (false_positives(Filter(size * 1024, 5), words) for size in _CALCULATED)
        yield f"| {granularity} | {words:,.0f} | " + " | ".join(f"{share:.2%}" for share in shares) + " |"
    if report.errors:
        yield "\n## Not measured\n"
        yield from (f"- {error}" for error in report.errors)


def _recommended(report: TuneReport, kind: str, most: float) -> str:
    best, without = report.best(kind), report.without_index()
    if best is None:
        return f"- **{kind}**: no candidate has an index of at most {most:.0%} of the raw bytes."
    faster = f", {without.seconds / best.seconds:.0f}x faster than no index" if without else ""
    return (
        f"- **{kind}**: `{best.type}` GRANULARITY {best.granularity} over granules of"
        f" {best.table_granularity} rows: {best.seconds * 1000:.1f} ms{faster}, {best.index_share:.2%} of"
        f" raw (at most {most:.0%}). Of those within 5 % of the fastest it is the cheapest to write."
    )


def _draw(report: TuneReport, folder: Path) -> None:
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for each in report.candidates:
        at = (each.index_share * 100, each.seconds * 1000)
        groups.setdefault(each.kind, {})[each.name.removeprefix(each.kind).strip()] = at
    scatter(
        folder / "tune.svg",
        "Search time against index size",
        Axis("index bytes, % of raw"),
        Axis("geometric mean of the suite, ms", logarithmic=True),
        groups,
    )
    shown = [each for each in (report.without_index(), *map(report.best, MOST_INDEX_SHARE)) if each is not None]
    bars(
        folder / "tune-cases.svg",
        "Newest 100 by words of different frequency",
        Axis("ms", logarithmic=True),
        _SHOWN_CASES,
        {each.name: [each.by_case[case] * 1000 for case in _SHOWN_CASES] for each in shown},
    )
