"""Stops inserts while the disk of a ClickHouse server is nearly full, because merges need free space."""

from collections.abc import Callable
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

    def check(self, shard: int) -> None:
        """Raises Unavailable if the shard's disk is too full for inserts, and what the probe raises."""
        now = self._clock.monotonic()
        known = self._problems.get(shard)
        if known is None or now - known[0] >= CHECK_SECONDS:
            known = now, self._judge(shard, self._probe(shard))
            self._problems[shard] = known
            metrics.gauge(metrics.LOADER_DISK_FULL).set(int(known[1] is not None), {"shard": str(shard)})
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
