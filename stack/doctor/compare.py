"""Compares the replicas of each shard: every partition must have the same records in all of them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from backend.store.replicas.reach import ReachReader
from kit.clickhouse import connect, translate
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.coordinates import INDEX_BITS, OFFSET_BITS, PARTITION_BITS, POSITION_BITS
from schema.topic import read_topic_id
from stack.doctor.finding import Finding, Level

RECEIVE_SECONDS: Final = 3600.0
"""Longest time that a server may take for one table, in seconds. It reads every body once."""

MAX_NAMED: Final = 5
"""Largest number of differing partitions that a finding names."""

_PARTITION_SHIFT: Final = POSITION_BITS + INDEX_BITS
_EPOCH_SHIFT: Final = PARTITION_BITS + _PARTITION_SHIFT
_PARTITION: Final = f"toUInt16(bitAnd(bitShiftRight(id, {_PARTITION_SHIFT}), toUInt128({2**PARTITION_BITS - 1})))"
_OFFSET: Final = f"toUInt64(bitAnd(bitShiftRight(id, {INDEX_BITS}), toUInt128({2**OFFSET_BITS - 1})))"

ADVICE: Final = (
    "fill the wrong replica from another one by `logsieve replica fill`: docs/operations/several-servers.md, Replicas"
)


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """One day of one cohort in one table."""

    table: str
    cohort: str
    day: str


@dataclass(frozen=True, slots=True)
class Content:
    """Number of records, and a hash of their ids and bodies that does not depend on their order."""

    rows: int
    digest: int


def compare_replicas(settings: Settings) -> list[Finding]:
    """Returns a finding for each shard. Records that not all replicas have loaded yet are left out.

    A server or broker that does not answer is a finding, not an error.
    """
    if settings.topology.replicas == 1:
        return [Finding("replicas", Level.ok, "every shard has one replica, so there is nothing to compare")]
    try:
        stored = _stored(settings)
        if (without_offsets := judge_offsets(stored)) is not None:
            return [without_offsets]
        loaded = _loaded_by_all(stored, read_topic_id(settings).epoch)
    except LogsieveError as error:
        return [Finding("replicas", Level.fail, error.detail, "start the brokers, and compare again")]
    return [_shard(settings, shard, loaded) for shard in range(settings.shards)]


@dataclass(frozen=True, slots=True)
class Loaded:
    """First offset of each topic partition that some replica lacks, and the epoch of the topic in record ids."""

    ends: Mapping[int, int]
    epoch: int


def _stored(settings: Settings) -> list[Mapping[int, int]]:
    reader = ReachReader(settings)
    try:
        every = asyncio.run(reader.read())
    finally:
        reader.close()
    return [each.stored for each in every]


def judge_offsets(stored: Sequence[Mapping[int, int]]) -> Finding | None:
    """Judges the offsets up to which the replicas have stored each topic partition, in the order of the replicas.

    Returns a finding if a replica has stored nothing of a partition of which another one has stored messages. Nothing
    of this partition could be compared, and Kafka may have deleted its first messages. Returns None otherwise.
    """
    numbers = sorted({number for each in stored for number, offset in each.items() if offset})
    lacking = {replica: [number for number in numbers if not each.get(number)] for replica, each in enumerate(stored)}
    named = "; ".join(
        f"replica {replica} has loaded nothing of {len(missing)} of {len(numbers)} partitions of the topic"
        for replica, missing in lacking.items()
        if missing
    )
    if not named:
        return None
    advice = "start the loaders of the replica, and compare when they have caught up"
    return Finding("replicas", Level.fail, named, advice)


def _loaded_by_all(stored: Sequence[Mapping[int, int]], epoch: int) -> Loaded:
    numbers = set().union(*stored)
    return Loaded({number: min(each.get(number, 0) for each in stored) for number in numbers}, epoch)


def _shard(settings: Settings, shard: int, loaded: Loaded) -> Finding:
    about = "replicas" if settings.shards == 1 else f"replicas of shard {shard}"
    contents = []
    try:
        for replica in settings.each_replica:
            with connect(replica, shard=shard, receive_seconds=RECEIVE_SECONDS) as client:
                contents.append(dict(_contents(client, loaded)))
    except Error as error:
        return Finding(about, Level.fail, translate(error).detail, "ClickHouse's log has the reason")
    except LogsieveError as error:
        return Finding(about, Level.fail, error.detail, "start the server, and compare again")
    return judge_replicas(about, contents)


def judge_replicas(about: str, contents: Sequence[Mapping[Partition, Content]]) -> Finding:
    """Judges the contents of a shard's replicas, in their order."""
    every = sorted(set().union(*contents))
    differing = [each for each in every if len({content.get(each) for content in contents}) > 1]
    if not differing:
        rows = sum(content.rows for content in contents[0].values())
        return Finding(about, Level.ok, f"{rows} records in {len(every)} partitions are equal in all replicas")
    named = "; ".join(_difference(each, contents) for each in differing[:MAX_NAMED])
    return Finding(about, Level.fail, f"{len(differing)} of {len(every)} partitions differ: {named}", ADVICE)


def _difference(partition: Partition, contents: Sequence[Mapping[Partition, Content]]) -> str:
    counts = [content[partition].rows if partition in content else 0 for content in contents]
    counted = ", ".join(f"{count} in replica {replica}" for replica, count in enumerate(counts))
    return f"{partition.table} {partition.cohort} {partition.day} has records {counted}"


def _contents(client: Client, loaded: Loaded) -> Iterator[tuple[Partition, Content]]:
    parameters = {
        "epoch": loaded.epoch,
        "numbers": list(loaded.ends),
        "ends": list(loaded.ends.values()),
    }
    for lane in existing_lanes(client):
        table = table_name(lane)
        rows = client.query(
            "SELECT cohort, toString(toDate(timestamp)), count(), groupBitXor(sipHash64(id, body))"
            f" FROM {table}"
            f" WHERE bitShiftRight(id, {_EPOCH_SHIFT}) != {{epoch:UInt16}}"
            f" OR {_OFFSET} < transform({_PARTITION}, {{numbers:Array(UInt16)}}, {{ends:Array(UInt64)}}, toUInt64(0))"
            " GROUP BY ALL",
            parameters=parameters,
        ).result_rows
        for cohort, day, count, digest in rows:
            yield Partition(table, str(cohort), str(day)), Content(int(count), int(digest))
