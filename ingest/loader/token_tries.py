"""Limits the time in which an insert is repeated under its token, because ClickHouse forgets tokens.

docs/decisions/0007-what-clickhouse-remembers.md has the calculation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from ingest.loader.insert_errors import NothingStored
from kit.clock import Clock
from kit.errors import LogsieveError, Unavailable

ROWS_SECONDS: Final = 45.0
"""Seconds after the first try that may have stored rows of a log table, in which the token may be sent again."""

COUNTS_SECONDS: Final = 2 * ROWS_SECONDS
"""Like ROWS_SECONDS, for counts of fields. Their table remembers twice as many blocks."""

R = TypeVar("R")


class TokenMayBeForgotten(Unavailable):
    """ClickHouse may have stored rows under the token, and forgotten the token since then."""

    def __init__(self) -> None:
        super().__init__("ClickHouse may have stored these rows already, and no longer recognise a repetition")


@dataclass(slots=True)
class TokenTries:
    """Tries of one insert under its token.

    `since` is the time, in seconds of the monotonic clock, from which on ClickHouse may have had rows under the token;
    None while it has none.
    """

    clock: Clock
    seconds: float
    since: float | None

    @property
    def may_be_stored(self) -> bool:
        return self.since is not None

    def check(self) -> None:
        """Raises TokenMayBeForgotten if another try could store rows twice. Call it directly before the insert is
        sent, because the steps before that may take long."""
        if self.since is not None and self.clock.monotonic() - self.since > self.seconds:
            raise TokenMayBeForgotten

    def run(self, insert: Callable[[], R]) -> R:
        """Runs the insert and returns its result. Raises TokenMayBeForgotten if that could store rows twice."""
        self.check()
        started = self.clock.monotonic()
        try:
            return insert()
        except NothingStored:
            raise
        except LogsieveError:
            if self.since is None:
                self.since = started
            raise
