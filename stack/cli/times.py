"""Parses times that users type at a terminal."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import typer

_AGO: Final = re.compile(r"(\d+)(s|m|h|d)")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DURATIONS: Final = "write a number with s, m, h or d, such as 5m"
_DAY_OR_TIME: Final = "a day (2026-11-21) or an RFC 3339 time (2026-11-21T08:00:00Z)"
_PAST: Final = f"give how long ago (30s, 15m, 1h, 7d), {_DAY_OR_TIME}"
_FUTURE: Final = f"give how long from now (12h, 90d), {_DAY_OR_TIME}"


def rfc3339(text: str, now: datetime, allowed: str = _PAST) -> str:
    """Returns the RFC 3339 form of a time, of a duration before `now`, or of a day's first midnight in local time.

    Raises typer.BadParameter, which ends with `allowed`, for any other text.
    """
    try:
        if _AGO.fullmatch(text):
            return (now - _duration(text)).isoformat()
        moment = datetime.fromisoformat(text)
        if _DAY.fullmatch(text):
            return moment.astimezone().isoformat()
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is not a time: {allowed}") from error
    if moment.tzinfo is None:
        raise typer.BadParameter(f"{text!r} lacks a time zone: add Z or an offset such as +01:00")
    return text


def seconds_of(text: str) -> int:
    """Returns the seconds of a duration such as 90s, 5m, 1h or 7d. Raises typer.BadParameter."""
    return int(_duration(text).total_seconds())


def after(text: str, now: datetime) -> datetime:
    """Returns the time that is a duration such as 2h after `now`. Raises typer.BadParameter."""
    try:
        return now + _duration(text)
    except OverflowError as error:
        raise typer.BadParameter(f"{text!r} is too long: {_DURATIONS}") from error


def view_time(text: str) -> str:
    """Returns the form that saved views have: `now`, `now-1h` for a duration before now, or RFC 3339."""
    if text == "now":
        return text
    return f"now-{text}" if _AGO.fullmatch(text) else rfc3339(text, datetime.now(UTC))


def expiry_ns(text: str, now: datetime) -> int:
    """Returns nanoseconds since the Unix epoch for a time, or for a duration after `now` (`90d`, `12h`)."""
    if _AGO.fullmatch(text):
        return round(after(text, now).timestamp()) * 10**9
    return round(datetime.fromisoformat(rfc3339(text, now, _FUTURE)).timestamp() * 10**6) * 10**3


def _duration(text: str) -> timedelta:
    """Raises typer.BadParameter for a text that is no duration, or one that is too long."""
    parts = _AGO.fullmatch(text)
    if parts is None:
        raise typer.BadParameter(f"{text!r} is not a duration: {_DURATIONS}")
    try:
        return timedelta(**{_UNITS[parts[2]]: int(parts[1])})
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is too long: {_DURATIONS}") from error
