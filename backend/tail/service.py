"""Runs tails from their first event to their last: limits, resuming, revoked keys, the end of the process."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.steps import expression_steps, text_steps
from backend.predicate.predicate import compile_predicate
from backend.store.query_threads import QueryThreads
from backend.tail.budget import TailBudget
from backend.tail.events import HEARTBEAT_SECONDS, Piece, ended, heartbeat, opened
from backend.tail.group import TailedQuery
from backend.tail.handover import POSITION_SECONDS
from backend.tail.live import LiveReader
from backend.tail.paced import paced
from backend.tail.position import TailPosition, digest_of, read_tail_position
from backend.tail.queue import TailQueue
from backend.tail.replay import Replay
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError, RateLimited, Unavailable
from kit.settings import Settings
from schema.tenant_partitions import UNCHANGED, Ways

log = structlog.get_logger()

CHECK_SECONDS = 1.0
REPLAYS = 4
"""Number of tails that may resume concurrently, at most one of each tenant.

Each needs a consumer until it has caught up.
"""

REPLAY_SECONDS = 60.0
"""Longest time, in seconds, that a client may take to read its missed records, because other tails wait for the replay
to end."""

REPLAY_PROCESSOR_SECONDS = 30.0
"""Largest processor time, in seconds, that the search for one tail's missed records may take. The tail then ends, and
its client resumes from there after tails of other tenants that wait."""

BEHIND_CHECK_SECONDS = 0.1
"""Seconds between two checks if a live reader that is behind the last event of a resumed tail has reached it."""

MORE_PARTITIONS = "the tenant's logs may use more partitions now; connect again"
STOPPING = "this server is stopping; connect again"


@dataclass(slots=True)
class OpenTail:
    """A tail that was admitted. `start` is the position at which a new tail begins.

    For a resumed tail that is catching up, `last` is the position from which it resumes; otherwise it is None.
    `requested_ns` is the time of the request, in nanoseconds since the Unix epoch.
    """

    query: TailedQuery
    queue: TailQueue
    last: TailPosition | None
    requested_ns: int = 0
    start: TailPosition | None = None


class TailService:
    """All tails of a process. Use it only in the event loop in which it was made."""

    def __init__(self, settings: Settings, clock: Clock, queries: QueryThreads) -> None:
        self._settings = settings
        self._queries = queries
        self._clock = clock
        self._live = LiveReader(settings, clock)
        self._budget = TailBudget()
        self._tails: dict[TailQueue, TailedQuery] = {}
        self._replays = asyncio.Semaphore(REPLAYS)
        self._tenant_replays: dict[int, asyncio.Lock] = {}
        self._is_ending = False

    async def open(self, tenant_id: int, query: str, last_event_id: str | None, ways: Ways = UNCHANGED) -> OpenTail:
        """Admits a tail of a tenant whose messages have `ways` keys.

        Raises InvalidQuery, InvalidCursor, RateLimited, and Unavailable without Kafka and after `end`.
        """
        number = ways.read(self._clock.now_ns())
        tailed = await self._queries.run(tenant_id, lambda: _tailed(tenant_id, query, number))
        last = None if last_event_id is None else read_tail_position(last_event_id, tailed.digest)
        if self._is_ending:
            raise Unavailable(STOPPING)
        self._admit(tailed)
        queue = TailQueue(self._settings.tail_buffer_bytes, tenant_id, self._budget)
        queue.awaits_replay = last is not None
        tail = OpenTail(tailed, queue, last, self._clock.now_ns())
        self._tails[tail.queue] = tailed
        if last is None:
            try:
                tail.start = await self._live.attach(tail.query, tail.queue)
            except BaseException:
                self.forget(tail)
                raise
        return tail

    async def events(self, tail: OpenTail, renew: Callable[[], Ways]) -> AsyncGenerator[bytes]:
        """Yields the stream's bytes.

        `renew` returns the number of keys of the tenant's messages, and raises an error once the client's key is no
        longer valid. If messages may soon have more keys, the stream ends, and the client resumes in all their
        partitions.
        """

        def check() -> None:
            if renew().read(self._clock.now_ns()) > tail.query.ways:
                raise Unavailable(MORE_PARTITIONS)

        try:
            if tail.start is not None:
                yield opened(tail.start, tail.query.digest).text
            elif tail.last is not None:
                async with aclosing(self._caught_up(tail, check)) as missed:
                    async for piece in missed:
                        yield _counted(piece)
            tail.queue.awaits_replay = False
            checked = self._clock.monotonic()
            while True:
                taken = await tail.queue.take(CHECK_SECONDS)
                if taken is not None:
                    yield _counted(taken)
                    # `queue.is_ended` would not do: the queue may have ended while the client read this piece.
                    if taken.is_last:
                        return
                if self._clock.monotonic() - checked >= CHECK_SECONDS:
                    checked = self._clock.monotonic()
                    check()
        except LogsieveError as error:
            metrics.counter(metrics.TAIL_ENDED).add(1, {"code": error.code})
            yield ended(error).text
        finally:
            self.forget(tail)

    def end(self) -> None:
        """Ends every stream after the pieces that wait in its queue. No tail is admitted afterwards."""
        self._is_ending = True
        for queue in self._tails:
            queue.end(Unavailable(STOPPING), keep=True)

    async def close(self) -> None:
        self.end()
        await self._live.close()

    async def _caught_up(self, tail: OpenTail, check: Callable[[], object]) -> AsyncGenerator[Piece]:
        """Yields missed records, until the tail's queue is ended.

        Yields heartbeats while it waits for other tails or reads many messages without a match.
        """
        assert tail.last is not None
        sent = self._clock.monotonic()
        async with aclosing(paced(self._missed(tail, tail.last), CHECK_SECONDS)) as pieces:
            async for piece in pieces:
                check()
                if tail.queue.is_ended:
                    # The tail was ended, for example because the process stops. Its queue holds the event that says so.
                    return
                if piece is None:
                    if self._clock.monotonic() - sent < HEARTBEAT_SECONDS:
                        continue
                    piece = heartbeat(tail.last, tail.query.digest)
                yield piece
                sent = self._clock.monotonic()

    async def _missed(self, tail: OpenTail, last: TailPosition) -> AsyncGenerator[Piece | None]:
        """Yields the records that a resumed tail missed, and attaches the tail to the live reader.

        Reads up to the live reader's position, attaches the tail there, then reads the messages in between.
        """
        lock = self._tenant_replays.setdefault(tail.query.tenant_id, asyncio.Lock())
        async with lock, self._replays, Replay(self._settings, tail.query, self._clock) as replay:
            if (gap := await replay.start(last, tail.requested_ns)) is not None:
                yield gap
            end = await self._floor_after(replay.position, tail.query)
            slow = 0.0
            for is_attached in (False, True):
                async for piece in replay.up_to(end.offsets):
                    given = self._clock.monotonic()
                    yield piece
                    slow += self._clock.monotonic() - given
                    if slow > REPLAY_SECONDS:
                        raise RateLimited(
                            f"the client took more than {REPLAY_SECONDS:g} s to read the records that it missed: read "
                            "faster, then reconnect"
                        )
                    tail.last = replay.position
                    if replay.processor_seconds > REPLAY_PROCESSOR_SECONDS:
                        yield heartbeat(tail.last, tail.query.digest)
                        raise RateLimited(
                            f"the search for the missed records took more than {REPLAY_PROCESSOR_SECONDS:g} s of "
                            "processor time: reconnect to continue it where it ended, or write a query with fewer terms"
                        )
                if not is_attached:
                    end = await self._live.attach(tail.query, tail.queue)

    async def _floor_after(self, sent: TailPosition, query: TailedQuery) -> TailPosition:
        """Returns the live reader's position once it is not behind `sent`.

        Another process may have sent records that this process has not read from Kafka yet. A tail that is attached
        before this process has read them would send them again. Raises Unavailable after POSITION_SECONDS.
        """
        started = self._clock.monotonic()
        while (floor := await self._live.floor(query)).is_behind(sent):
            if self._clock.monotonic() - started >= POSITION_SECONDS:
                raise Unavailable(
                    "this API process lags behind in Kafka: it did not read as far as your last event within "
                    f"{POSITION_SECONDS:g} s. Connect again with the same Last-Event-ID",
                    retry_after=2,
                )
            await asyncio.sleep(BEHIND_CHECK_SECONDS)
        return floor

    def _admit(self, query: TailedQuery) -> None:
        """Makes room for one more tail. Raises RateLimited if there is no place for it.

        If all places are taken, the newest tail of the tenant with the most tails ends, if the requesting tenant has at
        least two tails fewer. A tenant without a tail therefore gets a place, unless no tenant has more than one.
        """
        tenant_id = query.tenant_id
        held, limit = Counter(each.tenant_id for each in self._tails.values()), self._settings.tail_max_per_tenant
        if held[tenant_id] >= limit:
            raise RateLimited(
                f"this tenant has {limit} live tails open, the largest number allowed: close one first", 5
            )
        self._check_steps(query)
        if len(self._tails) < self._settings.tail_max:
            return
        largest, count = held.most_common(1)[0]
        if count < held[tenant_id] + 2:
            raise RateLimited(
                f"this server has {self._settings.tail_max} live tails open, the largest number allowed, and they are "
                "spread evenly over tenants: close another tail of this tenant if it has one, or try again later",
                5,
            )
        newest = next(queue for queue, holder in reversed(self._tails.items()) if holder.tenant_id == largest)
        del self._tails[newest]
        newest.end(
            RateLimited(
                f"this server has no place left for another tenant, and this tenant has the most live tails ({count}): "
                "close some, then connect again",
                5,
            )
        )

    def _check_steps(self, query: TailedQuery) -> None:
        """Raises RateLimited if the tenant's regular expressions would use too much of the thread that feeds all tails.

        Tails with the same query are evaluated once, so they count once.
        """
        open_queries = {each for each in self._tails.values() if each.tenant_id == query.tenant_id}
        held, limit = sum(each.steps for each in open_queries - {query}), self._settings.tail_max_steps_per_tenant
        if query.steps and held + query.steps > limit:
            raise RateLimited(
                f"the regular expressions and stars of this tail cost {query.steps:,} steps (a measure of matching "
                f"work), and those of the tenant's open tails {held:,}. Together they may cost at most {limit:,} "
                "(LOGSIEVE_TAIL_MAX_STEPS_PER_TENANT): close a tail, or search for words or a simpler expression",
                5,
            )

    def forget(self, tail: OpenTail) -> None:
        """Frees the tail's place. Does nothing if that was done before."""
        self._tails.pop(tail.queue, None)
        tail.queue.close()
        self._live.detach(tail.query, tail.queue)


def _tailed(tenant_id: int, text: str, ways: int) -> TailedQuery:
    node = parse(text)
    canonical = print_query(node)
    digest = digest_of(canonical, tenant_id)
    steps, per_text = expression_steps(node), text_steps(node)
    return TailedQuery(tenant_id, canonical, digest, compile_predicate(node), steps, per_text, ways)


def _counted(piece: Piece) -> bytes:
    if piece.records:
        metrics.counter(metrics.TAIL_RECORDS).add(piece.records)
    return piece.text
