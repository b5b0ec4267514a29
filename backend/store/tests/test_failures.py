"""Tests of the errors of a search when ClickHouse refuses its statement."""

import asyncio

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from backend.store import execute
from backend.store.execute import ANSWERS, Executor
from kit.clickhouse_statements import StatementClient
from kit.errors import LogsieveError, QueryTooExpensive, Unavailable
from kit.settings import Settings


class RefusingClient(StatementClient):
    """A client that answers every query with the same error."""

    def __init__(self, failure: Exception) -> None:
        self.server_settings = {}
        self._failure = failure

    async def query(self, *_arguments: object, **_options: object) -> object:  # type: ignore[override]  # never returns
        raise self._failure


@pytest.mark.parametrize(
    ("text", "meaning", "text_part"),
    [
        ("Query memory limit exceeded: would use 2.00 GiB", QueryTooExpensive, "more than 1,000 bytes of memory"),
        ("(total) memory limit exceeded: would use 6.10 GiB", Unavailable, "no memory left; try again"),
    ],
)
def test_memory_limits_of_the_search_and_of_the_server_are_distinguished(
    monkeypatch: pytest.MonkeyPatch, text: str, meaning: type[LogsieveError], text_part: str
) -> None:
    async def connect(*_: object) -> StatementClient:
        return RefusingClient(DatabaseError(f"Code: 241. DB::Exception: {text}", code=241))

    monkeypatch.setattr(execute, "connect_async", connect)

    with pytest.raises(meaning, match=text_part):
        asyncio.run(Executor(Settings(query_max_memory=1000)).run(ANSWERS))
