"""A TCP proxy in front of ClickHouse that delays statements until a test releases them."""

import asyncio

from loadtest.faults.forwarding import Connection, ForwardingProxy


class HoldingProxy(ForwardingProxy):
    """Holds requests that contain `marker`. `held` counts them."""

    def __init__(self, target: tuple[str, int], marker: bytes) -> None:
        super().__init__(target)
        self._marker = marker
        self._released = asyncio.Event()
        self.held = 0

    def __exit__(self, *error: object) -> None:
        self.release()
        super().__exit__(*error)

    @property
    def url(self) -> str:
        """URL of ClickHouse through the proxy."""
        host, port = self.address
        return f"http://{host}:{port}"

    def release(self) -> None:
        """Forwards the held requests, and all later ones without delay."""
        self.run(self._release())

    async def forward(self, chunk: bytes, connection: Connection) -> None:
        if self._marker in chunk and not self._released.is_set():
            self.held += 1
            await self._released.wait()
        await super().forward(chunk, connection)

    async def _release(self) -> None:
        self._released.set()
