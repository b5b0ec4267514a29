"""What one statement may use in ClickHouse, and what to tell whoever asked for more."""

from dataclasses import dataclass, replace
from typing import Any, Final, Self

from backend.store.statement import Statement, SystemStatement
from kit.errors import QueryTooExpensive
from kit.settings import Settings

_ROWS: Final = 158
_SECONDS: Final = (159, 160)
_MEMORY: Final = 241
_BYTES: Final = 307
_RESULT: Final = 396
"""Codes of src/Common/ErrorCodes.cpp."""
_NARROWER: Final = "search a shorter time range, or add a word that few records have"


class AnswerTooLarge(QueryTooExpensive):
    """The statement is answered with more bytes than it may be: fewer rows at once are no problem."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Seconds, bytes of memory, rows and bytes read, bytes of the answer: of one statement."""

    seconds: float
    memory: int
    rows: int
    read: int
    result: int

    def of(self, statement: Statement[Any] | SystemStatement[Any]) -> Self:
        """Returns the limits of one statement, which may have smaller ones of its own."""
        memory = statement.settings.get("max_memory_usage", self.memory)
        result = self.result if statement.result_bytes is None else statement.result_bytes
        return replace(self, memory=min(self.memory, memory), result=min(self.result, result))

    def settings(self, reads_all: bool) -> dict[str, str | int | float]:
        """As ClickHouse's settings.

        ClickHouse compares `max_rows_to_read` with its estimate of all rows in range before it has read one. For a
        statement that `reads_all`, that refuses at once what could not end in time; a page, which stops early, would
        be refused for what it never reads, so only the bytes it does read count.
        """
        limits: dict[str, str | int | float] = {
            "max_execution_time": self.seconds,
            "timeout_overflow_mode": "throw",
            "max_memory_usage": self.memory,
            "max_bytes_to_read": self.read,
            "read_overflow_mode": "throw",
            "max_result_bytes": self.result,
            "result_overflow_mode": "throw",
        }
        return limits | ({"max_rows_to_read": self.rows} if reads_all else {})

    def hit(self, code: int | None) -> QueryTooExpensive | None:
        """The limit that an error of ClickHouse is about, its value, and what to do; None for any other error."""
        told = self._told(code)
        if told is None:
            return None
        return AnswerTooLarge(told) if code == _RESULT else QueryTooExpensive(told)

    def _told(self, code: int | None) -> str | None:
        if code in _SECONDS:
            return ran_too_long(self.seconds)
        if code == _MEMORY:
            return f"the search needed more than {self.memory:,} bytes of memory: {_NARROWER}, or ask for less at once"
        if code == _ROWS:
            return f"the search would read more than {self.rows:,} rows: search a shorter time range"
        if code == _BYTES:
            return f"the search read more than {self.read:,} bytes: {_NARROWER}"
        if code == _RESULT:
            return f"the answer is larger than {self.result:,} bytes: ask for fewer records at once"
        return None


def ran_too_long(seconds: float) -> str:
    """What to tell whoever's search did."""
    return f"the search ran longer than {seconds:g} s: {_NARROWER}"


def query_limits(settings: Settings) -> QueryLimits:
    """What the settings allow."""
    return QueryLimits(
        settings.query_max_seconds,
        settings.query_max_memory,
        settings.query_max_rows,
        settings.query_max_read_bytes,
        settings.query_max_result_bytes,
    )
