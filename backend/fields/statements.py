"""The SQL of questions about fields: of the counts made at insert, or of the newest matching records.

As in backend/store/statement.py there is none without a Scope, and user text travels as parameters.
"""

from collections.abc import Sequence
from typing import Final

from backend.language.fields import Field, Source
from backend.store.compile.filter import Filter
from backend.store.scope import Scope
from backend.store.statement import Parameter, Statement, matching_rows
from schema.clickhouse.distributed import readable_name
from schema.clickhouse.fields_rollup import BUCKET_SECONDS, RECORD_FIELDS, fields_table, record_entries

NS: Final = 10**9

SAMPLE: Final = 10_000
"""The newest matching records that are counted where there is a query."""

_LAST: Final = 2**32 - 1
_RECORD_TEXTS: Final = {name: text.format("") for name, text in RECORD_FIELDS}


def counted_range(scope: Scope) -> tuple[int, int]:
    """The quarters of an hour that the scope's range touches, in seconds: from the first's start to the last's end."""
    first = scope.time_range.start_ns // NS // BUCKET_SECONDS * BUCKET_SECONDS
    last = -(-scope.time_range.end_ns // (NS * BUCKET_SECONDS)) * BUCKET_SECONDS
    return max(0, min(first, _LAST)), max(0, min(last, _LAST))


def counted_fields(scope: Scope, limit: int) -> Statement:
    """(source, field, records) by falling count."""
    where, parameters = _counted(scope)
    return Statement(
        f"SELECT source, field, sum(records) AS found FROM {_table(scope)}\n"
        f"WHERE {where} AND kind = 'field'\n"
        "GROUP BY source, field ORDER BY found DESC, source, field LIMIT {limit:UInt32}",
        parameters | {"limit": limit},
        scope.tenant_id,
    )


def counted_totals(scope: Scope, name: str) -> Statement:
    """(source, records that have the field, records of those whose value was kept) of one name, by source."""
    where, parameters = _counted(scope)
    return Statement(
        "SELECT source, sumIf(records, kind = 'field') AS total, sumIf(records, kind = 'value') AS kept\n"
        f"FROM {_table(scope)} WHERE {where} AND kind IN ('field', 'value')"
        " AND source IN ('attributes', 'record', 'resource') AND field = {field:String}\n"
        "GROUP BY source ORDER BY source",
        parameters | {"field": name},
        scope.tenant_id,
    )


def counted_values(scope: Scope, name: str, sources: Sequence[Source], prefix: str, limit: int) -> Statement:
    """(value, records) of one name by falling count, of several sources together."""
    where, parameters = _counted(scope)
    return Statement(
        f"SELECT value, sum(records) AS found FROM {_table(scope)}\n"
        f"WHERE {where} AND kind = 'value' AND source IN {{sources:Array(String)}} AND field = {{field:String}}"
        " AND startsWith(value, {prefix:String})\n"
        "GROUP BY value ORDER BY found DESC, value LIMIT {limit:UInt32}",
        parameters | {"sources": [source.value for source in sources], "field": name, "prefix": prefix, "limit": limit},
        scope.tenant_id,
    )


def sampled_fields(scope: Scope, matching: Filter, limit: int) -> Statement:
    """(source, field, records) of the newest matching records by falling count; source '' counts them all."""
    sample, parameters = _newest(scope, matching)
    return Statement(
        f"SELECT entry.1 AS source, entry.2 AS field, count() AS found FROM ({sample})\n"
        "ARRAY JOIN arrayConcat(\n"
        "    [('', '')],\n"
        f"    arrayMap(each -> (each.1, each.2), arrayFilter(each -> each.3 != '', {record_entries()})),\n"
        "    arrayMap(key -> ('attributes', CAST(key, 'String')), mapKeys(attributes)),\n"
        "    arrayMap(key -> ('resource', CAST(key, 'String')), mapKeys(resource))) AS entry\n"
        "GROUP BY source, field ORDER BY found DESC, source, field LIMIT {limit:UInt32}",
        parameters | {"limit": limit + 1},
        scope.tenant_id,
    )


def sampled_values(scope: Scope, matching: Filter, field: Field, prefix: str, limit: int) -> Statement:
    """(is listed, value, records, all sampled records, those with the field) of the newest matching records.

    What has no value, or one without the prefix, is not listed and comes first; then values by falling count.
    """
    sample, parameters = _newest(scope, matching)
    has, text = _value(field)
    return Statement(
        "SELECT listed, if(listed, text, '') AS value, count() AS found,"
        " sum(count()) OVER () AS sampled, sum(countIf(present)) OVER () AS total\n"
        f"FROM (SELECT {has} AS present, {text} AS text, present AND startsWith(text, {{prefix:String}}) AS listed"
        f" FROM ({sample}))\n"
        "GROUP BY listed, value ORDER BY listed, found DESC, value LIMIT {limit:UInt32}",
        parameters | {"field": field.name, "prefix": prefix, "limit": limit + 1},
        scope.tenant_id,
    )


def _value(field: Field) -> tuple[str, str]:
    """SQL of whether a record has the field, and of its value."""
    if field.source is Source.record:
        text = _RECORD_TEXTS[field.name]
        return f"{text} != ''", f"CAST({text}, 'String')"
    attribute, resource = (f"mapContains({column}, {{field:String}})" for column in ("attributes", "resource"))
    if field.source is Source.either:
        has = f"({attribute} OR {resource})"
        return has, f"if({attribute}, attributes[{{field:String}}], resource[{{field:String}}])"
    return (attribute if field.source is Source.attributes else resource), f"{field.source.value}[{{field:String}}]"


def _newest(scope: Scope, matching: Filter) -> tuple[str, dict[str, Parameter]]:
    where, parameters = matching_rows(scope, matching)
    return (
        "SELECT service, severity_number, severity_text, event_name, scope_name, scope_version, attributes, resource"
        f" FROM {scope.table} WHERE {where} ORDER BY timestamp DESC, id DESC LIMIT {{sample:UInt32}}",
        parameters | {"sample": SAMPLE},
    )


def _table(scope: Scope) -> str:
    tables = [readable_name(fields_table(lane), scope.shards) for lane in scope.lanes]
    return tables[0] if len(tables) == 1 else f"merge(currentDatabase(), '^({'|'.join(tables)})$')"


def _counted(scope: Scope) -> tuple[str, dict[str, Parameter]]:
    first, last = counted_range(scope)
    return (
        "tenant_id = {tenant_id:UInt32} AND cohort IN {cohorts:Array(String)}"
        " AND bucket >= toDateTime({first:UInt32}, 'UTC') AND bucket < toDateTime({last:UInt32}, 'UTC')",
        {"tenant_id": scope.tenant_id, "cohorts": list(scope.cohorts), "first": first, "last": last},
    )
