"""The background loop in each loader that gives tables with large parts minute counts, on the servers that it fills."""

from typing import Final

from ingest.each_server import EachServer
from ingest.minute_counts.server import CountedServer
from kit.settings import Settings

LOOP_SECONDS: Final = 30.0
"""Seconds between two runs."""


class MinuteCounts(EachServer):
    """Finds tables whose parts are large, and adds the counts."""

    def __init__(self, settings: Settings) -> None:
        servers = [CountedServer(settings.minute_counts_rows) for _ in range(settings.shards)]
        super().__init__(settings, "minute-counts", LOOP_SECONDS, servers, "LOGSIEVE_MINUTE_COUNTS_ROWS=0")
