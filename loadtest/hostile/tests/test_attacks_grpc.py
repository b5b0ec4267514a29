"""Tests how the gRPC attacks read the server's answers."""

import grpc
import pytest

from loadtest.hostile.attacks_grpc import status_in


def test_the_status_is_read_from_the_trailers() -> None:
    assert status_in(b"\x00\x0bgrpc-status\x018\x00\x0cgrpc-message") is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("answer", [b"", b"\x00\x0bgrpc-sta", b"\x00\x0bgrpc-status", b"\x00\x0bgrpc-status\x021"])
def test_an_answer_that_has_not_arrived_whole_has_no_status(answer: bytes) -> None:
    assert status_in(answer) is None
