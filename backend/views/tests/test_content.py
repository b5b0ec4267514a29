"""Tests that a view is refused if the chart could not count by its field."""

import dataclasses

import pytest

from backend.views.content import ViewContent, check_chart
from kit.errors import InvalidRequest

VIEW = ViewContent("Errors", "", "error", "now-1h", "now", "desc", (), "service", None, False)


@pytest.mark.parametrize("field", ["severity", "user.id", "attributes.body", "odd name"])
def test_a_field_whose_values_are_counted_is_stored(field: str) -> None:
    check_chart(dataclasses.replace(VIEW, chart_by=field))


@pytest.mark.parametrize("field", ["body", "trace_id", "timestamp"])
def test_any_other_field_is_refused(field: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^`chart_by` is '{field}': .*{field} cannot be "):
        check_chart(dataclasses.replace(VIEW, chart_by=field))


def test_a_view_of_an_earlier_release_keeps_its_field() -> None:
    stored = dataclasses.replace(VIEW, chart_by="body")
    check_chart(dataclasses.replace(stored, is_default=True), stored)
    with pytest.raises(InvalidRequest):
        check_chart(dataclasses.replace(stored, chart_by="trace_id"), stored)
