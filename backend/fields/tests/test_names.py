"""Tests that the names of fields mean the same fields in a query."""

import pytest

from backend.fields.names import Counted, query_names
from backend.language.fields import Field, Source
from backend.store.counted_field import counted_field


def names(*fields: Field) -> list[str]:
    return [name for name, _ in query_names(Counted(field, 1) for field in fields)]


def test_names_are_as_short_as_they_may_be() -> None:
    assert names(Field(Source.record, "service"), Field(Source.attributes, "user.id")) == ["service", "user.id"]
    assert names(Field(Source.attributes, "x"), Field(Source.resource, "x")) == ["attributes.x", "resource.x"]
    assert names(Field(Source.attributes, "service")) == ["attributes.service"]
    assert names(Field(Source.attributes, "timestamp")) == ["attributes.timestamp"]
    assert names(Field(Source.resource, "attributes.x")) == ["resource.attributes.x"]


@pytest.mark.parametrize("name", ["", "a\0b", "\0"])
def test_an_attribute_that_no_query_can_name_is_left_out(name: str) -> None:
    assert names(Field(Source.attributes, name), Field(Source.resource, name), Field(Source.attributes, "x")) == ["x"]


@pytest.mark.parametrize("name", ["x", "attributes.service", "ключ", "a b", "service", "scope.name"])
def test_a_name_leads_back_to_its_field(name: str) -> None:
    field = counted_field(name)

    source = Source.attributes if field.source is Source.either else field.source
    assert counted_field(names(Field(source, field.name))[0]) == field
