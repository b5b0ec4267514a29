"""Fills one replica of the log store from another replica. No loader of these two replicas may run meanwhile. Searches
continue."""

import asyncio
from collections.abc import Callable

from clickhouse_connect.driver.exceptions import Error

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

RECEIVE_SECONDS = 3600.0
"""Longest time, in seconds, in which a server sends no data while it reads or writes one partition."""


def refill(
    settings: Settings, target: int, source: int, report: Callable[[int, Copied], None], say: Callable[[str], None]
) -> int:
    """Copies all tables of each shard, then the offsets of the loaders. Returns the number of copied rows.

    Calls `report` with the shard and each copied partition, and `say` with a sentence about the wait before. Searches
    do not read the target until the copy is complete.
    Waits half a minute first, in which an insert of a stopped loader could still begin.
    After an interruption, run the copy again. Raises InvalidRequest for replicas that do not exist, Conflict while
    loaders run and if some ran during the copy, Unavailable if a server or Kafka does not answer.
    """
    count = settings.topology.replicas
    if target == source or not 0 <= target < count or not 0 <= source < count:
        raise InvalidRequest(
            f"replica {target} cannot be filled from replica {source}: there are {count}, counted from 0;"
            " name two different replicas"
        )
    filled, full = settings.of_replica(target), settings.of_replica(source)
    offsets = LoaderOffsets(settings)
    _require_stopped(offsets, filled, full)
    with connect_shards(filled) as clients:
        say("waiting half a minute, until no insert of a stopped loader can begin")
        wait_for_inserts(clients)
    _require_stopped(offsets, filled, full)
    positions, former = offsets.read(full.consumer_group), offsets.read(filled.consumer_group)
    # Rows of deleted tenants may come with the copy, if the source has not erased them yet.
    asyncio.run(_erase_again(filled))
    rows, lanes = 0, set[int]()
    for shard in range(settings.shards):
        try:
            with (
                connect(full, shard=shard, receive_seconds=RECEIVE_SECONDS) as giver,
                connect(filled, shard=shard, receive_seconds=RECEIVE_SECONDS) as taker,
            ):
                unmark_complete(taker)
                lanes.update(existing_lanes(giver))
                rows += copy_tables(giver, taker, lambda copied, shard=shard: report(shard, copied))  # type: ignore[misc]  # mypy does not infer bound defaults
        except Error as error:
            raise translate(error) from error
    _require_stopped(offsets, filled, full)
    require_unchanged(positions, offsets.read(full.consumer_group), source)
    require_unchanged(former, offsets.read(filled.consumer_group), target)
    resumed = offsets.for_copies(positions, frozenset(lanes))
    offsets.write(filled.consumer_group, [*resumed, *from_the_start(former, positions)])
    admit(settings, target)
    return rows


def _require_stopped(offsets: LoaderOffsets, *replicas: Settings) -> None:
    for replica in replicas:
        offsets.require_stopped(replica.consumer_group, replica.loader_replica)


async def _erase_again(settings: Settings) -> None:
    async with opened(settings.control_plane_url) as engine:
        await erase_again(engine, settings.consumer_group)


def admit(settings: Settings, replica: int) -> None:
    """Allows searches to read a replica, on all shards. Raises Unavailable if a server does not answer."""
    with connect_shards(settings.of_replica(replica)) as clients:
        for client in clients:
            mark_complete(client)
