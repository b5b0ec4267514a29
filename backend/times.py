"""Times in the API: written as RFC 3339 with nine digits, read as RFC 3339 or integer nanoseconds."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from kit.errors import InvalidRequest

MAX_NS: Final = 2**63 - 1
EARLIEST_NS: Final = 946_684_800 * 10**9
"""Earliest time that a request may name, 2000-01-01 in UTC, in nanoseconds since the Unix epoch."""

_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_INTEGER: Final = re.compile(r"\d{1,19}", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(time: str | int, name: str) -> int:
    """Returns a time as nanoseconds since the Unix epoch. Raises InvalidRequest, with the parameter's name, for any
    other text.

    Refuses times before 2000, because such a number is nearly always in seconds, milliseconds or microseconds by
    mistake.
    """
    text = str(time)
    ns = int(text) if _INTEGER.fullmatch(text) else _from_rfc3339(text)
    if ns is None or not 0 <= ns <= MAX_NS:
        raise InvalidRequest(
            f"{name} is `{text[:100]}`: it must be a time such as 2026-01-31T12:00:00.5Z, or nanoseconds since 1970, "
            "between 2000 and 2262"
        )
    if ns < EARLIEST_NS:
        raise InvalidRequest(f"{name} is {text[:100]}, which is before 2000-01-01: {_hint(ns)}")
    return ns


def format_time(ns: int) -> str:
    """Returns the time as RFC 3339 in UTC with nine digits, which sorts as text in the order of time."""
    seconds, fraction = divmod(ns, 10**9)
    return f"{_second(seconds)}.{fraction:09d}Z"


def format_optional_time(ns: int | None) -> str | None:
    """Returns the time as `format_time` does; None for None."""
    return None if ns is None else format_time(ns)


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    """Returns the time without a fraction. Records of one page often share their seconds."""
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()[:19]


def _hint(number: int) -> str:
    for unit, factor in (("seconds", 10**9), ("milliseconds", 10**6), ("microseconds", 10**3)):
        if EARLIEST_NS <= number * factor <= MAX_NS:
            meant = number * factor
            return f"this looks like {unit}; send nanoseconds ({meant}) or RFC 3339 ({format_time(meant)})"
    return "send nanoseconds since 1970, or RFC 3339, of a later time"


def _from_rfc3339(text: str) -> int | None:
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    whole_seconds, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(whole_seconds.upper() + zone.upper())
    except ValueError:
        return None
    return (moment - _EPOCH) // timedelta(seconds=1) * 10**9 + int((fraction or "0").ljust(9, "0"))
