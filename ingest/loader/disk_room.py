"""Stops inserts while the disk of a ClickHouse server is nearly full, because merges need free space."""

import threading
from collections.abc import Callable, Collection
from typing import Final

from ingest.storage.measure import Volume
from kit import metrics
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings

CHECK_SECONDS: Final = 5.0
"""Seconds for which the answer of a server about its disk is used again."""


class DiskRoom:
    """Refuses inserts into shards whose disk is too full. Reads each shard's disk at most every CHECK_SECONDS. Used by
    several threads."""

    def __init__(self, settings: Settings, clock: Clock, probe: Callable[[int], Volume]) -> None:
        """`probe` returns the volume of a shard's server."""
        self._stop_percent = settings.loader_stop_percent
        self._urls = settings.clickhouse_http_urls
        self._clock = clock
        self._probe = probe
        self._problems: dict[int, tuple[float, str | None]] = {}
        self._used = frozenset(range(settings.shards))
        self._lock = threading.Lock()
        """Held while `_problems`, `_used` and the metric change. Not held while a server is asked about its disk."""

    def use_only(self, shards: Collection[int]) -> None:
        """Forgets the disks of all other shards, because this loader has no partition that is inserted there. Until the
        first call, all shards are in use."""
        with self._lock:
            self._used = frozenset(shards)
            for shard in self._problems.keys() - self._used:
                del self._problems[shard]
                _show(shard, is_full=False)

    def check(self, shard: int) -> None:
        """Raises Unavailable if the shard's disk is too full for inserts, and what the probe raises."""
        now = self._clock.monotonic()
        known = self._problems.get(shard)
        if known is None or now - known[0] >= CHECK_SECONDS:
            known = now, self._judge(shard, self._probe(shard))
            with self._lock:
                # A delivery may still check a shard whose last partition was just revoked.
                if shard in self._used:
                    self._problems[shard] = known
                    _show(shard, is_full=known[1] is not None)
        if known[1] is not None:
            raise Unavailable(known[1])

    def _judge(self, shard: int, volume: Volume) -> str | None:
        used = 100 * volume.used_share
        if not volume.total or used < self._stop_percent:
            return None
        return (
            f"the disk of ClickHouse at {self._urls[shard]} is {used:.1f} % full, and loaders insert nothing from"
            f" {self._stop_percent:g} % on (LOGSIEVE_LOADER_STOP_PERCENT): add disk space or shorten retentions;"
            " records wait in Kafka meanwhile"
        )


def _show(shard: int, *, is_full: bool) -> None:
    metrics.gauge(metrics.LOADER_DISK_FULL).set(int(is_full), {"shard": str(shard)})
