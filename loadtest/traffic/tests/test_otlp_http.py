"""Tests that each answer, and the lack of one, gives the right outcome of a request."""

import gzip
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.errors import InvalidRequest, Unavailable
from loadtest.traffic.otlp_http import HttpConnection, SendOutcome

BODY = b"<the request>"


class Scripted:
    """A server that answers each request with the next of `answers`. For an empty one, it closes the connection."""

    def __init__(self, answers: list[bytes]) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._answers = answers
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.getsockname()
        return host, port

    def _serve(self) -> None:
        with self._listener:
            while self._answers:
                connection, _ = self._listener.accept()
                with connection:
                    while self._answers and self._read(connection):
                        answer = self._answers.pop(0)
                        if not answer:
                            break
                        connection.sendall(answer)

    @staticmethod
    def _read(connection: socket.socket) -> bool:
        """Reads one request, which may arrive in pieces. Returns false if the client has closed the connection."""
        received = b""
        while not received.endswith(BODY):
            if not (more := connection.recv(65536)):
                return False
            received += more
        return True


@pytest.fixture
def unused() -> Iterator[tuple[str, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()


def http(status: int, content: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status} -\r\ncontent-length: {len(content)}\r\n\r\n".encode() + content


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (http(200), SendOutcome.acknowledged),
        (http(429), SendOutcome.refused),
        (http(503), SendOutcome.uncertain),
        (http(500), SendOutcome.uncertain),
        (b"", SendOutcome.uncertain),
        (b"HTTP/1.1 20", SendOutcome.uncertain),
    ],
)
def test_outcomes(answer: bytes, outcome: SendOutcome) -> None:
    server = Scripted([answer])
    with HttpConnection(server.address, "key") as connection:
        assert connection.export(BODY) is outcome
    server.thread.join()


def test_compressed_requests_are_gzip() -> None:
    with HTTPServer(("127.0.0.1", 0), _Decompressing) as server:
        serving = threading.Thread(target=server.handle_request)
        serving.start()
        with HttpConnection(("127.0.0.1", server.server_port), "key", compressed=True) as connection:
            assert connection.export(BODY * 100) is SendOutcome.acknowledged
        serving.join()


class _Decompressing(BaseHTTPRequestHandler):
    """Acknowledges a gzip request whose decompressed body is BODY a hundred times, and refuses any other."""

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["content-length"]))
        is_expected = self.headers["content-encoding"] == "gzip" and gzip.decompress(sent) == BODY * 100
        self.send_response_only(200 if is_expected else 429)
        self.send_header("content-length", "0")
        self.end_headers()


def test_nothing_was_sent_to_an_unreachable_server(unused: tuple[str, int]) -> None:
    with HttpConnection(unused, "key") as connection:
        assert connection.export(BODY) is SendOutcome.refused
        with pytest.raises(Unavailable):
            connection.must_export(BODY)


def test_it_connects_again_after_a_failure_and_after_the_server_hung_up_in_between() -> None:
    server = Scripted([http(200), b"", http(200)])
    with HttpConnection(server.address, "key") as connection:
        assert [connection.export(BODY) for _ in range(3)] == [
            SendOutcome.acknowledged,
            SendOutcome.uncertain,
            SendOutcome.acknowledged,
        ]
    server.thread.join()


@pytest.mark.parametrize("status", [400, 401, 413])
def test_what_the_sender_did_wrong_is_an_error(status: int) -> None:
    """Tests that statuses 4xx except 429 raise an error with the status and the receiver's message."""
    server = Scripted([http(status, b"\x08\x03\x12\x03bad")])
    with HttpConnection(server.address, "key") as connection, pytest.raises(InvalidRequest, match=f"{status}.*bad"):
        connection.export(BODY)
    server.thread.join()


def test_records_refused_one_by_one_are_an_error() -> None:
    response = ExportLogsServiceResponse()
    response.partial_success.rejected_log_records = 2
    response.partial_success.error_message = "too old"
    server = Scripted([http(200, response.SerializeToString())])
    with HttpConnection(server.address, "key") as connection, pytest.raises(InvalidRequest, match=r"2 .*too old"):
        connection.export(BODY)
    server.thread.join()
