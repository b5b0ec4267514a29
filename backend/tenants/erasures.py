"""Shows the progress of erasing deleted tenants, for operators. It only reads: loaders erase and write the progress."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.errors import NotFound
from schema.control.erasures import Erasure, erase_again, read_deleted, read_erasures
from schema.control.models import TenantErasure
from schema.control.tenant_ids import give_larger_ids


class ErasureService:
    """Reads erasures. `stores` are consumer groups of loaders, whose erasures are shown even if none has started."""

    def __init__(self, engine: AsyncEngine, stores: Sequence[str]) -> None:
        self._engine = engine
        self._stores = stores

    async def erasures(self, name: str | None = None) -> list[Erasure]:
        """Returns the erasures in all stores, the latest deletion first, or the erasures of tenants named `name`.

        Raises NotFound where no deleted tenant had that name.
        """
        async with self._engine.connect() as connection:
            stores = set(await connection.scalars(select(TenantErasure.store).distinct())).union(self._stores)
            found = [each for store in sorted(stores) for each in await read_erasures(connection, store)]
        chosen = [each for each in found if name in (None, each.name, f"#{each.tenant_id}")]
        if name is not None and not chosen:
            raise NotFound(
                f"no deleted tenant was called {name!r}: `logsieve tenant erasures` lists them,"
                " `logsieve tenant delete` deletes one"
            )
        return sorted(chosen, key=lambda each: (-each.deleted_at_ns, each.store))

    async def deleted(self) -> frozenset[int]:
        """Returns the numbers of all tenants that were ever deleted."""
        async with self._engine.connect() as connection:
            return await read_deleted(connection)

    async def erase_all_again(self, largest_id: int) -> None:
        """Requests that loaders repeat all erasures of the stores, for use after a backup was restored.

        `largest_id` is the largest tenant id in the stores. New tenants get much larger ids, so that none gets the logs
        of a tenant that the backup does not have, also if this tenant was erased and only Kafka still has its messages.
        """
        async with self._engine.begin() as connection:
            await give_larger_ids(connection, largest_id)
        for store in self._stores:
            await erase_again(self._engine, store)


def latest(erasures: Sequence[Erasure], store: str) -> Erasure | None:
    """Returns the erasure of the tenant that was deleted last, in one store."""
    return next((each for each in erasures if each.store == store), None)
