"""Tests that answers do not claim to be complete where inserts leave out fields: long names, and many fields."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from backend.fields.schemas import Fields, Values
from backend.fields.service import FieldsService
from backend.fields.statements import SampledValue
from backend.logs.parameters import SearchParameters
from backend.store.query_threads import QueryThreads
from backend.store.rows import Cost
from backend.store.statement import Statement
from backend.store.tables import Table
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock
from kit.settings import Settings
from schema.clickhouse.fields_rollup import MAX_FIELDS, MAX_TEXT_BYTES
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)
SAMPLED = SampledValue(True, "7", 3, 3, 3)


class LogStore(FakeLogStore):
    """A log store with counts of `fields` attributes. Each has the value `7` in two records."""

    def __init__(self, fields: int) -> None:
        super().__init__([])
        self._names = [f"a{number}" for number in range(fields)]

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        assert isinstance(statement, Statement)
        if statement.table is Table.logs:
            return [SAMPLED], Cost()
        is_known = statement.values.get("field", "a0") in self._names
        if statement.columns.startswith("source, field"):
            limit = statement.values["limit"]
            assert isinstance(limit, int)
            return [("attributes", name, 2) for name in self._names[:limit]], Cost()
        row = ("attributes", 2, 2) if statement.columns.startswith("source") else ("7", 2)
        return [row] if is_known else [], Cost()


CLOCK = ManualClock(10**18)


def service(fields: int) -> FieldsService:
    return FieldsService(Settings(), LogStore(fields), CLOCK, QueryThreads(CLOCK))


def listed(fields: int) -> Fields:
    return asyncio.run(service(fields).fields(TENANT, SearchParameters()))


def values(name: str, fields: int) -> Values:
    return asyncio.run(service(fields).values(TENANT, SearchParameters(), name, "", 10))


@pytest.mark.parametrize(("fields", "is_complete"), [(MAX_FIELDS - 1, True), (MAX_FIELDS, False)])
def test_a_list_of_as_many_fields_as_an_insert_counts_may_lack_some(fields: int, is_complete: bool) -> None:
    answer = listed(fields)

    assert (len(answer.fields), answer.complete) == (fields, is_complete)


@pytest.mark.parametrize(("fields", "is_complete"), [(MAX_FIELDS - 1, True), (MAX_FIELDS, False)])
@pytest.mark.parametrize(("name", "records"), [("a0", 2), ("other", 0)])
def test_values_may_lack_records_where_an_insert_had_too_many_fields(
    name: str, records: int, fields: int, is_complete: bool
) -> None:
    answer = values(name, fields)

    assert (answer.basis, answer.records, answer.complete) == ("inserted", records, is_complete)


@pytest.mark.parametrize(("name", "basis"), [("n" * MAX_TEXT_BYTES, "inserted"), ("é" + "n" * 255, "newest")])
def test_values_of_a_field_whose_name_is_too_long_to_be_counted_come_from_records(name: str, basis: str) -> None:
    answer = values(name, 1)

    assert (answer.basis, [each.value for each in answer.values]) == (basis, ["7"] if basis == "newest" else [])
