"""State of a stack as `up` and `status` print it: as a table or as JSON."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from kit.clock import Clock, SystemClock
from kit.settings import Settings
from schema.demo_keys import DemoKeys, read_demo_keys
from schema.sign_in_links import make_token
from stack.addresses import own_url, reachable
from stack.first_samples import samples_times
from stack.state import Phase, ServiceState, StackState

_DEFAULT_RANGE_NS: Final = 3600 * 10**9
"""Time range that the search page opens by itself, in nanoseconds. It ends now."""

_STYLES = {Phase.ready: "green", Phase.done: "green", Phase.failed: "red", Phase.unhealthy: "red"}


class ServiceLine(BaseModel):
    """One service of the summary."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: Phase
    detail: str
    pid: int | None
    uptime_seconds: float | None
    restarts: int
    last_exit: int | None
    ports: tuple[int, ...]
    log_file: Path | None


class Summary(BaseModel):
    """A running stack: its folder, its addresses and keys, and the state of its services."""

    model_config = ConfigDict(frozen=True)

    home: Path
    ui_url: str
    sign_in_url: str | None = None
    api_url: str
    otlp_http_url: str
    otlp_grpc_endpoint: str
    clickhouse_url: str
    clickhouse_urls: tuple[str, ...]
    kafka_brokers: str
    keys: DemoKeys | None
    services: tuple[ServiceLine, ...]

    def show(self, console: Console) -> None:
        """Prints the summary as a table, with addresses and keys below it."""
        console.print(_table(self.services))
        rows = [
            ("web UI", self.ui_url),
            *(
                []
                if self.sign_in_url is None
                else [("sign in", f"{self.sign_in_url}  (usable once; `logsieve ui` prints another)")]
            ),
            ("REST API", self.api_url),
            ("OTLP/HTTP", self.otlp_http_url),
            ("OTLP/gRPC", self.otlp_grpc_endpoint),
            *(("ClickHouse", url) for url in self.clickhouse_urls),
            ("Kafka", self.kafka_brokers),
            ("logs", str(self.home / "logs")),
        ]
        if self.keys is not None:
            rows += [("ingest key", self.keys.ingest_key), ("query key", self.keys.query_key)]
        for name, value in rows:
            console.print(f"{name:<11}{value}", highlight=False, soft_wrap=True)


def sign_in_url(settings: Settings, clock: Clock) -> str | None:
    """Returns a new link that signs one browser in to the demo tenant, or None if there is no demo tenant.

    The token is the URL's fragment, which browsers do not send. The link opens a time range that contains the samples.
    """
    token = make_token(settings, clock)
    return (
        None
        if token is None
        else f"{own_url(settings, settings.api_port)}/{_samples_range(settings, clock)}#sign-in={token}"
    )


def _samples_range(settings: Settings, clock: Clock) -> str:
    """Returns the URL's search part for the time from the oldest sample until now.

    It is empty while the range that the page opens by itself contains samples, and if no samples were sent.
    """
    times = samples_times(settings)
    if times is None or clock.now_ns() - times[1] < _DEFAULT_RANGE_NS // 2:
        return ""
    oldest = datetime.fromtimestamp(times[0] // 10**9, UTC)
    return "?" + urlencode({"from": f"{oldest:%Y-%m-%dT%H:%M:%SZ}", "to": "now"}, safe=":")


def summarize(settings: Settings, state: StackState, clock: Clock | None = None) -> Summary:
    """Returns the services, addresses and keys of the running stack."""
    now_ns = (clock or SystemClock()).now_ns()
    api = own_url(settings, settings.api_port)
    return Summary(
        home=settings.home.resolve(),
        ui_url=f"{api}/",
        api_url=f"{api}/api/v1",
        otlp_http_url=f"{own_url(settings, settings.otlp_http_port)}/v1/logs",
        otlp_grpc_endpoint=f"{reachable(settings.bind_host)}:{settings.port(settings.otlp_grpc_port)}",
        clickhouse_url=settings.clickhouse_http_url,
        clickhouse_urls=settings.clickhouse_http_urls,
        kafka_brokers=settings.kafka_brokers,
        keys=read_demo_keys(settings),
        services=tuple(_line(service, now_ns) for service in state.services),
    )


def _line(service: ServiceState, now_ns: int) -> ServiceLine:
    running = service.process is not None and service.started_ns is not None
    return ServiceLine(
        name=service.name,
        state=service.phase,
        detail=service.detail,
        pid=service.process.pid if service.process else None,
        uptime_seconds=round((now_ns - (service.started_ns or now_ns)) / 1e9, 1) if running else None,
        restarts=service.restarts,
        last_exit=service.last_exit,
        ports=service.ports,
        log_file=service.log_file,
    )


def _table(lines: tuple[ServiceLine, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("service", "state", "pid", "uptime", "restarts", "last exit", "ports"):
        table.add_column(heading, overflow="fold")
    for line in lines:
        state = f"{line.state}: {line.detail}" if line.detail else str(line.state)
        uptime = str(timedelta(seconds=int(line.uptime_seconds))) if line.uptime_seconds is not None else ""
        table.add_row(
            line.name,
            state,
            "" if line.pid is None else str(line.pid),
            uptime,
            str(line.restarts),
            "" if line.last_exit is None else str(line.last_exit),
            " ".join(map(str, line.ports)),
            style=_STYLES.get(line.state, "yellow"),
        )
    return table
