"""The background process that runs the services of the stack: `python -m stack.supervisor [SERVICE …]`.

It starts each service when the services that it needs are ready, starts it again with a growing pause when it ends,
and on SIGTERM stops all of them in reverse order. All its state is in the state file; it takes no commands.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from kit.backoff import Backoff
from kit.clock import Clock, SystemClock
from kit.errors import LogsieveError
from kit.log import configure_logging
from kit.loop_health import LoopHealth
from kit.module_command import module_command
from kit.repeating import RepeatingTask
from kit.settings import Settings
from stack.addresses import reachable
from stack.exit_reason import describe_exit
from stack.health import HealthCheck
from stack.logfile import LogRotation, open_for_appending
from stack.private import keep_private
from stack.processes import identify
from stack.proxy_exemption import exempt_from_proxy
from stack.services import Service, log_file, select, services
from stack.state import Phase, ServiceState, StackState, require_same_folder, state_file, write_state

STARTING_SECONDS: Final = 0.25
"""Seconds between two health checks of a service from its start until it is ready for the first time."""
READY_SECONDS: Final = 5.0
"""Seconds between two health checks of a service that is or was ready since its start."""
ROTATE_SECONDS: Final = 10.0

FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 30.0
STABLE_SECONDS: Final = 60.0
"""Seconds that a service must run so that its next restart waits only the first pause."""

log = structlog.get_logger()


class Supervisor:
    def __init__(self, settings: Settings, kept: Sequence[Service], clock: Clock) -> None:
        self._settings = settings
        self._services = {service.name: service for service in kept}
        self._clock = clock
        self._states = {
            service.name: ServiceState(
                name=service.name,
                ports=tuple(need.port for need in service.ports),
                log_file=log_file(settings, service.name) if service.command else None,
            )
            for service in kept
        }
        self._settled = {service.name: asyncio.Event() for service in kept}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()
        self._checks = LoopHealth("health-checks")
        self._is_unwritten = False
        self._rotation = LogRotation()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        """Runs the services until `stop`, then stops them in reverse order.

        Raises OSError if the state file cannot be written at the start, because `up` waits for the file.
        """
        write_state(state_file(self._settings), self._stack_state())
        self._home = os.open(self._settings.home, os.O_RDONLY | os.O_DIRECTORY)
        try:
            await self._run_all()
        finally:
            os.close(self._home)

    async def _run_all(self) -> None:
        tasks = [asyncio.create_task(self._keep_running(service)) for service in self._services.values()]
        rotating = RepeatingTask("rotate-logs", ROTATE_SECONDS, self._rotate_logs)
        rotating.start()
        for task in tasks:
            task.add_done_callback(self._stop_on_error)
        await self._stopping.wait()
        await self._end_all()
        await rotating.cancel()
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        # A task may have started its service after the first call of `_end_all` had passed that service.
        await self._end_all()
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    def _stop_on_error(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._stopping.set()

    async def _end_all(self) -> None:
        for service in reversed(self._services.values()):
            await self._end(service)

    async def _keep_running(self, service: Service) -> None:
        for need in service.needs:
            await self._settled[need].wait()
        if service.command is None:
            self._update(service, phase=Phase.starting, detail="not started here, only checked")
            await self._watch(service)
            return
        backoff = Backoff(self._clock, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, STABLE_SECONDS)
        while not self._stopping.is_set():
            backoff.started()
            code = await self._run_once(service)
            if self._stopping.is_set():
                return
            if service.once:
                self._update(service, phase=Phase.done if code == 0 else Phase.failed, process=None)
                return
            pause = backoff.ended()
            self._update(service, phase=Phase.backing_off, process=None)
            log.warning(
                "service ended; it is started again after a pause", service=service.name, exit=code, pause_seconds=pause
            )
            await asyncio.sleep(pause)
            self._update(service, restarts=self._states[service.name].restarts + 1)

    async def _run_once(self, service: Service) -> int:
        """Runs the service's process once, from its preparation to its end.

        Returns the exit code; a negative one is the number of the signal.
        """
        try:
            require_same_folder(self._settings.home, os.fstat(self._home))
            await asyncio.to_thread(service.prepare)
            process = await self._spawn(service)
        except Exception as error:  # A fault in the start of one service must not stop the others.
            is_expected = isinstance(error, LogsieveError | OSError)
            detail = error.detail if isinstance(error, LogsieveError) else str(error) or type(error).__name__
            log.error("service cannot start", service=service.name, reason=detail, exc_info=not is_expected)
            self._update(service, last_exit=1, detail=detail)
            return 1
        watcher = asyncio.create_task(self._watch(service))
        try:
            code = await process.wait()
        finally:
            watcher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watcher
        if not self._stopping.is_set():
            is_done = service.once and code == 0
            detail = "" if is_done else describe_exit(code, log_file(self._settings, service.name))
            self._update(service, last_exit=code, detail=detail)
        return code

    async def _spawn(self, service: Service) -> asyncio.subprocess.Process:
        assert service.command is not None
        # In a thread, because a node's command asks a `clickhouse` binary for its version.
        command = await asyncio.to_thread(service.command)
        output = open_for_appending(log_file(self._settings, service.name))
        try:
            process = await asyncio.create_subprocess_exec(
                *module_command("stack.parent_death", str(os.getpid()), *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._settings.home,
                env={**os.environ, **service.environment()},
            )
        finally:
            os.close(output)
        self._processes[service.name] = process
        self._update(
            service,
            phase=Phase.starting,
            process=identify(process.pid),
            started_ns=self._clock.now_ns(),
            detail="",
        )
        return process

    async def _watch(self, service: Service) -> None:
        """Checks the service's health repeatedly.

        After the first good answer, services that need this one can start.
        """
        if service.health is None:
            return
        while True:
            problem = await self._problem(service.health)
            was_ready = self._settled[service.name].is_set()
            if problem is None:
                self._update(service, phase=Phase.ready, detail="")
            elif self._states[service.name].phase in (Phase.ready, Phase.unhealthy):
                self._update(service, phase=Phase.unhealthy, detail=problem)
            else:
                self._update(service, detail=problem)
            if problem is None and not was_ready:
                log.info("service ready", service=service.name)
            is_starting = self._states[service.name].phase is Phase.starting
            await asyncio.sleep(STARTING_SECONDS if is_starting else READY_SECONDS)

    async def _problem(self, health: HealthCheck) -> str | None:
        try:
            return await asyncio.to_thread(health)
        except Exception as error:  # An error of a check must not end the watch over its service.
            self._checks.failed(error)
            return f"the health check failed: {error or type(error).__name__}"

    async def _end(self, service: Service) -> None:
        process = self._processes.get(service.name)
        if process is None or process.returncode is not None:
            if not service.once:
                self._update(service, phase=Phase.stopped, process=None)
            return
        process.terminate()
        detail = ""
        try:
            async with asyncio.timeout(service.grace_seconds):
                await process.wait()
        except TimeoutError:
            detail = f"did not stop in {service.grace_seconds:g} s and was killed"
            log.warning(
                "service did not stop in time and was killed", service=service.name, grace_seconds=service.grace_seconds
            )
            process.kill()
            await process.wait()
        self._update(service, phase=Phase.stopped, process=None, last_exit=process.returncode, detail=detail)

    async def _rotate_logs(self) -> None:
        of_services = (state.log_file for state in self._states.values() if state.log_file is not None)
        await asyncio.to_thread(self._rotation.rotate, [*of_services, log_file(self._settings, "supervisor")])

    def _update(self, service: Service, **changes: object) -> None:
        before = self._states[service.name]
        after = before.model_copy(update=changes)
        if after.phase.settled:
            self._settled[service.name].set()
        self._states[service.name] = after
        if after != before or self._is_unwritten:
            self._write()

    def _write(self) -> None:
        """Writes the state file. If that fails, the next update writes it again.

        The services must not stop because the disk is full. Only the first failure in a row is logged, because the log
        is on the same disk. A moved home keeps a true state, because its open descriptor names the folder.
        """
        try:
            write_state(Path(f"/proc/self/fd/{self._home}", state_file(self._settings).name), self._stack_state())
        except OSError as error:
            if not self._is_unwritten:
                log.error("the state file cannot be written; it is written again later", reason=str(error))
            self._is_unwritten = True
        else:
            self._is_unwritten = False

    def _stack_state(self) -> StackState:
        supervisor = identify(os.getpid())
        assert supervisor is not None
        home, certificate = self._settings.home.resolve(), self._settings.tls_cert_file
        if certificate is not None:
            certificate = home / certificate  # The folder in which services read a relative path.
        return StackState(
            supervisor=supervisor,
            port_offset=self._settings.port_offset,
            services=tuple(self._states.values()),
            home=home,
            bind_host=self._settings.bind_host,
            tls_cert_file=certificate,
        )


async def supervise(settings: Settings, names: Sequence[str]) -> None:
    """Runs these services (all if none is named) until SIGTERM or SIGINT."""
    supervisor = Supervisor(settings, select(services(settings), names), SystemClock())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, supervisor.stop)
    await supervisor.run()


def main() -> None:
    """Runs the background process. Its parent has locked the home, and it inherits the lock (stack/launch.py)."""
    settings = Settings()
    exempt_from_proxy(reachable(settings.bind_host).strip("[]"))
    configure_logging(settings.log_level)
    keep_private(settings.home)
    asyncio.run(supervise(settings, sys.argv[1:]))


if __name__ == "__main__":
    main()
