"""Tests that a view is refused if the chart could not count by its field."""

import dataclasses

import pytest

from backend.views.content import ViewContent, check_content
from kit.errors import InvalidRequest

VIEW = ViewContent("Errors", "", "error", "now-1h", "now", "desc", (), "service", None, False)


@pytest.mark.parametrize("field", ["severity", "user.id", "attributes.body", "odd name"])
def test_a_field_whose_values_are_counted_is_stored(field: str) -> None:
    check_content(dataclasses.replace(VIEW, chart_by=field), 0)


@pytest.mark.parametrize("field", ["body", "trace_id", "timestamp"])
def test_any_other_field_is_refused(field: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^`chart_by` is '{field}': .*{field} cannot be "):
        check_content(dataclasses.replace(VIEW, chart_by=field), 0)
