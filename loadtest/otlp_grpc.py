"""One gRPC channel to a receiver, and what became of a request."""

from contextlib import AbstractContextManager
from typing import Final, cast

import grpc

from kit.errors import InvalidRequest
from loadtest.otlp_http import ANSWER_SECONDS, SendOutcome, check_kept

_EXPORT: Final = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
_OPTIONS: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    # A separate channel for each client. Otherwise all would share one connection and be cut together.
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
"""gRPC answers UNAVAILABLE for a refused connection as well as for one that broke after the request went out."""


class GrpcConnection(AbstractContextManager["GrpcConnection"]):
    """Connects again by itself; for one thread."""

    def __init__(self, address: tuple[str, int], ingest_key: str) -> None:
        self._channel = grpc.insecure_channel(f"{address[0]}:{address[1]}", options=_OPTIONS)
        self._metadata = (("authorization", f"Bearer {ingest_key}"),)
        self._call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(_EXPORT)

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def export(self, body: bytes) -> SendOutcome:
        """Sends a request once. Raises InvalidRequest when the receiver finds fault with it."""
        try:
            content = self._call(body, metadata=self._metadata, timeout=ANSWER_SECONDS)
        except grpc.RpcError as error:
            # The raised error is a call as well, which the stubs do not declare.
            call = cast(grpc.Call, error)
            if call.code() in _MAY_HAVE_BEEN_KEPT:
                return SendOutcome.uncertain
            raise InvalidRequest(f"the receiver answered {call.code()}: {call.details()}") from error
        check_kept(content)
        return SendOutcome.acknowledged
