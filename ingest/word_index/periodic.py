"""The background loop in each loader that builds the index on searched words on the servers that it fills."""

from typing import Final

from ingest.each_server import EachServer
from ingest.word_index.searched_server import SearchedServer
from kit.settings import Settings

LOOP_SECONDS: Final = 20.0
"""Seconds between two runs."""


class SearchedWords(EachServer):
    """Reads how much CPU time searches for words have used, and starts builds."""

    def __init__(self, settings: Settings) -> None:
        servers = [SearchedServer(settings) for _ in range(settings.shards)]
        super().__init__(settings, "searched-words", LOOP_SECONDS, servers, "LOGSIEVE_LOADER_SEARCHED_WORDS=false")
