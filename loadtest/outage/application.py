"""An application that logs at a steady rate with the official OpenTelemetry SDK, also during an outage."""

import time
from typing import Final

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.background import Background
from loadtest.corpus.records import NUMBER
from loadtest.own_stack import Sender

QUEUE_RECORDS: Final = 500_000
"""Size of the SDK's queue, in records. With the default of 2,048, the SDK would drop records during an outage."""

_RETRY_SECONDS: Final = 300
"""Seconds for which the SDK retries a batch. With the default of 10 s, it would drop batches in a longer outage."""


class Application(Background):
    """Logs `rate` numbered records per second until it is stopped. Only the SDK resends records."""

    def __init__(self, address: tuple[str, int], sender: Sender, rate: int, clock: Clock) -> None:
        super().__init__("application")
        exporter = OTLPLogExporter(
            endpoint=f"http://{address[0]}:{address[1]}/v1/logs",
            headers={"authorization": f"Bearer {sender.ingest_key}"},
            timeout=_RETRY_SECONDS,
        )
        self._provider = LoggerProvider(Resource({"service.name": "outage"}), shutdown_on_exit=False)
        self._provider.add_log_record_processor(
            BatchLogRecordProcessor(
                exporter,
                max_queue_size=QUEUE_RECORDS,
                max_export_batch_size=512,
                schedule_delay_millis=500,
                export_timeout_millis=_RETRY_SECONDS * 1000,
            )
        )
        self._rate = rate
        self._clock = clock
        self.logged = 0

    def finish(self) -> int:
        """Waits until the SDK has sent all records, after the block. Returns the number of logged records.

        Raises Unavailable if the SDK has not sent all of them after `_RETRY_SECONDS`.
        """
        self.check()
        if not self._provider.force_flush(_RETRY_SECONDS * 1000):
            raise Unavailable(f"the SDK could not send everything within {_RETRY_SECONDS} s")
        self._provider.shutdown()
        return self.logged

    def work(self) -> None:
        logger = self._provider.get_logger("loadtest.outage")
        started = self._clock.monotonic()
        while not self.stopping.is_set():
            logger.emit(
                LogRecord(
                    timestamp=self._clock.now_ns(),
                    severity_number=SeverityNumber.INFO,
                    body=f"order {self.logged} shipped",
                    attributes={NUMBER: self.logged},
                )
            )
            self.logged += 1
            time.sleep(max(0.0, started + self.logged / self._rate - self._clock.monotonic()))
