"""OpenTelemetry severities as number ranges.

Source: OpenTelemetry logs data model, field SeverityNumber: 1-4 trace, 5-8 debug, 9-12 info, 13-16 warn,
17-20 error, 21-24 fatal; 0 is unspecified.
"""

from enum import IntEnum


class Severity(IntEnum):
    """The six ranges of severity numbers. The value of a member is the first number of its range."""

    trace = 1
    debug = 5
    info = 9
    warn = 13
    error = 17
    fatal = 21

    @property
    def first(self) -> int:
        return int(self)

    @property
    def last(self) -> int:
        return int(self) + 3


UNSPECIFIED = "unspecified"


def name_of(number: int) -> str:
    """Returns the name of the number's range; `unspecified` for numbers outside 1-24."""
    if not 1 <= number <= 24:
        return UNSPECIFIED
    return Severity((number - 1) // 4 * 4 + 1).name
