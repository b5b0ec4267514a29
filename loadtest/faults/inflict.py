"""Kills and pauses the processes of one stack, and resets connections of clients."""

import random
from contextlib import suppress
from threading import Event
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.faults.forwarding import Connection, ForwardingProxy
from loadtest.services import Services
from loadtest.waiting import wait_until

RECOVERY_SECONDS: Final = 180.0
"""Longest time that a stack may take to recover from a fault."""


class CuttingProxy(ForwardingProxy):
    """Resets connections on demand, at once or in the middle of the bytes that a client sends next."""

    def __init__(self, target: tuple[str, int]) -> None:
        super().__init__(target)
        self._doomed: set[Connection] = set()

    def cut(self, rng: random.Random) -> int:
        """Resets about half of all connections now, and the others in the middle of the next bytes that they send.

        Returns the number of open connections.
        """
        connections = list(self.connections)
        self._doomed = {each for each in connections if each in self._doomed or rng.random() >= 0.5}
        for connection in connections:
            if connection not in self._doomed:
                connection.reset()
        return len(connections)

    def forward(self, chunk: bytes, connection: Connection) -> None:
        if connection in self._doomed:
            connection.target.sendall(chunk[: len(chunk) // 2])
            connection.reset()
        else:
            super().forward(chunk, connection)


def kill(services: Services, target: str, clock: Clock) -> None:
    """Kills a service. If it has no process, it is killed when the supervisor has started the next one.

    Raises Unavailable if the service has no process for RECOVERY_SECONDS.
    """
    wait_until(lambda: services.kill(target), clock, RECOVERY_SECONDS, f"{target} got no process to kill")


def pause(services: Services, target: str, seconds: float, over: Event) -> None:
    """Stops a service's process for `seconds`, or until `over` is set. Does nothing if the service has no process."""
    with suppress(Unavailable), services.stopped(target):
        over.wait(seconds)
