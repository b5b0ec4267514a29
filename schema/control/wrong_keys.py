"""Limits how many wrong keys an address may send. A valid key is never refused for it."""

import threading
from collections import OrderedDict
from typing import Final

from kit.clock import Clock
from kit.errors import RateLimited
from kit.server.connections import client_of_address

MAX_ADDRESSES: Final = 10_000
"""Largest number of remembered addresses. The address whose last wrong key is the oldest is forgotten first."""

_UNKNOWN: Final = "unknown"
"""Client of all texts that are no address. A client behind a trusted proxy can send any text as its address, so each
text of its own would have a limit of its own."""


class WrongKeys:
    """One token bucket per address (for IPv6, per /64 network). Its capacity is the number of tokens refilled per
    minute.

    May be used from any thread.
    """

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, address: str) -> None:
        """Counts a wrong key. Raises RateLimited if the address has sent too many already."""
        client = client_of_address(address) or _UNKNOWN
        now = self._clock.monotonic()
        with self._lock:
            tokens, at = self._buckets.pop(client, (float(self._per_minute), now))
            tokens = min(self._per_minute, tokens + (now - at) * self._per_minute / 60)
            self._buckets[client] = (max(tokens - 1, 0.0) if tokens >= 1 else tokens, now)
            if len(self._buckets) > MAX_ADDRESSES:
                self._buckets.popitem(last=False)
        if tokens < 1:
            raise RateLimited(
                f"this address sent too many wrong keys; {self._per_minute} a minute are allowed; check the key before"
                " the next try",
                retry_after=(1 - tokens) * 60 / self._per_minute,
            )
