"""Compares the numbers of `| stats` with numbers that Python computes of the same records."""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from backend.language.fields import Field, Source, field_name
from backend.language.numbers import is_number
from backend.language.parse import parse_stats
from backend.language.stats_nodes import LEVELS, Call, Function, Sort, Stats
from backend.logs.parameters import SearchParameters
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.stats.schemas import LogStats
from backend.stats.tests.services import stats_service
from backend.store.execute import Executor
from backend.store.scope import TimeRange
from backend.store.time_buckets import bucket_numbers
from kit.clickhouse import Account
from kit.clock import ManualClock
from kit.settings import Settings
from schema.log_columns import LogColumns
from tests.search.same_pages import NOW_NS, all_records, random_queries, tenant
from tests.search.same_series import FIELDS, value_of

START_NS: Final = NOW_NS - 6 * 3_600 * 10**9
SECONDS: Final = 6 * 3_600
RANGE: Final = TimeRange(START_NS, NOW_NS)
GROUP_FIELDS: Final = (*FIELDS, "trace_id", "span_id", "flags", "severity_number")
NUMERIC_FIELDS: Final = (
    *("status", "attributes.status", "resource.status", "seconds", "k", "flags", "severity_number", "nothing"),
)
INTERVALS: Final = ("10m", "1h", "7m", "1d")
QUANTILE_ERROR: Final = 0.01
_ROUNDING: Final = 1e-9

Value = float | int | None
Group = tuple[str | None, ...]
Groups = Mapping[Group, list[int]]
"""Rows of each group, in the order of the groups."""

_EXACT: Final[dict[Function, Callable[[Sequence[float]], float]]] = {
    Function.sum: math.fsum,
    Function.avg: lambda values: math.fsum(values) / len(values),
    Function.min: min,
    Function.max: max,
}


LEAVES_OUT: Final = " | stats count() by severity_number | limit 1"
"""Text whose answer leaves groups out. Most random queries find too few records for that."""


def random_stats(seed: int, count: int) -> list[str]:
    """Returns LEAVES_OUT, and texts with `| stats`: random functions, fields, orders and limits over random queries."""
    rng = random.Random(seed)
    conditions = random_queries(30)
    queries = ["", *conditions]
    texts = [LEAVES_OUT]
    for _ in range(count):
        calls = list(dict.fromkeys(_random_call(rng, conditions) for _ in range(rng.randint(1, 4))))
        by = rng.sample(GROUP_FIELDS, rng.choice((0, 1, 1, 1, 2, 3)))
        has_time = rng.random() < 0.4
        keys = [_written(name) for name in by] + ([f"time({rng.choice(INTERVALS)})"] if has_time else [])
        text = f"{rng.choice(queries)} | stats {', '.join(calls)}"
        if keys:
            text += f" by {', '.join(keys)}"
        if by and rng.random() < 0.6:
            text += f" | sort {rng.choice([*calls, _written(by[0])])} {rng.choice(('asc', 'desc'))}"
        if by and rng.random() < 0.7:
            text += f" | limit {rng.choice((1, 2, 3, 5, 1000))}"
        texts.append(text)
    return texts


def _random_call(rng: random.Random, conditions: Sequence[str]) -> str:
    function = rng.choice(list(Function))
    if function in (Function.count, Function.rate):
        return f"{function}()"
    if function is Function.count_if:
        return f"{function}({rng.choice(conditions)})"
    return f"{function}({_written(rng.choice(GROUP_FIELDS if function is Function.uniq else NUMERIC_FIELDS))})"


def _written(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


async def compare_stats(settings: Settings, lane: int, texts: Sequence[str]) -> int:
    """Compares the answer to each text with the oracle. Returns the number of answers that leave groups out.

    Fails on a difference.
    """
    executor, left_out = Executor(settings, account=Account.owner), 0
    service = stats_service(settings, executor, ManualClock(NOW_NS))
    records = all_records()
    try:
        for text in texts:
            answer = await service.stats(tenant(lane), SearchParameters(query=text, start=START_NS, end=NOW_NS))
            query = parse_stats(text)
            rows = sorted(rows_matching(compile_predicate(query.matching), records))
            try:
                _check(answer, query.stats, records, rows)
            except AssertionError as error:
                raise AssertionError(f"{text!r}: {error}") from error
            left_out += answer.left_out is not None
        return left_out
    finally:
        await executor.close()


def _check(answer: LogStats, stats: Stats, records: LogColumns, rows: Sequence[int]) -> None:
    shown, other = _check_groups(answer, stats, records, rows) if stats.by else ([list(rows)], None)
    if stats.interval_ns is None:
        _check_table(answer, stats, records, shown, other)
    else:
        _check_series(answer, stats, records, [*shown, other] if other is not None else shown)


def _check_groups(
    answer: LogStats, stats: Stats, records: LogColumns, rows: Sequence[int]
) -> tuple[list[list[int]], list[int] | None]:
    """Checks which groups are shown, and their order. Returns the rows of each shown group, and those of all others, or
    None if all groups are shown."""
    groups = _grouped(records, rows, stats.by)
    shown = [_group_of(row[: len(stats.by)]) for row in answer.rows] or [
        tuple(each.group) for each in answer.series if each.kind == "group"
    ]
    assert len(set(shown)) == len(shown) == min(stats.limit, len(groups))
    assert (answer.groups.found, answer.groups.shown, answer.groups.complete) == (len(groups), len(shown), True)
    assert (answer.left_out is None) == (len(groups) <= stats.limit)
    left = {key: groups[key] for key in groups if key not in set(shown)}
    _check_order(stats, records, {key: groups[key] for key in shown}, left)
    return [groups[key] for key in shown], list(itertools.chain(*left.values())) if left else None


def _check_table(
    answer: LogStats, stats: Stats, records: LogColumns, shown: Sequence[list[int]], other: list[int] | None
) -> None:
    """Checks the cells of an answer without `time(…)`."""
    for cells, rows in zip(answer.rows, shown, strict=True):
        _check_cells(stats, records, rows, cells[len(stats.by) :], SECONDS)
    assert (answer.other is None) == (other is None)
    if answer.other is not None and other is not None:
        _check_cells(stats, records, other, answer.other, SECONDS)


def _check_series(answer: LogStats, stats: Stats, records: LogColumns, expected: Sequence[list[int]]) -> None:
    """Checks the numbers of each bucket of each series. `expected` has the rows of each series."""
    assert stats.interval_ns is not None
    numbers = bucket_numbers(RANGE, stats.interval_ns)
    assert len(answer.buckets) == len(numbers)
    for series, rows in zip(answer.series, expected, strict=True):
        in_bucket = defaultdict(list)
        for row in rows:
            in_bucket[records.timestamp[row] // stats.interval_ns].append(row)
        for index, bucket in enumerate(numbers):
            start, end = max(START_NS, bucket * stats.interval_ns), min(NOW_NS, (bucket + 1) * stats.interval_ns)
            cells = [values[index] for values in series.values]
            _check_cells(stats, records, in_bucket[bucket], cells, (end - start) / 1e9)


def _grouped(records: LogColumns, rows: Sequence[int], by: Sequence[Field]) -> dict[Group, list[int]]:
    groups: dict[Group, list[int]] = defaultdict(list)
    for row in rows:
        groups[tuple(_text(records, row, field) for field in by)].append(row)
    return groups


def _group_of(cells: Sequence[Any]) -> Group:
    assert all(cell is None or isinstance(cell, str) for cell in cells)
    return tuple(cells)


def _check_order(stats: Stats, records: LogColumns, shown: Groups, left: Groups) -> None:
    """Checks that the shown groups are in order, and that no other group comes before one of them."""
    sort = stats.sort or Sort(stats.calls[0], is_descending=True)
    if isinstance(sort.key, Field):
        _check_order_of_texts(stats.by.index(sort.key), sort.is_descending, list(shown), list(left))
    else:
        _check_order_of_numbers(sort.key, sort.is_descending, records, (list(shown.values()), list(left.values())))


def _check_order_of_texts(column: int, is_descending: bool, shown: Sequence[Group], left: Sequence[Group]) -> None:
    """Checks groups that are sorted by the UTF-8 bytes of a field. Groups without the field come last."""

    def rank(group: Group) -> tuple[bool, bytes]:
        text = group[column]
        return (text is not None) == is_descending, b"" if text is None else text.encode()

    ranks = [rank(group) for group in shown]
    assert ranks == sorted(ranks, reverse=is_descending)
    if ranks:
        last = ranks[-1]
        assert all(rank(group) <= last if is_descending else rank(group) >= last for group in left)


def _check_order_of_numbers(
    call: Call, is_descending: bool, records: LogColumns, rows: tuple[Sequence[list[int]], Sequence[list[int]]]
) -> None:
    """Checks groups that are sorted by a number. Groups without one come last. `rows` has the rows of each shown group,
    and those of each other group.

    Estimates may be out of order by their error, and sums by their rounding.
    """
    sign = 1 if is_descending else -1
    shown, left = ([_expected(call, records, each, SECONDS) for each in part] for part in rows)
    numbers = [sign * value for value in shown if value is not None]
    assert shown[len(numbers) :] == [None] * (len(shown) - len(numbers))
    slack = 2.5 * QUANTILE_ERROR if call.function in LEVELS else _ROUNDING
    further = [sign * value for value in left if value is not None]
    if shown and further:
        assert len(numbers) == len(shown)
    pairs = [*itertools.pairwise(numbers), *((numbers[-1], value) for value in further if shown)]
    assert all(before >= after - slack * (abs(before) + abs(after)) for before, after in pairs)


def _check_cells(stats: Stats, records: LogColumns, rows: Sequence[int], cells: Sequence[Any], seconds: float) -> None:
    for call, cell in zip(stats.calls, cells, strict=True):
        expected = _expected(call, records, rows, seconds)
        if expected is None or call.function in (Function.count, Function.count_if, Function.uniq):
            assert cell == expected, f"{call}: {cell} instead of {expected}"
            continue
        scale = abs(expected)
        if call.function in (Function.sum, Function.avg):
            scale = sum(map(abs, _numbers(call, records, rows)))
        error = QUANTILE_ERROR if call.function in LEVELS else 0.0
        assert cell is not None
        assert abs(cell - expected) <= error * abs(expected) + _ROUNDING * scale, f"{call}: {cell}, not {expected}"


def _expected(call: Call, records: LogColumns, rows: Sequence[int], seconds: float) -> Value:
    if call.function is Function.rate:
        return len(rows) / seconds
    if isinstance(call.argument, Field):
        return _of_field(call, call.argument, records, rows)
    matching = rows if call.argument is None else rows_matching(compile_predicate(call.argument), records)
    return len(set(matching) & set(rows))


def _of_field(call: Call, field: Field, records: LogColumns, rows: Sequence[int]) -> Value:
    if call.function is Function.uniq:
        return len({_text(records, row, field) for row in rows} - {None})
    numbers = _numbers(call, records, rows)
    if not numbers:
        return None
    if call.function in LEVELS:
        return sorted(numbers)[int(LEVELS[call.function] * (len(numbers) - 1))]
    return _EXACT[call.function](numbers)


def _numbers(call: Call, records: LogColumns, rows: Sequence[int]) -> list[float]:
    assert isinstance(call.argument, Field)
    texts = [_text(records, row, call.argument) for row in rows]
    numbers = [float(text) for text in texts if text is not None and is_number(text)]
    finite = [number for number in numbers if math.isfinite(number)]
    if call.function not in LEVELS:
        return finite
    return [0.0 if abs(number) < 1e-15 else max(-1e21, min(1e21, number)) for number in finite]


def _text(records: LogColumns, row: int, field: Field) -> str | None:
    """Returns the record's value of a field, or None where the record does not have it."""
    if field.source is not Source.record:
        return value_of(records, row, field_name(field))
    match field.name:
        case "trace_id" | "span_id":
            digits: str = getattr(records, field.name)[row].hex()
            return digits if digits.strip("0") else None
        case "flags" | "severity_number" | "body_truncated_bytes":
            number: int = getattr(records, field.name)[row]
            return str(number) if number else None
    return value_of(records, row, field.name)
