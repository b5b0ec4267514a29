"""Identifies processes by pid and start time, so that a reused pid is never mistaken for ours."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from kit.clock import Clock

_KILL_SECONDS: Final = 10.0


class ProcessIdentity(BaseModel):
    """Identity of one process until the machine restarts. `started` is opaque and only compared."""

    model_config = ConfigDict(frozen=True)

    pid: int
    started: str


def identify(pid: int) -> ProcessIdentity | None:
    """Returns the identity of the process that has this pid now; None if there is none, or it is a
    zombie."""
    started = _linux_start(pid) if sys.platform == "linux" else _ps_start(pid)
    return ProcessIdentity(pid=pid, started=started) if started else None


def is_running(process: ProcessIdentity) -> bool:
    return identify(process.pid) == process


def end(process: ProcessIdentity, grace_seconds: float, clock: Clock) -> bool:
    """Sends SIGTERM, waits, and sends SIGKILL after `grace_seconds`. Returns true if the process was killed.

    A child of this process must be waited for afterwards.
    """
    if not _signal(process, signal.SIGTERM):
        return False
    if _ended_within(process, grace_seconds, clock):
        return False
    _signal(process, signal.SIGKILL)
    # Ports and files of the process are free only after the kernel has removed it.
    _ended_within(process, _KILL_SECONDS, clock)
    return True


def _ended_within(process: ProcessIdentity, seconds: float, clock: Clock) -> bool:
    deadline = clock.monotonic() + seconds
    while is_running(process):
        if clock.monotonic() >= deadline:
            return False
        time.sleep(0.05)
    return True


def _signal(process: ProcessIdentity, number: signal.Signals) -> bool:
    if not is_running(process):
        return False
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def _linux_start(pid: int) -> str | None:
    """Returns field 22 of proc_pid_stat(5), ticks since boot, with the boot's id; None for a process that ended, also a
    zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, start_ticks = fields[0], fields[19]
    return None if state in "ZX" else f"{boot}/{start_ticks}"


def _ps_start(pid: int) -> str | None:
    answer = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False, env={"LC_ALL": "C"}
    )
    state, _, started = answer.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None
