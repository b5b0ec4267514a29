"""A stack that belongs to one load test: started with `logsieve up` in a new folder, stopped and removed at the end."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kit.clickhouse import connect
from kit.errors import Internal, InvalidRequest, LogsieveError
from kit.settings import Settings
from loadtest.bench import Say
from loadtest.control import create_key, create_tenant
from loadtest.otlp_http import wait_until_known
from loadtest.query_api import QueryApi
from loadtest.services import Services
from schema.control.models import Purpose

NEVER_PASSED_ON: Final = frozenset(
    f"LOGSIEVE_{name}"
    for name in (
        "HOME",
        "PORT_OFFSET",
        "CLICKHOUSE_URL",
        "CLICKHOUSE_PASSWORD",
        "CLICKHOUSE_QUERY_PASSWORD",
        "KAFKA_BOOTSTRAP",
        "KAFKA_PASSWORD",
        "KAFKA_KEY_PASSWORD",
        "KAFKA_OAUTH_CLIENT_SECRET",
        "CONTROL_URL",
        "SELF_INGEST_KEY",
        "TRACES_ENDPOINT",
    )
)
"""They lead to data of others or are secrets. All other settings of the caller apply, so that their effect can be
measured."""

_UP_SECONDS: Final = 300
_DOWN_SECONDS: Final = 200
_LOADED_SECONDS: Final = 1_200
"""Longest start and stop of a server that holds the data of a study."""
_COMMAND_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Sender:
    """A tenant of the load test and the key to send its records with."""

    tenant: str
    tenant_id: int
    lane: int
    ingest_key: str


@dataclass(slots=True)
class OwnStack:
    """A running stack. `settings` is how to reach it; its processes run with `environment`."""

    home: Path
    settings: Settings
    services: Services
    environment: dict[str, str]
    kept: bool = False
    """True if its folder stays after it is stopped."""

    @property
    def otlp_http(self) -> tuple[str, int]:
        """Host and port of OTLP over HTTP."""
        return self.settings.bind_host, self.settings.port(self.settings.otlp_http_port)

    @property
    def otlp_grpc(self) -> tuple[str, int]:
        """Host and port of OTLP over gRPC."""
        return self.settings.bind_host, self.settings.port(self.settings.otlp_grpc_port)

    @property
    def api_url(self) -> str:
        """The REST API's root."""
        return f"http://{self.settings.bind_host}:{self.settings.port(self.settings.api_port)}/api/v1"

    def create_sender(self, tenant: str) -> Sender:
        """Makes a tenant with an ingest key that the receiver knows."""
        created = create_tenant(self.settings, tenant)
        key = create_key(self.settings, tenant, Purpose.ingest)
        wait_until_known(self.otlp_http, key)
        return Sender(tenant, created.id, created.lane, key)

    def query_api(self, tenant: str) -> QueryApi:
        """Connects to the REST API with a new query key of the tenant, which it knows."""
        api = QueryApi(self.api_url, create_key(self.settings, tenant, Purpose.query))
        api.wait_until_known()
        return api

    def server_version(self) -> str:
        """Returns the version of its ClickHouse."""
        with connect(self.settings, "default") as client:
            return str(client.server_version)

    def keep(self) -> None:
        """Leaves the folder where it is, because something in it must be looked at."""
        self.kept = True

    def logsieve(self, *arguments: str, seconds: float = _COMMAND_SECONDS) -> Any:
        """Runs a command; returns what it prints as JSON (None when it prints nothing).

        Raises Internal when it fails.
        """
        done = subprocess.run(
            [sys.executable, "-m", "stack", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0:
            raise Internal(f"logsieve {' '.join(arguments)} failed: {done.stderr.strip() or done.stdout.strip()}")
        return json.loads(done.stdout) if done.stdout.strip() else None


@contextmanager
def own_stack(
    offset: int, only: tuple[str, ...], keep: bool, say: Say, settings: Mapping[str, str] | None = None
) -> Iterator[OwnStack]:
    """Starts the services `only` and what they need, at a port offset that is free, and gives the ready stack.

    `settings` are LOGSIEVE_ variables for its processes; the caller's own win. `keep` leaves it running; after an
    error within the block it is stopped, and its data and logs stay. Raises InvalidRequest when a configuration file is
    set, Internal when it does not start.
    """
    home = Path(tempfile.mkdtemp(prefix="logsieve-loadtest-")) / "home"
    stack = _stack(home, offset, settings or {})
    say(f"starting a stack in {home} at port offset {offset}")
    try:
        stack.logsieve("up", "--no-samples", "--json", *only, seconds=_UP_SECONDS)
        yield stack
    except LogsieveError:
        # Its logs say why.
        stack.keep()
        raise
    finally:
        if keep:
            say(f"the stack goes on: LOGSIEVE_HOME={home} LOGSIEVE_PORT_OFFSET={offset} logsieve status")
        else:
            stack.logsieve("down", seconds=_DOWN_SECONDS)
            if stack.kept:
                say(f"its data and logs are left in {home}")
            else:
                shutil.rmtree(home.parent)


@contextmanager
def own_stack_in(home: Path, offset: int, only: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[OwnStack]:
    """Starts a stack in a folder that outlives the command, so that a study that was killed goes on where it was.

    `offset` is for a stack that has to be started; one that still runs there is used as it is. It is stopped at the
    end, its data stays. Raises what `own_stack` does.
    """
    left = _offset_of(home)
    stack = _stack(home, offset if left is None else left, settings)
    patience = ("--timeout", str(_LOADED_SECONDS))
    stack.logsieve("up", "--no-samples", "--json", *patience, *only, seconds=_LOADED_SECONDS)
    try:
        yield stack
    finally:
        stack.logsieve("down", seconds=_LOADED_SECONDS)


def _stack(home: Path, offset: int, settings: Mapping[str, str]) -> OwnStack:
    for source in ("LOGSIEVE_CONFIG", "LOGSIEVE_SECRETS_DIR"):
        if source in os.environ:
            raise InvalidRequest(f"load tests run a stack of their own and read no settings from files: unset {source}")
    inherited = {name: value for name, value in os.environ.items() if name not in NEVER_PASSED_ON}
    environment = {**settings, **inherited, "LOGSIEVE_HOME": str(home), "LOGSIEVE_PORT_OFFSET": str(offset)}
    return OwnStack(home, _reached_with(home, offset, settings), Services(home), environment)


def _reached_with(home: Path, offset: int, settings: Mapping[str, str]) -> Settings:
    """Returns settings with which this process reaches the stack: those of its processes, none that leads elsewhere."""
    values: dict[str, Any] = {_field(name): None for name in NEVER_PASSED_ON}
    values |= {_field(name): value for name, value in settings.items() if name not in os.environ}
    return Settings(**{**values, "home": home, "port_offset": offset})


def _field(variable: str) -> str:
    return variable.removeprefix("LOGSIEVE_").lower()


def _offset_of(home: Path) -> int | None:
    """Returns the port offset of a stack that was started in `home`; None where none was."""
    state = home / "stack.json"
    return int(json.loads(state.read_text())["port_offset"]) if state.exists() else None
