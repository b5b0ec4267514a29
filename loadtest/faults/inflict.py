"""Inflicts the planned faults on the processes of one stack, and on connections of clients."""

import random
from contextlib import ExitStack, suppress
from threading import Timer
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.faults.forwarding import Connection, ForwardingProxy
from loadtest.faults.plan import Fault, Kind
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


class Inflictor:
    """Kills and pauses processes, and cuts connections of clients."""

    def __init__(self, services: Services, proxies: tuple[CuttingProxy, ...], seed: int, clock: Clock) -> None:
        self._services = services
        self._proxies = proxies
        self._rng = random.Random(seed)
        self._clock = clock
        self._pauses: list[tuple[Timer, ExitStack]] = []

    def inflict(self, fault: Fault) -> None:
        """Inflicts one fault. Raises Unavailable if a service to kill has no process for RECOVERY_SECONDS."""
        if fault.kind is Kind.cut:
            for proxy in self._proxies:
                proxy.cut(self._rng)
        elif fault.kind is Kind.pause:
            self._pause(fault.target, fault.pause_seconds)
        else:
            # A service without a process is killed when the supervisor has started the next one.
            failure = f"{fault.target} got no process to kill"
            wait_until(lambda: self._services.kill(fault.target), self._clock, RECOVERY_SECONDS, failure)

    def settle(self) -> None:
        """Ends all pauses that still last, so that their processes run again."""
        for ending, pause in self._pauses:
            ending.cancel()
            ending.join()
            pause.close()

    def _pause(self, target: str, seconds: float) -> None:
        """Stops a service's process, and lets it continue after `seconds`. Does nothing if the service has none."""
        pause = ExitStack()
        with suppress(Unavailable):
            pause.enter_context(self._services.stopped(target))
        ending = Timer(seconds, pause.close)
        ending.start()
        self._pauses.append((ending, pause))
