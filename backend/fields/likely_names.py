"""Finds the known field that was probably meant by an unknown name."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from backend.language.fields import BUILT_IN

OTHER_NAMES: Final = {
    **dict.fromkeys(("level", "lvl", "log.level", "log_level", "loglevel", "severity_name"), "severity"),
    **dict.fromkeys(("service.name", "service_name", "app", "application"), "service"),
    **dict.fromkeys(("traceid", "trace.id", "trace-id"), "trace_id"),
    **dict.fromkeys(("spanid", "span.id", "span-id"), "span_id"),
    **dict.fromkeys(("event", "event.name"), "event_name"),
    **dict.fromkeys(("logger", "logger_name"), "scope.name"),
}
"""Names that other products use for a record's own fields."""

MAX_COMPARED: Final = 300
"""Largest number of names whose spelling is compared: the most frequent ones."""

MAX_COMPARED_CHARACTERS: Final = 64
"""Length of the longest name whose spelling is compared. The time grows with the square of the length."""

_SEPARATORS = re.compile("[._/@-]+")


def likely_name(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that was probably meant by `name`, or None.

    `known` holds the names of fields that records have, the most frequent first. A record's own field under another
    product's name comes first, then a longer name that has `name` as one of its parts, then the closest spelling.
    """
    folded = name.lower()
    if folded in OTHER_NAMES:
        return OTHER_NAMES[folded]
    names = [*known, *BUILT_IN]
    by_folded = {each.lower(): each for each in reversed(names)}
    if folded in by_folded:
        return by_folded[folded]
    for each in names:
        if folded in _SEPARATORS.split(each.lower()):
            return each
    if len(folded) > MAX_COMPARED_CHARACTERS:
        return None
    compared = [each.lower() for each in (*names[:MAX_COMPARED], *BUILT_IN) if len(each) <= MAX_COMPARED_CHARACTERS]
    close = get_close_matches(folded, compared, 1, 0.75)
    return by_folded[close[0]] if close else None
