"""Implements the operations that ingest.loader.split needs, for the rows of one lane of one batch at their shard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from schema.otlp import LogMessage

BeforeSending = Callable[[], None]
"""Called directly before an insert is sent, after its deadline was computed. Raises if the insert must not be sent."""


@dataclass(frozen=True, slots=True)
class MissingRows:
    """Rows to insert: those of the messages, except those of the days `without_days`."""

    messages: Sequence[LogMessage]
    without_days: frozenset[int]


class PartsSink(Protocol):
    """The part of ingest.loader.insert.Inserter that loading in parts needs."""

    def insert_missing(
        self, shard: int, lane: int, missing: MissingRows, token: str, before_sending: BeforeSending
    ) -> None: ...

    def stored_days(self, shard: int, lane: int, messages: Sequence[LogMessage]) -> dict[int, frozenset[int]]: ...

    def stop(self, shard: int, token: str) -> float: ...

    def check_stopped(self, shard: int, token: str, none_starts_after: float | None) -> None: ...


@dataclass(frozen=True, slots=True)
class LaneParts:
    """Rows of one lane of one batch at their shard. `token` is the token of the whole range.

    `in_slot` runs an insert as soon as the lane has a slot. `before_sending` is called directly before it is sent.
    """

    sink: PartsSink
    shard: int
    lane: int
    token: str
    in_slot: Callable[[Callable[[], None]], None]
    before_sending: BeforeSending

    def insert_missing(self, piece: tuple[LogMessage, ...], without_days: frozenset[int]) -> None:
        missing = MissingRows(piece, without_days)
        self.in_slot(partial(self.sink.insert_missing, self.shard, self.lane, missing, self.token, self.before_sending))

    def stored_days(self, piece: tuple[LogMessage, ...]) -> dict[int, frozenset[int]]:
        return self.sink.stored_days(self.shard, self.lane, piece)

    def stop(self) -> float:
        return self.sink.stop(self.shard, self.token)

    def check_stopped(self, none_starts_after: float | None) -> None:
        self.sink.check_stopped(self.shard, self.token, none_starts_after)
