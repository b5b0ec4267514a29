"""Tests that the connection to a side is opened again after the server has closed it between two requests."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from kit.errors import Unavailable
from loadtest.peers.connection import Address, Connection


class _ClosesAfterAnswer(BaseHTTPRequestHandler):
    """Answers a request, then closes the connection without a `connection: close` header in the answer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), _ClosesAfterAnswer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_connection_that_the_server_closed_is_opened_again(server: HTTPServer) -> None:
    with Connection(Address("127.0.0.1", server.server_port)) as connection:
        assert connection.get("/first") == b"ok"
        sock = connection._http.sock
        assert sock is not None
        assert sock.recv(1) == b"", "the server has closed"

        assert connection.get("/second") == b"ok"


def test_no_server_is_unavailable() -> None:
    with HTTPServer(("127.0.0.1", 0), _ClosesAfterAnswer) as closed:
        port = closed.server_port
    with pytest.raises(Unavailable, match="/first was not answered"):
        Connection(Address("127.0.0.1", port)).get("/first")
