"""Tests that log lines caused by handling our own log lines are not exported again."""

import asyncio
import dataclasses

import pytest
import structlog
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.resources import Resource

from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver, Topic
from kit import self_logs
from kit.log import configure_logging, remove_logging
from kit.settings import Settings
from schema.envelope import Envelope

BODY = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"%d"}]}]}]}' % NOW


class LoggingTopic(Topic):
    """Fake topic that logs a line for each message, as the producer does when Kafka fails."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        structlog.get_logger().warning("sending")
        await super().send(envelope, value)


@pytest.mark.parametrize(("name", "exported"), [("_self", []), ("demo", ["sending"])])
def test_lines_about_our_own_lines_stay_here(name: str, exported: list[str]) -> None:
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK leaves it untyped
    lines = self_logs.SelfLogs(exporter, Resource({}))
    handler = configure_logging("info", extra=(lines,))
    tenant = dataclasses.replace(TENANT, name=name)

    async def export() -> None:
        intake = Receiver(LoggingTopic(), tenant).intake(Settings())
        with intake.receiving(tenant, 0), MemoryBudget(10_000).share(tenant.id) as share:
            share.grow(len(BODY))
            await intake.take(tenant, Export(BODY, Encoding.json, ""), share)
        intake.close()

    try:
        asyncio.run(export())
        lines.flush()
    finally:
        remove_logging(handler)
    assert [each.log_record.body for each in exporter.get_finished_logs()] == exported
    lines.shutdown()
