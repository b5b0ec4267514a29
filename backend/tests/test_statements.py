"""Tests that a statement is made from a scope, and that no text of a user is part of its SQL."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from backend.fields.statements import counted_fields, counted_totals, counted_values, sampled_fields, sampled_values
from backend.language.fields import Field, Source
from backend.language.nodes import Equals
from backend.patterns.statements import count_steps, newest_messages
from backend.store.compile.filter import compile_filter
from backend.store.order import Order
from backend.store.query import Query
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange
from backend.store.select_indexes import estimate
from backend.store.select_records import (
    select_by_keys,
    select_keys,
    select_packed_by_keys,
    select_packed_page,
    select_page,
    select_record,
)
from backend.store.statement import Statement, only_value
from backend.store.tables import Table

SCOPE = Scope(7, (0, 3), ("r30", "r90"), TimeRange(10, 20))
KEY = RecordId(12, 34)
HARMLESS = "word"
HOSTILE = "') SETTINGS log_comment = '8' -- \\' file(`/etc/passwd`)"

FORBIDDEN = re.compile(r"settings|\bfile\W*\(", re.IGNORECASE)
"""SQL that no statement may have: a SETTINGS clause would override the tenant's setting, and `file` reads files."""


def query(text: str) -> Query:
    return Query(SCOPE, compile_filter(Equals(Field(Source.either, text), text)), Order.desc, 10, KEY)


MADE: dict[str, Callable[[str], Statement[Any]]] = {
    "page": lambda text: select_page(query(text)),
    "page of few columns": lambda text: select_packed_page(query(text)),
    "keys": lambda text: select_keys(query(text)),
    "by keys": lambda _: select_by_keys(SCOPE, [KEY], Order.asc),
    "few columns by keys": lambda _: select_packed_by_keys(SCOPE, [KEY], Order.asc),
    "record": lambda _: select_record(SCOPE, KEY),
    "estimate": lambda _: estimate(SCOPE),
    "explain": lambda text: select_page(query(text)).explained("indexes = 1 ", only_value),
    "messages of patterns": lambda text: newest_messages(SCOPE, query(text).matching, 5),
    "matching of patterns": lambda text: count_steps(SCOPE, query(text).matching, 5),
    "fields": lambda _: counted_fields(SCOPE, 5),
    "totals": lambda text: counted_totals(SCOPE, text),
    "values": lambda text: counted_values(SCOPE, text, [Source.attributes], text, 5),
    "sampled fields": lambda text: sampled_fields(SCOPE, query(text).matching, 5),
    "sampled values": lambda text: sampled_values(SCOPE, query(text).matching, Field(Source.resource, text), text, 5),
}


@pytest.mark.parametrize("kind", MADE)
def test_no_text_of_a_user_is_part_of_a_statement(kind: str) -> None:
    assert MADE[kind](HOSTILE).sql == MADE[kind](HARMLESS).sql
    assert FORBIDDEN.search(MADE[kind](HOSTILE).sql) is None


@pytest.mark.parametrize("kind", MADE)
def test_every_placeholder_has_a_value_and_the_tenant_is_the_scopes(kind: str) -> None:
    statement = MADE[kind](HOSTILE)
    named = set(re.findall(r"\{(\w+):", statement.sql))

    assert named <= set(statement.parameters)
    assert "tenant_id = {tenant_id:UInt32}" in statement.sql
    assert (statement.parameters["tenant_id"], statement.tenant_id) == (7, 7)


@pytest.mark.parametrize("table", Table)
def test_a_statement_has_no_other_constructor_than_the_one_that_takes_a_scope(table: Table) -> None:
    first, *others = inspect.signature(Statement).parameters.values()
    assert first.annotation is Scope
    assert first.default is inspect.Parameter.empty
    assert not {"sql", "tenant_id", "parameters"} & {each.name for each in others}

    statement = Statement(SCOPE, "count()", only_value, table, condition="1 OR 1")
    where = statement.sql.split("WHERE ")[1]
    assert where.startswith("tenant_id = {tenant_id:UInt32}\n  AND ")
    # Without parentheses, a condition with OR in it would widen the scope.
    assert where.endswith("(1 OR 1)")
