"""Tests that log lines caused by handling our own log lines are not exported again."""

import asyncio
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
import structlog
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.resources import Resource

from ingest.receiver.http import http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import BEARER, NOW, TENANT, Receiver, Topic
from kit import self_logs
from kit.log import configure_logging, remove_logging
from kit.settings import Settings
from schema.control.models import Purpose
from schema.envelope import Envelope

BODY = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d"}]}]}]}' % NOW


class LoggingTopic(Topic):
    """Fake topic that logs a line for each message, as the producer does when Kafka fails."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        structlog.get_logger().warning("sending")
        await super().send(envelope, value)


class BrokenTopic(Topic):
    """Fake topic with a bug."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        raise RuntimeError(f"{len(value)} bytes of tenant {envelope.tenant_id}")


@contextmanager
def exported() -> Iterator[list[str]]:
    """Yields a list, which has the exported lines when the block has ended."""
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK leaves it untyped
    lines = self_logs.SelfLogs(exporter, Resource({}))
    handler = configure_logging("info", extra=(lines,))
    found = list[str]()
    try:
        yield found
        lines.flush()
    finally:
        remove_logging(handler)
        lines.shutdown()
    found.extend(str(each.log_record.body) for each in exporter.get_finished_logs())


@pytest.mark.parametrize(
    ("topic", "status", "line"), [(LoggingTopic(), 200, "sending"), (BrokenTopic(), 500, "export failed")]
)
@pytest.mark.parametrize("name", ["_self", "demo"])
def test_lines_about_our_own_lines_stay_here(topic: Topic, status: int, line: str, name: str) -> None:
    async def export() -> None:
        intake = Receiver(topic, dataclasses.replace(TENANT, name=name)).intake(Settings())
        app = http_app(Settings(), intake, MemoryBudget(10_000), {})
        headers = {"authorization": BEARER[Purpose.ingest], "content-type": "application/json"}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
            answer = await client.post("http://receiver/v1/logs", headers=headers, content=BODY)
        intake.close()
        assert answer.status_code == status

    with exported() as lines:
        asyncio.run(export())
    assert lines == ([] if name == "_self" else [line])
