"""Tests what an answer over gRPC says about the records of a request: kept, perhaps kept, or certainly not kept."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import pytest

from ingest.receiver.status import Failure
from kit.errors import InvalidRequest, LogsieveError, RateLimited, TooLarge, Unavailable
from loadtest.traffic.otlp_grpc import GrpcConnection
from loadtest.traffic.otlp_http import SendOutcome


@contextmanager
def connection(error: LogsieveError | None) -> Iterator[GrpcConnection]:
    """Yields a connection to a server that answers each call with this error, as the receiver does."""

    def answer(_body: bytes, context: grpc.ServicerContext) -> bytes:
        if error is not None:
            failure = Failure.of(error)
            context.set_trailing_metadata((("grpc-status-details-bin", failure.status.SerializeToString()),))
            context.abort(failure.code, error.detail)
        return b""

    export: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {"Export": grpc.unary_unary_rpc_method_handler(answer)}
    handler = grpc.method_handlers_generic_handler("opentelemetry.proto.collector.logs.v1.LogsService", export)
    server = grpc.server(ThreadPoolExecutor(1), handlers=[handler])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with GrpcConnection(("127.0.0.1", port), "key") as opened:
            yield opened
    finally:
        server.stop(None).wait()


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, SendOutcome.acknowledged),
        (RateLimited("the receiver's memory is full", retry_after=1), SendOutcome.refused),
        (Unavailable("Kafka did not answer"), SendOutcome.uncertain),
    ],
)
def test_a_request_that_a_full_receiver_refuses_may_be_repeated(
    error: LogsieveError | None, outcome: SendOutcome
) -> None:
    with connection(error) as opened:
        assert opened.export(b"") is outcome


def test_a_request_that_is_too_large_is_an_error() -> None:
    with connection(TooLarge("the request has 17 MiB")) as opened, pytest.raises(InvalidRequest, match="17 MiB"):
        opened.export(b"")
