"""Tests of times as RFC 3339 and as nanoseconds, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.times import EARLIEST_NS, MAX_NS, format_time, parse_time
from kit.errors import InvalidRequest


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        (1_700_000_000_000_000_001, 1_700_000_000_000_000_001),
        ("1700000000000000001", 1_700_000_000_000_000_001),
        ("2000-01-01T00:00:00Z", EARLIEST_NS),
        ("2000-01-01T00:00:00.5Z", EARLIEST_NS + 500_000_000),
        ("2023-11-14T22:13:20.000000001Z", 1_700_000_000_000_000_001),
        ("2023-11-14t23:13:20.000000001+01:00", 1_700_000_000_000_000_001),
        ("2023-11-14 17:13:20-05:00", 1_700_000_000_000_000_000),
    ],
)
def test_accepts(text: str | int, ns: int) -> None:
    assert parse_time(text, "start") == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "-1",
        "1.5",
        str(MAX_NS + 1),
        "2023-13-14T22:13:20Z",
        "2023-11-14T22:13:20",
        "2023-11-14T25:13:20Z",
        "2023-11-14T22:13:20.0000000001Z",
        "1969-12-31T23:59:59Z",
        "2300-01-01T00:00:00Z",
        "\uff12023-11-14T22:13:20Z",
    ],
)
def test_refuses_with_the_parameters_name(text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"^start is `.*: it must be a time"):
        parse_time(text, "start")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "1700000000",
            r"looks like seconds; send nanoseconds \(1700000000000000000\) or RFC 3339 \(2023-11-14",
        ),
        (1_700_000_000_123, r"looks like milliseconds; send nanoseconds \(1700000000123000000\)"),
        ("1700000000123456", r"looks like microseconds; send nanoseconds \(1700000000123456000\)"),
        ("0", "of a later time"),
        (True, "it must be a time"),
        ("1999-12-31T23:59:59Z", "before 2000-01-01"),
    ],
)
def test_a_time_that_is_no_nanoseconds_says_what_it_looks_like(text: str | int, hint: str) -> None:
    with pytest.raises(InvalidRequest, match=hint):
        parse_time(text, "start")


@given(st.integers(EARLIEST_NS, MAX_NS))
def test_what_is_written_is_read_back(ns: int) -> None:
    assert parse_time(format_time(ns), "start") == ns


@given(st.integers(0, MAX_NS), st.integers(0, MAX_NS))
def test_text_sorts_as_time(one: int, other: int) -> None:
    assert (format_time(one) < format_time(other)) == (one < other)
