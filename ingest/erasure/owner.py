"""Erases the deleted tenants of a store in repeated runs, in the loader that holds the lease.

docs/decisions/0026-a-deleted-tenant-is-erased-by-one-owner.md says why nothing of a tenant reappears afterwards.
"""

from dataclasses import replace

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from ingest.erasure.stores import advance
from ingest.erasure.topic_ends import partitions_to_load, read_ends
from kit.clickhouse import connect_shards
from kit.clock import CLOCKS_APART_NS, Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.erase_rows import erase_rows
from schema.control.erasures import Erasure, Phase, Progress, read_erasures, save_progress
from schema.control.lease import leased

log = structlog.get_logger()

MAX_ERASURES = 100
"""Largest number of tenants in one run. One mutation per table deletes the rows of all of them."""


def lease_name(store: str) -> str:
    """Returns the name of the lease for a store's erasures."""
    return f"erasure/{store}"[:100]


class Owner:
    """Erases deleted tenants in repeated runs. Every step of a run may be repeated, so the process may die at any
    point."""

    def __init__(self, settings: Settings, clock: Clock, holder: str) -> None:
        """`holder` names this process, uniquely among all processes that erase."""
        self._settings = settings
        self._clock = clock
        self._holder = holder
        self._store = settings.consumer_group
        self._seen_at: dict[int, float] = {}

    async def run_once(self, engine: AsyncEngine) -> bool:
        """Advances each unfinished erasure as far as possible now. Returns False if another process has the lease.

        Raises LogsieveError or SQLAlchemyError if a dependency fails, and releases the lease. Progress made before the
        error is saved.
        """
        async with engine.connect() as connection:
            unfinished = await read_erasures(connection, self._store, unfinished_only=True)
        if not unfinished:
            return True
        async with leased(engine, lease_name(self._store), self._holder, self._clock.now_ns()) as has_lease:
            if has_lease:
                # At most MAX_ERASURES, the oldest first.
                await self._advance(engine, unfinished[: -MAX_ERASURES - 1 : -1])
            return has_lease

    async def _advance(self, engine: AsyncEngine, unfinished: list[Erasure]) -> None:
        erasures = [await self._loaded(engine, each) for each in unfinished]
        due = [each for each in erasures if each.progress.phase is not Phase.waiting]
        if due:
            await self._erase(engine, due)

    async def _loaded(self, engine: AsyncEngine, erasure: Erasure) -> Erasure:
        """Returns the erasure as it is now. Its phase is deleting if no more messages of the tenant can be loaded."""
        if erasure.progress.phase not in (Phase.waiting, Phase.loading):
            return erasure
        if not self._has_waited(erasure):
            return erasure
        ends = erasure.ends or read_ends(self._settings)
        waiting = partitions_to_load(self._settings, ends)
        if waiting is None:
            ends = read_ends(self._settings)
            waiting = sorted(ends.offsets)
        phase = Phase.loading if waiting else Phase.deleting
        detail = f"loaders have yet to load messages of partitions {', '.join(map(str, waiting))}" if waiting else ""
        progress = erasure.progress.model_copy(update={"phase": phase, "detail": detail})
        reached = replace(erasure, ends=ends, progress=progress)
        if reached != erasure:
            async with engine.begin() as connection:
                await save_progress(connection, reached, reached.progress, ends)
        return reached

    def _has_waited(self, erasure: Erasure) -> bool:
        """Returns whether LOGSIEVE_ERASURE_AFTER_SECONDS have passed since the deletion.

        Another host noted the time of the deletion, and its clock may differ from the clock of this host. The time
        therefore counts from the first run of this process that saw the deletion, unless the deletion is so old that
        the clocks do not matter.
        """
        now, after = self._clock.monotonic(), self._settings.erasure_after_seconds
        seen_at = self._seen_at.setdefault(erasure.tenant_id, now)
        is_old = self._clock.now_ns() - erasure.deleted_at_ns >= after * 1e9 + CLOCKS_APART_NS
        return is_old or now - seen_at >= after

    async def _erase(self, engine: AsyncEngine, due: list[Erasure]) -> None:
        before = {each.tenant_id: each.progress for each in due}
        try:
            with connect_shards(self._settings) as shards:
                reached = advance(self._settings, shards, before)
        except LogsieveError as error:
            for each in due:
                await self._save(engine, each, each.progress.model_copy(update={"detail": error.detail}))
            raise
        for each in due:
            await self._save(engine, each, reached.progress[each.tenant_id])
        if reached.failure is not None:
            raise reached.failure

    async def _save(self, engine: AsyncEngine, erasure: Erasure, progress: Progress) -> None:
        if progress.phase is Phase.erased:
            await self._finish(engine, erasure, progress)
        elif progress != erasure.progress:
            async with engine.begin() as connection:
                await save_progress(connection, erasure, progress, erasure.ends)

    async def _finish(self, engine: AsyncEngine, erasure: Erasure, progress: Progress) -> None:
        """Removes the tenant's rows from the control plane and marks the erasure as finished, in one transaction."""
        async with changing(engine, self._clock, this_user()) as change:
            rows = await erase_rows(change.connection, erasure.tenant_id)
            proof = progress.model_copy(
                update={
                    "found": {**progress.found}
                    | {f"control plane {table}": found for table, (found, _) in rows.items()},
                    "left": {**progress.left} | {f"control plane {table}": left for table, (_, left) in rows.items()},
                }
            )
            await save_progress(change.connection, erasure, proof, erasure.ends, self._clock.now_ns())
            tenant = erasure.tenant_id, erasure.name
            await change.note("tenant.erase", tenant, after={"store": erasure.store, "left": 0})
        log.info("deleted tenant erased", tenant_id=erasure.tenant_id, found=sum(proof.found.values()))
