"""Reads times as the web UI writes them: `now`, `now-90m` or RFC 3339."""

import re
from typing import Final

from backend.times import parse_time
from kit.errors import InvalidRequest

MAX_CHARACTERS: Final = 64
LONGEST_SECONDS: Final = 3660 * 86_400
"""Largest distance of a relative time from now, in seconds: about ten years. The web UI has the same limit."""

_RELATIVE: Final = re.compile(r"now(?:-((?:[0-9]{1,9}[smhdw])+))?")
_PART: Final = re.compile(r"([0-9]+)([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def resolve_time(text: str, now_ns: int, name: str) -> int:
    """Returns the time in nanoseconds since the Unix epoch, for the present `now_ns`.

    Raises InvalidRequest for any other text; the error says `name`, the member that has the text.
    """
    relative = _RELATIVE.fullmatch(text)
    if relative is None:
        if len(text) > MAX_CHARACTERS or text.isdecimal() or text.startswith("now"):
            raise _unreadable(text, name)
        return parse_time(text, name)
    if relative[1] is None:
        return now_ns
    seconds = sum(int(count) * _SECONDS[unit] for count, unit in _PART.findall(relative[1]))
    if not 0 < seconds <= LONGEST_SECONDS or len(text) > MAX_CHARACTERS:
        raise _unreadable(text, name)
    return now_ns - seconds * 10**9


def _unreadable(text: str, name: str) -> InvalidRequest:
    return InvalidRequest(
        f"{name} is `{text[:100]}`: it must be `now`, a time before now such as `now-90m` or `now-7d` (units s, m, h, "
        "d and w, up to ten years), or a time such as 2026-01-31T12:00:00Z"
    )
