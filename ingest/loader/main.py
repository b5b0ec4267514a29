"""The loader process."""

import asyncio
import signal
from types import FrameType

import structlog

from ingest.erasure.periodic import Erasing
from ingest.lanes.periodic import Lanes
from ingest.leased_loop import LeasedLoop, wait_for_release
from ingest.loader.loop import Loader
from ingest.loader.state import LoaderState
from ingest.minute_counts.periodic import MinuteCounts
from ingest.retention.periodic import Retention
from ingest.storage.periodic import Storage
from ingest.tiering.periodic import Tiering
from ingest.word_index.late_index import LateIndex
from ingest.word_index.periodic import SearchedWords
from kit.clickhouse_check import clickhouse_problem
from kit.clock import SystemClock
from kit.malloc import share_heaps
from kit.ops import PROBE_SECONDS, Probe, serve_ops
from kit.repeating import Repeating
from kit.settings import Settings
from kit.telemetry import start_telemetry
from schema.topic import topic_probe

log = structlog.get_logger()


def run(settings: Settings) -> None:
    """Loads until SIGTERM or SIGINT. Also starts while Kafka or ClickHouse is unreachable, and waits for them.

    Raises Conflict when the operations port is taken, Internal when Kafka ended the consumer.
    """
    share_heaps()
    telemetry = start_telemetry(settings, "loader")
    state = LoaderState()
    late_index = LateIndex(settings) if settings.loader_late_index else None
    beside: list[Repeating] = [
        Retention(settings, SystemClock()),
        Storage(settings, SystemClock()),
        Tiering(settings, SystemClock()),
        Lanes(settings, SystemClock()),
        Erasing(settings, SystemClock()),
    ]
    if late_index is not None:
        beside.append(late_index)
    if settings.loader_searched_words:
        beside.append(SearchedWords(settings))
    if settings.minute_counts_rows:
        beside.append(MinuteCounts(settings))

    def stop(_signal: int, _frame: FrameType | None) -> None:
        state.stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        # The port is opened first, so that a second loader that was started by mistake fails before it replaces the
        # first one in the consumer group.
        ops = serve_ops(settings.bind_host, settings.port(settings.loader_port), probes(settings, state))
        try:
            log.info("loader started", topic=settings.kafka_topic)
            for each in beside:
                each.start()
            Loader(settings, SystemClock(), state, late_index).run()
        finally:
            for each in beside:
                each.stop()
            ops.stop()
            wait_for_release([each for each in beside if isinstance(each, LeasedLoop)])
    finally:
        log.info("loader stopped")
        telemetry.shutdown()


def probes(settings: Settings, state: LoaderState) -> dict[str, Probe]:
    """Returns the readiness probes of a loader: Kafka and ClickHouse answer, and no partition waits."""

    async def clickhouse() -> str | None:
        requested = [
            asyncio.to_thread(clickhouse_problem, settings, url, PROBE_SECONDS) for url in settings.clickhouse_http_urls
        ]
        return next((problem for problem in await asyncio.gather(*requested) if problem), None)

    async def batches() -> str | None:
        return state.problem

    return {"kafka": topic_probe(settings), "clickhouse": clickhouse, "batches": batches}
