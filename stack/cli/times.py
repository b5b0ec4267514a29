"""Times as people type them at a terminal."""

import re
from datetime import datetime, timedelta
from typing import Final

import typer

_AGO: Final = re.compile(r"(\d+)(s|m|h|d)")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_ALLOWED: Final = "give how long ago (30s, 15m, 1h, 7d), a day (2026-11-21) or an RFC 3339 time (2026-11-21T08:00:00Z)"


def rfc3339(text: str, now: datetime) -> str:
    """Returns RFC 3339 of a time, of how long ago it was, or of a day, which means its first midnight in local time."""
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


def expiry_ns(text: str, now: datetime) -> int:
    """Nanoseconds since the Unix epoch of a time that is given as such, or by how far ahead it is (`90d`, `12h`)."""
    if ahead := _AGO.fullmatch(text):
        return round((now + timedelta(**{_UNITS[ahead[2]]: int(ahead[1])})).timestamp()) * 10**9
    return round(datetime.fromisoformat(rfc3339(text, now)).timestamp() * 10**6) * 10**3
