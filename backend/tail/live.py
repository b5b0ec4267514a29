"""Reads the end of the topic with one consumer for all tails of a process."""

import asyncio
import math
import queue
from collections.abc import Callable, Collection, Mapping
from functools import partial

import structlog
from confluent_kafka import KafkaError, Message

from backend.tail.continuing import continuation
from backend.tail.dispatch import Dispatch, refusal
from backend.tail.events import HEARTBEAT_SECONDS, Piece, gap, heartbeat, interrupted, restored
from backend.tail.fetched import Fetched
from backend.tail.group import Group, TailedQuery
from backend.tail.groups import Groups
from backend.tail.handover import Handover, PositionRequest
from backend.tail.lookups import Found, Lookups
from backend.tail.messages import TailedMessage
from backend.tail.position import TailPosition
from backend.tail.queue import TailQueue
from backend.tail.reading import Reading
from backend.tail.topic_reader import TopicReader, unreachable
from kit.clock import Clock
from kit.errors import LogsieveError, RateLimited, Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId

log = structlog.get_logger()

POLL_SECONDS = 0.1

_FAULT = "Logsieve ended this tail because of an internal error; the log of the API has the details. Connect again."


class LiveReader:
    """A thread that reads the partitions of all tails, and passes matching records to the event loop.

    Only the thread uses groups and offsets; only the event loop uses queues. Calls reach the thread as commands, pieces
    reach the loop by call_soon_threadsafe, each in order. A tail therefore gets every message from its start position
    on. Answers of `Lookups` are commands too.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._handover = Handover(self._loop)
        self._lookups = Lookups(settings)
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._groups = Groups()
        self._offsets: dict[int, int] = {}
        self._topic: TopicId | None = None
        self._count = 0
        self._dispatch = Dispatch(clock)
        self._outage: str | None = None
        self._behind: set[tuple[int, int]] = set()
        """Partitions and offsets that Kafka does not have, while the offsets that it has are being looked up."""
        self._is_checking = self._is_probing = False
        """True while Kafka has not answered a check if the topic has changed, or a probe after an error."""
        self._reader: Fetched | None = None
        self._next_heartbeat = clock.monotonic() + HEARTBEAT_SECONDS
        self._thread = Reading(self)
        self._thread.start()

    async def attach(self, query: TailedQuery, tail: TailQueue) -> TailPosition:
        """Attaches `tail` and returns its position, from which on it gets all matching records. Raises Unavailable."""
        return await self._position_for(query, tail)

    async def floor(self, query: TailedQuery) -> TailPosition:
        """Returns the earliest position from which a tail attached later can read. Raises Unavailable.

        This may be before the end of the topic: a thread that is behind the end also sends the later tail the messages
        in between.
        """
        return await self._position_for(query, None)

    def detach(self, query: TailedQuery, tail: TailQueue) -> None:
        """Stops feeding `tail`. Does nothing if it was not attached."""
        self._commands.put(lambda: self._detach(query, tail))

    async def close(self) -> None:
        self._thread.stop()
        self._commands.put(lambda: None)
        await asyncio.to_thread(self._thread.join)
        self._lookups.close()

    async def _position_for(self, query: TailedQuery, tail: TailQueue | None) -> TailPosition:
        requested = PositionRequest(query, tail, self._loop.create_future())
        self._commands.put(lambda: self._find_position(requested))
        return await requested.position()

    def run_once(self) -> None:
        """Runs commands, reads messages and sends heartbeats. The thread calls it, as well as `fail` and `end`."""
        self._run_commands(0 if self._groups else POLL_SECONDS)
        if self._groups:
            self._read()
        if self._clock.monotonic() >= self._next_heartbeat:
            self._next_heartbeat = self._clock.monotonic() + HEARTBEAT_SECONDS
            self._send_heartbeats()
        self._handover.flush()

    def fail(self) -> None:
        """Ends all tails with an internal error. New tails are still served afterwards."""
        self._end(Unavailable(_FAULT))

    def end(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _run_commands(self, seconds: float) -> None:
        try:
            while True:
                self._commands.get(timeout=seconds)() if seconds else self._commands.get_nowait()()
                seconds = 0
        except queue.Empty:
            return

    def _read(self) -> None:
        assert self._reader is not None
        self._reader.fetch(POLL_SECONDS)
        until = self._clock.monotonic() + POLL_SECONDS
        while (message := self._reader.next()) is not None:
            if (error := message.error()) is None:
                self._feed(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._reached_end(message)
            else:
                self._handle_error(message)
            # A message can take seconds, so commands, heartbeats and pieces do not wait for all messages.
            if not self._commands.empty() or self._clock.monotonic() >= until:
                break
        if self._outage is not None:
            self._probe_kafka()

    def _feed(self, message: Message) -> None:
        assert self._topic is not None
        read = TailedMessage(message, self._topic.epoch)
        # The tails of a partition may have ended since its messages were fetched.
        if read.offset < self._offsets.get(read.partition, math.inf):
            return
        here, refused = (self._topic.epoch, self._clock.now_ns(), self._offsets), None
        try:
            for offered in self._dispatch.offered(read, self._groups, lambda group: group.position(*here)):
                self._handover.offer([offered])
        except RateLimited as error:
            refused = error
        self._offsets[read.partition] = read.offset + 1
        if refused is not None:
            self._end(refused, self._groups.of_tenant(read.tenant_id))

    def _reached_end(self, message: Message) -> None:
        """Moves behind the markers of transactions at the end of a partition, which are no messages."""
        partition, end = message.partition(), message.offset()
        if partition in self._offsets and end is not None:
            self._offsets[partition] = max(self._offsets[partition], end)

    def _find_position(self, requested: PositionRequest) -> None:
        """Answers with the position at which a new tail begins, or Unavailable if Kafka is down."""
        if not self._groups:
            # Without tails, nothing was read since the error, so Kafka may be reachable again.
            self._outage = None
        if self._outage is not None:
            self._handover.answer(requested, unreachable(self._outage))
            return
        query = requested.query
        if self._groups and self._topic is not None and query.partitions(self._count) <= self._offsets.keys():
            self._settle(requested, Found(self._topic, self._count, {}))
            return
        self._lookups.topic_and_ends(
            query,
            lambda found: self._commands.put(lambda: self._settle(requested, found)),
            lambda: not requested.answered.done(),
        )

    def _settle(self, requested: PositionRequest, found: Found | LogsieveError) -> None:
        # The caller was cancelled, and may have detached its tail already.
        if requested.answered.done():
            return
        if isinstance(found, Found) and self._groups:
            found = found.changed_from(self._topic, self._count) or found
        if self._dispatch.takes_too_long(requested.query.tenant_id, self._groups):
            found = refusal()
        if isinstance(found, LogsieveError):
            self._handover.answer(requested, found)
            return
        self._topic, self._count = found.topic, found.partitions
        query, tail = requested.query, requested.tail
        group = self._groups.of_query(query, self._count)
        offsets = {**{each: end for each, (_, end) in found.ends.items()}, **self._offsets}
        if tail is not None:
            self._attach(group, tail, offsets)
        self._handover.answer(requested, group.position(found.topic.epoch, self._clock.now_ns(), offsets))

    def _attach(self, group: Group, tail: TailQueue, offsets: Mapping[int, int]) -> None:
        if self._reader is None:
            self._reader = Fetched(TopicReader(self._settings, self._failed, reports_ends=True))
        if missing := group.partitions - self._offsets.keys():
            self._offsets |= {each: offsets[each] for each in missing}
            self._reader.assign(self._offsets)
        self._groups.attach(group, tail)

    def _detach(self, query: TailedQuery, tail: TailQueue) -> None:
        self._groups.detach(query, tail)
        self._release()

    def _release(self) -> None:
        """Stops reading the partitions that no tail needs any more."""
        wanted = self._groups.partitions()
        if wanted != self._offsets.keys() and self._reader is not None:
            self._offsets = {each: self._offsets[each] for each in wanted}
            self._reader.assign(self._offsets)

    def _send_heartbeats(self) -> None:
        if not self._groups:
            return
        assert self._topic is not None
        here = self._topic.epoch, self._clock.now_ns(), self._offsets
        self._handover.offer(
            [(tuple(each.members), heartbeat(each.position(*here), each.query.digest)) for each in self._groups]
        )
        if self._outage is None and not self._is_checking:
            self._is_checking = True
            self._lookups.topic(lambda found: self._commands.put(lambda: self._checked(found)))

    def _checked(self, found: Found | LogsieveError) -> None:
        self._is_checking = False
        if isinstance(found, LogsieveError):
            log.warning("Kafka did not answer with the topic's id and number of partitions", reason=found.detail)
        elif (change := found.changed_from(self._topic, self._count)) is not None:
            self._end(change)

    def _handle_error(self, message: Message) -> None:
        error = message.error()
        assert error is not None
        partition = message.partition()
        if error.code() != KafkaError._AUTO_OFFSET_RESET or partition is None:
            log.warning("Kafka reported an error to live tails", reason=error.str())
            return
        position = self._offsets.get(partition)
        if position is not None and (partition, position) not in self._behind:
            self._behind.add((partition, position))
            then = partial(self._continue_in, partition, position)
            self._lookups.ends(partition, lambda found: self._commands.put(partial(then, found)))

    def _continue_in(self, partition: int, position: int, found: Found | LogsieveError) -> None:
        """Continues to read a partition without a message at `position`, unless its tails have ended meanwhile. Ends
        its tails if Kafka did not answer, and all tails if the topic has changed."""
        self._behind.discard((partition, position))
        if self._reader is None or self._offsets.get(partition) != position:
            return
        if isinstance(found, LogsieveError):
            self._end(found, self._groups.reading(partition))
            return
        if (change := found.changed_from(self._topic, self._count)) is not None:
            self._end(change)
            return
        place = continuation(position, *found.ends[partition])
        values = {"partition": partition, "offset": position, "continues_at": place.offset, "reason": place.missing}
        log.warning("Kafka does not have the next messages of live tails", **values)
        self._offsets[partition] = place.offset
        self._reader.assign(self._offsets)
        piece = gap(place.missing)
        self._handover.offer([(tuple(group.members), piece) for group in self._groups.reading(partition)])

    def _failed(self, error: KafkaError) -> None:
        """Notes that Kafka is unreachable. librdkafka calls it within the thread's own polls."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN and self._outage is None and self._groups:
            self._outage = error.str()
            log.warning("Kafka does not answer; live tails wait", reason=self._outage)
            self._offer_all(interrupted(f"Kafka does not answer: {self._outage}"))

    def _probe_kafka(self) -> None:
        if not self._is_probing:
            self._is_probing = True
            self._lookups.topic(lambda found: self._commands.put(lambda: self._probed(found)))

    def _probed(self, found: Found | LogsieveError) -> None:
        self._is_probing = False
        if isinstance(found, LogsieveError) or self._outage is None:
            return
        self._outage = None
        if (change := found.changed_from(self._topic, self._count)) is not None:
            self._end(change)
            return
        self._offer_all(restored())

    def _offer_all(self, piece: Piece) -> None:
        self._handover.offer([(tuple(group.members), piece) for group in self._groups])

    def _end(self, error: LogsieveError, groups: Collection[Group] | None = None) -> None:
        """Ends the tails of the groups, or all tails if no groups are given."""
        ended = [*(self._groups if groups is None else groups)]
        self._handover.end([tail for group in ended for tail in group.members], error)
        self._groups.remove(ended)
        self._release()
