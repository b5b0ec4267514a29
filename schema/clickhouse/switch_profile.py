"""Switches a live log table to the index of another profile while it is written and searched.

First the new index is added, so that new parts have it. Then it is built for the existing parts, several partitions at
a time, newest first. Finally, the old index is dropped. Meanwhile parts have one of the two or both, and ClickHouse
uses the index that a part has. All state is in ClickHouse, so a second run after a kill continues: for a part that
already has the index, ClickHouse only makes hard links.

The index on searched words (schema/clickhouse/searched_words.py) is dropped before a table gets profile `text`, and
added after it has got profile `tokenbf`.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from kit.errors import Conflict
from schema.clickhouse.index_profiles import BODY_INDEXES, Profile, SkipIndex, require_profile
from schema.clickhouse.remaining_time import RemainingTime
from schema.clickhouse.searched_words import searched_words_ddl, use_searched_words

MAX_STEPS: Final = 32
"""Largest number of steps. In each step, ClickHouse makes new hard links for all parts of the table, also those of
other partitions."""
POLL_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of one table. `failure` says why ClickHouse could not build a part last time; ClickHouse retries by
    itself."""

    table: str
    partitions_done: int
    partitions: int
    parts_left_in_step: int
    seconds_left: float | None
    failure: str


@dataclass(frozen=True, slots=True)
class _Partition:
    id: str
    bytes: int


Report = Callable[[Progress], None]


def table_profiles(client: Client, table: str) -> tuple[Profile, ...]:
    """Returns the profiles whose index the table has: one, or two during a switch."""
    rows = client.query(
        "SELECT name FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = {table:String}",
        parameters={"table": table},
    ).result_rows
    names = {name for (name,) in rows}
    return tuple(profile for profile, index in BODY_INDEXES.items() if index.name in names)


def switch_profile(client: Client, table: str, profile: Profile, clock: Clock, report: Report) -> None:
    """Switches the table to the profile's index. Returns when all parts have it and none has the other index.

    Raises InvalidRequest if the server lacks the index, Conflict if another run is switching the table or a build was
    ended by KILL MUTATION. The table then keeps both indexes, and the next run continues.
    """
    require_profile(profile, str(client.server_version))
    wanted = BODY_INDEXES[profile]
    others = [BODY_INDEXES[each] for each in table_profiles(client, table) if each is not profile]
    if profile in table_profiles(client, table) and not others:
        use_searched_words(client, table, profile)
        return
    if profile is Profile.text:
        use_searched_words(client, table, profile)
    client.command(_add(table, wanted, others[0] if others else None))
    _build(client, table, profile, clock, report)
    _require_kept(client, table, profile)
    for index in others:
        client.command(
            "KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done"
            " AND position(command, {building:String}) > 0 SYNC",
            parameters={"table": table, "building": f"MATERIALIZE INDEX {index.name} "},
        )
        client.command(_drop(table, index), settings={"mutations_sync": 0})
    use_searched_words(client, table, profile)


def switch_empty(table: str, has: Profile, wanted: Profile) -> Iterator[str]:
    """Yields the statements that give an empty table the indexes of a profile."""
    if wanted is not has:
        yield _add(table, BODY_INDEXES[wanted], BODY_INDEXES[has])
        yield _drop(table, BODY_INDEXES[has])
    yield searched_words_ddl(table, wanted)


def _add(table: str, index: SkipIndex, after: SkipIndex | None) -> str:
    place = "FIRST" if after is None else f"AFTER `{after.name}`"
    return f"ALTER TABLE {table} ADD {index.ddl.replace('INDEX', 'INDEX IF NOT EXISTS', 1)} {place}"


def _drop(table: str, index: SkipIndex) -> str:
    return f"ALTER TABLE {table} DROP INDEX IF EXISTS `{index.name}`"


def _build(client: Client, table: str, profile: Profile, clock: Clock, report: Report) -> None:
    """Builds the profile's index for all partitions. Continues where an interrupted run stopped. Raises Conflict if a
    build was ended before it was done."""
    index, partitions = BODY_INDEXES[profile], _partitions(client, table)
    _wait(
        client, table, index, lambda parts, failure: report(Progress(table, 0, len(partitions), parts, None, failure))
    )
    remaining = RemainingTime([each.bytes for each in partitions], clock.monotonic())
    done = 0
    seconds_left: float | None = None
    for step in _steps(partitions):

        def show(parts: int, failure: str, done: int = done, left: float | None = seconds_left) -> None:
            report(Progress(table, done, len(partitions), parts, left, failure))

        show(0, "")
        earlier = _builds(client, table, index, step[0])
        building = ", ".join(f"MATERIALIZE INDEX `{index.name}` IN PARTITION ID '{each.id}'" for each in step)
        client.command(f"ALTER TABLE {table} {building}", settings={"mutations_sync": 0})
        _wait(client, table, index, show)
        # A mutation that was killed disappears, and parts of the step lack the index.
        if _builds(client, table, index, step[0]) <= earlier:
            _require_kept(client, table, profile)
            raise Conflict(
                f"the build of index {index.name} of {table} was ended by KILL MUTATION, so parts of the table lack the"
                f" index, and the old index stays: run `logsieve index use {profile}` again"
            )
        done += len(step)
        seconds_left = remaining.finish([each.bytes for each in step], clock.monotonic())
    report(Progress(table, done, len(partitions), 0, 0.0, ""))


def _require_kept(client: Client, table: str, profile: Profile) -> None:
    """Raises Conflict if the profile's index was dropped, which kills the mutations that build it."""
    if profile not in table_profiles(client, table):
        raise Conflict(
            f"index {BODY_INDEXES[profile].name} of {table} was dropped while it was built, so another `logsieve index "
            "use` is running: wait for its end"
        )


def _partitions(client: Client, table: str) -> list[_Partition]:
    """Returns the partitions, newest first, because new records are searched most."""
    rows = client.query(
        "SELECT partition_id, sum(data_compressed_bytes) FROM system.parts"
        " WHERE database = currentDatabase() AND table = {table:String} AND active"
        " GROUP BY partition_id ORDER BY max(max_time) DESC, partition_id",
        parameters={"table": table},
    ).result_rows
    return [_Partition(str(partition), int(size)) for partition, size in rows]


def _steps(partitions: list[_Partition]) -> Iterator[list[_Partition]]:
    length = -(-len(partitions) // MAX_STEPS) or 1
    for start in range(0, len(partitions), length):
        yield partitions[start : start + length]


def _builds(client: Client, table: str, index: SkipIndex, partition: _Partition) -> set[str]:
    """Returns the ids of the mutations that build or have built the index for a partition, as far as ClickHouse
    remembers them."""
    rows = client.query(
        "SELECT mutation_id FROM system.mutations WHERE database = currentDatabase() AND table = {table:String}"
        " AND NOT is_killed AND position(command, {building:String}) > 0",
        parameters={
            "table": table,
            "building": f"MATERIALIZE INDEX {index.name} IN PARTITION ID '{partition.id}'",
        },
    ).result_rows
    return {str(mutation) for (mutation,) in rows}


def _wait(client: Client, table: str, index: SkipIndex, show: Callable[[int, str], None]) -> None:
    """Waits until ClickHouse no longer builds the index for any part, for this run or an earlier one."""
    while True:
        rows = client.query(
            "SELECT toInt64(max(parts_to_do)), any(latest_fail_reason), count() FROM system.mutations"
            " WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done AND NOT is_killed"
            " AND position(command, {building:String}) > 0",
            parameters={"table": table, "building": f"MATERIALIZE INDEX {index.name} "},
        ).result_rows
        parts, failure, unfinished = rows[0]
        if not unfinished:
            return
        show(int(parts), str(failure))
        time.sleep(POLL_SECONDS)
