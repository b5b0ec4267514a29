"""All the doctor's questions in their order. What is away is a finding, and the rest is still asked."""

from collections.abc import Callable, Iterator

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from stack.doctor.finding import Finding, Level
from stack.doctor.kafka import kafka_findings
from stack.doctor.lifecycle import clock_finding, retention_findings, schema_finding
from stack.doctor.parts import part_findings
from stack.doctor.patches import patch_findings
from stack.doctor.waits import wait_findings


def examine(settings: Settings, clock: Clock) -> list[Finding]:
    """Everything there is to say. Raises nothing for what is away."""
    return [*_clickhouse(settings, clock), *kafka_findings(settings)]


def _clickhouse(settings: Settings, clock: Clock) -> Iterator[Finding]:
    try:
        client = connect(settings)
    except LogsieveError as error:
        advice = "start it, or mend LOGSIEVE_CLICKHOUSE_URL and its password; searches answer 503 meanwhile"
        yield Finding("clickhouse", Level.fail, f"{settings.clickhouse_http_url}: {error.detail}", advice)
        return
    with client:
        yield Finding("clickhouse", Level.ok, f"{client.server_version} at {settings.clickhouse_http_url}")
        questions: dict[str, Callable[[Client], list[Finding]]] = {
            "patches": patch_findings,
            "parts": part_findings,
            "waits": wait_findings,
            "clocks": lambda client: [clock_finding(client, clock)],
            "retention": lambda _: retention_findings(settings, clock),
            "schema": lambda _: [schema_finding(settings)],
        }
        for about, question in questions.items():
            try:
                yield from question(client)
            except Error as error:
                yield Finding(about, Level.fail, translate(error).detail, "see ClickHouse's log")
            except LogsieveError as error:
                yield Finding(about, Level.fail, error.detail, "see ClickHouse's log")
