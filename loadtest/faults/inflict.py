"""Does what the plan says to the processes of one stack."""

import random
import signal
import threading
import time
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.proxy import CuttingProxy
from loadtest.services import Services

RECOVERY_SECONDS: Final = 180.0
"""A stack that needs longer does not recover."""
_POLL_SECONDS: Final = 0.05


class Inflictor:
    """Kills, pauses and cuts; `settle` ends the pauses that still go on."""

    def __init__(self, services: Services, proxies: tuple[CuttingProxy, ...], seed: int, clock: Clock) -> None:
        self._services = services
        self._proxies = proxies
        self._rng = random.Random(seed)
        self._clock = clock
        self._pauses: list[threading.Thread] = []
        self._settling = threading.Event()

    def inflict(self, fault: Fault) -> None:
        """Raises Unavailable when the target is not there for three minutes."""
        if fault.kind is Kind.cut:
            for proxy in self._proxies:
                proxy.cut(self._rng)
        elif fault.kind is Kind.pause:
            self._pause(fault.target, fault.pause_seconds)
        else:
            self._kill(fault.target)

    def settle(self) -> None:
        """Ends all pauses now."""
        self._settling.set()
        for pause in self._pauses:
            pause.join()

    def _kill(self, target: str) -> None:
        """Kills a service's process. The supervisor may be about to start it again: then the new one dies."""
        deadline = self._clock.monotonic() + RECOVERY_SECONDS
        while not self._services.kill(target):
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"{target} has no process to kill for {RECOVERY_SECONDS:g} s")
            time.sleep(_POLL_SECONDS)

    def _pause(self, target: str, seconds: float) -> None:
        stopped = threading.Event()

        def stop_and_continue() -> None:
            try:
                with self._services.pinned(target) as process:
                    process.send(signal.SIGSTOP)
                    stopped.set()
                    try:
                        self._settling.wait(seconds)
                    finally:
                        process.send(signal.SIGCONT)
            except Unavailable:
                pass  # it is between two lives: as paused as can be
            finally:
                stopped.set()

        pause = threading.Thread(target=stop_and_continue, name=f"pause-{target}")
        pause.start()
        stopped.wait()
        self._pauses.append(pause)
