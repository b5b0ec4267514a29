"""Tests that counts by minute counts are the counts of the records, for random ranges, filters and groups."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pytest

from backend.answers.threads import AnswerThreads
from backend.language.parse import parse_stats
from backend.search.buckets import count_buckets
from backend.search.series import count_series
from backend.stats import groups
from backend.stats.run import Run
from backend.stats.series import read_series
from backend.stats.statements import ScopedStats
from backend.stats.tables import read_table
from backend.store import minute_counts, tables, time_buckets
from backend.store.compile.filter import compile_filter
from backend.store.compile.stats import compile_stats
from backend.store.counted_field import counted_field
from backend.store.execute import Executor
from backend.store.minute_counts import MinuteCounts
from backend.store.scope import Scope, TimeRange
from backend.store.statement import Statement
from backend.store.time_buckets import MINUTE_NS, Buckets
from kit.clock import ManualClock, SystemClock
from kit.settings import Settings
from schema.clickhouse.minute_counts import NAME, add_minute_counts
from schema.clickhouse.tables import create_table, table_name
from tests.chance import SEED, repetitions
from tests.search.asked import asked
from tests.search.engine import ClickHouse
from tests.search.lanes import Lane

LANES: Final = (0, 1)
MIDNIGHT_NS: Final = 1_789_948_800 * 10**9
HOUR_NS: Final = 60 * MINUTE_NS
ROWS: Final = 3_000
QUESTIONS: Final = repetitions(1_000)
FILTERS: Final = (
    *("", "service:checkout", "-service:checkout", "service:pay*", "severity:>=warn", "severity:error service:*"),
    *("service:checkout OR severity:fatal", "NOT severity:info", "severity_number:>9", "service:nowhere"),
)
STATS: Final = (
    *("count()", "count(), rate() by service", "count() by severity | limit 2", "rate() by severity_number, service"),
    *("count() by service | sort service asc | limit 3", "count() by time(10m)", "count() by severity, time(7m)"),
    "rate() by service, time(1h) | limit 2",
)

_conditions = tables.minute_conditions


class Question(NamedTuple):
    """A range and a filter."""

    scope: Scope
    filter: str


@pytest.fixture(scope="module")
def settings(clickhouse: ClickHouse) -> Settings:
    """Two lanes with records of two tenants around midnight, in parts with and without minute counts."""
    for lane in LANES:
        table = table_name(lane)
        clickhouse.command(f"DROP TABLE IF EXISTS {table}")
        clickhouse.command(create_table(clickhouse.settings.clickhouse_database, table))
        for part in range(4):
            if part == 1:
                clickhouse.command(add_minute_counts(table))
            clickhouse.command(
                f"INSERT INTO {table} (tenant_id, cohort, timestamp, id, severity_number, service)"
                f" SELECT 1 + number % 2, 'r30', fromUnixTimestamp64Nano(toInt64({MIDNIGHT_NS} - 3 * {HOUR_NS}"
                f" + cityHash64(number, {part}, {lane}) % (6 * {HOUR_NS})), 'UTC'), number + {part * ROWS},"
                " cityHash64(number) % 26, ['', 'checkout', 'payments', 'pay-out', 'Checkout'][1 + number % 5]"
                f" FROM numbers({ROWS})"
            )
        counted = clickhouse.query_rows(
            f"SELECT has(projections, '{NAME}') AS counted, count() FROM system.parts"
            f" WHERE active AND database = 'default' AND table = '{table}' GROUP BY counted ORDER BY counted"
        )
        assert [has for has, _ in counted] == [0, 1], "parts from before the counts were added, and later ones"
    return clickhouse.settings


def questions(count: int) -> list[Question]:
    """Returns questions whose ranges begin and end within minutes, at their edges, or a nanosecond beside them."""
    rng = random.Random(SEED)
    found = []
    for _ in range(count):
        start_ns, end_ns = sorted(rng.sample(range(MIDNIGHT_NS - 4 * HOUR_NS, MIDNIGHT_NS + 4 * HOUR_NS), 2))
        start_ns, end_ns = (rng.choice((each, each // MINUTE_NS * MINUTE_NS)) for each in (start_ns, end_ns))
        time_range = TimeRange(start_ns + rng.choice((-1, 0, 0, 1)), end_ns + MINUTE_NS + rng.choice((-1, 0, 0, 1)))
        lanes = rng.choice(((0,), LANES))
        found.append(Question(Scope(rng.choice((1, 2)), lanes, ("r30",), time_range), rng.choice(FILTERS)))
    return found


async def rows(executor: Executor, statement: Statement[Any]) -> Sequence[Any]:
    return (await executor.run(statement)).rows


async def compare_histograms(executor: Executor, count: int) -> int:
    """Fails on a difference. Returns the number of records that were counted."""
    rng, total = random.Random(SEED + 1), 0
    for scope, text in questions(count):
        width_ns = rng.choice((1, 2, 10, 60, 1_440)) * MINUTE_NS
        matching = compile_filter(parse_stats(f"{text} | stats count()").matching)
        sums = []
        for by_minute in (False, True):
            buckets: Counter[tuple[int, int]] = Counter()
            for each in await rows(executor, count_buckets(scope, matching, Buckets(width_ns, by_minute))):
                buckets[each.bucket, each.severity_number] += each.records
            sums.append(+buckets)
        assert sums[0] == sums[1], f"{text!r} over {scope}"
        total += sums[0].total()
        field = counted_field(rng.choice(("service", "severity")))
        raw, counted = [
            [
                (found.kind, found.value, sorted(zip(*found.counted, strict=True)))
                for found in await rows(executor, count_series(scope, matching, Buckets(width_ns, by_minute), field))
            ]
            for by_minute in (False, True)
        ]
        assert raw == counted, f"{text!r} by {field.name} over {scope}"
    return total


async def compare_stats(executor: Executor, count: int, texts: Sequence[str] = STATS) -> None:
    """Fails on a difference."""
    rng, writers = random.Random(SEED + 2), AnswerThreads(SystemClock())
    for scope, text in questions(count):
        query = parse_stats(f"{text} | stats {rng.choice(texts)}")
        answers = []
        for by_minute in (False, True):
            asked_stats = ScopedStats(
                *(scope, compile_filter(query.matching), query.stats, compile_stats(query.stats), {}), by_minute
            )
            interval_ns, run = query.stats.interval_ns, Run(executor)
            if interval_ns is None:
                answers.append(repr(await read_table(run, asked_stats, 1.0)))
            else:
                answers.append(repr(await read_series(run, asked_stats, interval_ns, writers)))
        assert answers[0] == answers[1], f"{text!r} over {scope}"


def test_histograms_agree(settings: Settings) -> None:
    assert asked(settings, lambda executor: compare_histograms(executor, QUESTIONS)) > 0


def test_stats_agree(settings: Settings) -> None:
    asked(settings, lambda executor: compare_stats(executor, QUESTIONS))


def test_stats_with_more_groups_than_one_statement_compares_agree(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "FIRST_GROUPS", 3)
    texts = ["count() by service, severity_number | limit 2"]
    asked(settings, lambda executor: compare_stats(executor, QUESTIONS // 4, texts))


def without_edges(scope: Scope) -> tuple[tuple[str, ...], ...]:
    whole, *edges = _conditions(scope)  # a range of whole minutes has no edges
    return (whole, *((*each, "0") for each in edges))


MISTAKES: dict[str, tuple[Any, str, Any]] = {
    "the edges are left out": (tables, "minute_conditions", without_edges),
    "the edges are counted twice": (
        tables,
        "whole_minutes",
        lambda time_range: (time_range.start_ns // MINUTE_NS * 60, -(-time_range.end_ns // MINUTE_NS) * 60),
    ),
    "buckets are a minute late": (
        time_buckets,
        "MINUTE_BUCKET_SQL",
        time_buckets.MINUTE_BUCKET_SQL.replace("toStartOfMinute(timestamp)", "toStartOfMinute(timestamp) + 60"),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(settings: Settings, monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    monkeypatch.setattr(*MISTAKES[mistake])
    with pytest.raises(AssertionError):
        asked(settings, lambda executor: compare_histograms(executor, QUESTIONS))


@pytest.mark.parametrize("text", [each for each in FILTERS if "nowhere" not in each])
def test_every_filter_on_severity_and_service_reads_minute_counts(settings: Settings, text: str) -> None:
    time_range = TimeRange(MIDNIGHT_NS - HOUR_NS, MIDNIGHT_NS)
    scope = Scope(1, (0,), ("r30",), time_range)
    matching = compile_filter(parse_stats(f"{text} | stats count()").matching)

    async def read(executor: Executor) -> tuple[bool, list[str]]:
        may_answer = await MinuteCounts(executor, ManualClock()).may_answer(scope, matching, [], 10 * MINUTE_NS)
        counted = count_buckets(scope, matching, Buckets(10 * MINUTE_NS, may_answer))
        plan = await executor.run(counted.explained("", lambda row: str(row[0])))
        return may_answer, [line for line in plan.rows if "ReadFromMergeTree" in line]

    may_answer, reads = asked(settings, read)
    assert may_answer
    assert any(NAME in line for line in reads), reads


@pytest.mark.parametrize(
    ("text", "by", "minutes", "width_ns"),
    [
        ("word", (), 600, None),
        ("user.id:5", (), 600, None),
        ("-user.id:5 severity:error", (), 600, None),
        ("user.id:5 OR service:checkout", (), 600, None),
        ("", ("severity_text",), 600, None),
        ("", ("attributes.service",), 600, None),
        ("", (), 59, None),
        ("", (), 600, 90 * 10**9),
    ],
)
def test_other_counts_read_the_records(
    settings: Settings, text: str, by: Sequence[str], minutes: int, width_ns: int | None
) -> None:
    scope = Scope(1, (0,), ("r30",), TimeRange(MIDNIGHT_NS - 1, MIDNIGHT_NS + minutes * MINUTE_NS + 1))
    matching = compile_filter(parse_stats(f"{text} | stats count()").matching)
    fields = [counted_field(name) for name in by]

    async def read(executor: Executor) -> bool:
        return await MinuteCounts(executor, ManualClock()).may_answer(scope, matching, fields, width_ns)

    assert not asked(settings, read)


def test_tables_without_minute_counts_are_not_read_twice(
    settings: Settings, clickhouse: ClickHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minute_counts, "SHORTEST_SECONDS", 0)
    lane = Lane.without_minute_counts
    table = table_name(lane)
    clickhouse.command(f"DROP TABLE IF EXISTS {table}")
    clickhouse.command(create_table(settings.clickhouse_database, table))
    matching = compile_filter(parse_stats("| stats count()").matching)

    async def read(executor: Executor) -> list[bool]:
        known, time_range = MinuteCounts(executor, ManualClock()), TimeRange(MIDNIGHT_NS, MIDNIGHT_NS + HOUR_NS)
        scopes = [Scope(1, lanes, ("r30",), time_range) for lanes in ((lane,), (0,), (lane, 0))]
        return [await known.may_answer(scope, matching, [], None) for scope in scopes]

    # Several lanes are read by merge(), which reads no projections.
    assert asked(settings, read) == [False, True, False]
