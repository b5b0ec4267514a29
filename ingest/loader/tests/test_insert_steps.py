"""Tests the steps before an insert is sent: their order, and that their errors say that nothing was stored."""

from collections.abc import Callable

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, Error, OperationalError

from ingest.loader.insert import Inserter
from ingest.loader.insert_errors import NothingStored, TooExpensive
from ingest.loader.lane_parts import BeforeSending, MissingRows
from ingest.loader.tests.rows import some_rows
from ingest.storage.measure import Volume
from kit.settings import Settings

Insert = Callable[[Inserter, BeforeSending], object]


def with_token(inserter: Inserter, before_sending: BeforeSending) -> None:
    inserter.insert(0, 0, [some_rows(1)], "token", before_sending)


def in_parts(inserter: Inserter, before_sending: BeforeSending) -> None:
    inserter.insert_missing(0, 0, MissingRows([some_rows(1)], frozenset()), "token", before_sending)


def counts(inserter: Inserter, before_sending: BeforeSending) -> None:
    inserter.insert_counts(0, 0, b"counts", "token", before_sending)


class Server:
    """Server and client. Records each step. One step may fail."""

    def __init__(self, fails: str = "", error: Error | None = None) -> None:
        self.steps: list[str] = []
        self._fails = fails
        self._error = error

    def volume(self, _client: object) -> Volume:
        self._do("volume")
        return Volume(0, 0)

    def views(self, _client: object) -> list[str]:
        self._do("views")
        return []

    def command(self, *_arguments: object, **_options: object) -> str:
        self._do("time")
        return "1000"

    def raw_insert(self, *_arguments: object, **_options: object) -> None:
        self._do("insert")

    def query(self, *_arguments: object, **_options: object) -> None:
        self._do("search")

    def close(self) -> None:
        pass

    def _do(self, step: str) -> None:
        self.steps.append(step)
        if step == self._fails and self._error is not None:
            raise self._error


def inserter_into(server: Server, monkeypatch: pytest.MonkeyPatch) -> Inserter:
    monkeypatch.setattr("ingest.loader.connections.connect", lambda *_arguments, **_options: server)
    monkeypatch.setattr("ingest.loader.insert.read_volume", server.volume)
    monkeypatch.setattr("ingest.loader.insert.earlier_views", server.views)
    return Inserter(Settings())


@pytest.mark.parametrize("insert", [with_token, in_parts, counts])
def test_the_owner_is_checked_after_all_other_steps(insert: Insert, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server()
    insert(inserter_into(server, monkeypatch), lambda: server.steps.append("check"))
    assert server.steps[0] == "volume"
    assert server.steps[-3:] == ["time", "check", "insert"]


@pytest.mark.parametrize("error", [OperationalError("no answer"), DatabaseError("refused", code=159)])
@pytest.mark.parametrize(
    ("insert", "step"),
    [(with_token, "volume"), (with_token, "views"), (with_token, "time"), (in_parts, "time"), (counts, "time")],
)
def test_an_error_before_the_insert_says_that_nothing_was_stored(
    insert: Insert, step: str, error: Error, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(step, error)
    with pytest.raises(NothingStored):
        insert(inserter_into(server, monkeypatch), lambda: None)
    assert server.steps[-1] == step


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            DatabaseError("Code: 159", code=159),
            "table logs_0: reading which rows are already stored takes too long",
        ),
        (DatabaseError("Code: 241", code=241), "needs more memory or rows than ClickHouse allows"),
    ],
)
def test_a_limit_of_a_search_for_stored_rows_is_not_one_of_an_insert(
    error: Error, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inserter = inserter_into(Server("search", error), monkeypatch)
    with pytest.raises(TooExpensive, match=text):
        inserter.stored_days(0, 0, [some_rows(1)])
