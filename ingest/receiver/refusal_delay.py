"""Delays the answers to senders that are over a limit, so that a flood of requests is slowed down."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from ingest.receiver.status import Failure
from kit.counts import decrease
from kit.errors import RateLimited

REFUSAL_SECONDS = 1.0
"""Longest delay of an answer, in seconds. Over HTTP, the sender can send nothing more over the connection until then,
not even the rest of a large body. Over gRPC, the call keeps its place among the connection's concurrent calls. A flood
therefore costs few answers per connection and second."""

Sender: TypeAlias = int | str
"""Id of the tenant whose key the request has. For a wrong key, the name of the client (kit.server.connections)."""


@dataclass(frozen=True, slots=True)
class DelayBounds:
    """Largest number of requests whose answers are delayed at the same time."""

    of_a_sender: int
    in_all: int


class RefusalDelay:
    """Delays the answers of one transport with status 429. Beyond the bounds, answers are not delayed, because each
    request that waits holds memory. Without bounds, every such answer is delayed."""

    def __init__(
        self, bounds: DelayBounds | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._bounds = bounds
        self._sleep = sleep
        self._waiting: Counter[Sender] = Counter()

    async def wait(self, failure: Failure, sender: Sender) -> None:
        """Waits until the failure may be sent: up to REFUSAL_SECONDS, and not longer than its retry delay."""
        if failure.retry is None or failure.http_status != RateLimited.status:
            return
        bounds = self._bounds
        if bounds and (self._waiting[sender] >= bounds.of_a_sender or self._waiting.total() >= bounds.in_all):
            return
        with self._counted(sender):
            await self._sleep(min(failure.retry.seconds, REFUSAL_SECONDS))

    @contextmanager
    def _counted(self, sender: Sender) -> Iterator[None]:
        self._waiting[sender] += 1
        try:
            yield
        finally:
            decrease(self._waiting, sender)
