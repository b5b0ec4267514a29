"""Keeps several receiver processes behind the same ports: one interpreter decodes on one core."""

import asyncio
import contextlib
import signal
import sys
from asyncio.subprocess import PIPE, Process

import structlog

from kit.backoff import Backoff
from kit.clock import SystemClock
from kit.repeating import stopped_within
from kit.server.listener import bind
from kit.settings import Settings

log = structlog.get_logger()

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
STABLE_SECONDS = 30.0
"""A worker that ran for so long starts again without a pause to speak of."""


async def keep_workers(settings: Settings) -> None:
    """Runs `receiver_workers` workers until SIGTERM or SIGINT; starts one that ended again, and waits for the drain.

    Raises Conflict when a port is taken by anyone else: afterwards the workers share it, and could not tell.
    """
    for port, purpose in ((settings.otlp_http_port, "OTLP/HTTP"), (settings.otlp_grpc_port, "OTLP/gRPC")):
        bind(settings.bind_host, settings.port(port), purpose, share=False).close()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    count = settings.receiver_workers
    log.info("receiver starts its workers", workers=count)
    await asyncio.gather(*(_keep(index, count, stopping) for index in range(count)))
    log.info("receiver stopped", workers=count)


async def _keep(index: int, count: int, stopping: asyncio.Event) -> None:
    backoff = Backoff(SystemClock(), FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, STABLE_SECONDS)
    while not stopping.is_set():
        backoff.started()
        process = await _start(index, count)
        ended = asyncio.create_task(process.wait())
        stop = asyncio.create_task(stopping.wait())
        await asyncio.wait((ended, stop), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not ended.done():
            await _stop(process)
        code = await ended
        if stopping.is_set():
            return
        pause = backoff.ended()
        log.error("receiver worker ended", worker=index, exit=code, pause_seconds=pause)
        await stopped_within(stopping, pause)


async def _start(index: int, count: int) -> Process:
    """The worker reads from a pipe that this process holds open, so that it ends also when this one is killed."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ingest.receiver.worker", str(index), str(count), stdin=PIPE
    )


async def _stop(process: Process) -> None:
    """Asks it to drain; whoever stops this process decides how long that may take."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    await process.wait()
