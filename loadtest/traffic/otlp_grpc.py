"""Sends requests to a receiver over a gRPC channel, and classifies the outcome of each."""

from contextlib import AbstractContextManager
from typing import Final, cast

import grpc
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from kit.errors import InvalidRequest
from loadtest.traffic.otlp_http import ANSWER_SECONDS, SendOutcome, check_kept

_EXPORT: Final = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
_OPTIONS: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    # Each client gets a separate connection. Otherwise all clients would share one, and lose it at the same time.
    ("grpc.use_local_subchannel_pool", 1),
]
_MAY_HAVE_BEEN_KEPT: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Statuses after which the receiver may have kept the records.

UNAVAILABLE can mean a refused connection, or one that broke after the request was sent.
"""


class GrpcConnection(AbstractContextManager["GrpcConnection"]):
    """A gRPC channel with an ingest key, which reconnects by itself. For one thread."""

    def __init__(self, address: tuple[str, int], ingest_key: str) -> None:
        self._channel = grpc.insecure_channel(f"{address[0]}:{address[1]}", options=_OPTIONS)
        self._metadata = (("authorization", f"Bearer {ingest_key}"),)
        self._call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(_EXPORT)

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def export(self, body: bytes) -> SendOutcome:
        """Sends a request once. Raises InvalidRequest if the receiver refuses the request or some of its records."""
        try:
            content = self._call(body, metadata=self._metadata, timeout=ANSWER_SECONDS)
        except grpc.RpcError as error:
            # The raised RpcError is also a Call, which the type stubs do not declare.
            call = cast(grpc.Call, error)
            if call.code() in _MAY_HAVE_BEEN_KEPT:
                return SendOutcome.uncertain
            if call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and _asks_for_repetition(call):
                return SendOutcome.refused
            raise InvalidRequest(f"the receiver answered {call.code()}: {call.details()}") from error
        check_kept(content)
        return SendOutcome.acknowledged


def _asks_for_repetition(call: grpc.Call) -> bool:
    """Returns whether an error has RetryInfo, by which OTLP tells a full receiver from a request that is too large."""
    metadata = dict(call.trailing_metadata() or ())
    status = Status.FromString(metadata.get("grpc-status-details-bin", b""))
    return any(detail.Is(RetryInfo.DESCRIPTOR) for detail in status.details)
