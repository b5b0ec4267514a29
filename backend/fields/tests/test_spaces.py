"""Tests which space is left out of a query that has one between a field and its value."""

import pytest

from backend.fields.hints import _without_space


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("service: cart", "service:cart"),
        ("my_service: x service: cart", "my_service: x service:cart"),
        ("a service:  cart service: b", "a service:cart service: b"),
        ("a\\b: c service: d", "a\\b: c service:d"),
    ],
)
def test_only_the_space_after_the_field_is_left_out(text: str, meant: str) -> None:
    assert _without_space(text, "service") == meant
