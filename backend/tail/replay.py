"""Reads the records that a resumed tail has missed, with a consumer of its own that ends with the replay."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from types import TracebackType
from typing import Final, ParamSpec, Self, TypeVar

from confluent_kafka import KafkaError, Message

from backend.tail.events import Piece, gap
from backend.tail.group import TailedQuery
from backend.tail.messages import TailedMessage
from backend.tail.position import TailPosition
from backend.tail.topic_reader import REQUEST_SECONDS, TopicReader, topic_id
from kit import metrics
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.tenant_partitions import possible_partitions
from schema.topic import TopicIdReader

QUIET_SECONDS: Final = 10.0
"""Longest time, in seconds, that a replay waits for messages that are in Kafka already."""

_POLL_SECONDS: Final = 0.5
_SEARCH_SECONDS: Final = 0.25
"""Processor time, in seconds, from which on a search without a match is interrupted, so that its limits are checked."""

_CLOCKS_APART_MS: Final = 60_000
_UNKNOWN_PARTITIONS: Final = "the id of the last event names partitions that cannot have logs of this tenant"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Replay:
    """Reads the topic from a client's last event on. Closing it closes the consumer."""

    def __init__(
        self,
        settings: Settings,
        query: TailedQuery,
        clock: Clock,
        thread_time: Callable[[], float] = time.thread_time,
    ) -> None:
        """`thread_time` returns the processor time of the calling thread, in seconds."""
        self._settings = settings
        self._query = query
        self._clock = clock
        self._reader = TopicReader(settings, lambda _error: None, reports_ends=True)
        # One thread, so that the reader is closed after a read has ended, not during it, when a client disconnects.
        self._thread = ThreadPoolExecutor(1, "tail-replay")
        self._position: TailPosition | None = None
        self._former = frozenset[int]()
        """Partitions of the client's position that new messages of the tenant no longer use, because partitions were
        added to the topic. Receivers write to them for some minutes after the change."""
        self._thread_time = thread_time
        self.processor_seconds = 0.0
        """Processor time, in seconds, that decoding and searching messages has taken."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        closing = self._thread.submit(self._reader.close)
        self._thread.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closing))

    async def start(self, last: TailPosition, requested_ns: int) -> Piece | None:
        """Goes to the client's position.

        Returns a gap event if records after the position are missing, because Kafka has deleted them or because the
        position is too old; otherwise None. A position's age counts until `requested_ns`, the time of the request.
        Raises Unavailable.
        """
        self._position, missing = await self._call(self._place, last, requested_ns)
        if missing is None:
            return None
        metrics.counter(metrics.TAIL_GAPS).add(1)
        return gap(missing)

    async def up_to(self, ends: Mapping[int, int]) -> AsyncGenerator[Piece | None]:
        """Yields matching records before these offsets, and None after some time without a match.

        Reads former partitions to their present end. Raises Unavailable when Kafka stops answering.
        """
        here = self.position
        if self._former:
            former = await self._call(self._reader.ends, self._former)
            ends = {**{each: end for each, (_, end) in former.items()}, **ends}
        steps: list[Mapping[int, int]] = [ends]
        if here.rows and (offset := here.offsets[here.started]) < ends.get(here.started, 0):
            # A position has the number of rows of one message only. The rest of a message that was sent in part is
            # therefore sent before records of other partitions, whose ids would not have this number.
            steps.insert(0, {here.started: offset + 1})
        for step in steps:
            async with aclosing(self._up_to(step)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _up_to(self, ends: Mapping[int, int]) -> AsyncGenerator[Piece | None]:
        quiet_since = self._clock.monotonic()
        left = {each: offset for each, offset in self.position.offsets.items() if offset < ends.get(each, 0)}
        if left:
            await self._call(self._reader.assign, left.copy())
        while left:
            before, needed = self.position, len(left)
            messages = await self._call(self._reader.read, _POLL_SECONDS)
            found, is_searched = self._found(messages, left, ends), not messages
            while not is_searched:
                piece, is_searched = await self._call(self._search, found)
                yield piece
                if self.position is not before:
                    quiet_since = self._clock.monotonic()
            # Only a new position counts as progress. Messages of partitions that were read to their end do not change
            # the position.
            if self.position is before and self._clock.monotonic() - quiet_since > QUIET_SECONDS:
                raise Unavailable("Kafka did not deliver the records that the tail missed; connect again")
            if left and len(left) < needed:
                await self._call(self._reader.assign, {each: self.position.offsets[each] for each in left})

    @property
    def position(self) -> TailPosition:
        """Position before which all records were yielded."""
        assert self._position is not None, "`start` must be called first"
        return self._position

    async def _call(self, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Runs a function on the replay's thread, because Kafka requests and decoding take time."""
        return await asyncio.wrap_future(self._thread.submit(function, *arguments, **named))

    def _search(self, found: Iterator[tuple[Piece | None, TailPosition]]) -> tuple[Piece | None, bool]:
        """Returns the next piece, or None after some processor time without a match, and whether all is searched."""
        started = self._thread_time()
        piece: Piece | None = None
        is_searched = False
        while True:
            if (step := next(found, None)) is None:
                is_searched = True
            else:
                piece, self._position = step
            seconds = self._thread_time() - started
            if piece is not None or is_searched or seconds >= _SEARCH_SECONDS:
                break
        self.processor_seconds += seconds
        return piece, is_searched

    def _found(
        self, messages: Sequence[Message], left: dict[int, int], ends: Mapping[int, int]
    ) -> Iterator[tuple[Piece | None, TailPosition]]:
        """Yields pieces of matching records, and None after each slice or message without a match, each with the
        position behind it.

        Removes from `left` the partitions that are read to their end.
        """
        for message in messages:
            yield from self._taken(message, left, ends)

    def _taken(
        self, message: Message, left: dict[int, int], ends: Mapping[int, int]
    ) -> Iterator[tuple[Piece | None, TailPosition]]:
        error, here = message.error(), self.position
        if error is not None and error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise Unavailable("Kafka deleted the next records of the tail before they were read; connect again")
        partition, reached = message.partition(), message.offset()
        if partition not in left or reached is None:
            return
        if error is None:
            if reached < ends[partition]:
                yield from self._evaluated(TailedMessage(message, here.topic_epoch), here)
                reached += 1
        elif error.code() != KafkaError._PARTITION_EOF:
            return
        # The last offset may be no message: a transaction ends with a marker that is not delivered.
        if reached >= ends[partition]:
            del left[partition]
        yield None, self._advanced(here, partition, reached)

    def _evaluated(self, read: TailedMessage, here: TailPosition) -> Iterator[tuple[Piece | None, TailPosition]]:
        if read.tenant_id != self._query.tenant_id:
            return
        sent = here.rows_sent(read.partition, read.offset)
        for rows in read.slices([self._query.text_steps]):
            for piece in self._query.events(read, here, rows):
                yield piece, here.inside(read.partition, read.offset, piece.rows)
            yield None, here.inside(read.partition, read.offset, max(sent, rows.stop))

    def _advanced(self, here: TailPosition, partition: int, offset: int) -> TailPosition:
        if offset <= here.offsets[partition]:
            return here
        offsets, now_ns = {**here.offsets, partition: offset}, self._clock.now_ns()
        if partition == here.started:
            return TailPosition(here.topic_epoch, now_ns, offsets)
        # The number of rows sent of the partial message is kept until its partition is read past it.
        return TailPosition(here.topic_epoch, now_ns, offsets, here.started, here.rows)

    def _place(self, last: TailPosition, requested_ns: int) -> tuple[TailPosition, str | None]:
        epoch = topic_id(TopicIdReader(self._settings, REQUEST_SECONDS)).epoch
        count = self._reader.partitions()
        named = frozenset(last.offsets)
        known = possible_partitions(self._query.tenant_id, named, count, self._query.ways)
        present = self._query.partitions(count)
        self._former = known - present
        partitions = present | known
        ends = self._reader.ends(partitions)
        if epoch != last.topic_epoch:
            # Offsets of the deleted topic are not valid in this one.
            return self._from_end(epoch, ends), "the topic was deleted and created again"
        earliest_ms = requested_ns // 10**6 - self._settings.tail_resume_seconds * 1000
        # A partition that was added since the last event has no messages from before it, apart from differences of
        # clocks.
        unknown_ms = max(earliest_ms, last.time_ns // 10**6 - _CLOCKS_APART_MS)
        floors = self._reader.offsets_at(
            {each: earliest_ms if each in last.offsets else unknown_ms for each in partitions}
        )
        offsets, continued, missing = {}, set[int](), None if known == named else _UNKNOWN_PARTITIONS
        for each, (first, end) in ends.items():
            floor = end if floors[each] < 0 else max(first, floors[each])
            wanted = last.offsets.get(each, floor)
            if each in last.offsets and last.sent_until(each) > end:
                missing = "the last event is newer than anything in the topic"
                wanted = end
            elif wanted < floor:
                missing = (
                    "Kafka deleted records before the tail connected again"
                    if wanted < first
                    else f"a tail resumes after {self._settings.tail_resume_seconds} seconds at most"
                )
                wanted = floor
            else:
                continued.add(each)
            offsets[each] = wanted
        rows = last.rows if last.started in continued else 0
        return TailPosition(epoch, self._clock.now_ns(), offsets, last.started, rows), missing

    def _from_end(self, epoch: int, ends: Mapping[int, tuple[int, int]]) -> TailPosition:
        return TailPosition(epoch, self._clock.now_ns(), {each: end for each, (_, end) in ends.items()})
