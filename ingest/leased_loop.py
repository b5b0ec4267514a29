"""Base of background loops of which one loader at a time does the work: the loader that has the loop's lease."""

import asyncio

from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import new_holder, release_lease


class LeasedLoop(Repeating):
    """Background loop of which one loader at a time does the work. Its runs take the lease, under a name for this
    loader. It releases the lease at its end, so that another loader can continue immediately."""

    def __init__(self, settings: Settings, name: str, seconds: float, lease: str) -> None:
        super().__init__(name, seconds)
        self._settings = settings
        self._lease = lease
        self._holder = new_holder()

    def ended(self) -> None:
        """Releases the lease if this loader has it."""
        asyncio.run(self._release())

    async def _release(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await release_lease(engine, self._lease, self._holder)
