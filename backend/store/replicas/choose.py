"""Chooses the replica that a statement reads. While the servers of the last replica answer, that replica is read again.

When they do not, another replica is chosen only if that one has all records that statements of the last replica can
have shown. A record that was found therefore never disappears (docs/decisions/0037-how-replicas-are-read.md).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from backend.store.replicas.health import NodeHealth
from backend.store.replicas.pauses import Pause, Pauses
from backend.store.replicas.reach import Reach, any_intended, furthest
from backend.store.replicas.readings import Readings, ReadReach
from backend.store.replicas.shard_state import ShardState
from backend.store.replicas.shown import BEHIND, UNREAD, Shown
from backend.store.replicas.shown_offsets import ShownOffsets
from kit.clock import Clock
from kit.errors import Unavailable
from kit.topology import Place

log = structlog.get_logger()

CATCH_UP_SECONDS: Final = 5.0
"""Longest time, in seconds, that a statement waits until a replica has all records that the last replica can have
shown."""

POLL_SECONDS: Final = 0.1
"""Seconds between two readings of the offsets of a replica that catches up."""


class ReplicaChoice:
    """Chooses and remembers the replica that is read, for each shard. Use it from one event loop only."""

    def __init__(self, shards: int, replicas: int, health: NodeHealth, read_reach: ReadReach, clock: Clock) -> None:
        self._shards = shards
        self._replicas = range(replicas)
        self._health = health
        self._readings = Readings(read_reach, clock)
        self._clock = clock
        self._shown = ShownOffsets(shards)
        self._states: dict[int, ShardState] = {}
        """The replica that is read, by shard. Shards without one are missing."""
        self.pauses = Pauses(health)
        """Replicas that answer, and are not read while a statement brings shards together."""

    @property
    def _reach(self) -> tuple[Reach, ...] | None:
        return self._readings.last

    async def choose(self, shards: Sequence[int]) -> int:
        """Returns the replica that a statement over these shards reads; it has one server for each of them.

        Waits for servers that are only late. Raises Unavailable if no replica has an answering server for each shard,
        or if no such replica has all shown records within CATCH_UP_SECONDS.
        """
        if (replica := self._in_use(shards)) is not None:
            return replica
        with self.pauses.of_statement() as pause:
            return await self._choose_another(shards, pause)

    async def _choose_another(self, shards: Sequence[int], pause: Pause) -> int:
        """Returns a replica with an answering server for each shard that has all shown records."""
        needed: dict[int, Mapping[int, int]] = {}
        until = self._clock.monotonic() + CATCH_UP_SECONDS
        while True:
            if pause.awaited is not None and not self._answers(shards, pause.awaited):
                pause.end()
            if not any(self._answers(shards, each) for each in self._replicas):
                is_late = any(self._may_answer_soon(shards, each) for each in self._replicas)
                if not is_late or self._clock.monotonic() >= until:
                    raise self._health.no_answer(shards)
                await asyncio.sleep(POLL_SECONDS)
                continue
            if len(self._replicas) > 1:
                await self._read_and_leave(shards)
            able = [each for each in self._replicas if self._answers(shards, each) and self._covers(shards, each)]
            if able:
                replica = furthest(self._reach, shards, self._shards, able)
                self._use(shards, replica)
                return replica
            if self._clock.monotonic() >= until:
                raise self._not_covered()
            # A later pause would stop other statements, and would hardly end in time.
            if self._clock.monotonic() <= until - CATCH_UP_SECONDS / 2:
                self._pause_others(shards, needed, pause)
            await asyncio.sleep(POLL_SECONDS)

    def _pause_others(self, shards: Sequence[int], needed: dict[int, Mapping[int, int]], pause: Pause) -> None:
        """Pauses the replicas that are read for the shards, once another replica has all records that were shown before
        the wait. `needed` keeps these records' offsets, by replica.

        Shards can be read from different replicas that all answer. While records arrive, each of these replicas shows
        further ones, so that no replica would ever have all of them.
        """
        if self._reach is None:
            return
        for each in self._replicas:
            before = needed.setdefault(each, self._needed(shards, each))
            others = {shard: read for shard in shards if (read := self._read_replica(shard, each)) != each}
            if others and self._answers(shards, each) and self._reach[each].has(before):
                pause.begin(each, others)
                return

    def in_use(self, shards: Sequence[int]) -> int | None:
        """Returns the replica that was last read for all these shards; None if they were read from different replicas
        or not at all."""
        found = {None if (state := self._states.get(shard)) is None else state.replica for shard in shards}
        return found.pop() if len(found) == 1 else None

    async def wait_for(self, shard: int, shown: Shown) -> None:
        """Waits until the replica that is read for the shard has the records of the shard that earlier pages showed.
        The earlier pages may have been read from another replica.

        Raises Unavailable like `choose`, and InvalidCursor if no replica can have shown these records.
        """
        shown.require_replicas(len(self._replicas))
        began = self._clock.monotonic()
        of_shard = shown.of_partitions(lambda number: number % self._shards == shard)
        while (replica := await self.choose([shard])) != shown.replica_of(shard):
            reach = self._reach
            if reach is not None and of_shard.is_in(reach[replica].stored, reach[replica].epoch):
                return
            if reach is not None and self._readings.has_read_since(began):
                # Anybody can write a cursor. Waiting for messages that do not exist would only make requests to Kafka.
                of_shard.require_possible(*any_intended(reach))
            if self._clock.monotonic() >= began + CATCH_UP_SECONDS:
                raise self._not_covered()
            await asyncio.sleep(POLL_SECONDS)
            await self._read_since(self._clock.monotonic())

    async def second(self, shards: Sequence[int], first: int) -> int | None:
        """Returns a replica other than `first` that has all records that statements over these shards can have shown.

        Waits until there is one. Returns None if no other replica answers, if the offsets of the replicas cannot be
        read from Kafka, or after CATCH_UP_SECONDS.
        """
        until = self._clock.monotonic() + CATCH_UP_SECONDS
        needed: Mapping[int, int] | None = None
        while others := [each for each in self._replicas if each != first and self._answers(shards, each)]:
            await self._read_since(self._clock.monotonic())
            if self._reach is None or not self._readings.is_read:
                return None
            needed = self._needed(shards, others[0]) if needed is None else needed
            if able := [each for each in others if self._reach[each].has(needed)]:
                return furthest(self._reach, shards, self._shards, able)
            if self._clock.monotonic() >= until:
                return None
            await asyncio.sleep(POLL_SECONDS)
        return None

    async def accept(self, shards: Sequence[int], first: int, second: int) -> None:
        """Waits until an answer of the replica `second` may be shown without a record disappearing from later answers.

        `first` is the replica that is read. Returns if `first` has all records that `second` can have shown. Also
        returns if `second` has all records that were shown. Then `second` is read from now on, and statements that run
        on `first` are sent again. Raises Unavailable after CATCH_UP_SECONDS, or if another replica is read meanwhile.
        """
        until = self._clock.monotonic() + CATCH_UP_SECONDS
        while self._clock.monotonic() < until:
            await self._read_since(self._clock.monotonic())
            if self.in_use(shards) == second:
                return
            if self._reach is None or not self._readings.is_read or self.in_use(shards) != first:
                break
            seen = self._reach[second].intended.items()
            if self._reach[first].has({number: end for number, end in seen if number % self._shards in shards}):
                for shard in shards:
                    self._shown.note(shard, self._reach[second].intended)
                return
            if self._covers(shards, second):
                self._use(shards, second)
                self._health.interrupt([Place(shard, first) for shard in shards])
                return
            await asyncio.sleep(POLL_SECONDS)
        raise self._not_covered()

    async def refresh(self) -> None:
        """Reads the offsets of the replicas. Stops reading a replica whose offsets went back, because it may lack
        rows. Chooses the replica again for shards whose replica was chosen while Kafka did not answer."""
        await self._read_and_leave(range(self._shards))
        if self._reach is None:
            return
        for shard, state in tuple(self._states.items()):
            if state.is_unread:
                self._choose_again([shard])
        # Once the offsets are outdated, shards that are read from different replicas could not be searched together.
        if self._states and not self._readings.is_read and self.in_use(tuple(self._states)) is None:
            self._choose_again(tuple(self._states))
        for shard, state in tuple(self._states.items()):
            if state.left is not None:
                continue
            if self._covers([shard], state.replica):
                self._shown.note(shard, self._reach[state.replica].stored)
            elif any(self._covers([shard], each) for each in self._replicas):
                log.warning("replica may lack records that it had before", shard=shard, replica=state.replica)
                del self._states[shard]

    def _choose_again(self, shards: Sequence[int]) -> None:
        """Chooses one replica for shards, among those that have all records that their present replicas can have
        shown."""
        able = [each for each in self._replicas if self._answers(shards, each) and self._covers(shards, each)]
        if not able:
            return
        replica = furthest(self._reach, shards, self._shards, able)
        left = [Place(shard, first) for shard in shards if (first := self._states[shard].replica) != replica]
        self._use(shards, replica)
        self._health.interrupt(left)

    def _in_use(self, shards: Sequence[int]) -> int | None:
        """Returns the replica that is read for all these shards if it exists and its servers answer, otherwise None."""
        replica = self.in_use(shards)
        if replica is None or not self._answers(shards, replica):
            return None
        for shard in shards:
            self._states[shard].chosen()
        return replica

    def _answers(self, shards: Sequence[int], replica: int) -> bool:
        unreachable = any(self._health.is_unreachable(Place(shard, replica)) for shard in shards)
        return not unreachable and not self.pauses.include(shards, replica)

    def _may_answer_soon(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether each server that does not answer may only be late because it is busy."""
        return all(self._health.is_only_late(Place(shard, replica)) for shard in shards)

    async def _read_and_leave(self, shards: Sequence[int]) -> None:
        """Reads the offsets of the replicas. Remembers what replicas that no longer answer can have shown."""
        silent = [
            (shard, state, state.choices)
            for shard in shards
            if (state := self._states.get(shard)) is not None and not self._answers([shard], state.replica)
        ]
        await self._read_since(self._clock.monotonic())
        if self._reach is None or not self._readings.is_read:
            return
        for shard, state, choices in silent:
            # A replica that answered meanwhile may have shown more than was read.
            if self._states.get(shard) is state and state.choices == choices and state.left is None:
                state.left = self._reach[state.replica].intended

    async def _read_since(self, since: float) -> None:
        """Reads the offsets of the replicas, unless a reading started after `since`."""
        await self._readings.since(since)
        reach = self._reach
        if reach is not None and self._shown.begin(reach[0].epoch):
            # The topic was created again, and its offsets start from 0. Every replica has all messages of the earlier
            # topic.
            for state in self._states.values():
                state.left = None

    def _covers(self, shards: Sequence[int], replica: int) -> bool:
        """Returns whether the replica has all records of the shards that statements of other replicas can have
        shown."""
        states = [state for shard in shards if (state := self._states.get(shard)) is not None]
        # A replica that stopped answering has shown no message after `left`, however old the last reading is.
        is_known = self._reach is not None and not self._readings.is_outdated
        if not is_known and any(state.replica != replica and state.left is None for state in states):
            return False
        return self._reach is None or self._reach[replica].has(self._needed(shards, replica))

    def _not_covered(self) -> Unavailable:
        """Returns the error for a wait in which no replica was seen to have all records that were shown."""
        return Unavailable(BEHIND if self._readings.is_read else UNREAD, retry_after=2)

    def _needed(self, shards: Sequence[int], replica: int) -> Mapping[int, int]:
        """Returns, for each partition of the shards, the first offset that no statement of a replica other than
        `replica` can have shown."""
        assert self._reach is not None
        needed = dict[int, int]()
        for shard in shards:
            state = self._states.get(shard)
            other = None if state is None or state.replica == replica else state
            needed |= self._shown.with_ends(shard, {} if other is None else self._can_have_shown(other, self._reach))
        return needed

    def _read_replica(self, shard: int, otherwise: int) -> int:
        """Returns the replica that is read for the shard, or `otherwise` if none is."""
        state = self._states.get(shard)
        return otherwise if state is None else state.replica

    @staticmethod
    def _can_have_shown(state: ShardState, reach: Sequence[Reach]) -> Mapping[int, int]:
        """Returns, for each partition, the first offset that statements of the replica cannot have shown."""
        return reach[state.replica].intended if state.left is None else state.left

    def _use(self, shards: Sequence[int], replica: int) -> None:
        for shard in shards:
            before = self._states.get(shard)
            if before is None or before.replica != replica:
                if before is not None and self._reach is not None:
                    self._shown.note(shard, self._can_have_shown(before, self._reach))
                last = None if before is None else before.replica
                log.info("replica is read from now on", shard=shard, replica=replica, before=last)
                self._states[shard] = ShardState(replica)
            self._states[shard].is_unread = self._reach is None
            self._states[shard].chosen()
