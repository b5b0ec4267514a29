"""Joins the choice of replicas and the health of their servers into one object for executors of statements."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from clickhouse_connect.driver.exceptions import Error

from backend.store.connections import Connections
from backend.store.replicas.choose import ReplicaChoice
from backend.store.replicas.health import NodeHealth
from backend.store.replicas.reach import ReachReader
from backend.store.replicas.shown import Shown
from kit.clickhouse import Account, cannot_answer, connect_async
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.repeating import RepeatingTask
from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.complete import COMPLETE
from schema.usage import TABLE as USAGE

REFRESH_SECONDS: Final = 2.0
"""Seconds between two readings of the offsets of the replicas' loaders."""

_PROBE_SETTINGS: Final[dict[str, str | int | float]] = {"log_queries": 0, "log_comment": "0"}


class WatchedReplicas:
    """All replicas that the settings name. Start it before use, in the event loop that uses it."""

    def __init__(self, settings: Settings, clock: Clock, account: Account = Account.query) -> None:
        """`account` is the user of the probes."""
        topology = settings.topology
        self._several = topology.replicas > 1
        self._probe_sql = f"SELECT 1 FROM {COMPLETE if self._several else USAGE} LIMIT 0"
        self._connections = Connections(
            lambda place: connect_async(settings.of_replica(place.replica), account, place.shard)
        )
        self._health = NodeHealth(topology.places, self._probe)
        self._reader = ReachReader(settings)
        self._choice = ReplicaChoice(settings.shards, topology.replicas, self._health, self._reader.read, clock)
        self._refreshing = RepeatingTask("replica-reach", REFRESH_SECONDS, self._choice.refresh)

    def start(self) -> None:
        self._health.start()
        if self._several:
            self._refreshing.start()

    async def check(self) -> None:
        """Probes all servers. Takes at most a second, or about six seconds if a shard has only one replica. For
        processes whose first statement must not be sent to a server that cannot be read."""
        await self._health.check(self._health.places)

    async def stop(self) -> None:
        await self._refreshing.cancel()
        await self._health.stop()
        self._reader.close()
        await self._connections.close()

    async def choose(self, shards: Sequence[int]) -> int:
        """Returns the replica that a statement over these shards reads. Raises Unavailable.

        With one replica, raises it only while a server hangs. If a server refuses connections, the statement itself
        fails, with a more exact reason.
        """
        if self._several:
            return await self._choice.choose(shards)
        if any(self._health.hangs(Place(shard, 0)) for shard in shards):
            raise self._health.no_answer(shards)
        return 0

    def in_use(self, shard: int) -> int | None:
        """Returns the replica that was last read for the shard; None if there is only one replica."""
        return self._choice.in_use([shard]) if self._several else None

    async def wait_for(self, shard: int, shown: Shown) -> None:
        """Waits until the replica that is read for the shard has the records of the shard that earlier pages showed.
        Raises Unavailable."""
        if self._several:
            await self._choice.wait_for(shard, shown)

    @property
    def has_several(self) -> bool:
        """True if each shard has several replicas."""
        return self._several

    async def second(self, shards: Sequence[int], first: int) -> int | None:
        """Returns a replica for a second statement; None if there is none (ReplicaChoice.second)."""
        return await self._choice.second(shards, first)

    async def accept(self, shards: Sequence[int], first: int, second: int) -> None:
        """Waits until an answer of the replica `second` may be shown (ReplicaChoice.accept). Raises Unavailable."""
        await self._choice.accept(shards, first, second)

    def is_left(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether statements over these shards should not be sent to the replica any more."""
        return self.is_unreachable(shards, replica) or (self._several and self._choice.in_use(shards) != replica)

    def is_unreachable(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether a server of these shards in the replica does not answer."""
        return any(self._health.is_unreachable(Place(shard, replica)) for shard in shards)

    @contextmanager
    def until_unreachable(
        self, shards: Sequence[int], replica: int, when_unreachable: Callable[[], None]
    ) -> Iterator[None]:
        """Within the block, calls `when_unreachable` when a server of these shards in the replica stops answering, or
        when the replica is no longer read."""
        with self._health.watched([Place(shard, replica) for shard in shards], when_unreachable):
            # A pause that began after the choice of the replica has not interrupted this statement.
            if self._choice.pauses.include(shards, replica):
                when_unreachable()
            yield

    async def may_retry(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether to send a statement again that did not reach a server of the replica.

        Probes the servers first, so that the next choice knows which servers are unreachable.
        """
        if self._several:
            await self._health.check([Place(shard, replica) for shard in shards])
        return self._several

    async def problem(self) -> str | None:
        """Returns the reason if no shard can be read; None while at least one shard can be read."""
        if all(self.is_unreachable([place.shard], place.replica) for place in self._health.places):
            return "no ClickHouse server answers"
        return None

    async def _probe(self, place: Place) -> None:
        # Probes have their own connections, so that statements that hang take no connection from them.
        try:
            client = await self._connections.of(place)
            await client.query(self._probe_sql, {}, _PROBE_SETTINGS)
        except (Error, LogsieveError) as error:
            # Without another replica, a server that refuses a probe because it is busy still runs statements.
            if self._several or cannot_answer(error.__cause__ if isinstance(error, LogsieveError) else error):
                raise


@asynccontextmanager
async def running(replicas: WatchedReplicas) -> AsyncIterator[None]:
    """Watches the replicas while the block runs."""
    replicas.start()
    try:
        yield
    finally:
        await replicas.stop()
