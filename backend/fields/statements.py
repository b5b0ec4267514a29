"""Builds the statements about fields: over the counts made at insert, or over the newest matching records."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from backend.language.fields import Field, Source
from backend.store.compile.filter import Filter
from backend.store.counted_field import value_sql
from backend.store.scope import Scope
from backend.store.statement import Parameter, Statement
from backend.store.tables import Table
from schema.clickhouse.fields_rollup import record_entries

SAMPLE: Final = 10_000
"""Number of the newest matching records that are counted for a request with a query."""


class FieldFound(NamedTuple):
    """A field of one source and the number of records that have it.

    The row with an empty source counts the whole sample.
    """

    source: str
    field: str
    records: int


class SourceTotal(NamedTuple):
    """Records that have a field in one source, which is attributes, resource or record.

    `kept` is the number of these records whose value was counted too. The page
    docs/decisions/0011-fields-are-counted-at-insert.md says which values are left out.
    """

    source: str
    records: int
    kept: int


class ValueFound(NamedTuple):
    """A value of a field and the number of records that have it."""

    value: str
    records: int


class SampledValue(NamedTuple):
    """A value in a sample. One row, with `is_listed` false, stands for all records without the field or the prefix.

    `sampled` is the number of records in the sample, `present` the number of them that have the field.
    """

    is_listed: bool
    value: str
    records: int
    sampled: int
    present: int


def counted_fields(scope: Scope, limit: int) -> Statement[FieldFound]:
    """Returns the statement for the fields of a scope, as counted at insert, most frequent first."""
    return Statement(
        scope,
        "source, field, sum(records) AS found",
        FieldFound._make,
        Table.fields,
        condition="kind = 'field'",
        rest="GROUP BY source, field ORDER BY found DESC, source, field LIMIT {limit:UInt32}",
        values={"limit": limit},
    )


def counted_totals(scope: Scope, name: str) -> Statement[SourceTotal]:
    """Returns the statement for the number of records that have the field of that name, by source."""
    return Statement(
        scope,
        "source, sumIf(records, kind = 'field') AS total, sumIf(records, kind = 'value') AS kept",
        SourceTotal._make,
        Table.fields,
        condition="kind IN ('field', 'value') AND source IN ('attributes', 'record', 'resource')"
        " AND field = {field:String}",
        rest="GROUP BY source ORDER BY source",
        values={"field": name},
    )


def counted_values(
    scope: Scope, name: str, sources: Sequence[Source], prefix: str, limit: int
) -> Statement[ValueFound]:
    """Returns the statement for the values of one name in several sources together, most frequent first."""
    return _values(
        scope,
        {"sources": _texts(sources), "field": name, "prefix": prefix, "limit": limit},
        "startsWith(value, {prefix:String})",
        "found DESC, value LIMIT {limit:UInt32}",
    )


def values_in_any_case(scope: Scope, name: str, sources: Sequence[Source], value: str) -> Statement[ValueFound]:
    """Returns the statement for counted values that equal `value` or differ from it by case only, `value` first."""
    return _values(
        scope,
        {"sources": _texts(sources), "field": name, "value": value},
        "lowerUTF8(value) = lowerUTF8({value:String})",
        "value = {value:String} DESC, found DESC, value LIMIT 1",
    )


def _texts(sources: Sequence[Source]) -> list[str]:
    return [source.value for source in sources]


def _values(scope: Scope, values: dict[str, Parameter], which: str, order: str) -> Statement[ValueFound]:
    """Returns the statement for the counted values of a field that meet the condition `which`."""
    return Statement(
        scope,
        "value, sum(records) AS found",
        ValueFound._make,
        Table.fields,
        condition=f"kind = 'value' AND source IN {{sources:Array(String)}} AND field = {{field:String}} AND {which}",
        rest=f"GROUP BY value ORDER BY {order}",
        values=values,
    )


def sampled_fields(scope: Scope, matching: Filter, limit: int) -> Statement[FieldFound]:
    """Returns the statement for the fields of the newest matching records, most frequent first."""
    return _newest(scope, matching).over(
        "entry.1 AS source, entry.2 AS field, count() AS found",
        "ARRAY JOIN arrayConcat(\n"
        "    [('', '')],\n"
        f"    arrayMap(each -> (each.1, each.2), arrayFilter(each -> each.3 != '', {record_entries()})),\n"
        "    arrayMap(key -> ('attributes', CAST(key, 'String')), mapKeys(attributes)),\n"
        "    arrayMap(key -> ('resource', CAST(key, 'String')), mapKeys(resource))) AS entry\n"
        "GROUP BY source, field ORDER BY found DESC, source, field LIMIT {limit:UInt32}",
        FieldFound._make,
        {"limit": limit + 1},
    )


def sampled_values(scope: Scope, matching: Filter, field: Field, prefix: str, limit: int) -> Statement[SampledValue]:
    """Returns the statement for the field's values in the newest matching records, most frequent first.

    The row with `is_listed` false comes first.
    """
    has, text = value_sql(field)
    values: dict[str, Parameter] = {"field": field.name, "prefix": prefix, "limit": limit + 1}
    valued = _newest(scope, matching).over(
        f"{has} AS present, {text} AS text, present AND startsWith(text, {{prefix:String}}) AS listed",
        "",
        tuple,
        values,
    )
    return valued.over(
        "listed, if(listed, text, '') AS value, count() AS found,"
        " sum(count()) OVER () AS sampled, sum(countIf(present)) OVER () AS total",
        "GROUP BY listed, value ORDER BY listed, found DESC, value LIMIT {limit:UInt32}",
        SampledValue._make,
        values,
    )


def _newest(scope: Scope, matching: Filter) -> Statement[tuple[Any, ...]]:
    return Statement(
        scope,
        "service, severity_number, severity_text, event_name, scope_name, scope_version, attributes, resource",
        tuple,
        matching=matching,
        rest="ORDER BY timestamp DESC, id DESC LIMIT {sample:UInt32}",
        values={"sample": SAMPLE},
    )
