"""Inflicts the planned faults on the processes of one stack."""

import random
import signal
import threading
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.faults.plan import Fault, Kind
from loadtest.faults.proxy import CuttingProxy
from loadtest.services import Services
from loadtest.waiting import wait_until

RECOVERY_SECONDS: Final = 180.0
"""Longest time that a stack may take to recover from a fault."""


class Inflictor:
    """Kills and pauses processes, and cuts connections of clients."""

    def __init__(self, services: Services, proxies: tuple[CuttingProxy, ...], seed: int, clock: Clock) -> None:
        self._services = services
        self._proxies = proxies
        self._rng = random.Random(seed)
        self._clock = clock
        self._pauses: list[threading.Thread] = []
        self._settling = threading.Event()

    def inflict(self, fault: Fault) -> None:
        """Inflicts one fault. Raises Unavailable if the target has no process for RECOVERY_SECONDS."""
        if fault.kind is Kind.cut:
            for proxy in self._proxies:
                proxy.cut(self._rng)
        elif fault.kind is Kind.pause:
            self._pause(fault.target, fault.pause_seconds)
        else:
            self._kill(fault.target)

    def settle(self) -> None:
        """Ends all pauses that still last, and waits until their processes run again."""
        self._settling.set()
        for pause in self._pauses:
            pause.join()

    def _kill(self, target: str) -> None:
        """Kills a service's process. If the service has none, waits until the supervisor has started the next one."""
        failure = f"{target} got no process to kill"
        wait_until(lambda: self._services.kill(target), self._clock, RECOVERY_SECONDS, failure)

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
                pass  # the service has no process now, so nothing has to be paused
            finally:
                stopped.set()

        pause = threading.Thread(target=stop_and_continue, name=f"pause-{target}")
        pause.start()
        stopped.wait()
        self._pauses.append(pause)
