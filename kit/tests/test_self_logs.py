import asyncio
import io
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from pydantic import SecretStr

from kit.errors import InvalidRequest
from kit.log import configure_logging, remove_logging
from kit.self_logs import SelfLogs, http_exporter, own_traffic
from kit.settings import Settings
from kit.telemetry import Telemetry, client_span, start_telemetry
from kit.tests.otlp_collector import Collector, collecting


@contextmanager
def sending_to(collector: Collector, stream: io.StringIO | None = None) -> Iterator[SelfLogs]:
    """Sets up logging to the collector. All logged lines have been sent when the block ends."""
    exporter = http_exporter(f"{collector.endpoint}/v1/logs", "key")
    self_logs = SelfLogs(exporter, Resource({"service.name": "logsieve-test"}))
    handler = configure_logging("debug", extra=(self_logs,), stream=stream or io.StringIO())
    try:
        yield self_logs
        self_logs.flush()
    finally:
        remove_logging(handler)
        self_logs.shutdown()


def attributes(record: LogRecord) -> dict[str, object]:
    return {item.key: getattr(item.value, str(item.value.WhichOneof("value"))) for item in record.attributes}


def test_a_line_arrives_as_a_log_record() -> None:
    before = time.time_ns()
    with collecting() as collector, sending_to(collector):
        with client_span("SELECT logs_0") as span:
            structlog.get_logger("ingest.loader").warning("batch inserted", rows=50_000, lane=3, late=True, ratio=0.5)
        context = span.get_span_context()
    [record] = collector.records
    assert collector.keys == ["Bearer key"]
    assert record.body.string_value == "batch inserted"
    assert (record.severity_number, record.severity_text) == (13, "WARNING")
    assert attributes(record) == {"rows": 50_000, "lane": 3, "late": True, "ratio": 0.5}
    assert int.from_bytes(record.trace_id, "big") == context.trace_id
    assert int.from_bytes(record.span_id, "big") == context.span_id
    assert before - 1_000_000 <= record.time_unix_nano <= time.time_ns()
    [resource_logs] = collector.requests[0].resource_logs
    assert [item.value.string_value for item in resource_logs.resource.attributes] == ["logsieve-test"]
    assert resource_logs.scope_logs[0].scope.name == "ingest.loader"


@pytest.mark.parametrize(
    ("level", "number"), [("debug", 5), ("info", 9), ("warning", 13), ("error", 17), ("critical", 21)]
)
def test_severities_of_library_lines(level: str, number: int) -> None:
    with collecting() as collector, sending_to(collector):
        logging.getLogger("some.library").log(logging.getLevelNamesMapping()[level.upper()], "%d retries", 3)
    assert [(record.severity_number, record.body.string_value) for record in collector.records] == [
        (number, "3 retries")
    ]


def test_an_exception_keeps_its_stack() -> None:
    with collecting() as collector, sending_to(collector):
        try:
            raise ConnectionResetError("the broker hung up")
        except ConnectionResetError:
            structlog.get_logger("x").exception("cannot produce")
    [record] = collector.records
    exported = attributes(record)
    assert exported["exception.type"] == "ConnectionResetError"
    assert exported["exception.message"] == "the broker hung up"
    assert "test_an_exception_keeps_its_stack" in str(exported["exception.stacktrace"])


def test_values_that_otlp_cannot_hold_become_text() -> None:
    with collecting() as collector, sending_to(collector):
        structlog.get_logger("x").info(
            "odd \udcff", big=2**64, nothing=None, half="\ud800", keys={"a": [1]}, path=Path("/x")
        )
    [record] = collector.records
    assert record.body.string_value == "odd \\udcff"
    assert attributes(record) == {
        "big": "18446744073709551616",
        "nothing": "None",
        "half": "\\ud800",
        "keys": "{'a': [1]}",
        "path": "/x",
    }


def test_own_traffic_is_logged_but_not_sent() -> None:
    stream = io.StringIO()

    async def handle(tenant: str) -> None:
        with own_traffic(tenant == "_self"):
            await asyncio.create_task(answer(tenant))

    async def answer(tenant: str) -> None:
        structlog.get_logger("ingest.receiver").info(f"accepted from {tenant}")

    async def both() -> None:
        await asyncio.gather(handle("_self"), handle("shop"))

    with collecting() as collector, sending_to(collector, stream):
        asyncio.run(both())
        with own_traffic(), own_traffic(False):
            logging.getLogger("aiokafka").error("within")
    assert collector.bodies == ["accepted from shop"]
    assert {json.loads(line)["event"] for line in stream.getvalue().splitlines()} >= {
        "accepted from _self",
        "accepted from shop",
        "within",
    }


def test_a_failing_export_is_not_exported() -> None:
    stream = io.StringIO()
    with collecting(status=400) as collector, sending_to(collector, stream) as self_logs:
        structlog.get_logger("x").info("refused by the collector")
        self_logs.flush()
        assert "Failed to export logs batch code: 400" in stream.getvalue()
        for _ in range(3):
            self_logs.flush()
        assert len(collector.requests) == 1


class StuckExporter(LogRecordExporter):
    """Exporter whose export blocks until it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.bodies: list[object] = []

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        self.released.wait(30)
        self.bodies.extend(record.log_record.body for record in batch)
        return LogRecordExportResult.SUCCESS

    def force_flush(self, timeout_millis: int = 30000) -> bool:  # noqa: ARG002 the signature is the SDK's
        return True

    def shutdown(self) -> None:
        self.released.set()


def test_a_stuck_receiver_costs_one_queue_and_no_waiting() -> None:
    exporter = StuckExporter()
    self_logs = SelfLogs(exporter, Resource({}), queue_lines=100)
    handler = configure_logging("info", extra=(self_logs,), stream=io.StringIO())
    log = structlog.get_logger("x")
    start = time.monotonic()
    for number in range(1000):
        log.info(f"line {number}")
    assert time.monotonic() - start < 5
    remove_logging(handler)
    exporter.released.set()
    self_logs.shutdown()
    in_flight_and_queued = 2 * 100
    assert 100 <= len(exporter.bodies) <= in_flight_and_queued
    assert exporter.bodies[-100:] == [f"line {number}" for number in range(900, 1000)]


def without_receiver(home: Path) -> tuple[Telemetry, io.StringIO]:
    """Returns telemetry that sends its lines to a closed port, and the stream of its log lines."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    stream = io.StringIO()
    settings = Settings(home=home, self_logs=True, self_ingest_key=SecretStr("key"), otlp_http_port=port)
    return start_telemetry(settings, "test", stream=stream), stream


def test_shutdown_is_bounded_while_the_receiver_is_unreachable(tmp_path: Path) -> None:
    telemetry, stream = without_receiver(tmp_path)
    for _ in range(1500):
        structlog.get_logger("x").info("nobody listens")
    start = time.monotonic()
    telemetry.shutdown(seconds=0.5)
    assert time.monotonic() - start < 2
    assert stream.getvalue().count('"nobody listens"') == 1500
    assert "telemetry-shutdown" not in {thread.name for thread in threading.enumerate()}


def test_a_receiver_that_ended_sends_itself_nothing(tmp_path: Path) -> None:
    telemetry, stream = without_receiver(tmp_path)
    structlog.get_logger("x").info("receiver stopped")
    telemetry.shutdown(receiver_ended=True)
    assert "receiver stopped" in stream.getvalue()
    assert "retrying" not in stream.getvalue()


def test_lines_go_to_the_receiver_of_the_url(tmp_path: Path) -> None:
    with collecting() as collector:
        url = f"{collector.endpoint}/v1/logs"
        settings = Settings(home=tmp_path, self_logs=True, self_ingest_key=SecretStr("key"), self_logs_url=url)
        telemetry = start_telemetry(settings, "test", stream=io.StringIO())
        structlog.get_logger("x").info("from another machine")
        telemetry.shutdown()
    assert "from another machine" in [record.body.string_value for record in collector.records]


@pytest.mark.parametrize("key", [None, SecretStr("")])
def test_own_logs_without_a_key_are_refused(key: SecretStr | None, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="LOGSIEVE_SELF_INGEST_KEY is not set: set it to"):
        start_telemetry(Settings(home=tmp_path, self_logs=True, self_ingest_key=key), "test", stream=io.StringIO())
