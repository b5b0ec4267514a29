"""Tests which rights the measurement of unfinished parts needs. tests/ingest has a test with real parts."""

from typing import cast
from unittest.mock import Mock

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError
from structlog.testing import capture_logs

from ingest.clickhouse_codes import ACCESS_DENIED
from ingest.storage import unfinished_parts
from ingest.storage.unfinished_parts import read_unfinished


def server(refused: str, code: int) -> Client:
    """Returns a server that has 7 bytes of each kind, and refuses statements with this text."""

    def query(statement: str) -> object:
        if refused in statement:
            raise DatabaseError("refused", code=code)
        return Mock(result_rows=[(7,)])

    return cast(Client, Mock(query=query))


def test_moves_that_may_not_be_read_do_not_keep_full_disks_full() -> None:
    assert read_unfinished(server("system.moves", ACCESS_DENIED)) == 7
    assert read_unfinished(server("nothing", ACCESS_DENIED)) == 14


def test_a_missing_right_is_logged_once() -> None:
    unfinished_parts._warn_of_moves.cache_clear()
    with capture_logs() as logs:
        for _ in range(2):
            read_unfinished(server("system.moves", ACCESS_DENIED))
    assert ["grant the loader's user SELECT on system.moves" in each["event"] for each in logs] == [True]


@pytest.mark.parametrize(("refused", "code"), [("system.merges", ACCESS_DENIED), ("system.moves", 159)])
def test_other_errors_are_raised(refused: str, code: int) -> None:
    with pytest.raises(DatabaseError):
        read_unfinished(server(refused, code))
