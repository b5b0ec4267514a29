"""Tests which fields have values that can be counted."""

import pytest

from backend.language.fields import Field, Source
from backend.store.counted_field import counted_field
from kit.errors import InvalidRequest


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("service", Field(Source.record, "service")),
        ("attributes.service", Field(Source.attributes, "service")),
        ("a b", Field(Source.either, "a b")),
    ],
)
def test_a_name_means_the_field_that_a_query_means(name: str, field: Field) -> None:
    assert counted_field(name) == field


@pytest.mark.parametrize("name", ["", "body", "trace_id", "timestamp", "attributes.", "flags"])
def test_fields_whose_values_are_not_counted_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest):
        counted_field(name)
