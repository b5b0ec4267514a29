"""Lists fields and values: from counts made at insert or, for a request with a query, from a sample of its matches."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from backend.fields.names import Counted, query_names
from backend.fields.schemas import FieldCount, Fields, ValueCount, Values
from backend.fields.statements import (
    SAMPLE,
    FieldFound,
    counted_fields,
    counted_totals,
    counted_values,
    sampled_fields,
    sampled_values,
)
from backend.language.fields import Field, Source
from backend.language.nodes import MatchAll
from backend.logs.compiled_query import compiled
from backend.logs.parameters import SearchParameters
from backend.store.compile.filter import Filter, compile_filter
from backend.store.counted_field import VALUES_BYTES, counted_field
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.scope import Scope, Scopes
from backend.store.tables import NS, counted_quarters
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.clickhouse.fields_rollup import MAX_FIELDS, MAX_TEXT_BYTES
from schema.control.directory import Tenant

_EVERY_RECORD: Final = compile_filter(MatchAll())


class FieldsService:
    def __init__(self, settings: Settings, executor: Executor, clock: Clock, queries: QueryThreads) -> None:
        self._executor = executor
        self._scopes = Scopes(settings, clock)
        self._queries = queries

    async def fields(self, tenant: Tenant, requested: SearchParameters) -> Fields:
        """Returns the fields of matching records. Raises InvalidQuery, InvalidRequest, and what Executor.run raises."""
        scope = self._scopes.of(tenant, self._scopes.range(tenant, requested.range()))
        matching = await self._filter(tenant, requested.query)
        if matching is None:
            answer = await self._executor.run(counted_fields(scope, MAX_FIELDS))
            return Fields(**_inserted(scope), complete=len(answer.rows) < MAX_FIELDS, fields=_fields(answer.rows))
        answer = await self._executor.run(sampled_fields(scope, matching, MAX_FIELDS + 1))
        sampled = sum(each.records for each in answer.rows if not each.source)
        rows = [each for each in answer.rows if each.source]
        return Fields(
            **_newest(scope, sampled),
            complete=sampled < SAMPLE and len(rows) <= MAX_FIELDS,
            fields=_fields(rows[:MAX_FIELDS]),
        )

    async def values(self, tenant: Tenant, requested: SearchParameters, name: str, prefix: str, limit: int) -> Values:
        """Returns at most `limit` values of the field that begin with `prefix`. Raises what `fields` raises."""
        field = counted_field(name)
        scope = self._scopes.of(tenant, self._scopes.range(tenant, requested.range()))
        matching = await self._filter(tenant, requested.query)
        if matching is None and len(field.name.encode()) <= MAX_TEXT_BYTES:
            return await self._inserted_values(scope, field, name, prefix, limit)
        statement = sampled_values(scope, matching or _EVERY_RECORD, field, prefix, limit + 1)
        answer = await self._executor.run(replace(statement, result_bytes=VALUES_BYTES))
        sampled, total = (answer.rows[0].sampled, answer.rows[0].present) if answer.rows else (0, 0)
        found = [ValueCount(value=each.value, records=each.records) for each in answer.rows if each.is_listed]
        return Values(
            **_newest(scope, sampled),
            name=name,
            records=total,
            complete=sampled < SAMPLE,
            more=len(found) > limit,
            values=found[:limit],
        )

    async def _inserted_values(self, scope: Scope, requested: Field, name: str, prefix: str, limit: int) -> Values:
        answer = await self._executor.run(counted_totals(scope, requested.name))
        totals = {Source(each.source): each for each in answer.rows}
        meant = (Source.attributes, Source.resource) if requested.source is Source.either else (requested.source,)
        present = [source for source in meant if source in totals]
        total = sum(totals[source].records for source in present)
        kept = sum(totals[source].kept for source in present)
        # If a record has this name as log attribute and as resource attribute, the name means the log attribute. The
        # number of such records was not counted. Each of them counts for both values, so that no value is left out.
        both = len(present) > 1
        values = await self._executor.run(counted_values(scope, requested.name, present, prefix, limit + 1))
        return Values(
            **_inserted(scope),
            name=name,
            records=total,
            complete=kept == total and not both and await self._are_all_counted(scope),
            more=len(values.rows) > limit,
            values=[ValueCount(value=each.value, records=each.records) for each in values.rows[:limit]],
        )

    async def _are_all_counted(self, scope: Scope) -> bool:
        """Returns true if no insert of the scope's records had so many fields that it left some out."""
        return len((await self._executor.run(counted_fields(scope, MAX_FIELDS))).rows) < MAX_FIELDS

    async def _filter(self, tenant: Tenant, query: str) -> Filter | None:
        """Returns the query's filter, or None if it matches every record."""
        matching, _ = await self._queries.read(tenant.id, compiled, query)
        return None if isinstance(matching.node, MatchAll) else matching


def _fields(found: Iterable[FieldFound]) -> list[FieldCount]:
    counted = [Counted(Field(Source(each.source), each.field), each.records) for each in found]
    return [
        FieldCount(name=name, source=each.field.source.value, records=each.records)
        for name, each in query_names(counted)
    ]


def _inserted(scope: Scope) -> dict[str, Any]:
    first, last = counted_quarters(scope)
    return {"basis": "inserted", "sampled": None, "start": format_time(first * NS), "end": format_time(last * NS)}


def _newest(scope: Scope, sampled: int) -> dict[str, Any]:
    start, end = format_time(scope.time_range.start_ns), format_time(scope.time_range.end_ns)
    return {"basis": "newest", "sampled": sampled, "start": start, "end": end}
