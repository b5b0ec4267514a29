"""Fills one replica of the log store from another replica. No loader of these two replicas may run meanwhile. Searches
continue."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from clickhouse_connect.driver.exceptions import Error
from confluent_kafka import TopicPartition

from ingest.refill.checks import complete_shards, require_complete, require_own_shard, require_reached
from ingest.refill.each_shard import on_each_shard
from ingest.refill.offsets import LoaderOffsets, from_the_start, require_unchanged
from ingest.refill.running_inserts import wait_for_inserts
from ingest.refill.tables import Copied, copy_tables
from kit.clickhouse import connect, connect_shards, translate
from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.clickhouse.complete import mark_complete, unmark_complete
from schema.clickhouse.lanes import existing_lanes
from schema.control.database import opened
from schema.control.erasures import erase_again
from schema.shards import shard_of

RECEIVE_SECONDS: Final = 3600.0
"""Longest time, in seconds, in which a server sends no data while it reads or writes one partition."""

NOTICE_SECONDS: Final = 2.0
"""Seconds from the removal of the marks that let searches read the target (schema/clickhouse/complete.py) to the first
dropped row. Each API process notices the removal at its next two probes, within about a second
(backend/store/replicas/health.py)."""


@dataclass(frozen=True, slots=True)
class Fill:
    """The replicas of a copy, counted from 0. Rows of `target` are replaced by those of `source`."""

    target: int
    source: int
    shard: int | None = None
    """The only shard to fill; all shards if None."""
    ignore_offsets: bool = False
    """True if the target is filled although its loaders have stored messages that those of the source have not."""

    def require_valid(self, settings: Settings) -> None:
        """Raises InvalidRequest if a replica or the shard does not exist."""
        count, shards = settings.topology.replicas, settings.shards
        if self.target == self.source or not 0 <= self.target < count or not 0 <= self.source < count:
            raise InvalidRequest(
                f"replica {self.target} cannot be filled from replica {self.source}: there are {count}, counted from 0;"
                " name two different replicas"
            )
        if self.shard is not None and not 0 <= self.shard < shards:
            raise InvalidRequest(f"there is no shard {self.shard}: there are {shards}, counted from 0")


def refill(
    settings: Settings,
    fill: Fill,
    report: Callable[[int, Copied], None],
    say: Callable[[str], None],
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Copies all tables of each shard, then the offsets of the loaders. Returns the number of copied rows.

    Calls `report` with the shard and each copied partition, and `say` with a sentence about each wait before. Searches
    do not read the target until the copy is complete.
    Waits half a minute first, in which an insert of a stopped loader could still begin.
    After an interruption, run the copy again. Raises InvalidRequest for replicas and shards that do not exist, Conflict
    if the source lacks logs, while loaders run, and if some ran during the copy, Unavailable if a server or Kafka does
    not answer.
    """
    fill.require_valid(settings)
    filled, full = settings.of_replica(fill.target), settings.of_replica(fill.source)
    shards = range(settings.shards) if fill.shard is None else (fill.shard,)
    require_complete(full, shards)
    offsets = LoaderOffsets(settings)
    _require_stopped(offsets, filled, full)
    with connect_shards(filled) as clients:
        say("waiting half a minute, until no insert of a stopped loader can begin")
        wait_for_inserts(clients, pause)
    _require_stopped(offsets, filled, full)
    positions, former = offsets.read(full.consumer_group), offsets.read(filled.consumer_group)
    if fill.shard is not None:
        require_own_shard([*positions, *former], offsets.topic, fill.shard, settings.shards)
    readable = complete_shards(filled, shards)
    if not fill.ignore_offsets:
        require_reached(positions, _of_shards(former, readable, settings), offsets.topic, fill.source)
    # Rows of deleted tenants may come with the copy, if the source has not erased them yet.
    asyncio.run(_erase_again(filled))
    on_each_shard(filled, shards, unmark_complete)
    if readable:
        say(f"waiting {NOTICE_SECONDS:g} s, until no search reads replica {fill.target}")
        pause(NOTICE_SECONDS)
    rows, lanes = _copy(filled, full, shards, report)
    _require_stopped(offsets, filled, full)
    require_unchanged(positions, offsets.read(full.consumer_group), fill.source)
    require_unchanged(former, offsets.read(filled.consumer_group), fill.target)
    positions, former = _of_shards(positions, shards, settings), _of_shards(former, shards, settings)
    resumed = offsets.for_copies(positions, lanes)
    offsets.write(filled.consumer_group, [*resumed, *from_the_start(former, positions)])
    on_each_shard(filled, shards, mark_complete)
    return rows


def _copy(
    filled: Settings, full: Settings, shards: Iterable[int], report: Callable[[int, Copied], None]
) -> tuple[int, frozenset[int]]:
    """Replaces the tables of these shards. Returns the number of copied rows, and all lanes. Raises Unavailable."""
    rows, lanes = 0, set[int]()
    for shard in shards:
        try:
            with (
                connect(full, shard=shard, receive_seconds=RECEIVE_SECONDS) as giver,
                connect(filled, shard=shard, receive_seconds=RECEIVE_SECONDS) as taker,
            ):
                lanes.update(existing_lanes(giver))
                rows += copy_tables(giver, taker, partial(report, shard))
        except Error as error:
            raise translate(error) from error
    return rows, frozenset(lanes)


def _of_shards(
    positions: Sequence[TopicPartition], shards: Collection[int], settings: Settings
) -> Sequence[TopicPartition]:
    """Returns the committed offsets of those partitions whose new batches go to these shards."""
    return [each for each in positions if shard_of(each.partition, settings.shards) in shards]


def _require_stopped(offsets: LoaderOffsets, *replicas: Settings) -> None:
    for replica in replicas:
        offsets.require_stopped(replica.consumer_group, replica.loader_replica)


async def _erase_again(settings: Settings) -> None:
    async with opened(settings.control_plane_url) as engine:
        await erase_again(engine, settings.consumer_group)


def admit(settings: Settings, replica: int) -> None:
    """Allows searches to read a replica, on all shards. Raises Unavailable if a server does not answer."""
    on_each_shard(settings.of_replica(replica), range(settings.shards), mark_complete)
