"""Tests that a ClickHouse node continues to run when connections to it break or send invalid bytes."""

import socket
import struct
from contextlib import suppress

from kit.clickhouse import connect
from stack.clickhouse.node import node
from tests.running_stack import Stack

PACKETS = (b"\x07" + b"garbage" * 5, b"\x09" * 40)
"""Bytes that are no message of ClickHouse's native protocol."""
TIMES = 20


def send_and_reset(port: int, packet: bytes) -> None:
    """Sends bytes, and breaks the connection by a reset."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(packet)


def send_and_wait(port: int, packet: bytes) -> None:
    """Sends bytes, and waits until the server has closed the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection, suppress(ConnectionResetError):
        connection.sendall(packet)
        while connection.recv(4096):
            pass


def test_broken_connections_do_not_end_a_node(stack: Stack) -> None:
    pid, server = stack.pid("clickhouse"), node(stack.settings)
    for _ in range(TIMES):
        for packet in PACKETS:
            send_and_reset(server.native_port, packet)
            send_and_wait(server.native_port, packet)
        send_and_reset(server.http_port, b"GET /ping HTTP/1.1\r\nHost: a\r\n\r\nGET /pi")
    with connect(stack.settings) as client:
        assert client.query("SELECT 1").result_rows == [(1,)]
    assert stack.pid("clickhouse") == pid
