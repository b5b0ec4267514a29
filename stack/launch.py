"""Starts and stops the supervisor of a home, and cleans up after one that was killed."""

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from kit.clock import Clock
from kit.errors import Internal
from kit.module_command import module_command
from kit.settings import Settings
from stack.logfile import open_for_appending, rotate, tail
from stack.ports import check_ports
from stack.private import keep_private
from stack.processes import ProcessIdentity, end, identify, is_running
from stack.services import LONGEST_GRACE_SECONDS, Service, log_file
from stack.state import Phase, StackState, lock_file, read_state, state_file

_SUPERVISOR: Final = "supervisor"
_BUSY: Final = (
    "another `logsieve up` or a supervisor is starting or stopping the stack of {}: try again in some seconds"
)
_START_SECONDS: Final = 20.0


def running_state(settings: Settings) -> StackState | None:
    """Returns the state of the stack that runs for this home, or None when none does."""
    state = read_state(state_file(settings))
    return state if state is not None and is_running(state.supervisor) else None


def leftovers(settings: Settings) -> list[tuple[str, ProcessIdentity]]:
    """Returns the processes that outlived a killed supervisor, in the order in which to stop them."""
    state = read_state(state_file(settings))
    if state is None or is_running(state.supervisor):
        return []
    return [(s.name, s.process) for s in reversed(state.services) if s.process is not None and is_running(s.process)]


def end_leftovers(settings: Settings, clock: Clock) -> list[str]:
    """Stops the processes that outlived a killed supervisor. Returns a sentence for each."""
    sentences = []
    for name, process in leftovers(settings):
        killed = end(process, LONGEST_GRACE_SECONDS, clock)
        how = f"did not stop in {LONGEST_GRACE_SECONDS:g} s and was killed" if killed else "was stopped"
        sentences.append(f"{name} (pid {process.pid}), left over from a supervisor that was killed, {how}")
    return sentences


def start_supervisor(settings: Settings, kept: Sequence[Service], clock: Clock) -> StackState:
    """Starts these services in the background. Returns the supervisor's first state.

    Raises Conflict if a port is taken, Internal if the supervisor does not start or another one is starting.
    """
    keep_private(settings.home)
    check_ports([need for service in kept for need in service.ports], settings.port_offset)
    log = log_file(settings, _SUPERVISOR)
    with suppress(OSError):  # A log that cannot be copied must not keep the stack from starting.
        rotate(log)
    output = open_for_appending(log)
    try:
        with _locked(settings) as lock:
            # The supervisor inherits the lock, so that the home is locked from now on until it ends.
            process = subprocess.Popen(
                module_command("stack.supervisor", *(service.name for service in kept)),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, **_absolute_paths(settings)},
                pass_fds=(lock.fileno(),),
            )
    finally:
        os.close(output)
    try:
        return _first_state(process, settings, clock)
    except BaseException:
        # Without a state, `logsieve down` would not find the supervisor.
        if (started := identify(process.pid)) is not None:
            end(started, stop_seconds(len(kept)), clock)
        process.wait()
        raise


@contextmanager
def _locked(settings: Settings) -> Iterator[IO[str]]:
    """Yields the home's lock file, locked. Raises Internal if another process has locked it."""
    with lock_file(settings).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Internal(_BUSY.format(settings.home)) from error
        yield lock


def _first_state(process: subprocess.Popen[bytes], settings: Settings, clock: Clock) -> StackState:
    """Waits for the first state that the supervisor writes. Raises Internal if it ends, or writes none in time."""
    deadline = clock.monotonic() + _START_SECONDS
    while clock.monotonic() < deadline:
        state = read_state(state_file(settings))
        if state is not None and state.supervisor.pid == process.pid:
            return state
        if process.poll() is not None:
            break
        time.sleep(0.05)
    log = log_file(settings, _SUPERVISOR)
    raise Internal("\n".join([f"the supervisor did not start; its log is {log}", *tail(log)]))


def _absolute_paths(settings: Settings) -> dict[str, str]:
    """Returns the environment variables of settings that are paths, as absolute paths, because services run in another
    folder."""
    sources = ("LOGSIEVE_CONFIG", "LOGSIEVE_SECRETS_DIR")
    chosen = {f"LOGSIEVE_{name.upper()}": getattr(settings, name) for name in {*settings.model_fields_set, "home"}}
    named = {name: value for name in sources if (value := os.environ.get(name))} | chosen
    return {
        name: str(Path(value).resolve()) for name, value in named.items() if name in sources or isinstance(value, Path)
    }


def stop_supervisor(state: StackState, settings: Settings, clock: Clock) -> StackState:
    """Stops a running stack and waits until all processes ended. Returns the last state, with the killed services.

    Raises Internal if processes are left.
    """
    end(state.supervisor, stop_seconds(len(state.services)), clock)
    end_leftovers(settings, clock)
    last = read_state(state_file(settings))
    if last is None:
        raise Internal(f"{state_file(settings)} is gone, so nobody knows which processes of the stack still run")
    left = [(each.name, each.process.pid) for each in last.services if each.process and is_running(each.process)]
    if left:
        names, pids = ", ".join(name for name, _ in left), " ".join(str(pid) for _, pid in left)
        raise Internal(f"did not stop: {names}; end them by `kill -9 {pids}`, then run `logsieve down` again")
    return last


def stop_seconds(services: int) -> float:
    """Returns the longest time, in seconds, that a supervisor of so many services may take to stop. Then it is killed.

    It is longer than all services together may take, because the supervisor stops one after the other.
    """
    return (services + 1) * LONGEST_GRACE_SECONDS


def failure(state: StackState, settings: Settings) -> str | None:
    """Returns the reason why this stack cannot become ready, with the last lines of the log of the supervisor or
    service that ended; None while it can."""
    if not is_running(state.supervisor):
        log = log_file(settings, _SUPERVISOR)
        return "\n".join([f"the supervisor ended; its log is {log}", *tail(log)])
    for service in state.services:
        gave_up = service.phase is Phase.backing_off and service.restarts >= 2 and service.process is None
        if service.phase is Phase.failed or gave_up:
            reason = f"{service.name} {'failed' if service.phase is Phase.failed else 'keeps ending'}"
            lines = tail(service.log_file) if service.log_file is not None else []
            return "\n".join([f"{reason}: {service.detail}; its log is {service.log_file}", *lines])
    return None


def require_unlocked(settings: Settings) -> None:
    """Raises Internal if a supervisor holds this home, even one that has not written its state yet."""
    settings.home.mkdir(parents=True, exist_ok=True)
    with _locked(settings):
        pass
