"""Tests on which addresses a listening socket accepts connections."""

import socket

import pytest

from kit.server.listener import bind


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_the_unspecified_address_of_ipv6_accepts_ipv4_too() -> None:
    with bind("::", 0, "a test") as listening:
        port = listening.getsockname()[1]
        for host in ("127.0.0.1", "::1"):
            with socket.create_connection((host, port), timeout=10):
                pass


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_another_address_of_ipv6_accepts_no_ipv4() -> None:
    with bind("::1", 0, "a test") as listening, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", listening.getsockname()[1]), timeout=10)
