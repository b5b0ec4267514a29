"""The state that the supervisor reports: LOGSIEVE_HOME/stack.json, which is replaced as a whole on every change."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import Internal
from kit.settings import Settings
from stack.files import write_atomically
from stack.processes import ProcessIdentity


class Phase(StrEnum):
    """Phase of a service's life."""

    waiting = "waiting"  # for the services that it needs
    starting = "starting"  # its process runs; its health check does not pass yet
    ready = "ready"
    unhealthy = "unhealthy"  # was ready; its process runs, but its health check fails
    backing_off = "backing off"  # its process ended, and is started again after a pause
    done = "done"  # a step that runs once, and succeeded
    failed = "failed"  # a step that runs once, and failed
    stopped = "stopped"

    @property
    def settled(self) -> bool:
        """Returns whether services that depend on it may start."""
        return self in (Phase.ready, Phase.done)


class ServiceState(BaseModel):
    """One service, as `status` shows it."""

    model_config = ConfigDict(frozen=True)

    name: str
    phase: Phase = Phase.waiting
    detail: str = ""
    process: ProcessIdentity | None = None
    started_ns: int | None = None
    restarts: int = 0
    last_exit: int | None = None
    ports: tuple[int, ...] = ()
    log_file: Path | None = None


class StackState(BaseModel):
    """All services in the order in which they start, and the supervisor that runs them."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    """Version of the file's format. A file of another version is refused."""
    supervisor: ProcessIdentity
    port_offset: int
    services: tuple[ServiceState, ...]
    home: Path | None = None
    """The folder of the stack as an absolute path; None in a file of an earlier release."""
    bind_host: str | None = None
    """Address on which the stack's ports listen; None in a file of an earlier release."""
    tls_cert_file: Path | None = None
    """Certificate of the stack's ports; None if they do not speak TLS, and in a file of an earlier release."""

    def service(self, name: str) -> ServiceState | None:
        return next((service for service in self.services if service.name == name), None)


def state_file(settings: Settings) -> Path:
    return settings.home / "stack.json"


def lock_file(settings: Settings) -> Path:
    """Returns the file that the supervisor of a home locks while it runs."""
    return settings.home / "supervisor.lock"


def read_state(path: Path) -> StackState | None:
    """Returns the last written state, or None when no stack was ever started here. Raises Internal for an unreadable
    file.

    A file that was copied together with its folder names processes of the other folder's stack. It counts as none, so
    that no command ends or shows these processes.
    """
    try:
        state = _parsed(path)
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise Internal(
            f"{path} cannot be read: another release of Logsieve wrote it, or it is damaged. Run `logsieve down` of"
            " that release. If that fails, end the processes whose `pid` is in the file, then remove the file"
        ) from error
    return None if _is_copied(state, path) else state


def _parsed(path: Path) -> StackState:
    return StackState.model_validate_json(path.read_bytes())


def _is_copied(state: StackState, path: Path) -> bool:
    """Returns whether the file was copied: the home that its state names still exists elsewhere, with the state of the
    same supervisor. Otherwise the folder was moved while its stack ran, and the state names its own processes. Another
    stack may have been started at the former place since."""
    try:
        return (
            state.home is not None
            and not state.home.samefile(path.parent)
            and _parsed(state.home / path.name).supervisor == state.supervisor
        )
    except PermissionError:
        # The home belongs to another user.
        return True
    except (OSError, ValidationError):
        return False


def require_same_folder(path: Path, earlier: os.stat_result) -> None:
    """Raises FileNotFoundError if the folder that `path` named when it had the status `earlier` was moved since."""
    if not path.exists() or not os.path.samestat(path.stat(), earlier):
        raise FileNotFoundError(f"{path} was moved while its stack runs: run `logsieve down` in the moved folder")


def write_state(path: Path, state: StackState) -> None:
    write_atomically(path, state.model_dump_json(indent=2) + "\n", mode=0o600)
