"""Parses times that users type at a terminal."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import typer

_AGO: Final = re.compile(r"(\d+)(s|m|h|d)")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_ALLOWED: Final = "give how long ago (30s, 15m, 1h, 7d), a day (2026-11-21) or an RFC 3339 time (2026-11-21T08:00:00Z)"


def rfc3339(text: str, now: datetime) -> str:
    """Returns the RFC 3339 form of a time, of a duration before `now`, or of a day's first midnight in local time."""
    try:
        if ago := _AGO.fullmatch(text):
            return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is not a time: {_ALLOWED}") from error
    if _DAY.fullmatch(text):
        return moment.astimezone().isoformat()
    if moment.tzinfo is None:
        raise typer.BadParameter(f"{text!r} lacks a time zone: add Z or an offset such as +01:00")
    return text


def seconds_of(text: str) -> int:
    """Returns the seconds of a duration such as 90s, 5m, 1h or 7d. Raises typer.BadParameter."""
    duration = _AGO.fullmatch(text)
    if duration is None:
        raise typer.BadParameter(f"{text!r} is not a duration: write a number with s, m, h or d, such as 5m")
    return int(timedelta(**{_UNITS[duration[2]]: int(duration[1])}).total_seconds())


def view_time(text: str) -> str:
    """Returns the form that saved views have: `now`, `now-1h` for a duration before now, or RFC 3339."""
    if text == "now":
        return text
    return f"now-{text}" if _AGO.fullmatch(text) else rfc3339(text, datetime.now(UTC))


def expiry_ns(text: str, now: datetime) -> int:
    """Returns nanoseconds since the Unix epoch for a time, or for a duration after `now` (`90d`, `12h`)."""
    if ahead := _AGO.fullmatch(text):
        return round((now + timedelta(**{_UNITS[ahead[2]]: int(ahead[1])})).timestamp()) * 10**9
    return round(datetime.fromisoformat(rfc3339(text, now)).timestamp() * 10**6) * 10**3
