"""Tests that a partition that cannot be moved keeps no other one, and that a silent server is asked once."""

import time
from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from ingest.tiering.move import move_old
from ingest.tiering.plan import TierBounds
from kit.clock import SystemClock
from kit.errors import Unavailable

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")
TIMEOUT_EXCEEDED = 159


class Server:
    """Server with a hot and a cold disk, and a partition to move of each day. The first one cannot be moved."""

    def __init__(self, code: int | None) -> None:
        self.code = code
        """Code of the error, None if the server does not answer."""
        self.asked = list[str]()

    def query(self, statement: str, **_: object) -> SimpleNamespace:
        if "system.storage_policies" in statement:
            rows: list[tuple[object, ...]] = [("hot", "default", 1, 100, 50), ("cold", "s3", 0, 0, 0)]
        elif "any(partition)" in statement:
            rows = [("logs_0", f"id_{day}", f"('r30','{day}')", 1, 1) for day in DAYS]
        elif "toUnixTimestamp" in statement:
            rows = [(int(time.time()),)]
        else:
            rows = []
        return SimpleNamespace(result_rows=rows)

    def command(self, _statement: str, parameters: dict[str, str]) -> None:
        self.asked.append(parameters["id"])
        if DAYS[0] in parameters["id"]:
            raise DatabaseError("not moved", code=self.code)


@pytest.mark.parametrize(("code", "asked"), [(TIMEOUT_EXCEEDED, DAYS), (None, DAYS[:1])])
def test_other_partitions_are_moved_if_the_server_answers(code: int | None, asked: tuple[str, ...]) -> None:
    server = Server(code)

    with pytest.raises(Unavailable):
        move_old(cast("Client", server), TierBounds(1, 0.9, 0.9), SystemClock(), dry_run=False)

    assert server.asked == [f"id_{day}" for day in asked]
