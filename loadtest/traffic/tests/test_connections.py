"""Tests that requests are sent once each over several connections, and that errors of connections are raised."""

import threading
from contextlib import AbstractContextManager

import pytest

from kit.errors import Unavailable
from loadtest.traffic.connections import send_over

CONNECTIONS = 3


class _Connection(AbstractContextManager["_Connection"]):
    """Notes what it sends. The first request of each connection waits until all connections have one."""

    def __init__(self, sent: list[bytes], all_have_one: threading.Barrier) -> None:
        self._sent = sent
        self._all_have_one = all_have_one
        self._is_first = True
        self.is_closed = False

    def __exit__(self, *_: object) -> None:
        self.is_closed = True

    def send(self, body: bytes) -> int:
        if self._is_first:
            self._is_first = False
            self._all_have_one.wait(timeout=60)
        if body == b"refused":
            raise Unavailable("refused")
        self._sent.append(body)
        return len(body)


def test_requests_are_sent_once_each_over_all_connections_at_the_same_time() -> None:
    bodies = [b"x" * length for length in range(1, 51)]
    sent: list[bytes] = []
    opened, total = send(bodies, sent)
    assert sorted(sent) == bodies
    assert total == sum(map(len, bodies))
    assert len(opened) == CONNECTIONS
    assert all(each.is_closed for each in opened)


def test_an_error_of_a_connection_is_raised_after_the_others_have_sent_the_rest() -> None:
    sent: list[bytes] = []
    with pytest.raises(Unavailable, match="refused"):
        send([b"a", b"refused", b"b", b"c", b"d"], sent)
    assert sorted(sent) == [b"a", b"b", b"c", b"d"]


def send(bodies: list[bytes], sent: list[bytes]) -> tuple[list[_Connection], int]:
    """Returns the connections that were opened, and the sum of the bytes sent."""
    opened: list[_Connection] = []
    barrier = threading.Barrier(CONNECTIONS)

    def connect() -> _Connection:
        opened.append(_Connection(sent, barrier))
        return opened[-1]

    return opened, send_over(CONNECTIONS, connect, bodies, _Connection.send)
