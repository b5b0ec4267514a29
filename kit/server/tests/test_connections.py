"""Connections that are accepted, and connections that are closed when the port is full."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from kit.networks import Networks
from kit.server.connections import PROTECTED_PART, UNLIMITED, AddressLimit, Connections, client_of

OURS, OTHERS = 1, 2
"""Owners of protected connections."""


@dataclass(eq=False)
class Connection:
    evicted: bool = False

    def evict(self) -> None:
        self.evicted = True


def filled(connections: Connections, *addresses: str) -> list[Connection]:
    made = [Connection() for _ in addresses]
    assert [connections.admit(each, address) for each, address in zip(made, addresses, strict=True)] == [None] * len(
        made
    )
    return made


def test_the_connection_that_waits_longest_makes_room() -> None:
    connections = Connections(limit=3, per_address=UNLIMITED)
    first, second, third = filled(connections, "10.0.0.1", "10.0.0.2", "10.0.0.3")
    connections.busy(first)
    connections.waits(second)  # it was answered just now

    filled(connections, "10.0.0.4")

    assert [each.evicted for each in (first, second, third)] == [False, False, True]
    assert len(connections) == 3


def test_busy_connections_are_never_closed_for_others() -> None:
    connections = Connections(limit=2, per_address=UNLIMITED)
    for each in filled(connections, "10.0.0.1", "10.0.0.2"):
        connections.busy(each)

    assert connections.admit(Connection(), "10.0.0.3") == "too many connections"


def test_a_busy_connection_that_waits_for_its_client_again_may_be_closed() -> None:
    connections = Connections(limit=2, per_address=UNLIMITED)
    first, second = filled(connections, "10.0.0.1", "10.0.0.2")
    connections.busy(first)
    connections.busy(second)
    connections.waits(first)

    filled(connections, "10.0.0.3")

    assert [each.evicted for each in (first, second)] == [True, False]


def test_an_owner_has_as_many_protected_connections_as_its_part_of_the_port() -> None:
    connections = Connections(limit=2 * PROTECTED_PART, per_address=UNLIMITED)
    ours = filled(connections, *["10.0.0.1"] * PROTECTED_PART)
    others = filled(connections, *["10.0.0.2"] * PROTECTED_PART)
    for each in ours:
        connections.protect(each, OURS)
    for each in others:
        connections.protect(each, OTHERS)

    filled(connections, *["10.0.0.3"] * (2 * PROTECTED_PART - 4))

    assert [not each.evicted for each in ours] == [not each.evicted for each in others]
    assert [each.evicted for each in ours] == [False, False] + [True] * (PROTECTED_PART - 2)


@pytest.mark.parametrize("end", [Connections.busy, Connections.waits, Connections.remove])
def test_a_protected_place_is_free_again_when_the_connections_state_changes(
    end: Callable[[Connections, Connection], None],
) -> None:
    connections = Connections(limit=PROTECTED_PART, per_address=UNLIMITED)
    first, second = filled(connections, "10.0.0.1", "10.0.0.1")
    connections.protect(first, OURS)
    end(connections, first)
    connections.protect(second, OURS)

    filled(connections, *["10.0.0.2"] * (2 * PROTECTED_PART))

    assert not second.evicted


def test_one_address_has_its_part() -> None:
    connections = Connections(limit=100, per_address=AddressLimit(2, Networks.parse("192.168.0.0/16")))
    first, _ = filled(connections, "10.0.0.1", "10.0.0.1")

    assert connections.admit(Connection(), "10.0.0.1") == "too many connections from this address"
    filled(connections, "10.0.0.2", *["192.168.3.4"] * 5)
    connections.remove(first)
    connections.remove(first)
    filled(connections, "10.0.0.1")
    assert connections.admit(Connection(), "10.0.0.1") is not None


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:0:1:aaaa::1", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:bbbb::2", "2001:db8:0:1::/64"),
        ("", ""),
    ],
)
def test_a_client_is_an_address_or_a_network(address: str, client: str) -> None:
    assert client_of(address) == client
