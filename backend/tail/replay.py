"""What a resumed tail has missed: read from the topic by a consumer of its own that ends with it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from types import TracebackType
from typing import Final, Self

from confluent_kafka import KafkaError, Message

from backend.tail.events import Piece, gap
from backend.tail.group import TailedQuery
from backend.tail.messages import TailedMessage
from backend.tail.position import Position
from backend.tail.topic_reader import TopicReader
from kit import metrics
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.tenant_partitions import partitions_of
from schema.topic import read_topic_id

QUIET_SECONDS: Final = 10.0
"""Longest that a replay waits for messages that are known to be there."""

_POLL_SECONDS: Final = 0.5
_CLOCKS_APART_MS: Final = 60_000


class Replay:
    """From a client's last event on. Closing it ends the consumer."""

    def __init__(self, settings: Settings, query: TailedQuery, clock: Clock) -> None:
        self._settings = settings
        self._query = query
        self._clock = clock
        self._reader = TopicReader(settings, lambda _error: None)
        self._position: Position | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._reader.close)

    async def begin(self, last: Position) -> Piece | None:
        """Goes to where the client was; a gap where it cannot, or may not, go so far back. Raises Unavailable."""
        self._position, missing = await asyncio.to_thread(self._place, last)
        if missing is None:
            return None
        metrics.counter(metrics.TAIL_GAPS).add(1)
        return gap(missing)

    async def up_to(self, ends: Mapping[int, int]) -> AsyncGenerator[Piece]:
        """Everything that matches before these offsets. Raises Unavailable when Kafka stops answering."""
        quiet_since = self._clock.monotonic()
        left = {each: offset for each, offset in self._here.offsets.items() if offset < ends.get(each, 0)}
        if left:
            await asyncio.to_thread(self._reader.assign, left)
        while left:
            messages = await asyncio.to_thread(self._reader.read, _POLL_SECONDS)
            if messages:
                quiet_since = self._clock.monotonic()
            elif self._clock.monotonic() - quiet_since > QUIET_SECONDS:
                raise Unavailable("Kafka does not give what the tail has missed")
            for message in messages:
                piece = self._take(message, left, ends)
                if piece is not None:
                    yield piece

    @property
    def _here(self) -> Position:
        assert self._position is not None, "begin comes first"
        return self._position

    def _take(self, message: Message, left: dict[int, int], ends: Mapping[int, int]) -> Piece | None:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._AUTO_OFFSET_RESET:
                raise Unavailable("Kafka deleted what the tail was about to read; connect again")
            return None
        read = TailedMessage(message, self._here.topic_epoch)
        if read.partition not in left:
            return None
        piece = None
        if read.offset < ends[read.partition]:
            piece = self._query.events(read, self._here)
            self._advance(read.partition, read.offset + 1)
        if read.offset + 1 >= ends[read.partition]:
            self._advance(read.partition, max(read.offset, ends[read.partition]))
            del left[read.partition]
        return piece

    def _advance(self, partition: int, offset: int) -> None:
        here = self._here
        offsets = {**here.offsets, partition: offset}
        # What was sent of the begun message stays known until that partition is gone past.
        self._position = Position(here.topic_epoch, self._clock.now_ns(), offsets, here.begun, here.rows)
        if partition == here.begun:
            self._position = Position(here.topic_epoch, self._clock.now_ns(), offsets)

    def _place(self, last: Position) -> tuple[Position, str | None]:
        epoch = read_topic_id(self._settings).epoch
        count = self._reader.partitions()
        partitions = partitions_of(self._query.tenant_id, count) | {each for each in last.offsets if each < count}
        ends = self._reader.ends(partitions)
        if epoch != last.topic_epoch:
            # Its offsets mean nothing here.
            return self._from_end(epoch, ends), "the topic was created again since"
        earliest_ms = self._clock.now_ns() // 10**6 - self._settings.tail_resume_seconds * 1000
        # A partition that was added since has all its messages from after the last event, or nearly so.
        unknown_ms = max(earliest_ms, last.time_ns // 10**6 - _CLOCKS_APART_MS)
        floors = self._reader.offsets_at(
            {each: earliest_ms if each in last.offsets else unknown_ms for each in partitions}
        )
        offsets, missing = {}, None
        for each, (first, end) in ends.items():
            floor = end if floors[each] < 0 else max(first, floors[each])
            wanted = last.offsets.get(each, floor)
            if wanted > end:
                missing = "the last event is from a future that the topic does not have"
                wanted = end
            elif wanted < floor:
                missing = (
                    "records are gone from Kafka"
                    if wanted < first
                    else f"a tail resumes {self._settings.tail_resume_seconds} seconds at most"
                )
                wanted = floor
            offsets[each] = wanted
        rows = last.rows if offsets.get(last.begun) == last.offsets.get(last.begun) else 0
        return Position(epoch, self._clock.now_ns(), offsets, last.begun, rows), missing

    def _from_end(self, epoch: int, ends: Mapping[int, tuple[int, int]]) -> Position:
        return Position(epoch, self._clock.now_ns(), {each: end for each, (_, end) in ends.items()})
