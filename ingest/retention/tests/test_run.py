"""Tests that a partition that cannot be dropped keeps no other one."""

import time
from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from ingest.retention.partitions import TablePartition
from ingest.retention.run import run_retention
from kit.clock import SystemClock
from kit.errors import Unavailable
from schema.control.lifecycles import Lifecycles

KNOWN = Lifecycles({"r3": 3})
TIMEOUT_EXCEEDED = 159


class Server:
    """Server with one partition past its retention in each of three tables. The first one cannot be dropped."""

    def __init__(self, code: int | None) -> None:
        self.code = code
        """Code of the error, None if the server does not answer."""

    def query(self, statement: str, **_: object) -> SimpleNamespace:
        if "system.parts" in statement:
            rows = [(f"logs_{lane}", f"id_{lane}", "('r3','2026-01-01')", 1, 1) for lane in range(3)]
            return SimpleNamespace(result_rows=rows)
        return SimpleNamespace(result_rows=[(int(time.time()),)])

    def command(self, statement: str, **_: object) -> None:
        if "logs_0" in statement:
            raise DatabaseError("it is being moved", code=self.code)


@pytest.mark.parametrize(("code", "dropped"), [(TIMEOUT_EXCEEDED, ["logs_1", "logs_2"]), (None, [])])
def test_other_partitions_are_dropped_if_the_server_answers(code: int | None, dropped: list[str]) -> None:
    reported = list[TablePartition]()

    with pytest.raises(Unavailable):
        run_retention(cast("Client", Server(code)), KNOWN, SystemClock(), dry_run=False, report=reported.append)

    assert [each.table for each in reported] == dropped
