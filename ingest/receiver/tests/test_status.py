import pytest
from google.rpc.error_details_pb2 import RetryInfo
from grpc import StatusCode

from ingest.receiver.status import Failure, grpc_code
from kit.errors import (
    Forbidden,
    Internal,
    InvalidRequest,
    LogsieveError,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidRequest("x"), StatusCode.INVALID_ARGUMENT),
        (UnsupportedMediaType("x"), StatusCode.INVALID_ARGUMENT),
        (Unauthenticated("x"), StatusCode.UNAUTHENTICATED),
        (Forbidden("x"), StatusCode.PERMISSION_DENIED),
        (TooLarge("x"), StatusCode.RESOURCE_EXHAUSTED),
        (RateLimited("x"), StatusCode.RESOURCE_EXHAUSTED),
        (Unavailable("x"), StatusCode.UNAVAILABLE),
        (Internal("x"), StatusCode.INTERNAL),
    ],
)
def test_errors_have_the_codes_of_otlp(error: LogsieveError, code: StatusCode) -> None:
    assert grpc_code(error) is code
    assert Failure.of(error).status.code == code.value[0]
    assert Failure.of(error).status.message == "x"


@pytest.mark.parametrize("error", [Unavailable("x", retry_after=1.5), RateLimited("x", retry_after=1.5)])
def test_what_may_succeed_later_says_when(error: Unavailable | RateLimited) -> None:
    (detail,) = Failure.of(error).status.details
    info = RetryInfo()
    assert detail.Unpack(info)
    assert info.retry_delay.ToMilliseconds() == 1500


def test_a_request_that_is_too_large_is_not_to_be_repeated() -> None:
    assert not Failure.of(TooLarge("x")).status.details
