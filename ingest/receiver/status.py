"""Our errors as google.rpc.Status, the error format of both OTLP transports.

Source: OTLP specification, "Failures": a Status in the body over HTTP, in the trailers over gRPC, with RetryInfo if the
sender should retry; RESOURCE_EXHAUSTED without RetryInfo must not be retried.
"""

from dataclasses import dataclass

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
    """Returns the gRPC code for the error's class, or for its nearest base class that has one."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), grpc.StatusCode.INTERNAL)


@dataclass(frozen=True, slots=True)
class Retry:
    """Retry delay for the sender: in `seconds`, as the value of Retry-After, and as RetryInfo."""

    seconds: float
    header: str
    info: RetryInfo

    @classmethod
    def of(cls, error: RetryableError) -> "Retry":
        info = RetryInfo()
        info.retry_delay.FromMilliseconds(round(error.retry_after * 1000))
        return cls(error.retry_after, error.retry_after_header, info)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error in the form of both transports' answers. Holds no exception, and so none of its frames.

    `retry` is None if a retry does not help.
    """

    status: Status
    code: grpc.StatusCode
    http_status: int
    retry: Retry | None

    @classmethod
    def of(cls, error: LogsieveError) -> "Failure":
        code = grpc_code(error)
        number: int = code.value[0]
        status = Status(code=number, message=error.detail)
        retry = Retry.of(error) if isinstance(error, RetryableError) else None
        if retry is not None:
            detail = Any()
            detail.Pack(retry.info)
            status.details.append(detail)
        return cls(status, code, error.status, retry)
