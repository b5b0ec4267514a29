"""One HTTP connection to a receiver, and what became of a request."""

import http.client
import select
import time
from enum import Enum
from types import TracebackType
from typing import Self

from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.errors import Internal, InvalidRequest, Unavailable

ANSWER_SECONDS = 15.0
"""Longer than the receiver waits for Kafka."""


KNOWN_SECONDS = 10.0
"""Twice what the contract says, for machines that are busy."""


class Outcome(Enum):
    """What a sender may conclude about the records of a request."""

    acknowledged = "acknowledged"
    refused = "refused"  # certainly not kept: they may be sent again
    uncertain = "uncertain"  # kept or not: sending them again could double them


class HttpConnection:
    """Kept open from request to request, and opened anew after a failure; for one thread."""

    def __init__(self, address: tuple[str, int], ingest_key: str) -> None:
        self._http = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS)
        self._headers = {"content-type": "application/x-protobuf", "authorization": f"Bearer {ingest_key}"}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def export(self, body: bytes) -> Outcome:
        """Sends a request once. Raises InvalidRequest when the receiver finds fault with it."""
        self._close_if_idle_too_long()
        try:
            if self._http.sock is None:
                self._http.connect()
        except OSError:
            # Nothing was sent yet.
            return Outcome.refused
        try:
            self._http.request("POST", "/v1/logs", body, self._headers)
            answer = self._http.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self._http.close()
            return Outcome.uncertain
        if answer.status == http.client.OK:
            check_kept(content)
            return Outcome.acknowledged
        if answer.status == http.client.TOO_MANY_REQUESTS:
            return Outcome.refused
        if answer.status >= http.client.INTERNAL_SERVER_ERROR:
            # A 503 may mean that Kafka's answer got lost, not that Kafka lost the records.
            return Outcome.uncertain
        raise InvalidRequest(f"the receiver answered {answer.status}: {_message(content)}")

    def _close_if_idle_too_long(self) -> None:
        """A server that has hung up in between is no uncertainty: nothing was sent to it yet."""
        if self._http.sock is not None:
            readable, _, _ = select.select([self._http.sock], [], [], 0)
            if readable:
                self._http.close()

    def must_export(self, body: bytes) -> None:
        """Sends a request that cannot fail in a measurement. Raises Unavailable when it was not acknowledged."""
        outcome = self.export(body)
        if outcome is not Outcome.acknowledged:
            raise Unavailable(f"a request was {outcome.value}")


def wait_until_known(address: tuple[str, int], ingest_key: str) -> None:
    """Until the receiver knows a new key. Raises Unavailable when it does not within the time the contract gives it."""
    deadline = time.monotonic() + KNOWN_SECONDS
    with HttpConnection(address, ingest_key) as connection:
        while True:
            try:
                outcome = connection.export(b"")
            except InvalidRequest as error:
                answer = error.detail
            else:
                if outcome is Outcome.acknowledged:
                    return
                answer = outcome.value
            if time.monotonic() > deadline:
                raise Unavailable(f"a new key is not known after {KNOWN_SECONDS:g} s: {answer}")
            time.sleep(KNOWN_SECONDS / 20)


def check_kept(content: bytes) -> None:
    """Raises InvalidRequest when an answer says that some records were refused, Internal when it is not OTLP."""
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
