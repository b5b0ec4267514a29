"""The services of the one-machine stack, in the order in which they start, with their commands and health checks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kit.errors import NotFound
from kit.module_command import module_command
from kit.settings import Settings
from kit.topology import Place
from stack.addresses import own_url
from stack.broker import prepare as broker_node
from stack.broker.node import Broker, brokers
from stack.clickhouse import prepare as clickhouse_node
from stack.clickhouse.node import Node, nodes
from stack.health import (
    HealthCheck,
    clickhouse_health,
    http_health,
    kafka_health,
    own_broker_health,
)
from stack.ports import PortNeed

LOOPBACK: Final = "127.0.0.1"
MIGRATE: Final = "migrate"
SAMPLES: Final = "samples"
CLICKHOUSE: Final = "clickhouse"
"""Name of the first ClickHouse server's service, with which the names of all others begin."""

LONGEST_GRACE_SECONDS: Final = 30.0
"""Longest time, in seconds, that any service may take to stop after SIGTERM. ClickHouse and Kafka may take it, and also
receivers, loaders, the API and alert workers, which finish what they have begun."""


def _nothing() -> None:
    """Does nothing: the preparation of a service that needs none."""


def _no_environment() -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Service:
    """A service that the supervisor runs or checks: a process, a step that runs once, or a server that somebody else
    runs."""

    name: str
    command: Callable[[], list[str]] | None
    """Function that returns the command line. It is called at every start. None for a server that `up` does not run and
    only checks."""
    health: HealthCheck | None = None
    needs: tuple[str, ...] = ()
    ports: tuple[PortNeed, ...] = ()
    prepare: Callable[[], None] = _nothing
    environment: Callable[[], dict[str, str]] = _no_environment
    once: bool = False
    grace_seconds: float = field(default=15.0)
    """Longest time, in seconds, that the service may take to stop after SIGTERM."""


def services(settings: Settings) -> tuple[Service, ...]:
    """Returns all services, each after the services that it needs."""
    stores = (*_clickhouse(settings), *_kafka(settings))
    steps = _steps(settings, tuple(store.name for store in stores))
    return (*stores, *steps, *_processes(settings), _samples())


def select(every: Sequence[Service], names: Iterable[str]) -> tuple[Service, ...]:
    """Returns these services and the services they need; all services if no name is given. Raises NotFound for an
    unknown name."""
    by_name = {service.name: service for service in every}
    wanted: set[str] = set()
    open_names = list(names) or list(by_name)
    while open_names:
        name = open_names.pop()
        if name not in by_name:
            raise NotFound(f"there is no service {name!r}: choose from {', '.join(by_name)}")
        if name not in wanted:
            wanted.add(name)
            open_names.extend(by_name[name].needs)
    return tuple(service for service in every if service.name in wanted)


def log_file(settings: Settings, service: str) -> Path:
    return logs(settings) / f"{service}.log"


def logs(settings: Settings) -> Path:
    return settings.home.resolve() / "logs"


def self_key_file(settings: Settings) -> Path:
    """Returns the file of the ingest key of tenant _self (mode 0600)."""
    return settings.home / "secrets" / "self-ingest-key"


def _clickhouse(settings: Settings) -> tuple[Service, ...]:
    """Returns a service for each server: `clickhouse`, `clickhouse-1`, …, `clickhouse-0-replica-1`, …"""
    topology = settings.topology
    if settings.clickhouse_url is not None:
        return tuple(
            Service(_clickhouse_name(place), command=None, health=clickhouse_health(settings, topology.url(place)))
            for place in topology.places
        )
    return tuple(
        _clickhouse_node(settings, _clickhouse_name(node.place), topology.url(node.place), node)
        for node in nodes(settings)
    )


def _clickhouse_name(place: Place) -> str:
    if place.replica:
        return f"{CLICKHOUSE}-{place.shard}-replica-{place.replica}"
    return f"{CLICKHOUSE}-{place.shard}" if place.shard else CLICKHOUSE


def _clickhouse_node(settings: Settings, name: str, url: str, node: Node) -> Service:
    return Service(
        name,
        command=lambda: clickhouse_node.command(node),
        prepare=lambda: clickhouse_node.prepare(settings, node, logs(settings)),
        environment=lambda: clickhouse_node.environment(settings),
        health=clickhouse_health(settings, url),
        ports=(
            PortNeed(LOOPBACK, node.http_port, name, "HTTP", "LOGSIEVE_CLICKHOUSE_HTTP_PORT"),
            PortNeed(LOOPBACK, node.native_port, name, "its native protocol", "LOGSIEVE_CLICKHOUSE_NATIVE_PORT"),
        ),
        grace_seconds=LONGEST_GRACE_SECONDS,
    )


def _kafka(settings: Settings) -> tuple[Service, ...]:
    """Returns a service for each broker: `kafka`, `kafka-2`, `kafka-3`.

    None of them waits for another one, because a broker of three becomes ready only when a second one runs.
    """
    if settings.kafka_bootstrap is not None:
        return (Service("kafka", command=None, health=kafka_health(settings)),)
    return tuple(_broker(settings, broker) for broker in brokers(settings))


def _broker(settings: Settings, broker: Broker) -> Service:
    return Service(
        broker.name,
        command=lambda: broker_node.command(broker),
        prepare=lambda: broker_node.prepare(settings, broker),
        health=own_broker_health(settings, broker.number - 1),
        ports=(
            PortNeed(LOOPBACK, broker.client_port, broker.name, "its clients", "LOGSIEVE_KAFKA_PORT"),
            PortNeed(LOOPBACK, broker.controller_port, broker.name, "its controller", "LOGSIEVE_KAFKA_CONTROLLER_PORT"),
        ),
        grace_seconds=LONGEST_GRACE_SECONDS,
    )


def _steps(settings: Settings, stores: tuple[str, ...]) -> tuple[Service, ...]:
    """Returns the steps that run once, before our processes start: the schema, and the first tenants."""
    migrate = Service(MIGRATE, command=lambda: _logsieve("migrate"), needs=stores, once=True)
    tenants = Service(
        "tenants",
        command=lambda: module_command("stack.first_tenants"),
        environment=lambda: _environment(settings),
        needs=(MIGRATE,),
        once=True,
    )
    return migrate, tenants


def _processes(settings: Settings) -> tuple[Service, ...]:
    host = settings.bind_host
    otlp_http, otlp_grpc = settings.port(settings.otlp_http_port), settings.port(settings.otlp_grpc_port)
    api = settings.port(settings.api_port)
    ports = {
        "receiver": (
            PortNeed(host, otlp_http, "receiver", "OTLP over HTTP", "LOGSIEVE_OTLP_HTTP_PORT"),
            PortNeed(host, otlp_grpc, "receiver", "OTLP over gRPC", "LOGSIEVE_OTLP_GRPC_PORT"),
            *_worker_ports(settings, "receiver", settings.receiver_ops_port, settings.receiver_workers),
        ),
        "api": (
            PortNeed(host, api, "api", "the REST API and the web UI", "LOGSIEVE_API_PORT"),
            *_worker_ports(settings, "api", settings.api_ops_port, settings.api_workers),
        ),
    }
    receiver, rest_api = (
        Service(
            name,
            command=lambda name=name: _logsieve(name),  # type: ignore[misc]  # mypy does not infer bound defaults
            environment=lambda: _environment(settings),
            health=http_health(settings, needs[0].port, tls=True),
            needs=("tenants",),
            ports=needs,
            grace_seconds=LONGEST_GRACE_SECONDS,
        )
        for name, needs in ports.items()
    )
    return receiver, *map(_loader, settings.each_replica), rest_api, _alerts(settings)


def _loader(settings: Settings) -> Service:
    """Returns the loader of one replica of the store: `loader`, `loader-1`, …"""
    replica = settings.loader_replica
    name, base = f"loader-{replica}" if replica else "loader", settings.loader_port + replica
    return Service(
        name,
        command=lambda: _logsieve("loader"),
        environment=lambda: {
            **_environment(settings),
            "LOGSIEVE_LOADER_REPLICA": str(replica),
            "LOGSIEVE_LOADER_PORT": str(base),
        },
        health=http_health(settings, settings.port(base), tls=False),
        needs=("tenants",),
        grace_seconds=LONGEST_GRACE_SECONDS,
        ports=(
            PortNeed(settings.bind_host, settings.port(base), name, "its operations routes", "LOGSIEVE_LOADER_PORT"),
        ),
    )


def _alerts(settings: Settings) -> Service:
    port = settings.port(settings.alerts_port)
    return Service(
        "alerts",
        command=lambda: _logsieve("alerts"),
        environment=lambda: _environment(settings),
        health=http_health(settings, port, tls=False),
        needs=("tenants",),
        ports=(PortNeed(settings.bind_host, port, "alerts", "its operations routes", "LOGSIEVE_ALERTS_PORT"),),
        # It waits up to 12 s for notices that are being sent (`backend/alerts/sender.py`), then sends its own lines.
        grace_seconds=LONGEST_GRACE_SECONDS,
    )


def _worker_ports(settings: Settings, name: str, base: int, count: int) -> tuple[PortNeed, ...]:
    if count == 1:
        return ()
    first = settings.port(base)
    return tuple(
        PortNeed(settings.bind_host, port, name, "a worker's operations routes", f"LOGSIEVE_{name.upper()}_OPS_PORT")
        for port in range(first, first + count)
    )


def _samples() -> Service:
    return Service(
        SAMPLES,
        command=lambda: module_command("stack.first_samples"),
        needs=("receiver", "loader"),
        once=True,
    )


def _logsieve(command: str) -> list[str]:
    return module_command("stack", command)


def _environment(settings: Settings) -> dict[str, str]:
    """Returns variables for the environment of our processes: the URL to which they send our own logs, and the ingest
    key of tenant `_self`. Leaves out a URL and a key that are set, and the key before it exists."""
    environment: dict[str, str] = {}
    if settings.self_logs_url is None:
        environment["LOGSIEVE_SELF_LOGS_URL"] = f"{own_url(settings, settings.otlp_http_port)}/v1/logs"
    is_wanted = settings.self_logs or "self_logs" not in settings.model_fields_set
    if is_wanted and self_key_file(settings).exists():
        environment["LOGSIEVE_SELF_LOGS"] = "true"
        if not settings.self_key:
            environment["LOGSIEVE_SELF_INGEST_KEY"] = self_key_file(settings).read_text().strip()
    return environment
