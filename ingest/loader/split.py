"""Loads a lane's rows of a batch in parts, if all of them together cost ClickHouse too much.

Parts have no tokens. Instead, at most one insert of a row runs at any time, and each insert leaves out the rows that
the table has: docs/decisions/0018-what-an-insert-may-cost.md shows why that loads every row exactly once.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ingest.loader.backoff import delays
from ingest.loader.insert_errors import TooExpensive
from kit import metrics
from kit.errors import LogsieveError
from schema.otlp import LogMessage

TRIES: Final = 3
"""Tries of an insert of a single message at its own limits before the message becomes a dead letter."""

SLOW_BYTES: Final = 2**20
"""Smallest size of the rows of a message, in bytes, from which on the rows may be the cause of a limit of time. Fewer
bytes reach it only if the server is slow."""

Piece = tuple[LogMessage, ...]


class Parts(Protocol):
    """Operations on the rows of one lane of one batch. Each raises a LogsieveError on failure, and may be repeated."""

    def insert_missing(self, piece: Piece, without_days: frozenset[int]) -> None: ...

    def stored_days(self, piece: Piece) -> dict[int, frozenset[int]]: ...

    def stop(self) -> float: ...

    def check_stopped(self, none_starts_after: float | None) -> None: ...


@dataclass(slots=True)
class Splitter:
    """Loads `messages` of one lane of one batch, which must be in order of their offsets.

    `persist` repeats a step until it succeeds. `give_up` makes a message a dead letter and returns when Kafka has it.
    `wait` waits the given seconds. `report` receives the reason why the batch waits. All of them raise if another
    loader owns the partition.
    """

    lane: int
    parts: Parts
    persist: Callable[[Callable[[], None]], None]
    give_up: Callable[[LogMessage, str], None]
    wait: Callable[[float], None]
    report: Callable[[LogsieveError], None]
    _tries: Counter[int] = field(default_factory=Counter)

    def load(self, messages: Sequence[LogMessage], all_answered: bool) -> None:
        """Returns when each message is either stored or a dead letter.

        `all_answered` says that ClickHouse has answered every earlier insert of these rows, so that none can still
        begin.
        """
        self._settle(all_answered)
        pieces: deque[Piece] = deque(halves(tuple(messages)))
        pauses = delays()
        while pieces:
            whole = pieces.popleft()
            stored = self._stored(whole)
            if stored is None:
                pieces.extendleft(reversed(halves(whole)))
                continue
            piece = tuple(each for each in whole if not _days(each) <= _of(stored, each))
            days = frozenset[int]().union(*(_of(stored, each) for each in piece))
            if any(_days(each) & days != _of(stored, each) for each in piece):
                # A statement leaves out the same days for all of its messages, so messages with different stored days
                # are separated.
                pieces.extendleft(reversed(halves(piece)))
                continue
            if not piece:
                continue
            try:
                self.parts.insert_missing(piece, days)
            except TooExpensive as error:
                # The remaining pieces go to the end of the queue, so that other messages are loaded first.
                pieces.extend(self._after_limit(piece, days, error))
                self._settle(all_answered=True)
                if len(piece) == 1:
                    self.wait(next(pauses))
            except LogsieveError as error:
                self.report(error)
                pieces.appendleft(piece)
                self.wait(next(pauses))
                self._settle(all_answered=False)
            else:
                pauses = delays()

    def _settle(self, all_answered: bool) -> None:
        """Returns when no earlier insert of these rows runs or can still begin."""
        after: list[float] = []
        if not all_answered:
            self.persist(lambda: after.append(self.parts.stop()))
        self.persist(lambda: self.parts.check_stopped(after[-1] if after else None))

    def _stored(self, piece: Piece) -> dict[int, frozenset[int]] | None:
        """Returns the stored days of the messages, or None if they must be read for fewer messages at a time."""

        def read() -> dict[int, frozenset[int]] | None:
            try:
                return self.parts.stored_days(piece)
            except TooExpensive as error:
                if len(piece) == 1 or not error.own:
                    raise
                self.report(error)
                return None

        found: list[dict[int, frozenset[int]] | None] = []
        self.persist(lambda: found.append(read()))
        return found[-1]

    def _after_limit(self, piece: Piece, stored: frozenset[int], error: TooExpensive) -> list[Piece]:
        """Returns the pieces that remain to be loaded after the insert of a piece ended at a limit."""
        self.report(error)
        if len(piece) > 1:
            metrics.counter(metrics.LOADER_SPLITS).add(1, {"lane": str(self.lane)})
            return halves(piece)
        message = piece[0]
        # A limit that other statements or a slow server may have reached says nothing about this message.
        is_cause = error.own and not (error.in_time and message.message.row_bytes < SLOW_BYTES)
        self._tries[message.first_record_id] += is_cause
        if self._tries[message.first_record_id] < TRIES:
            return [piece]
        part = f"; its rows for {len(stored)} of {len(_days(message))} days are already stored" if stored else ""
        self.give_up(message, f"{error.detail}; the message was inserted alone and failed {TRIES} times{part}")
        return []


def halves(piece: Piece) -> list[Piece]:
    """Splits a piece into two whose lengths differ by at most one message. Returns a piece of one message unchanged."""
    middle = len(piece) // 2
    return [part for part in (piece[:middle], piece[middle:]) if part]


def _days(message: LogMessage) -> frozenset[int]:
    return frozenset(message.message.days)


def _of(stored: dict[int, frozenset[int]], message: LogMessage) -> frozenset[int]:
    return stored.get(message.first_record_id, frozenset())
