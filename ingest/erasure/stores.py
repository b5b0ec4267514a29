"""Removes deleted tenants from ClickHouse and the dead letters. Each call checks the state and does the steps that are
due."""

from collections.abc import Sequence
from typing import NamedTuple

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.erasure.dead_letters import DeadLetterCounts, count_dead_letters, erase_dead_letters, require_deletions
from ingest.erasure.tables import ShardState, delete_rows, detached_parts, read_shard_state, replaced_parts
from ingest.storage.measure import read_volume
from kit.clickhouse import translate
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.erasures import Phase, Progress

log = structlog.get_logger()

DEAD_LETTERS = "dead letters"


class Reached(NamedTuple):
    """New progress of each tenant. `failure` is the reason why dead letters could not be erased, or None."""

    progress: dict[int, Progress]
    failure: Unavailable | None


def advance(settings: Settings, shards: Sequence[Client], erasing: dict[int, Progress]) -> Reached:
    """Takes the due steps for deleted tenants whose records receivers refuse.

    Every step may be repeated, by one process or by two concurrently. Raises Unavailable while ClickHouse is
    unreachable.
    """
    loading = {tenant: each for tenant, each in erasing.items() if each.phase is Phase.loading}
    loaded = {tenant: each for tenant, each in erasing.items() if tenant not in loading}
    try:
        roomier = _make_room(settings, shards, loading) if loading else {}
        reached = _erase_loaded(settings, shards, loaded) if loaded else Reached({}, None)
    except Error as error:
        raise translate(error) from error
    return Reached(roomier | reached.progress, reached.failure)


def _make_room(settings: Settings, shards: Sequence[Client], loading: dict[int, Progress]) -> dict[int, Progress]:
    """Deletes the stored rows of deleted tenants on shards whose disk is too full for inserts. Loaders have yet to load
    further messages of these tenants. Otherwise, the loaders would wait for disk space, and the erasure for them."""
    reached = dict(loading)
    for shard, client in enumerate(shards):
        if 100 * read_volume(client).used_share < settings.loader_stop_percent:
            continue
        state = read_shard_state(client, loading.keys())
        _delete(shard, client, state)
        for tenant, before in reached.items():
            reached[tenant] = before.model_copy(update={"found": _found(_left(shard, state, tenant), before)})
    return reached


def _erase_loaded(settings: Settings, shards: Sequence[Client], loaded: dict[int, Progress]) -> Reached:
    """Takes the due steps for deleted tenants from which no more records can arrive."""
    states = [read_shard_state(client, loaded.keys()) for client in shards]
    for shard, (client, state) in enumerate(zip(shards, states, strict=True)):
        _delete(shard, client, state)
    seen = {tenant: _seen(states, tenant, progress) for tenant, progress in loaded.items()}
    clean = {tenant: each for tenant, each in seen.items() if each.phase is Phase.removing}
    removed = {tenant: _removed(shards, each) for tenant, each in clean.items()}
    last = {tenant: each for tenant, each in removed.items() if each.phase is Phase.erased}
    reached = _without_dead_letters(settings, last) if last else Reached({}, None)
    return Reached(seen | removed | reached.progress, reached.failure)


def _delete(shard: int, client: Client, state: ShardState) -> None:
    for table, tenants in state.to_delete().items():
        delete_rows(client, table, tenants)
        log.info("rows of deleted tenants are being erased", shard=shard, table=table, tenants=list(tenants))


def _left(shard: int, state: ShardState, tenant: int) -> dict[str, int]:
    """Returns the numbers of the tenant's remaining rows by place."""
    return {f"shard {shard} {table}": rows for table, rows in state.left(tenant).items()}


def _found(left: dict[str, int], before: Progress) -> dict[str, int]:
    """Returns the largest numbers of rows that were ever found, by place."""
    return {**before.found} | {place: max(rows, before.found.get(place, 0)) for place, rows in left.items()}


def _seen(states: Sequence[ShardState], tenant: int, before: Progress) -> Progress:
    """Returns the progress that the tables show. Its phase is removing if they have no rows of the tenant, otherwise
    deleting."""
    left = {place: rows for shard, each in enumerate(states) for place, rows in _left(shard, each, tenant).items()}
    found = _found(left, before)
    pending = [each for state in states for each in state.pending_of(tenant)]
    if pending or any(left.values()):
        failures = "".join(f"; {each.table} failed: {each.failure}" for each in pending if each.failure)
        rows, parts = sum(left.values()), sum(each.parts for each in pending)
        detail = f"{rows} rows are left, {parts} parts have yet to be rewritten{failures}"
        return Progress(phase=Phase.deleting, detail=detail, found=found, left=left)
    clean_at = before.clean_at or {shard: each.now for shard, each in enumerate(states)}
    return Progress(phase=Phase.removing, found=found, left=left, clean_at=clean_at)


def _removed(shards: Sequence[Client], progress: Progress) -> Progress:
    """Returns the progress with the number of replaced parts that are left. Its phase is erased if none is left."""
    left = dict(progress.left)
    remarks = []
    for shard, client in enumerate(shards):
        left[f"shard {shard} replaced parts"] = replaced_parts(client, progress.clean_at.get(shard, 0))
        if detached := detached_parts(client):
            remarks.append(f"shard {shard} has {detached} detached parts, which were not searched")
    waiting = sum(left.values())
    return progress.model_copy(
        update={
            "phase": Phase.removing if waiting else Phase.erased,
            "detail": f"ClickHouse has yet to remove the files of {waiting} replaced parts" if waiting else "",
            "left": left,
            "remarks": tuple(remarks),
        }
    )


def _without_dead_letters(settings: Settings, last: dict[int, Progress]) -> Reached:
    """Erases the dead letters of tenants that have nothing else left, and counts their remaining dead letters.

    If Kafka fails, the erasure of tenants that have dead letters continues in the next run. If Kafka fails before they
    are counted, so does the erasure of all tenants.
    """
    reached = {tenant: _not_counted(each) for tenant, each in last.items()}
    try:
        if any(each.found.get(DEAD_LETTERS) for each in last.values()):
            # An earlier run has failed, perhaps because Kafka denies it. Each run would then read the whole topic.
            require_deletions(settings)
        before = count_dead_letters(settings)
        reached = _counted(last, before, before)
        if any(before.of_tenant[tenant] for tenant in last):
            erase_dead_letters(settings, last.keys(), before)
            reached = _counted(last, before, count_dead_letters(settings))
    except Unavailable as error:
        waiting = {tenant: each for tenant, each in reached.items() if each.phase is Phase.removing}
        failed = {tenant: each.model_copy(update={"detail": error.detail}) for tenant, each in waiting.items()}
        return Reached(reached | failed, error)
    return Reached(reached, None)


def _not_counted(progress: Progress) -> Progress:
    """Returns the progress before dead letters are counted. As many are left as earlier runs have found."""
    found = {place: count for place, count in progress.found.items() if place == DEAD_LETTERS}
    return progress.model_copy(update={"phase": Phase.removing, "left": {**progress.left} | found})


def _counted(last: dict[int, Progress], before: DeadLetterCounts, remaining: DeadLetterCounts) -> dict[int, Progress]:
    """Returns the progress of each tenant. `before` and `remaining` are the dead letters before and after this run."""
    remarks = (f"{remaining.unknown} dead letters do not say whose they are",) if remaining.unknown else ()
    return {
        tenant: each.model_copy(
            update={
                "phase": Phase.removing if remaining.of_tenant[tenant] else Phase.erased,
                "found": {**each.found, DEAD_LETTERS: max(before.of_tenant[tenant], each.found.get(DEAD_LETTERS, 0))},
                "left": {**each.left, DEAD_LETTERS: remaining.of_tenant[tenant]},
                "remarks": each.remarks + remarks,
            }
        )
        for tenant, each in last.items()
    }
