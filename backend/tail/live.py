"""The end of the topic, read once by one consumer for all tails of a process."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable

import structlog
from confluent_kafka import KafkaError, Message

from backend.tail.events import HEARTBEAT_SECONDS, Piece, gap, heartbeat, interrupted, restored
from backend.tail.group import Group, TailedQuery
from backend.tail.messages import TailedMessage
from backend.tail.position import Position
from backend.tail.queue import TailQueue
from backend.tail.reading import Reading
from backend.tail.topic_reader import TopicReader
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.tenant_partitions import partitions_of
from schema.topic import read_topic_id

log = structlog.get_logger()

POLL_SECONDS = 0.1

_FAULT = "the tail was interrupted by a fault of ours; connect again"


class LiveReader:
    """A thread that reads the partitions somebody tails, and hands what matches to the event loop.

    Only the thread touches groups and offsets; only the loop touches queues. Calls come to the thread as commands,
    pieces to the loop by call_soon_threadsafe, each in order: a tail gets every message from its start position on.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._groups: dict[TailedQuery, Group] = {}
        self._offsets: dict[int, int] = {}
        self._topic: TopicId | None = None
        self._count = 0
        self._away: str | None = None
        self._stopping = threading.Event()
        self._reader: TopicReader | None = None
        self._next_heartbeat = clock.monotonic() + HEARTBEAT_SECONDS
        self._thread = Reading(self)
        self._thread.start()

    async def attach(self, query: TailedQuery, tail: TailQueue) -> Position:
        """From the returned position on, everything that matches is offered to `tail`. Raises Unavailable."""
        return await self._asked(lambda: self._attach(query, tail))

    async def floor(self, query: TailedQuery) -> Position:
        """What a tail that is attached later cannot begin before. Raises Unavailable.

        Not the end of the topic: the thread may be behind it, and what it has still to read comes to that tail.
        """
        return await self._asked(lambda: self._floor(query))

    def detach(self, query: TailedQuery, tail: TailQueue) -> None:
        """Whether or not it was attached."""
        self._commands.put(lambda: self._detach(query, tail))

    async def close(self) -> None:
        self._stopping.set()
        self._thread.stop()
        await asyncio.to_thread(self._thread.join)

    async def _asked(self, ask: Callable[[], Position]) -> Position:
        answered: asyncio.Future[Position] = self._loop.create_future()

        def command() -> None:
            try:
                position = ask()
            except LogsieveError as error:
                self._call(_fail, answered, error)
            except Exception:
                self._call(_fail, answered, Unavailable(_FAULT))
                raise
            else:
                self._call(_succeed, answered, position)

        self._commands.put(command)
        return await answered

    def turn(self) -> None:
        """Obeys commands, reads, and sends heartbeats. Called by the thread, as `fail` and `end` are."""
        self._obey(0 if self._groups else POLL_SECONDS)
        if self._groups:
            self._read()
        if self._clock.monotonic() >= self._next_heartbeat:
            self._next_heartbeat = self._clock.monotonic() + HEARTBEAT_SECONDS
            self._beat()

    def fail(self) -> None:
        """Tells all tails that they ended by a fault of ours; new ones are served."""
        self._end_all(Unavailable(_FAULT))

    def end(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _obey(self, seconds: float) -> None:
        try:
            while True:
                self._commands.get(timeout=seconds)() if seconds else self._commands.get_nowait()()
                seconds = 0
        except queue.Empty:
            return

    def _read(self) -> None:
        assert self._reader is not None
        offered: list[tuple[tuple[TailQueue, ...], Piece]] = []
        for message in self._reader.read(POLL_SECONDS):
            if message.error() is None:
                offered += self._dispatch(message)
            else:
                self._trouble(message)
        if offered:
            self._call(_offer, offered)
        if self._away is not None:
            self._look_for_kafka()

    def _dispatch(self, message: Message) -> Iterable[tuple[tuple[TailQueue, ...], Piece]]:
        assert self._topic is not None
        read = TailedMessage(message, self._topic.epoch)
        if read.offset < self._offsets.get(read.partition, 0):
            return
        wanted = [group for group in self._groups.values() if group.query.tenant_id == read.tenant_id]
        if not wanted:
            metrics.counter(metrics.TAIL_MESSAGES).add(1, {"outcome": "skipped"})
        for group in wanted:
            position = group.position(self._topic.epoch, self._clock.now_ns(), self._offsets)
            piece = group.query.events(read, position)
            if piece is not None:
                yield tuple(group.members), piece
        self._offsets[read.partition] = read.offset + 1

    def _attach(self, query: TailedQuery, tail: TailQueue) -> Position:
        reader, topic = self._ready()
        group = self._groups.get(query)
        if group is None:
            group = Group(query, partitions_of(query.tenant_id, self._count))
            if unread := self._unread(reader, group):
                self._offsets |= unread
                reader.assign(self._offsets)
            self._groups[query] = group
        group.members.add(tail)
        self._count_tails()
        return group.position(topic.epoch, self._clock.now_ns(), self._offsets)

    def _floor(self, query: TailedQuery) -> Position:
        reader, topic = self._ready()
        group = Group(query, partitions_of(query.tenant_id, self._count))
        offsets = self._offsets | self._unread(reader, group)
        return group.position(topic.epoch, self._clock.now_ns(), offsets)

    def _ready(self) -> tuple[TopicReader, TopicId]:
        if not self._groups:
            # Nobody watched whether it came back.
            self._away = None
        if self._away is not None:
            raise Unavailable(f"Kafka does not answer: {self._away}")
        if self._reader is None:
            self._reader = TopicReader(self._settings, self._failed)
        if not self._groups or self._topic is None:
            self._topic, self._count = read_topic_id(self._settings), self._reader.partitions()
        return self._reader, self._topic

    def _unread(self, reader: TopicReader, group: Group) -> dict[int, int]:
        """The ends of those of its partitions that nobody tails yet."""
        missing = group.partitions - self._offsets.keys()
        return {partition: end for partition, (_, end) in reader.ends(missing).items()}

    def _detach(self, query: TailedQuery, tail: TailQueue) -> None:
        group = self._groups.get(query)
        if group is None:
            return
        group.members.discard(tail)
        if not group.members:
            del self._groups[query]
            self._release()
        self._count_tails()

    def _release(self) -> None:
        """Partitions that nobody tails are not read any more."""
        wanted = frozenset[int]().union(*(group.partitions for group in self._groups.values()))
        if wanted != self._offsets.keys() and self._reader is not None:
            self._offsets = {each: self._offsets[each] for each in wanted}
            self._reader.assign(self._offsets)

    def _beat(self) -> None:
        if not self._groups:
            return
        if self._away is None and self._reader is not None and self._reader.partitions() != self._count:
            # Keys lead to other partitions from now on; a tail that resumes reads those too, from before the change.
            self._end_all(Unavailable("the topic has more partitions now; connect again"))
            return
        assert self._topic is not None
        epoch, now = self._topic.epoch, self._clock.now_ns()
        beats = [
            (tuple(group.members), heartbeat(group.position(epoch, now, self._offsets), group.query.digest))
            for group in self._groups.values()
        ]
        self._call(_offer, beats)

    def _trouble(self, message: Message) -> None:
        error = message.error()
        assert error is not None
        partition = message.partition()
        if error.code() != KafkaError._AUTO_OFFSET_RESET or partition is None or self._reader is None:
            log.warning("Kafka could not deliver to tails", reason=error.str())
            return
        first, _ = self._reader.ends([partition])[partition]
        log.warning("tails fell behind what Kafka keeps", partition=partition, first=first)
        self._offsets[partition] = first
        self._reader.assign(self._offsets)
        missing = [g for g in self._groups.values() if partition in g.partitions]
        self._call(_offer, [(tuple(g.members), gap("records are gone from Kafka unread")) for g in missing])

    def _failed(self, error: KafkaError) -> None:
        """From within the thread's own polls."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN and self._away is None and self._groups:
            self._away = error.str()
            log.warning("Kafka is away, tails wait", reason=self._away)
            self._tell(interrupted(f"Kafka does not answer: {self._away}"))

    def _look_for_kafka(self) -> None:
        assert self._reader is not None
        try:
            self._reader.partitions()
            topic = read_topic_id(self._settings)
        except Unavailable:
            self._stopping.wait(POLL_SECONDS)
            return
        self._away = None
        if topic != self._topic:
            self._end_all(Unavailable("the topic was created again; connect again"))
            return
        self._tell(restored())

    def _tell(self, piece: Piece) -> None:
        self._call(_offer, [(tuple(group.members), piece) for group in self._groups.values()])

    def _end_all(self, error: LogsieveError) -> None:
        self._call(_end, [tail for group in self._groups.values() for tail in group.members], error)
        self._groups.clear()
        self._release()
        self._count_tails()

    def _count_tails(self) -> None:
        metrics.gauge(metrics.TAIL_ACTIVE).set(sum(len(group.members) for group in self._groups.values()))

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)


def _offer(pieces: list[tuple[tuple[TailQueue, ...], Piece]]) -> None:
    for tails, piece in pieces:
        for tail in tails:
            tail.offer(piece)


def _end(tails: list[TailQueue], error: LogsieveError) -> None:
    for tail in tails:
        tail.end(error, keep=True)


def _succeed(attached: "asyncio.Future[Position]", position: Position) -> None:
    if not attached.done():
        attached.set_result(position)


def _fail(attached: "asyncio.Future[Position]", error: LogsieveError) -> None:
    if not attached.done():
        attached.set_exception(error)
