"""Health checks. Each sends one request to a service, and returns the reason why it is not ready, or None.

A check blocks for a few seconds at most.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx2
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from kit.clickhouse_check import clickhouse_problem
from kit.errors import InvalidRequest
from kit.kafka import kafka_connection, own_broker_connection
from kit.kafka_refusal import KafkaRefusal
from kit.settings import Settings
from kit.tls import own_ports
from stack.addresses import reachable

HealthCheck = Callable[[], str | None]
_SECONDS: Final = 2.0
_READYZ_SECONDS: Final = 4.0
_REASON_CHARACTERS: Final = 200


def clickhouse_health(settings: Settings, url: str) -> HealthCheck:
    """Returns a check that the ClickHouse server at this URL answers SELECT 1 to the user of the settings."""
    return lambda: clickhouse_problem(settings, url, _SECONDS)


def kafka_health(settings: Settings) -> HealthCheck:
    """Returns a check that one of the brokers answers a metadata request."""
    return lambda: _kafka_problem(settings.kafka_brokers, kafka_connection(settings))


def own_broker_health(settings: Settings, index: int) -> HealthCheck:
    """Returns a check that one of the brokers that `up` starts answers a metadata request; `index` counts from 0."""
    return lambda: _kafka_problem(settings.own_broker(index), own_broker_connection(settings, index))


def _kafka_problem(brokers: str, connection: Mapping[str, str]) -> str | None:
    refusal = KafkaRefusal()
    config: dict[str, Any] = {**connection, "log_level": 0, "socket.timeout.ms": int(_SECONDS * 1000)}
    client = AdminClient(config | {"error_cb": refusal})
    try:
        client.list_topics(timeout=_SECONDS)
    except KafkaException as error:
        return f"{brokers}: {refusal.reason(client) or error.args[0].str()}"
    return None


def http_health(settings: Settings, port: int, *, tls: bool) -> HealthCheck:
    """Returns a check that /readyz of a Logsieve process answers 200. `tls`: the port speaks TLS if the settings say
    so."""
    scheme = settings.http_scheme if tls else "http"
    url = f"{scheme}://{reachable(settings.bind_host)}:{port}/readyz"

    def check() -> str | None:
        try:
            answer = httpx2.get(url, timeout=_READYZ_SECONDS, verify=own_ports(settings))
        except (httpx2.HTTPError, OSError, InvalidRequest) as error:
            return f"{url}: {error or type(error).__name__}"
        return None if answer.is_success else _reason(answer)[:_REASON_CHARACTERS]

    return check


def _reason(answer: httpx2.Response) -> str:
    """Returns the names and reasons of the failing checks of an answer of /readyz.

    Leaves out the ages of results and loops: they differ in each answer, and the supervisor writes its state file for
    each new reason. Returns the whole text of an answer that is not one of /readyz, or its status if it has no text.
    """
    try:
        checks = json.loads(answer.text)["checks"].items()
    except (ValueError, KeyError, TypeError, AttributeError):
        return answer.text.strip() or f"status {answer.status_code}"
    return "; ".join(f"{name}: {reason}" for name, reason in checks if reason != "ok")
