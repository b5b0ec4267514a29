"""Runs one outage. An application logs before, during and after it, and all its records must be stored in the end."""

import time
from collections import Counter
from typing import Final

import httpx2

from kit.tls import trusted
from loadtest.background import Background
from loadtest.bench import Bench
from loadtest.comparison import Sent
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.outage.application import Application
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


def run_outage(bench: Bench, stack: OwnStack, service: str, seconds: float, rate: int) -> OutageReport:
    """Keeps one service down for `seconds` while an application logs `rate` records per second.

    Raises Unavailable if the stack does not recover, or the application cannot send all its records.
    """
    logging_tenant, probing_tenant = stack.create_sender("outage"), stack.create_sender("probe")
    with (
        Application(stack.otlp_http, logging_tenant, rate, bench.clock) as application,
        _Probe(bench, stack, probing_tenant) as probe,
    ):
        time.sleep(_AROUND_SECONDS)
        bench.say(f"{service} is down for {seconds:g} s")
        end = bench.clock.monotonic() + seconds
        while bench.clock.monotonic() < end:
            # The supervisor restarts the service, so it is killed repeatedly.
            stack.services.kill(service)
            time.sleep(_POLL_SECONDS)
        back = bench.clock.monotonic()
        bench.say(f"{service} may come back")
        stack.services.wait_until_ready(bench.clock, _DRAIN_SECONDS)
        time.sleep(_AROUND_SECONDS)
    probe.check()
    logged = application.finish()
    wait_until_loaded(stack.settings, bench.clock, _DRAIN_SECONDS)
    drained_after = bench.clock.monotonic() - back
    sent = {logging_tenant.tenant_id: Sent(acknowledged=[range(logged)])}
    verdict = judge(sent, stack.settings, bench.clock, besides={probing_tenant.tenant_id})
    return OutageReport(
        service=service,
        seconds=seconds,
        rate=rate,
        logged=logged,
        answers=probe.answers(),
        drained_after=drained_after,
        **dict(verdict),
    )


class _Probe(Background):
    """Sends one record per request at fixed intervals, and counts the receiver's answers."""

    def __init__(self, bench: Bench, stack: OwnStack, sender: Sender) -> None:
        super().__init__("probe")
        self._url = f"http://{stack.otlp_http[0]}:{stack.otlp_http[1]}/v1/logs"
        self._headers = {"authorization": f"Bearer {sender.ingest_key}", "content-type": "application/x-protobuf"}
        self._source = RecordSource(SMALL, bench.seed)
        self._clock = bench.clock
        self._statuses: Counter[int] = Counter()
        self._without_retry_after = 0
        self._slowest = 0.0

    def answers(self) -> Answers:
        return Answers(
            statuses=dict(self._statuses),
            without_retry_after=self._without_retry_after,
            slowest_seconds=self._slowest,
        )

    def work(self) -> None:
        with httpx2.Client(headers=self._headers, timeout=_ANSWER_SECONDS, verify=trusted()) as http:
            while not self.stopping.wait(_PROBE_SECONDS):
                body = export_request(self._source.take(1, self._clock.now_ns()), pod=1)
                started = self._clock.monotonic()
                try:
                    answer = http.post(self._url, content=body)
                except httpx2.TransportError:
                    self._statuses[0] += 1
                    continue
                self._statuses[answer.status_code] += 1
                if answer.status_code != httpx2.codes.OK and "retry-after" not in answer.headers:
                    self._without_retry_after += 1
                self._slowest = max(self._slowest, self._clock.monotonic() - started)
