"""Sends requests to a receiver over HTTP, and classifies the outcome of each."""

import gzip
import http.client
import select
import threading
from contextlib import AbstractContextManager
from enum import Enum

from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.errors import Internal, InvalidRequest, Unavailable
from loadtest.waiting import wait_until_succeeds

ANSWER_SECONDS = 15.0
"""Longest wait for an answer, in seconds. It is longer than the receiver waits for Kafka."""


KNOWN_SECONDS = 10.0
"""Longest wait, in seconds, until the receiver knows a new key: 5 s by the contract, and 5 s more for busy machines."""


class SendOutcome(Enum):
    """Outcome of sending a request: whether its records are kept."""

    acknowledged = "acknowledged"
    refused = "refused"  # certainly not kept, so that the sender may repeat the request
    uncertain = "uncertain"  # perhaps kept, so that a repetition could store the records twice


class HttpConnection(AbstractContextManager["HttpConnection"]):
    """An HTTP connection with an ingest key. It stays open between requests, and is opened again after a failure.

    For one thread.
    """

    def __init__(self, address: tuple[str, int], ingest_key: str, *, compressed: bool = False) -> None:
        """With `compressed`, requests are compressed by gzip, as the Collector's exporter does by default."""
        self._http = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS)
        self._headers = {"content-type": "application/x-protobuf", "authorization": f"Bearer {ingest_key}"}
        self._is_compressed = compressed
        if compressed:
            self._headers["content-encoding"] = "gzip"

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def export(self, body: bytes) -> SendOutcome:
        """Sends a request once. Raises InvalidRequest if the receiver refuses it or some of its records as invalid."""
        self._close_if_idle_too_long()
        try:
            if self._http.sock is None:
                self._http.connect()
        except OSError:
            # The connection failed before a byte of the request was sent.
            return SendOutcome.refused
        try:
            sent = gzip.compress(body, 1) if self._is_compressed else body
            self._http.request("POST", "/v1/logs", sent, self._headers)
            answer = self._http.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self._http.close()
            return SendOutcome.uncertain
        if answer.status == http.client.OK:
            check_kept(content)
            return SendOutcome.acknowledged
        if answer.status == http.client.TOO_MANY_REQUESTS:
            return SendOutcome.refused
        if answer.status >= http.client.INTERNAL_SERVER_ERROR:
            # After a 503, Kafka may have the records, because the receiver may only have missed Kafka's answer.
            return SendOutcome.uncertain
        raise InvalidRequest(f"the receiver answered {answer.status}: {_message(content)}")

    def _close_if_idle_too_long(self) -> None:
        """Closes a connection that the server has closed since the last request.

        The next request would otherwise fail on it, and count as uncertain although none of its bytes was read.
        """
        if self._http.sock is not None:
            readable, _, _ = select.select([self._http.sock], [], [], 0)
            if readable:
                self._http.close()

    def must_export(self, body: bytes) -> None:
        """Sends a request once. Raises Unavailable if it was not acknowledged, because the measurement is then void."""
        outcome = self.export(body)
        if outcome is not SendOutcome.acknowledged:
            raise Unavailable(f"a request was {outcome.value}")


class ThreadConnections(AbstractContextManager["ThreadConnections"]):
    """One connection for each thread and key. All are closed at the end of the block."""

    def __init__(self, address: tuple[str, int], *, compressed: bool = False) -> None:
        """`compressed` as for HttpConnection."""
        self._address = address
        self._is_compressed = compressed
        self._own = threading.local()
        self._opened: list[HttpConnection] = []

    def __exit__(self, *_: object) -> None:
        for connection in self._opened:
            connection.__exit__()

    def with_key(self, ingest_key: str) -> HttpConnection:
        """Returns the calling thread's connection with this key. Opens it on first use."""
        opened: dict[str, HttpConnection] = self._own.__dict__
        if ingest_key not in opened:
            opened[ingest_key] = HttpConnection(self._address, ingest_key, compressed=self._is_compressed)
            self._opened.append(opened[ingest_key])
        return opened[ingest_key]


def wait_until_known(address: tuple[str, int], ingest_key: str) -> None:
    """Waits until the receiver knows a new key. Raises Unavailable if it does not after KNOWN_SECONDS."""
    with HttpConnection(address, ingest_key) as connection:
        failure = "a new key was not known"
        wait_until_succeeds(lambda: connection.must_export(b""), KNOWN_SECONDS, failure, KNOWN_SECONDS / 20)


def check_kept(content: bytes) -> None:
    """Checks that an answer refuses no record.

    Raises InvalidRequest if the receiver refused some records, Internal if the answer is not OTLP.
    """
    try:
        partial = ExportLogsServiceResponse.FromString(content).partial_success
    except DecodeError as error:
        raise Internal("the receiver's answer is not OTLP") from error
    if partial.rejected_log_records:
        raise InvalidRequest(f"{partial.rejected_log_records} records were refused: {partial.error_message}")


def _message(content: bytes) -> str:
    try:
        return str(Status.FromString(content).message)
    except DecodeError:
        return repr(content[:200])
