"""Compares histograms by the values of a field with counts of the same records in Python."""

from collections import Counter
from collections.abc import Sequence

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.search.parameters import HistogramParameters
from backend.search.schemas import Histogram
from backend.search.tests.services import search_service
from backend.store.execute import Executor
from kit.clickhouse import Account
from kit.clock import ManualClock
from kit.settings import Settings
from schema.log_columns import LogColumns
from tests.search.same_pages import NOW_NS, all_records, tenant

FIELDS = (
    *("service", "severity", "severity_text", "event_name", "scope.name", "scope.version"),
    *("status", "attributes.status", "resource.status", "host.name", "resource.host.name", "k", "odd name", 'q"\\'),
    *("attributes.service", "attributes.timestamp", "é", "list", "no such field"),
)
SEVERITIES = ("trace", "debug", "info", "warn", "error", "fatal")

START_NS = NOW_NS - 6 * 3_600 * 10**9
BUCKETS = 24

Counts = dict[tuple[str, str | None], dict[int, int]]
"""Numbers of records, by the kind and value of the series and then by bucket. Buckets without records are absent."""


async def compare_series(settings: Settings, lane: int, queries: Sequence[str], fields: Sequence[str] = FIELDS) -> int:
    """Compares the histograms of each query by each field, and fails if one is wrong.

    Returns the number of histograms that have a series of other values.
    """
    executor, others = Executor(settings, account=Account.owner), 0
    service = search_service(settings, executor, ManualClock(NOW_NS))
    records = all_records()
    try:
        for query in queries:
            rows = sorted(rows_matching(compile_predicate(parse(query)), records))
            for field in fields:
                requested = HistogramParameters(query=query, start=START_NS, end=NOW_NS, buckets=BUCKETS, by=field)
                answer = await service.histogram(tenant(lane), requested)
                expected = _counted(records, rows, field, int(answer.interval_ns))
                assert _series(answer) == expected, f"{query!r} by {field}"
                assert list(_series(answer)) == list(expected), f"{query!r} by {field}: the order differs"
                totals = [bucket.total for bucket in answer.buckets]
                by_series = [sum(counts) for counts in zip(*(each.counts for each in answer.series), strict=True)]
                assert totals == (by_series or [0] * len(totals))
                assert sum(totals) == len(rows)
                others += any(each.kind == "other" for each in answer.series)
        return others
    finally:
        await executor.close()


def _series(answer: Histogram) -> Counts:
    assert all(each.total == sum(each.counts) > 0 for each in answer.series)
    return {
        (each.kind.value, each.value): {bucket: count for bucket, count in enumerate(each.counts) if count}
        for each in answer.series
    }


def _counted(records: LogColumns, rows: Sequence[int], field: str, width_ns: int) -> Counts:
    values = {row: value_of(records, row, field) for row in rows}
    found = Counter(value for value in values.values() if value is not None)
    frequent = sorted(found, key=lambda value: (-found[value], value.encode()))[:5]
    kinds = {value: ("value", value) if value in frequent else ("other", None) for value in found}
    places = [*(("value", value) for value in frequent), ("other", None), ("absent", None)]
    series: Counts = {place: {} for place in places}
    for row, value in values.items():
        counts = series["absent", None] if value is None else series[kinds[value]]
        bucket = records.timestamp[row] // width_ns - START_NS // width_ns
        counts[bucket] = counts.get(bucket, 0) + 1
    return {place: counts for place, counts in series.items() if counts}


def value_of(records: LogColumns, row: int, field: str) -> str | None:
    """Returns the value of a field, or None if the record does not have the field."""
    attributes, resource = records.attributes[row], records.resource[row]
    match field:
        case "severity":
            number = records.severity_number[row]
            return SEVERITIES[(number - 1) // 4] if 1 <= number <= 24 else None
        case "service" | "severity_text" | "event_name":
            text: str = getattr(records, field)[row]
            return text or None
        case "scope.name" | "scope.version":
            scope: str = getattr(records, field.replace(".", "_"))[row]
            return scope or None
    source, _, name = field.partition(".")
    if source == "attributes":
        return attributes.get(name)
    if source == "resource":
        return resource.get(name)
    return attributes.get(field, resource.get(field))
