"""Which fields records have, and which values: as counted at insert, or of a sample where there is a query."""

from collections.abc import Sequence
from typing import Any, Final

from backend.fields.names import Counted, asked_field, query_names
from backend.fields.schemas import FieldCount, Fields, ValueCount, Values
from backend.fields.statements import (
    NS,
    SAMPLE,
    counted_fields,
    counted_range,
    counted_totals,
    counted_values,
    sampled_fields,
    sampled_values,
)
from backend.language.fields import Field, Source
from backend.language.nodes import MatchAll
from backend.language.parse import parse
from backend.logs.asked import Search
from backend.store.compile.filter import Filter, compile_filter
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.scope import Scope, scope_of, whole_retention
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Tenant

MOST_FIELDS: Final = 1_000


class FieldsService:
    def __init__(
        self, settings: Settings, executor: Executor, clock: Clock, queries: QueryThreads | None = None
    ) -> None:
        self._settings = settings
        self._executor = executor
        self._clock = clock
        self._queries = queries or QueryThreads(clock)

    async def fields(self, tenant: Tenant, search: Search) -> Fields:
        """The fields of matching records. Raises InvalidQuery, InvalidRequest, and what Executor.run raises."""
        scope, matching = self._scope(tenant, search), await self._filter(tenant, search.query)
        if matching is None:
            answer = await self._executor.run(counted_fields(scope, MOST_FIELDS + 1))
            return Fields(
                **_inserted(scope),
                complete=len(answer.rows) <= MOST_FIELDS,
                fields=_fields(answer.rows[:MOST_FIELDS]),
            )
        answer = await self._executor.run(sampled_fields(scope, matching, MOST_FIELDS + 1))
        sampled = sum(found for source, _, found in answer.rows if not source)
        rows = [row for row in answer.rows if row[0]]
        return Fields(
            **_newest(scope, sampled),
            complete=sampled < SAMPLE and len(rows) <= MOST_FIELDS,
            fields=_fields(rows[:MOST_FIELDS]),
        )

    async def values(self, tenant: Tenant, search: Search, name: str, prefix: str, limit: int) -> Values:
        """The field's values that begin with `prefix`, at most `limit`. Raises as `fields`."""
        field = asked_field(name)
        scope, matching = self._scope(tenant, search), await self._filter(tenant, search.query)
        if matching is None:
            return await self._inserted_values(scope, field, name, prefix, limit)
        answer = await self._executor.run(sampled_values(scope, matching, field, prefix, limit + 1))
        sampled, total = answer.rows[0][3:] if answer.rows else (0, 0)
        found = [ValueCount(value=value, records=count) for listed, value, count, _, _ in answer.rows if listed]
        return Values(
            **_newest(scope, sampled),
            name=name,
            records=total,
            complete=sampled < SAMPLE,
            more=len(found) > limit,
            values=found[:limit],
        )

    async def _inserted_values(self, scope: Scope, asked: Field, name: str, prefix: str, limit: int) -> Values:
        answer = await self._executor.run(counted_totals(scope, asked.name))
        totals = {Source(source): (total, kept) for source, total, kept in answer.rows}
        meant = (Source.attributes, Source.resource) if asked.source is Source.either else (asked.source,)
        present = [source for source in meant if source in totals]
        total, kept = (sum(totals[source][place] for source in present) for place in (0, 1))
        # A record that has the name in both places means its log attribute; how many do was not counted, so such a
        # record counts for both of its values, and no value of either place is left out.
        both = len(present) > 1
        values = await self._executor.run(counted_values(scope, asked.name, present, prefix, limit + 1))
        return Values(
            **_inserted(scope),
            name=name,
            records=total,
            complete=kept == total and not both,
            more=len(values.rows) > limit,
            values=[ValueCount(value=value, records=found) for value, found in values.rows[:limit]],
        )

    async def _filter(self, tenant: Tenant, query: str) -> Filter | None:
        return await self._queries.run(tenant.id, lambda: _filter(query))

    def _scope(self, tenant: Tenant, search: Search) -> Scope:
        everything = whole_retention(tenant, self._clock.now_ns(), self._settings.future_tolerance_seconds)
        return scope_of(tenant, search.within(everything), self._settings.shards)


def _filter(query: str) -> Filter | None:
    """None where everything matches."""
    node = parse(query)
    return None if isinstance(node, MatchAll) else compile_filter(node)


def _fields(rows: Sequence[Sequence[Any]]) -> list[FieldCount]:
    counted = [Counted(Field(Source(source), name), found) for source, name, found in rows]
    return [
        FieldCount(name=name, source=each.field.source.value, records=each.records)
        for name, each in query_names(counted)
    ]


def _inserted(scope: Scope) -> dict[str, Any]:
    first, last = counted_range(scope)
    return {"basis": "inserted", "sampled": None, "start": format_time(first * NS), "end": format_time(last * NS)}


def _newest(scope: Scope, sampled: int) -> dict[str, Any]:
    start, end = format_time(scope.time_range.start_ns), format_time(scope.time_range.end_ns)
    return {"basis": "newest", "sampled": sampled, "start": start, "end": end}
