"""Tests that the proxy forwards bytes until `cut`, and accepts new connections afterwards."""

import random
import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest

from loadtest.faults.inflict import CuttingProxy


class _Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        try:
            while data := self.request.recv(1024):
                self.request.sendall(data)
        except ConnectionResetError:
            pass


@pytest.fixture
def echo() -> Iterator[tuple[str, int]]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield ("127.0.0.1", server.server_address[1])
        server.shutdown()
        thread.join()


def exchange(connection: socket.socket, text: bytes) -> bytes:
    try:
        connection.sendall(text)
        return connection.recv(1024)
    except ConnectionError:
        return b""


def test_connections_work_until_they_are_cut_and_new_ones_work_again(echo: tuple[str, int]) -> None:
    with CuttingProxy(echo) as proxy:
        connections = [socket.create_connection(proxy.address, timeout=5) for _ in range(6)]
        assert [exchange(each, b"hello") for each in connections] == [b"hello"] * 6
        assert proxy.cut(random.Random(1)) == 6
        for each in connections:
            # The echo is missing or incomplete, because the connection was reset or is reset in the middle of the text.
            assert exchange(each, b"hello") != b"hello"
            each.close()
        with socket.create_connection(proxy.address, timeout=5) as another:
            assert exchange(another, b"again") == b"again"


def test_an_unreachable_server_breaks_the_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with CuttingProxy(unused.getsockname()) as proxy, socket.create_connection(proxy.address, timeout=5) as client:
            assert exchange(client, b"hello") == b""
