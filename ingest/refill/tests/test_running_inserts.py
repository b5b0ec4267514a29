"""Tests that a copy waits for inserts of loaders that ended."""

from types import SimpleNamespace
from typing import Any, cast

from clickhouse_connect.driver.client import Client

from ingest.loader.insert_sql import START_SECONDS
from ingest.refill.running_inserts import wait_for_inserts


class Server:
    """A server whose time the test moves, and that runs an insert until `inserting_until`."""

    def __init__(self, inserting_until: int) -> None:
        self.now = 1_000
        self._inserting_until = inserting_until

    def query(self, _sql: str) -> Any:
        return SimpleNamespace(result_rows=[(self.now, int(self.now < self._inserting_until))])

    def pass_time(self, seconds: float) -> None:
        self.now += round(seconds)


def waited(inserting_until: int) -> int:
    server = Server(inserting_until)
    wait_for_inserts([cast("Client", server)], server.pass_time)
    return server.now - 1_000


def test_it_waits_until_no_insert_can_begin() -> None:
    assert START_SECONDS < waited(inserting_until=0) < START_SECONDS + 5


def test_it_waits_for_an_insert_that_runs() -> None:
    assert waited(inserting_until=1_070) == 70
