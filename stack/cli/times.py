"""Times as people type them at a terminal."""

import re
from datetime import datetime, timedelta
from typing import Final

import typer

_AGO: Final = re.compile(r"(\d+)(s|m|h|d)")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def rfc3339(text: str, now: datetime) -> str:
    """RFC 3339 for the API, of a time or of how long ago it was."""
    if ago := _AGO.fullmatch(text):
        return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is neither 15m, 1h, 7d … nor an RFC 3339 time") from error
    if moment.tzinfo is None:
        raise typer.BadParameter(f"{text!r} lacks a time zone: add Z or an offset")
    return text
