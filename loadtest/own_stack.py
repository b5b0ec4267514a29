"""Starts a stack for one load test by `logsieve up`, and stops it at the end."""

import fcntl
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from backend.tenants.repository import TenantInfo
from kit.clickhouse import connect
from kit.errors import Conflict, Internal, InvalidRequest
from kit.module_command import module_command
from kit.settings import Settings
from loadtest.bench import Say
from loadtest.control import create_key, create_tenant
from loadtest.query_api import QueryApi
from loadtest.services import Services
from loadtest.traffic.otlp_http import wait_until_known
from schema.control.models import Purpose

NEVER_PASSED_ON: Final = frozenset(
    f"LOGSIEVE_{name}"
    for name in (
        "HOME",
        "PORT_OFFSET",
        "CLICKHOUSE_URL",
        "CLICKHOUSE_CA_FILE",
        "CLICKHOUSE_CERTIFICATE_FILE",
        "CLICKHOUSE_KEY_FILE",
        "CLICKHOUSE_PASSWORD",
        "CLICKHOUSE_QUERY_PASSWORD",
        "COLD_FOLDER",
        "STORAGE_POLICY",
        "KAFKA_BOOTSTRAP",
        "KAFKA_PASSWORD",
        "KAFKA_KEY_PASSWORD",
        "KAFKA_OAUTH_CLIENT_SECRET",
        "CONTROL_URL",
        "SELF_INGEST_KEY",
        "SELF_LOGS_URL",
        "SMTP_PASSWORD",
        "TRACES_ENDPOINT",
    )
)
"""Environment variables that a stack does not inherit from its caller, because they are secrets or refer to other data
or servers.

All other settings of the caller apply to the stack, so that their effect can be measured.
"""

ONE_NODE: Final[Mapping[str, str]] = {"LOGSIEVE_CLICKHOUSE_NODES": "1", "LOGSIEVE_CLICKHOUSE_REPLICAS": "1"}
"""Settings of studies that count the rows, watch the memory, or stop the only ClickHouse node.

With several shards, the records of a tenant may be on all nodes. No loader of a study fills further replicas.
"""

_UP_SECONDS: Final = 300
_LOADED_SECONDS: Final = 1_200
"""Longest time, in seconds, that a server with the data of a study may take to start or to stop."""
_COMMAND_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Sender:
    """A tenant of the load test, with an ingest key."""

    tenant: str
    tenant_id: int
    lane: int
    ingest_key: str


@dataclass(slots=True)
class OwnStack:
    """A running stack. `settings` are for clients of the stack, `environment` has the variables of its processes."""

    home: Path
    settings: Settings
    services: Services
    environment: dict[str, str]
    kept: bool = False
    """True if the stack's folder remains after the stack was stopped, so that its data and logs can be examined."""

    @property
    def otlp_http(self) -> tuple[str, int]:
        """Host and port of the receiver's OTLP over HTTP."""
        return self.settings.bind_host, self.settings.port(self.settings.otlp_http_port)

    @property
    def otlp_grpc(self) -> tuple[str, int]:
        """Host and port of the receiver's OTLP over gRPC."""
        return self.settings.bind_host, self.settings.port(self.settings.otlp_grpc_port)

    @property
    def api(self) -> tuple[str, int]:
        """Host and port of the REST API."""
        return self.settings.bind_host, self.settings.port(self.settings.api_port)

    @property
    def api_url(self) -> str:
        """Base URL of the REST API, without a slash at the end."""
        return f"http://{self.settings.bind_host}:{self.settings.port(self.settings.api_port)}/api/v1"

    def create_sender(self, tenant: str) -> Sender:
        """Creates a tenant with an ingest key, and waits until the receiver knows the key."""
        return self.sender_of(create_tenant(self.settings, tenant))

    def sender_of(self, tenant: TenantInfo) -> Sender:
        """Creates an ingest key of a tenant, and waits until the receiver knows the key."""
        key = create_key(self.settings, tenant.name, Purpose.ingest)
        wait_until_known(self.otlp_http, key)
        return Sender(tenant.name, tenant.id, tenant.lane, key)

    def query_api(self, tenant: str) -> QueryApi:
        """Creates a query key of the tenant, and returns a client of the REST API once the API knows the key."""
        api = QueryApi(self.api_url, create_key(self.settings, tenant, Purpose.query))
        api.wait_until_known()
        return api

    def query_key(self, tenant: str) -> str:
        """Creates a query key of the tenant, and returns it once the API knows it."""
        with self.query_api(tenant) as api:
            return api.key

    def server_version(self) -> str:
        """Returns the version of the stack's ClickHouse."""
        with connect(self.settings, "default") as client:
            return str(client.server_version)

    def start(self, *services: str) -> None:
        """Starts services with the data that they have, and their dependencies. Raises the errors of `run`."""
        patience = ("--timeout", str(_LOADED_SECONDS))
        seconds = _LOADED_SECONDS + _COMMAND_SECONDS  # `up` ends before, and says what is not ready
        self.logsieve("up", "--no-samples", "--json", *patience, *services, seconds=seconds)

    def stop(self) -> None:
        """Stops all services, which keep their data. Raises the errors of `run`."""
        self.logsieve("down", seconds=_LOADED_SECONDS)

    def logsieve(self, *arguments: str, seconds: float = _COMMAND_SECONDS) -> Any:
        """Runs a `logsieve` command for this stack, and returns the JSON that it prints, or None if it prints nothing.

        Raises the errors of `run`.
        """
        printed = self.run(*arguments, seconds=seconds)
        return json.loads(printed) if printed.strip() else None

    def run(self, *arguments: str, seconds: float = _COMMAND_SECONDS, codes: Sequence[int] = (0,)) -> str:
        """Runs a `logsieve` command for this stack, and returns the text that it prints.

        Raises Internal if its exit code is not one of `codes`, TimeoutExpired if it takes longer than `seconds`.
        """
        done = subprocess.run(
            module_command("stack", *arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode not in codes:
            raise Internal(f"logsieve {' '.join(arguments)} failed: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


def applying(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Returns the settings of a caller that also apply to the processes of a stack, such as `LOGSIEVE_LANES=8`."""
    names = {f"LOGSIEVE_{field.upper()}" for field in Settings.model_fields} - NEVER_PASSED_ON
    return [f"{name}={shlex.quote(environment[name])}" for name in sorted(names & environment.keys())]


def needed(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Returns settings without whose values a study would measure something else.

    Raises InvalidRequest if the caller, whose variables override them, has set another value.
    """
    for name, value in settings.items():
        if (callers := os.environ.get(name, value)) != value:
            raise InvalidRequest(f"this load test needs {name}={value}, and {name} is {callers}: unset it")
    return settings


@contextmanager
def own_stack(
    offset: int, only: tuple[str, ...], say: Say, settings: Mapping[str, str] | None = None
) -> Iterator[OwnStack]:
    """Starts the services `only` and their dependencies in a new folder. Yields the stack when it is ready.

    All ports at `offset` must be free. `settings` are LOGSIEVE_ variables for the stack's processes; variables of the
    caller override them. At the end of the block, the stack is stopped and its folder removed. After an error in the
    block, the folder remains. Raises InvalidRequest if a configuration file or a folder of secrets is
    set, Internal if the stack does not start.
    """
    home = Path(tempfile.mkdtemp(prefix="logsieve-loadtest-")) / "home"
    stack = _stack(home, offset, settings or {})
    say(f"starting a stack in {home} at port offset {offset}")
    try:
        stack.logsieve("up", "--no-samples", "--json", *only, seconds=_UP_SECONDS)
        yield stack
    except Exception:
        # The folder is kept, because its logs may show the cause.
        stack.kept = True
        raise
    finally:
        stack.stop()
        if stack.kept:
            say(f"its data and logs are left in {home}")
        else:
            shutil.rmtree(home.parent)


@contextmanager
def own_stack_in(home: Path, offset: int, only: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[OwnStack]:
    """Starts a stack in a folder that remains after the command, so that a killed study can continue with its data.

    A stack that was started in `home` before keeps its port offset; a new one gets `offset`. A stack that still runs is
    used unchanged. At the end of the block, the stack is stopped and its data remains. Raises the errors of
    `own_stack`, and Conflict if another load test uses the folder.
    """
    left = _offset_of(home)
    stack = _stack(home, offset if left is None else left, settings)
    with _used_alone(home):
        try:
            # An interrupt may kill `up` before it has stopped the services that it started.
            stack.start(*only)
            yield stack
        finally:
            stack.stop()


@contextmanager
def _used_alone(home: Path) -> Iterator[None]:
    """Locks a folder within the block. The kernel ends the lock of a killed load test. Raises Conflict if it is
    locked."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / "loadtest.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(
                f"another load test uses {home}, and both would measure each other: wait for its end, or give --home"
                " another folder"
            ) from None
        yield


def _stack(home: Path, offset: int, settings: Mapping[str, str]) -> OwnStack:
    for source in ("LOGSIEVE_CONFIG", "LOGSIEVE_SECRETS_DIR"):
        if source in os.environ:
            raise InvalidRequest(f"load tests run a stack of their own and read no settings from files: unset {source}")
    inherited = {name: value for name, value in os.environ.items() if name not in NEVER_PASSED_ON}
    environment = {**settings, **inherited, "LOGSIEVE_HOME": str(home), "LOGSIEVE_PORT_OFFSET": str(offset)}
    return OwnStack(home, _reached_with(home, offset, settings), Services(home), environment)


def _reached_with(home: Path, offset: int, settings: Mapping[str, str]) -> Settings:
    """Returns settings with which this process reaches the stack: the settings of the stack's processes.

    The variables of NEVER_PASSED_ON are left out, because they could lead to another stack.
    """
    values: dict[str, Any] = {_field(name): None for name in NEVER_PASSED_ON}
    values |= {_field(name): value for name, value in settings.items() if name not in os.environ}
    return Settings(**{**values, "home": home, "port_offset": offset})


def _field(variable: str) -> str:
    return variable.removeprefix("LOGSIEVE_").lower()


def _offset_of(home: Path) -> int | None:
    """Returns the port offset of the stack that was started in `home`, or None if there was none."""
    state = home / "stack.json"
    return int(json.loads(state.read_text())["port_offset"]) if state.exists() else None
