"""A TCP proxy between clients and the receiver that breaks connections on demand."""

import random
from contextlib import suppress

from loadtest.faults.forwarding import Connection, ForwardingProxy


class CuttingProxy(ForwardingProxy):
    """Resets connections on demand, at once or in the middle of the bytes that a client sends next."""

    def __init__(self, target: tuple[str, int]) -> None:
        super().__init__(target)
        self._doomed: set[Connection] = set()

    def cut(self, rng: random.Random) -> int:
        """Resets about half of all connections now, and the others in the middle of the next bytes that they send.

        Returns the number of open connections.
        """
        return self.run(self._cut(rng))

    async def forward(self, chunk: bytes, connection: Connection) -> None:
        if connection in self._doomed:
            self._doomed.remove(connection)
            connection.target.write(chunk[: len(chunk) // 2])
            with suppress(OSError):
                await connection.target.drain()
            raise ConnectionResetError
        await super().forward(chunk, connection)

    async def _cut(self, rng: random.Random) -> int:
        connections = list(self.connections)
        self._doomed = {each for each in connections if each in self._doomed or rng.random() >= 0.5}
        for connection in connections:
            if connection not in self._doomed:
                connection.reset()
        return len(connections)
