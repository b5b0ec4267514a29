"""Tests that `logsieve usage` reads a replica that answers and has all logs."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from backend.store import execute
from backend.store.replicas import watched
from backend.store.replicas.reach import Reach, ReachReader
from backend.usage.repository import UsageSum
from kit.clickhouse import Account
from kit.settings import Settings
from schema.clickhouse.complete import COMPLETE
from stack.cli.usage import _read

SETTINGS = Settings(clickhouse_url="http://a:1|http://b:1")
END_NS = 1_790_000_000 * 10**9


class Client:
    """A client of one replica's server, whose usage is the replica's number plus 100."""

    def __init__(self, replica: int, failure: str | None) -> None:
        self.server_settings: dict[str, Any] = {}
        self._replica = replica
        self._failure = failure

    async def query(self, sql: str, *_: object) -> Any:
        if self._failure is not None and (COMPLETE in sql or self._failure == "does not answer"):
            raise DatabaseError(f"{self._failure}: {sql}")
        return SimpleNamespace(
            result_rows=[(7, 0, "accepted", 1, 100 + self._replica, 1)], summary={}, query_id="usage"
        )

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("failures", "replica"),
    [((None, None), 0), (("does not answer", None), 1), (("has no mark", None), 1), ((None, "has no mark"), 0)],
)
def test_usage_is_read_from_a_complete_replica_that_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failures: tuple[str | None, ...], replica: int
) -> None:
    async def connect(settings: Settings, account: Account, _shard: int) -> Client:
        assert account is Account.owner
        return Client(settings.loader_replica, failures[settings.loader_replica])

    async def read(_: ReachReader) -> tuple[Reach, ...]:
        return (Reach({0: 5}, {0: 5}),) * 2

    monkeypatch.setattr(execute, "connect_async", connect)
    monkeypatch.setattr(watched, "connect_async", connect)
    monkeypatch.setattr(ReachReader, "read", read)
    sums = asyncio.run(_read(SETTINGS, None, END_NS - 10**9, END_NS, "day"))
    assert sums == [UsageSum(7, 0, "accepted", 1, 100 + replica, 1)]
    assert capsys.readouterr().out == ""
