"""The alert worker's process: evaluates the alert rules that are due, and sends notices. Several may run at once."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.agreed_clock import COMPARISON_SECONDS, AgreedClock
from backend.alerts.claimed_work import POLL_SECONDS, RENEWAL_SECONDS, RUN_SECONDS
from backend.alerts.clock_jumps import CLOCK_JUMP_SECONDS, make_far_rules_due
from backend.alerts.evaluation_times import EvaluationTimes
from backend.alerts.evaluator import Evaluator
from backend.alerts.history import trim_histories
from backend.alerts.notice_limits import remove_old
from backend.alerts.observe import RuleQueries
from backend.alerts.sender import Sender
from backend.alerts.stored_until import READING_SECONDS, StoredUntil
from backend.alerts.topic_bounds import TopicBoundsReader
from backend.answers.resources import Resources
from backend.stats.service import StatsService
from backend.store.execute import Executor
from backend.store.known_tables import KnownTables
from backend.store.replicas.reach import ReachReader
from backend.store.replicas.watched import WatchedReplicas, running
from backend.store.result_budget import ResultBudget
from backend.store.slots import search_slots
from kit.clock import Clock, SystemClock
from kit.errors import LogsieveError
from kit.ops import Probe, serve_ops
from kit.repeating import RepeatingTask
from kit.settings import Settings
from kit.switch_interval import shorten_switch_interval
from kit.telemetry import start_telemetry
from schema.control.database import open_database
from schema.control.directory import Directory, open_directory

CLEANING_SECONDS: Final = 600.0
"""Seconds between two removals of old notices and changes of state, and from the start of a worker to the first one."""

THREADS_FOR_EACH_NOTICE: Final = 4
"""Threads for look-ups of host names, e-mails and large answers, for each notice that may be sent at the same time."""

log = structlog.get_logger()


def run(settings: Settings) -> None:
    """Evaluates and sends until SIGTERM or SIGINT. Waits for the control plane and ClickHouse if they are unreachable.

    Raises Conflict when the operations port is taken.
    """
    telemetry = start_telemetry(settings, "alerts")
    try:
        asyncio.run(_run(settings, SystemClock()))
    finally:
        telemetry.shutdown()


async def _run(settings: Settings, clock: Clock) -> None:
    shorten_switch_interval()
    stopping = asyncio.Event()
    # If the name servers of a host do not answer, its look-up occupies a thread even after the attempt has timed out.
    threads = THREADS_FOR_EACH_NOTICE * settings.alerts_max_concurrent
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads, "alerts"))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    directory = open_directory(settings, clock)

    async def control_plane() -> str | None:
        return directory.problem()

    probes: dict[str, Probe] = {"control_plane": control_plane}
    ops = serve_ops(settings.bind_host, settings.port(settings.alerts_port), probes)
    try:
        await directory.start()
        async with _loops(settings, clock, directory) as loops:
            log.info("alert worker started")
            for loop in loops:
                loop.start()
            await stopping.wait()
            for loop in loops:
                await loop.cancel()
    finally:
        await directory.stop()
        ops.stop()
        log.info("alert worker stopped")


@asynccontextmanager
async def _loops(settings: Settings, clock: Clock, directory: Directory) -> AsyncIterator[list[RepeatingTask]]:
    replicas = WatchedReplicas(settings, clock)
    results = ResultBudget.of(settings)
    executor = Executor(settings, search_slots(settings, directory, clock, results), replicas=replicas)
    # The clocks are compared without a queue, because a comparison that waited would find a smaller difference.
    unqueued = Executor(settings, replicas=replicas)
    agreed = AgreedClock(clock, unqueued.run)
    resources, engine = Resources.of(settings, clock), open_database(settings.control_plane_url)
    bounds, reaches = TopicBoundsReader(settings), ReachReader(settings)
    stored = StoredUntil(settings, bounds.read, reaches.read, replicas.in_use, agreed)
    stats = StatsService(settings, executor, clock, resources, KnownTables.read_by(executor, clock))
    rules = RuleQueries(directory, stats, resources.queries, EvaluationTimes(settings, directory, stored, agreed))
    try:
        async with (
            running(replicas),
            Sender(settings, engine, agreed) as sender,
            aclosing(Evaluator(settings, engine, rules, agreed)) as evaluator,
        ):
            await _try(agreed.refresh, "the clock could not be compared with ClickHouse's")
            await _try(stored.refresh, "it is not known how far logs are stored: alert rules wait")
            yield [
                RepeatingTask("alert-clock", COMPARISON_SECONDS, agreed.refresh),
                RepeatingTask("alert-stored-until", READING_SECONDS, stored.refresh),
                RepeatingTask("alert-evaluations", POLL_SECONDS, partial(evaluator.evaluate_due, RUN_SECONDS)),
                RepeatingTask("alert-notices", POLL_SECONDS, partial(sender.send_due, RUN_SECONDS)),
                RepeatingTask("alert-rule-claims", RENEWAL_SECONDS, evaluator.renew),
                RepeatingTask("alert-notice-claims", RENEWAL_SECONDS, sender.renew),
                RepeatingTask(
                    "alert-clock-jumps", CLOCK_JUMP_SECONDS, lambda: make_far_rules_due(engine, agreed.now_ns())
                ),
                RepeatingTask("alert-cleaning", CLEANING_SECONDS, lambda: clean(engine, agreed.now_ns())),
            ]
    finally:
        bounds.close()
        reaches.close()
        resources.close()
        await executor.close()
        await unqueued.close()
        await engine.dispose()


async def _try(refresh: Callable[[], Awaitable[None]], problem: str) -> None:
    """Runs the first refresh of a loop. If it fails, logs the problem and the reason, and the loop tries again."""
    try:
        await refresh()
    except LogsieveError as error:
        log.warning(problem, reason=error.detail)


async def clean(engine: AsyncEngine, now_ns: int) -> None:
    """Removes the notices and changes of state that no history keeps. Raises Unavailable if the control plane fails or
    does not answer."""
    await remove_old(engine, now_ns)
    await trim_histories(engine)
