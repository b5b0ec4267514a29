"""Tests that a gRPC connection may send the bytes of its calls, and is closed if it sends many others."""

import asyncio
import time
from collections.abc import Callable, Iterator

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.receiver.grpc_connections import CHECK_SECONDS
from ingest.receiver.grpc_traffic import FREE_BYTES, Traffic, peer_of
from loadtest.hostile import attacks_grpc
from loadtest.hostile.attacks_http import Listener, pour
from tests.listeners import served

WAIT_SECONDS = 60.0
CONTINUATION = 9
METHOD = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    with served.receiver(tmp_path_factory.mktemp("traffic") / "log", {"LOG_LEVEL": "warning"}) as settings:
        yield served.http_listener(settings, settings.otlp_grpc_port)


def test_endless_headers_end_the_connection(listener: Listener) -> None:
    """Tests that Logsieve closes the connection, because gRPC itself reads endless headers without an answer."""
    head = attacks_grpc.GREETING + attacks_grpc.frame(attacks_grpc.HEADERS, attacks_grpc.CALL, stream=1)
    field = b"\x10\x01a\x64" + b"a" * 100  # a literal name of 1 byte, a value of 100 bytes
    piece = attacks_grpc.frame(CONTINUATION, field * 50, stream=1)

    assert asyncio.run(pour(listener, head, piece, 4 * FREE_BYTES)).closed


@pytest.mark.parametrize(
    ("key", "size", "calls", "code"),
    [
        ("key-for-ingest", 4 * 2**20, 2 * FREE_BYTES // (4 * 2**20), grpc.StatusCode.OK),
        # Of a message that is not read, only the 64 KiB of the flow control window are sent.
        ("wrong", 2**17, 2 * FREE_BYTES // 2**16, grpc.StatusCode.UNAUTHENTICATED),
    ],
)
def test_calls_keep_their_connection(
    listener: Listener, key: str, size: int, calls: int, code: grpc.StatusCode
) -> None:
    """Sends more than FREE_BYTES: large messages that are accepted, or that are not read. The connection is then used
    until the traffic was checked several times."""
    record = LogRecord(body=AnyValue(string_value="x" * size))
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])
    left: list[grpc.ChannelConnectivity] = []
    with grpc.insecure_channel(f"{listener.host}:{listener.port}") as channel:
        grpc.channel_ready_future(channel).result(timeout=WAIT_SECONDS)
        channel.subscribe(lambda state: left.append(state) if state is not grpc.ChannelConnectivity.READY else None)
        export: Callable[..., bytes] = channel.unary_unary(METHOD)
        message = request.SerializeToString()
        for _ in range(calls):
            assert _code(export, message, key) is code
        sent = time.monotonic()
        while time.monotonic() - sent < 3 * CHECK_SECONDS:
            assert _code(export, b"", key) is code
            time.sleep(CHECK_SECONDS / 5)
        assert left == []


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("ipv4:192.0.2.1:4711", "192.0.2.1"),
        ("ipv4:192.0.2.1:4711", "::ffff:192.0.2.1"),
        ("ipv6:%5B2001:db8::1%5D:4711", "2001:db8::1"),
        ("ipv6:[fe80::1%25eth0]:4711", "fe80::1%eth0"),
    ],
)
def test_grpc_and_the_system_mean_the_same_connection(name: str, host: str) -> None:
    """Tests that gRPC's name of a peer gives the same key as the address that the operating system reports."""
    traffic = Traffic()
    traffic.called(name)

    assert list(traffic._allowed) == [peer_of(host, 4711)]


def test_closed_connections_are_forgotten_at_the_second_check() -> None:
    traffic = Traffic()
    traffic.called("ipv4:192.0.2.1:4711")
    for expected in (1, 0):
        traffic.forget(set())
        assert len(traffic._allowed) == expected


def _code(export: Callable[..., bytes], message: bytes, key: str) -> grpc.StatusCode:
    try:
        export(message, metadata=(("authorization", f"Bearer {key}"),), timeout=WAIT_SECONDS)
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK
