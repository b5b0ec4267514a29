"""Tests the pool of the loader's connections, and its estimate of a server's clock."""

from collections.abc import Callable
from unittest.mock import Mock

import pytest
from clickhouse_connect.driver.exceptions import OperationalError

from ingest.loader import connections
from ingest.loader.connections import Connection, Connections
from ingest.loader.insert_errors import NothingStored
from kit.clock import ManualClock
from kit.errors import Internal, LogsieveError, Unavailable
from kit.settings import Settings

AHEAD = 1_000_000.0
"""Seconds by which the server's clock is ahead of the loader's monotonic one."""


def server_clock(clock: ManualClock, before: float, after: float) -> Mock:
    """Returns a client whose server reads its clock `before` seconds after the request and answers `after` seconds
    later."""

    def answer(_statement: str) -> str:
        clock.advance(before)
        read = round((AHEAD + clock.monotonic()) * 1000)
        clock.advance(after)
        return str(read)

    return Mock(command=Mock(side_effect=answer))


def test_the_servers_time_is_never_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ManualClock()
    monkeypatch.setattr(connections, "time", Mock(monotonic=clock.monotonic))
    connection = Connection(server_clock(clock, before=20.0, after=0.5))
    for seconds in (0.0, 5.0, 54.0, 2.0):
        clock.advance(seconds)
        estimated = connection.server_time()
        assert AHEAD + clock.monotonic() - 0.6 < estimated <= AHEAD + clock.monotonic()


def refuse(error: Exception) -> Callable[..., None]:
    def connect(*_arguments: object, **_options: object) -> None:
        raise error

    return connect


@pytest.mark.parametrize("error", [Unavailable("the shard has views"), ValueError("a row"), KeyboardInterrupt()])
def test_a_connection_that_failed_is_closed_and_not_used_again(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    made: list[Mock] = []

    def connect(*_arguments: object, **_options: object) -> Mock:
        made.append(Mock())
        return made[-1]

    monkeypatch.setattr(connections, "connect", connect)
    pool = Connections(Settings(), 10.0)
    with pytest.raises(type(error)), pool.taken(0, "logs_0"):
        raise error
    [first] = made
    first.close.assert_called_once()
    with pool.taken(0, "logs_0") as connection:
        assert connection.client is made[1]


def test_nothing_is_stored_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "connect", refuse(Unavailable("ClickHouse cannot be reached")))
    with pytest.raises(NothingStored), Connections(Settings(), 10.0).taken(0, "logs_0"):
        pass


@pytest.mark.parametrize(
    ("cause", "expected"), [(ConnectionRefusedError(), NothingStored), (ConnectionResetError(), Unavailable)]
)
def test_only_a_refused_connection_says_that_nothing_is_stored(
    monkeypatch: pytest.MonkeyPatch, cause: Exception, expected: type[LogsieveError]
) -> None:
    monkeypatch.setattr(connections, "connect", lambda *_arguments, **_options: Mock())
    with pytest.raises(Unavailable) as raised, Connections(Settings(), 10.0).taken(0, "logs_0"):
        raise OperationalError("Error executing HTTP request") from cause
    assert type(raised.value) is expected


def test_an_error_that_is_no_outage_keeps_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "connect", refuse(Internal("a bug")))
    with pytest.raises(Internal), Connections(Settings(), 10.0).taken(0, "logs_0"):
        pass
