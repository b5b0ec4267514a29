"""Tests the address on which the receiver listens for gRPC."""

import pytest

from ingest.receiver.listen import grpc_listen_address
from kit.settings import Settings


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1:14317"),
        ("logs.example", "logs.example:14317"),
        ("::1", "[::1]:14317"),
        ("::", "[::]:14317"),
    ],
)
def test_an_ipv6_address_has_brackets(host: str, address: str) -> None:
    assert grpc_listen_address(Settings(bind_host=host, port_offset=10_000)) == address
