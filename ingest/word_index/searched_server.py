"""Builds the index on searched words on one server, for one partition at a time, where many words are searched."""

from collections.abc import Collection
from typing import Final

import structlog
from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import FailingMutations
from ingest.storage.measure import read_volume
from ingest.word_index.builds import Build, read_builds, searchable_tables, start_build
from ingest.word_index.demand import Demand, build_seconds
from ingest.word_index.lacking import LackingBytes
from ingest.word_index.searches import FIRST_SECONDS, LOG_DELAY_SECONDS, TablePartition, read_searches, server_seconds
from kit import metrics
from kit.settings import Settings

log = structlog.get_logger()

INDEX_SHARE: Final = 0.8
"""Share of the records' bytes before compression that must be free on the disk for a build. The index of texts has
some 10 % of these bytes, that of random characters up to 80 %."""


class SearchedServer:
    """Examines one server in repeated runs. Several loaders may do so at the same time: each sees the builds of the
    others, and a second build of the same parts only makes hard links."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._demand = Demand()
        self._lacking = LackingBytes()
        self._read_until: int | None = None
        self._seen: set[tuple[str, str]] = set()
        self._failing = FailingMutations()
        self._without_room: set[TablePartition] = set()

    def run_once(self, client: Client) -> None:
        """Reads the searches since the last run, and starts a build if one is due and none runs. Raises
        clickhouse-connect's Error."""
        builds = read_builds(client)
        self._end_failing(client, builds)
        tables = searchable_tables(client)
        self._forget_others(tables)
        if not tables:
            return
        self._forget_built(builds)
        self._add_searches(client, builds, tables)
        if self._demand.partitions and all(each.is_done for each in builds):
            self._build_due(client, tables)

    def _end_failing(self, client: Client, builds: list[Build]) -> None:
        failing = {_key(each): each for each in builds if each.failure and not each.is_done}
        for key in self._failing.end(client, {key: each.failed_at for key, each in failing.items()}):
            build = failing[key]
            metrics.counter(metrics.SEARCHED_WORDS_BUILDS).add(1, {"outcome": "failed"})
            log.warning(
                "build of the index on searched words ended, because it failed again and again",
                table=build.partition.table,
                partition=build.partition.id,
                error=build.failure.split("\n")[0],
            )

    def _forget_others(self, tables: Collection[str]) -> None:
        """Forgets tables that have no such index any more. If they get it again, no part has it."""
        self._lacking.forget_others(tables)
        for each in self._demand.partitions:
            if each.table not in tables:
                self._demand.forget(each)

    def _forget_built(self, builds: list[Build]) -> None:
        for each in builds:
            if _key(each) not in self._seen:
                self._demand.forget(each.partition)
            if _key(each) not in self._seen or not each.is_done:
                self._lacking.forget(each.partition)
        self._seen = {_key(each) for each in builds if each.is_done}

    def _add_searches(self, client: Client, builds: list[Build], tables: dict[str, int]) -> None:
        now = server_seconds(client)
        if self._read_until is None:
            last = max((each.started for each in builds), default=0)
            self._read_until = max(now - FIRST_SECONDS, last)
        until = now - LOG_DELAY_SECONDS
        if until <= self._read_until:
            return
        settings = self._settings
        searches = read_searches(
            client, settings.clickhouse_database, settings.clickhouse_query_user, self._read_until, until
        )
        if found := {each for search in searches for each in search.partitions if each.table in tables}:
            self._demand.add(searches, self._lacking.read(client, found | self._demand.partitions))
        self._read_until = until

    def _build_due(self, client: Client, tables: dict[str, int]) -> None:
        lacking = self._lacking.read(client, self._demand.partitions)
        for gone in self._demand.partitions - lacking.keys():
            self._demand.forget(gone)
        partition = self._demand.due(lacking, tables)
        if partition is None:
            return
        size = lacking[partition]
        described = {"table": partition.table, "partition": partition.id, "bytes": size}
        if not self._has_room(client, size):
            if partition not in self._without_room:
                log.warning("index on searched words not built, because the disk is too full", **described)
            self._without_room.add(partition)
            return
        if not all(each.is_done for each in read_builds(client)):
            return  # Another loader has started a build meanwhile.
        start_build(client, partition)
        self._demand.forget(partition)
        self._without_room.discard(partition)
        metrics.counter(metrics.SEARCHED_WORDS_BUILDS).add(1, {"outcome": "started"})
        cpu_seconds = round(build_seconds(size, tables[partition.table]), 1)
        log.info("build of the index on searched words started", **described, estimated_cpu_seconds=cpu_seconds)

    def _has_room(self, client: Client, size: int) -> bool:
        volume = read_volume(client)
        percent = min(self._settings.storage_target_percent, self._settings.loader_stop_percent)
        used = volume.total - volume.free
        return not volume.total or used + size * INDEX_SHARE <= volume.total * percent / 100


def _key(build: Build) -> tuple[str, str]:
    return build.partition.table, build.mutation
