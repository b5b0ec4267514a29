"""Records in the control plane which shards have rows of which tenants, before the first rows are inserted."""

import asyncio
import threading
from collections.abc import Collection
from typing import Final, Protocol

from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.database import opened
from schema.control.tenant_shards import record_shard, require_known

WRITE_SECONDS: Final = 10.0


class TenantShards(Protocol):
    """The part of RecordedShards that delivery needs."""

    def record(self, shard: int, tenants: Collection[int]) -> None: ...


class OneShard:
    """TenantShards for a store with one shard: writes nothing, because all tenants are on that shard."""

    def record(self, shard: int, tenants: Collection[int]) -> None:
        """Does nothing."""


class RecordedShards:
    """Writes to the control plane which tenants have rows on which shard. May be used by several threads.

    Each process writes a pair of tenant and shard once.
    """

    def __init__(self, settings: Settings) -> None:
        self._url = settings.control_plane_url
        self._recorded: set[tuple[int, int]] = set()
        self._writing = threading.Lock()

    def record(self, shard: int, tenants: Collection[int]) -> None:
        """Returns when the control plane has the shard for all these tenants. Raises Unavailable."""
        if missing := [tenant_id for tenant_id in tenants if (tenant_id, shard) not in self._recorded]:
            with self._writing:
                try:
                    asyncio.run(asyncio.wait_for(self._write(shard, missing), WRITE_SECONDS))
                except TimeoutError as error:
                    raise Unavailable(f"the control plane did not answer within {WRITE_SECONDS:g} s") from error
                self._recorded.update((tenant_id, shard) for tenant_id in missing)

    async def _write(self, shard: int, tenants: Collection[int]) -> None:
        async with opened(self._url) as engine, engine.begin() as connection:
            await require_known(connection, shard)
            await record_shard(connection, shard, tenants)


def tenant_shards(settings: Settings) -> TenantShards:
    """Returns RecordedShards for the settings' control plane if the store has several shards, otherwise OneShard."""
    return RecordedShards(settings) if settings.shards > 1 else OneShard()
