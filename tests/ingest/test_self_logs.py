"""Tests that no log line about one of Logsieve's own log lines is sent, because each would cause another."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from kit.settings import Settings
from kit.tests.otlp_collector import Collector, collecting
from schema.envelope import Envelope
from stack.services import self_key_file
from tests import otlp
from tests.eventually import eventually
from tests.forked_module import ForkedModule
from tests.ingest.exports import call
from tests.ingest.logging_receiver import BROKEN, LINE
from tests.ingest.pipeline import Pipeline
from tests.ingest.requests import request_of
from tests.running_stack import Stack, answers_ok, borrowed_offset, stack_environment, wait_until_ready

SENT = 5
SECONDS = 60.0
FAILED = "export failed"
NOT_LOADED = "message cannot be loaded"
ABOUT_SERVICES = {
    "Kafka reported an error to the loader",
    "Kafka reported an error to the receiver",
    "batch is not delivered yet; it is tried again",
    "counts of refused requests are not in Kafka yet; they are sent later",
    "partition assigned",
    "partitions cannot be started yet; they are tried again",
    "the control plane cannot be read",
}
"""Lines that a slow Kafka, ClickHouse or control plane causes at any time."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as started:
        yield started


def own_logs_to(collector: Collector) -> dict[str, str]:
    """Returns the settings of a process that sends its own log lines to the collector, and not to a receiver."""
    return {
        "LOGSIEVE_SELF_LOGS": "true",
        "LOGSIEVE_SELF_INGEST_KEY": "any",
        "LOGSIEVE_SELF_LOGS_URL": f"{collector.endpoint}/v1/logs",
    }


def lines_after(collector: Collector, time_ns: int) -> list[str]:
    """Returns the lines that the collector has and that were logged after a time, except those ABOUT_SERVICES."""
    lines = [each.body.string_value for each in collector.records if each.time_unix_nano > time_ns]
    return [each for each in lines if each not in ABOUT_SERVICES]


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver on ports of its own, with the stack's control plane and Kafka."""

    settings: Settings
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port(self.settings.otlp_http_port)}"

    def send(self, key: str) -> None:
        """Sends a request that is stored, an invalid one, and one with which the receiver fails, over both
        transports."""
        endpoint = f"127.0.0.1:{self.settings.port(self.settings.otlp_grpc_port)}"
        good, broken = otlp.request(otlp.record("good")), otlp.request(otlp.record(BROKEN))
        for body, status in ((good, 200), (broken, 500), ([], 400)):
            assert otlp.send(f"{self.url}/v1/logs", key, body).status_code == status
        raw = request_of(time.time_ns()).SerializeToString()
        call(endpoint, raw, key)
        with pytest.raises(grpc.RpcError):
            call(endpoint, b"\xff", key)


@pytest.fixture
def receiver(stack: Stack, collector: Collector, tmp_path: Path) -> Iterator[Receiver]:
    """Yields a ready receiver that logs each request and each message."""
    variables = stack.broker_variables() | own_logs_to(collector) | {"LOGSIEVE_ACCESS_LOG": "all"}
    with borrowed_offset() as offset:
        running = Receiver(Settings(port_offset=offset), tmp_path / "receiver.log")
        environment = stack_environment(stack.home, offset, variables)
        process = ForkedModule(("tests.ingest.logging_receiver",), environment, running.log)
        try:
            wait_until_ready(process, lambda: answers_ok(f"{running.url}/readyz"), running.log)
            yield running
        finally:
            process.terminate()
            assert process.wait(30) == 0


def test_lines_about_requests_of_our_own_tenant_are_not_sent(
    stack: Stack, collector: Collector, receiver: Receiver
) -> None:
    ours = self_key_file(stack.settings).read_text().strip()
    started = time.time_ns()
    for _ in range(SENT):
        receiver.send(ours)
    receiver.send(stack.keys.ingest_key)
    # Lines that were logged earlier are sent earlier, or in the same request.
    eventually(lambda: collector.bodies.count(LINE) >= 3, "the lines about the other tenant are sent", SECONDS)
    assert Counter(lines_after(collector, started)) == {LINE: 3, FAILED: 1}
    assert receiver.log.read_text().count(f'"{LINE}"') == 3 * (SENT + 1)
    # A request is logged after its answer.
    eventually(lambda: receiver.log.read_text().count('"request"') == 5 * (SENT + 1), "all requests are logged")


def test_batches_cause_no_lines(pipeline: Pipeline, collector: Collector) -> None:
    pipeline.start_loader(**own_logs_to(collector))
    pipeline.send(messages=1, partition=0)
    pipeline.wait_until_stored()
    loaded = time.time_ns()
    for _ in range(SENT):
        pipeline.send(messages=1, partition=0)
        pipeline.wait_until_stored()
    pipeline.send_raw(b"\xff", Envelope(1, 0, "r30", 4096, loaded).headers(), partition=0)
    pipeline.flush()
    # Lines that were logged earlier are sent earlier, or in the same request.
    pipeline.wait(lambda: NOT_LOADED in collector.bodies, "a line about the last message is sent")
    assert lines_after(collector, loaded) == [NOT_LOADED]
