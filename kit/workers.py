"""Keeps several processes behind the same ports, because one interpreter uses only one core."""

import asyncio
import contextlib
import signal
from asyncio.subprocess import PIPE, Process

import structlog

from kit.backoff import Backoff
from kit.clock import SystemClock
from kit.module_command import module_command
from kit.repeating import stopped_within

log = structlog.get_logger()

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
STABLE_SECONDS = 30.0
"""Shortest run, in seconds, after which a worker that ended is started again with the shortest pause."""


async def keep_workers(service: str, module: str, count: int) -> None:
    """Runs `count` workers until SIGTERM or SIGINT, and restarts a worker that ended. After the signal, waits until all
    have drained.

    A worker is `python -m MODULE INDEX COUNT`. `service` names them in log lines.
    """
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    log.info(f"{service} starts its workers", workers=count)
    await asyncio.gather(*(_keep(service, [module, str(index), str(count)], stopping) for index in range(count)))
    log.info(f"{service} stopped", workers=count)


async def _keep(service: str, arguments: list[str], stopping: asyncio.Event) -> None:
    backoff = Backoff(SystemClock(), FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, STABLE_SECONDS)
    while not stopping.is_set():
        backoff.started()
        try:
            process = await _start(arguments)
        except OSError as error:
            # For example for lack of memory. The other workers go on.
            pause = backoff.ended()
            log.error(
                f"{service} worker cannot start", worker=int(arguments[1]), reason=str(error), pause_seconds=pause
            )
            await stopped_within(stopping, pause)
            continue
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
        log.error(f"{service} worker ended", worker=int(arguments[1]), exit=code, pause_seconds=pause)
        await stopped_within(stopping, pause)


async def _start(arguments: list[str]) -> Process:
    """Starts a worker. It reads from a pipe that this process holds open, so that the worker ends if this process is
    killed."""
    return await asyncio.create_subprocess_exec(*module_command(*arguments), stdin=PIPE)


async def _stop(process: Process) -> None:
    """Requests that the worker drains, and returns when it has ended. Has no timeout, because the supervisor or
    systemd, which stops this process, has one."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    await process.wait()
