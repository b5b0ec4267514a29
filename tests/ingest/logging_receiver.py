"""Runs a receiver that logs a line for each message, and fails to send messages with a certain text.

The command is `python -m tests.ingest.logging_receiver`. All other code is the real one.
"""

from typing import Final

import structlog

from ingest.receiver import worker
from ingest.receiver.main import run
from ingest.receiver.producer import TopicProducer
from kit.settings import Settings
from schema.envelope import Envelope

LINE: Final = "message is sent"
BROKEN: Final = "broken"
"""Text of messages that the receiver fails to send."""

log = structlog.get_logger()


class LoggingProducer(TopicProducer):
    """Logs a line for each message, as a producer could do when Kafka fails."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        log.warning(LINE)
        if BROKEN.encode() in value:
            raise RuntimeError(f"{len(value)} bytes of tenant {envelope.tenant_id}")
        await super().send(envelope, value)


if __name__ == "__main__":
    worker.TopicProducer = LoggingProducer  # type: ignore[attr-defined]  # only in this process
    run(Settings())
