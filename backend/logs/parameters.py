"""Parameters of requests over logs: query parameters of a GET, or members of the JSON body of a POST.

A body allows queries that are too long for a URL. Unknown names are refused in both: in URLs by
backend/unknown_parameters.py, in bodies by these models.
"""

import re
from typing import Final

from pydantic import Field, ValidationInfo, field_validator

from backend.store.scope import OpenRange
from backend.strict_body import KnownMembers
from backend.times import parse_time

Time = str | int | None

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class SearchParameters(KnownMembers):
    """A query and a range of time."""

    query: str = Field("", description="Query text. Empty text matches every record.")
    start: Time = Field(
        None,
        description="Start of the range, inclusive: RFC 3339 or integer nanoseconds since 1970, not before 2000. If "
        "left out, the range begins with the oldest record that the tenant's retention keeps.",
    )
    end: Time = Field(
        None,
        description="End of the range, exclusive, in the form of `start`. If left out, the range ends "
        "`LOGSIEVE_FUTURE_TOLERANCE_SECONDS` from now: no record has a later time.",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object, field: ValidationInfo) -> object:
        # JSON can escape halves of surrogate pairs, which UTF-8 cannot hold. `query` is left to the language, whose
        # error has a position.
        if isinstance(value, str) and field.field_name != "query" and _SURROGATE.search(value):
            raise ValueError("it should be text without halves of surrogate pairs")
        return value

    def range(self) -> OpenRange:
        """Returns the requested range. Raises InvalidRequest for an invalid start or end."""
        return OpenRange(
            None if self.start is None else parse_time(self.start, "start"),
            None if self.end is None else parse_time(self.end, "end"),
        )
