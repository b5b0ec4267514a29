"""Converts the widths of time buckets, such as `5m`, between text and nanoseconds."""

import re
from typing import Final

from kit.errors import InvalidQuery

_UNITS: Final = {"d": 86_400 * 10**9, "h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6}
"""Nanoseconds of each unit, the largest first."""
_DURATION: Final = re.compile("([1-9][0-9]{0,8})(ms|s|m|h|d)")
MAX_NS: Final = 36_500 * _UNITS["d"]
"""Largest width in nanoseconds: 36,500 days."""


def duration_ns(text: str, position: int) -> int:
    """Returns the duration in nanoseconds. Raises InvalidQuery at `position` for text that is none."""
    found = _DURATION.fullmatch(text)
    width_ns = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < width_ns <= MAX_NS:
        raise InvalidQuery(
            f"{text[:40]!r} is not the width of a time bucket: write a whole number from 1 and ms, s, m, h or d, at "
            "most 36500d",
            position,
            ("a width such as 5m",),
        )
    return width_ns


def print_duration(width_ns: int) -> str:
    """Returns the duration with its largest unit, so that `duration_ns` gives it back."""
    unit, ns = next((unit, ns) for unit, ns in _UNITS.items() if width_ns % ns == 0)
    return f"{width_ns // ns}{unit}"
