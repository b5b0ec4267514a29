"""Limits on what one statement may use in ClickHouse, and the error texts when one is hit."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from backend.store.statement import Statement, SystemStatement
from kit.errors import QueryTooExpensive, RateLimited
from kit.settings import Settings

_ROWS: Final = 158
_SECONDS: Final = (159, 160)
_MEMORY: Final = 241
_BYTES: Final = 307
_RESULT: Final = 396
"""Error codes of ClickHouse (src/Common/ErrorCodes.cpp)."""
_NARROWER: Final = "search a shorter time range, or add a word that few records have"


class AnswerTooLarge(QueryTooExpensive):
    """The answer exceeds the limit on its bytes. A statement for fewer rows may succeed."""


class ShareTooSmall(RateLimited):
    """The answer exceeds the tenant's present share of the limit on bytes. A statement for fewer rows may succeed, and
    so may the same statement while fewer statements of the tenant run."""


class RanTooLong(QueryTooExpensive):
    """A statement, or all statements of a search, ran longer than the `seconds` that they may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the search ran longer than {seconds:g} s: {_NARROWER}")


class NoTimeLeft(RanTooLong):
    """Earlier statements of the same page, record or side of a context have used up its time, so that no statement may
    run, not even over a shorter range or for fewer rows."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Limits of one statement: seconds, bytes of memory, rows and bytes read, bytes of the answer."""

    seconds: float
    """Seconds of a whole search, which errors name."""
    memory: int
    rows: int
    read: int
    result: int
    groups: int | None = None
    """Number of groups of a GROUP BY after which ClickHouse leaves out further groups; None for no such number."""
    seconds_left: float = math.inf
    """Seconds that earlier statements of the same page have left to this one."""
    is_result_shared: bool = False
    """True if the answer may be larger when fewer statements of the tenant run."""

    def of(self, statement: Statement[Any] | SystemStatement[Any]) -> Self:
        """Returns the limits of one statement: these limits, or the statement's own limits where they are smaller."""
        memory = statement.settings.get("max_memory_usage", self.memory)
        share = statement.settings.get("max_result_bytes", self.result)
        own = self.result if statement.result_bytes is None else statement.result_bytes
        return replace(
            self,
            seconds_left=statement.settings.get("max_execution_time", math.inf),
            memory=min(self.memory, memory),
            result=min(self.result, own, share),
            groups=statement.max_groups,
            is_result_shared=share < min(self.result, own),
        )

    @property
    def statement_seconds(self) -> float:
        """Seconds that the statement may run."""
        return min(self.seconds, self.seconds_left)

    def settings(self, reads_all: bool) -> dict[str, str | int | float]:
        """Returns the limits as ClickHouse settings.

        ClickHouse compares `max_rows_to_read` with its estimate of all rows in range before it reads any. A statement
        that `reads_all` and could not end in time is thereby refused immediately. A page stops early, so it would be
        refused for rows that it never reads. It is therefore limited by the bytes that it reads.
        """
        limits: dict[str, str | int | float] = {
            "max_execution_time": self.statement_seconds,
            "timeout_overflow_mode": "throw",
            "max_memory_usage": self.memory,
            "max_bytes_to_read": self.read,
            "read_overflow_mode": "throw",
            "max_result_bytes": self.result,
            "result_overflow_mode": "throw",
        }
        if self.groups is not None:
            limits |= {"max_rows_to_group_by": self.groups, "group_by_overflow_mode": "any"}
        return limits | ({"max_rows_to_read": self.rows} if reads_all else {})

    def hit(self, code: int | None) -> QueryTooExpensive | RateLimited | None:
        """Returns the error for a limit that was hit, with the limit's value and advice.

        Returns None for any other error code.
        """
        if code == _RESULT and self.is_result_shared:
            return ShareTooSmall(
                f"the answer is larger than {self.result:,} bytes, the limit of each of this tenant's present "
                "searches: send fewer concurrent searches, or request fewer records at once"
            )
        if code in _SECONDS:
            return RanTooLong(self.seconds)
        reason = self._reason(code)
        if reason is None:
            return None
        return AnswerTooLarge(reason) if code == _RESULT else QueryTooExpensive(reason)

    def _reason(self, code: int | None) -> str | None:
        if code == _MEMORY:
            return f"the search needed more than {self.memory:,} bytes of memory: {_NARROWER}, or request less at once"
        if code == _ROWS:
            return f"the search would read more than {self.rows:,} rows: search a shorter time range"
        if code == _BYTES:
            return f"the search read more than {self.read:,} bytes: {_NARROWER}"
        if code == _RESULT:
            return f"the answer is larger than {self.result:,} bytes: request fewer records or groups at once"
        return None


def query_limits(settings: Settings) -> QueryLimits:
    """Returns the limits of the settings."""
    return QueryLimits(
        settings.query_max_seconds,
        settings.query_max_memory,
        settings.query_max_rows,
        settings.query_max_read_bytes,
        settings.query_max_result_bytes,
    )
