"""Our errors as google.rpc.Status, which both forms of OTLP answer with.

Source: OTLP specification, "Failures": a Status in the body over HTTP, in the trailers over gRPC, with RetryInfo where
the sender is to try again; RESOURCE_EXHAUSTED without RetryInfo must not be retried.
"""

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from kit.errors import (
    Forbidden,
    Internal,
    InvalidRequest,
    LogsieveError,
    NotFound,
    RateLimited,
    RetryableError,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

_CODES: dict[type[LogsieveError], grpc.StatusCode] = {
    InvalidRequest: grpc.StatusCode.INVALID_ARGUMENT,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    Forbidden: grpc.StatusCode.PERMISSION_DENIED,
    NotFound: grpc.StatusCode.NOT_FOUND,
    TooLarge: grpc.StatusCode.RESOURCE_EXHAUSTED,
    RateLimited: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    Internal: grpc.StatusCode.INTERNAL,
}


def grpc_code(error: LogsieveError) -> grpc.StatusCode:
    """The code of the error's class, or of the nearest class above it."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), grpc.StatusCode.INTERNAL)


def rpc_status(error: LogsieveError) -> Status:
    """The Status, with RetryInfo for errors that may go away."""
    number: int = grpc_code(error).value[0]
    status = Status(code=number, message=error.detail)
    if isinstance(error, RetryableError):
        detail = Any()
        detail.Pack(retry_info(error))
        status.details.append(detail)
    return status


def retry_info(error: RetryableError) -> RetryInfo:
    info = RetryInfo()
    info.retry_delay.FromMilliseconds(round(error.retry_after * 1000))
    return info
