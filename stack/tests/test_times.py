"""Times that people type."""

import time
from datetime import UTC, datetime

import pytest
import typer

from stack.cli.times import after, expiry_ns, rfc3339, seconds_of, view_time

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("90m", "2026-11-22T10:30:00+00:00"),
        ("2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z"),
        ("2026-11-21", "2026-11-21T00:00:00+09:00"),
    ],
)
def test_a_day_begins_at_local_midnight(text: str, means: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert rfc3339(text, NOW) == means
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-41", "2026-11-21T08:00", "99999999999d", "9999999d", "20261121", "0001-01-01"]
)
def test_others_are_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"time|too long"):
        rfc3339(text, NOW)


@pytest.mark.parametrize(
    ("text", "stored"),
    [("now", "now"), ("90m", "now-90m"), ("2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z")],
)
def test_the_times_of_views_stay_relative(text: str, stored: str) -> None:
    assert view_time(text) == stored


@pytest.mark.parametrize("text", ["99999999999d", "9999999d", "5", "5w", "-5m"])
def test_durations_that_lead_to_no_time_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        after(text, NOW)
    with pytest.raises(typer.BadParameter):
        expiry_ns(text, NOW)


def test_a_duration_that_is_too_long_is_refused() -> None:
    assert seconds_of("2h") == 7200
    with pytest.raises(typer.BadParameter, match="too long"):
        seconds_of("99999999999d")


def test_a_wrong_expiry_is_refused_with_times_from_now() -> None:
    with pytest.raises(typer.BadParameter, match=r"'5x' is not a time: give how long from now \(12h, 90d\), a day"):
        expiry_ns("5x", NOW)
