"""Tests how much memory a flood of large gRPC messages costs a real process."""

import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import grpc
import pytest

from ingest.receiver.sizing import worker_memory
from ingest.receiver.tests.fakes import BEARER
from kit.settings import Settings
from schema.control.models import Purpose

MIB = 2**20
BUDGET = 32 * MIB
REQUEST = 4 * MIB
CALLS = 96
CONNECTIONS = 4
EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
UNKNOWN_FIELD = b"\x7a"
"""Tag of field 15, length-delimited. A message of it has no record, so it costs nothing but its receipt."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads what a process holds from /proc")


class Server:
    def __init__(self, budget: int = BUDGET, request: int = REQUEST) -> None:
        command = [sys.executable, "-m", "ingest.receiver.tests.grpc_process", str(budget), str(request)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.before = self.peak()

    def peak(self) -> int:
        """Returns the peak memory of the process in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024

    def connect(self) -> grpc.Channel:
        options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
        return grpc.insecure_channel(f"127.0.0.1:{self.port}", options=options)

    def close(self) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        server.close()


def export(channel: grpc.Channel, body: bytes, compression: grpc.Compression | None = None) -> grpc.StatusCode:
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(EXPORT)
    try:
        call(body, metadata=(("authorization", BEARER[Purpose.ingest]),), timeout=30, compression=compression)
    except grpc.RpcError as error:
        return cast(grpc.Call, error).code()
    return grpc.StatusCode.OK


def unknown_field(size: int) -> bytes:
    length = bytearray()
    rest = size
    while rest > 0x7F:
        length.append(rest & 0x7F | 0x80)
        rest >>= 7
    length.append(rest)
    return UNKNOWN_FIELD + length + bytes(size)


def test_many_large_messages_at_once_stay_within_the_budget(server: Server) -> None:
    body = unknown_field(REQUEST - 100)
    channels = [server.connect() for _ in range(CONNECTIONS)]
    codes: Counter[grpc.StatusCode] = Counter()

    def send(number: int) -> None:
        codes[export(channels[number % CONNECTIONS], body)] += 1

    threads = [threading.Thread(target=send, args=(number,)) for number in range(CALLS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for channel in channels:
        channel.close()

    assert codes[grpc.StatusCode.OK] > 0
    assert set(codes) <= {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE}
    # Received messages are there twice for a moment, as gRPC's pieces and as bytes, and the allocator keeps some.
    assert server.peak() - server.before < 3 * BUDGET < CALLS * REQUEST / 3


def test_a_decompression_bomb_costs_no_more_than_a_request(server: Server) -> None:
    with server.connect() as channel:
        bomb = bytes(24 * REQUEST)
        assert export(channel, bomb, grpc.Compression.Gzip) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert server.peak() - server.before < 8 * REQUEST


def test_the_largest_message_fits_into_the_smallest_budget() -> None:
    settings = Settings(receiver_memory_bytes=4 * 16 * MIB)
    server = Server(worker_memory(settings, 1), settings.request_max_bytes)
    try:
        with server.connect() as channel:
            assert export(channel, unknown_field(settings.request_max_bytes - 5)) is grpc.StatusCode.OK
    finally:
        server.close()
