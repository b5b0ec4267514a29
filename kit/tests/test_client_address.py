from types import SimpleNamespace

import pytest

from kit.client_address import CHARACTERS, client_address
from kit.networks import Networks


@pytest.mark.parametrize(
    ("forwarded", "trusted", "address"),
    [
        ("", "10.0.0.0/8", "10.0.0.9"),
        ("1.2.3.4", "", "10.0.0.9"),
        ("1.2.3.4", "192.168.0.0/16", "10.0.0.9"),
        ("1.2.3.4", "10.0.0.9", "1.2.3.4"),
        ("6.6.6.6, 1.2.3.4", "10.0.0.0/8", "1.2.3.4"),
        ("6.6.6.6, 1.2.3.4, 10.1.1.1", "192.168.0.1, 10.0.0.0/8", "1.2.3.4"),
        ("10.2.2.2", "10.0.0.0/8", "10.2.2.2"),
        ("6.6.6.6|1.2.3.4", "10.0.0.0/8", "1.2.3.4"),
    ],
)
def test_only_trusted_proxies_are_believed(forwarded: str, trusted: str, address: str) -> None:
    peer = SimpleNamespace(host="10.0.0.9")
    assert client_address(peer, forwarded.split("|"), Networks.parse(trusted)) == address


@pytest.mark.parametrize(("peer", "forwarded"), [("x" * 1000, ""), ("10.0.0.9", "x" * 1000)])
def test_no_address_is_longer_than_the_limit(peer: str, forwarded: str) -> None:
    address = client_address(SimpleNamespace(host=peer), [forwarded], Networks.parse("10.0.0.0/8"))
    assert address == "x" * CHARACTERS
