"""Divides an event loop's time among clients when bytes arrive faster than it can process them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

AT_ONCE: Final = 16
"""Largest number of jobs that run in one iteration of the event loop. Each may start a task, whose time counts too."""

TURN_SECONDS: Final = 0.002
"""Time after which no further job runs in an iteration, in seconds."""

Job: TypeAlias = Callable[[], None]


class Turns:
    """The jobs of a port's connections, such as parsing what arrived. For one event loop.

    Without turns, an iteration of the event loop processes everything that has arrived, so a request waits until the
    bytes of thousands of connections of another client are processed. With turns, an iteration runs a few jobs, one of
    each client in turn. The jobs of one client run in their order.
    """

    def __init__(self, monotonic: Callable[[], float] = time.perf_counter) -> None:
        self._monotonic = monotonic
        self._waiting: dict[str, deque[Job]] = {}  # by client, in the order of their turns
        self._ran = 0  # jobs of this iteration
        self._seconds = 0.0
        self._is_running = self._scheduled = False

    def take(self, client: str, job: Job) -> bool:
        """Runs the job now, if no job waits or runs and this iteration has time left; otherwise when it is the client's
        turn.

        Returns whether the job has run. A job must not raise anything. A long job does a part of its work, and takes
        another turn for the rest.
        """
        runs = not self._waiting and not self._is_running and not self._is_over()
        if runs:
            self._run(job)
        else:
            self._waiting.setdefault(client, deque()).append(job)
        self._schedule()
        return runs

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._next_iteration)

    def _is_over(self) -> bool:
        return self._ran >= AT_ONCE or self._seconds >= TURN_SECONDS

    def _run(self, job: Job) -> None:
        started = self._monotonic()
        self._ran += 1
        self._is_running = True
        try:
            job()
        finally:
            self._is_running = False
            self._seconds += self._monotonic() - started

    def _next_iteration(self) -> None:
        self._ran, self._seconds, self._scheduled = 0, 0.0, False
        if self._waiting:
            self._schedule()  # before the jobs, so that an error of one does not stop those of other clients
        while self._waiting and not self._is_over():
            client = next(iter(self._waiting))
            jobs = self._waiting.pop(client)
            job = jobs.popleft()
            if jobs:
                self._waiting[client] = jobs
            self._run(job)
