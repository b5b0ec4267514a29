"""Runs one outage. An application logs before, during and after it, and all its records must be stored in the end."""

import time
from collections import Counter
from typing import Final

import httpx2
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

from kit.clock import Clock
from kit.errors import Unavailable
from kit.tls import trusted
from loadtest.background import Background
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.corpus.records import NUMBER, SMALL, RecordSource, export_request
from loadtest.log_store import wait_for_tenant
from loadtest.outage.study import Answers, OutageReport
from loadtest.own_stack import OwnStack, Sender
from loadtest.services import CLICKHOUSE, KAFKA
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge

SERVICES: Final = (KAFKA, CLICKHOUSE)
_AROUND_SECONDS: Final = 10.0
"""Seconds for which the application logs before the outage, and again after the stack has recovered."""
_DRAIN_SECONDS: Final = 180.0
_POLL_SECONDS: Final = 0.1
_PROBE_SECONDS: Final = 0.25
_ANSWER_SECONDS: Final = 30.0
_QUEUE_RECORDS: Final = 500_000
"""Size of the SDK's queue, in records. With the default of 2,048, the SDK would drop records during an outage."""
_RETRY_SECONDS: Final = 300
"""Seconds for which the SDK retries a batch. With the default of 10 s, it would drop batches in a longer outage."""


def run_outage(bench: Bench, stack: OwnStack, service: str, seconds: float, rate: int) -> OutageReport:
    """Keeps one service down for `seconds` while an application logs `rate` records per second.

    Raises Unavailable if the stack does not recover, or the application cannot send all its records.
    """
    logging_tenant, probing_tenant = stack.create_sender("outage"), stack.create_sender("probe")
    with (
        _Application(stack.otlp_http, logging_tenant, rate, bench.clock) as application,
        _Probe(bench, stack, probing_tenant) as probe,
    ):
        time.sleep(_AROUND_SECONDS)
        back = keep_down(bench, stack, service, seconds)
        waiting = application.logged
        stack.services.wait_until_ready(bench.clock, _DRAIN_SECONDS)
        wait_for_tenant(stack.settings, logging_tenant.lane, logging_tenant.tenant_id, waiting)
        drained_after = bench.clock.monotonic() - back
        time.sleep(_AROUND_SECONDS)
    logged = application.finish()
    wait_until_loaded(stack.settings, bench.clock, _DRAIN_SECONDS)
    sent = {logging_tenant.tenant_id: Sent(acknowledged=[range(logged)])}
    verdict = judge(sent, stack.settings, bench.clock, besides={probing_tenant.tenant_id})
    return OutageReport(
        service=service,
        seconds=seconds,
        rate=rate,
        logged=logged,
        answers=Answers(
            statuses=dict(probe.statuses),
            without_retry_after=probe.without_retry_after,
            slowest_seconds=probe.slowest,
        ),
        drained_after=drained_after,
        **dict(verdict),
    )


def keep_down(bench: Bench, stack: OwnStack, service: str, seconds: float) -> float:
    """Keeps a service down for `seconds`. Returns the monotonic time at which it may come back."""
    bench.say(f"{service} is down for {seconds:g} s")
    end = bench.clock.monotonic() + seconds
    while bench.clock.monotonic() < end:
        # The supervisor restarts the service, so it is killed repeatedly.
        stack.services.kill(service)
        time.sleep(_POLL_SECONDS)
    bench.say(f"{service} may come back")
    return bench.clock.monotonic()


class _Application(Background):
    """Logs `rate` numbered records per second with the official OpenTelemetry SDK, which alone resends records."""

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
                max_queue_size=_QUEUE_RECORDS,
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


class _Probe(Background):
    """Sends one record per request at fixed intervals, and counts the receiver's answers."""

    def __init__(self, bench: Bench, stack: OwnStack, sender: Sender) -> None:
        super().__init__("probe")
        self._url = f"http://{stack.otlp_http[0]}:{stack.otlp_http[1]}/v1/logs"
        self._headers = {"authorization": f"Bearer {sender.ingest_key}", "content-type": "application/x-protobuf"}
        self._source = RecordSource(SMALL, bench.seed)
        self._clock = bench.clock
        self.statuses: Counter[int] = Counter()
        self.without_retry_after = 0
        self.slowest = 0.0

    def work(self) -> None:
        with httpx2.Client(headers=self._headers, timeout=_ANSWER_SECONDS, verify=trusted()) as http:
            while not self.stopping.wait(_PROBE_SECONDS):
                body = export_request(self._source.take(1, self._clock.now_ns()), pod=1)
                started = self._clock.monotonic()
                try:
                    answer = http.post(self._url, content=body)
                except httpx2.TransportError:
                    self.statuses[0] += 1
                    continue
                self.statuses[answer.status_code] += 1
                if answer.status_code != httpx2.codes.OK and "retry-after" not in answer.headers:
                    self.without_retry_after += 1
                self.slowest = max(self.slowest, self._clock.monotonic() - started)
