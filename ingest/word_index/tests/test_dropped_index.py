"""Tests that the index on searched words is built again in tables that have lost it and got it again, as tables do when
an operator switches to profile `text` and back."""

from types import SimpleNamespace
from typing import Final, cast

from clickhouse_connect.driver.client import Client

from ingest.word_index.searched_server import SearchedServer
from kit.settings import Settings

ROWS: Final = 10
RUN_SECONDS: Final = 100
BUILD: Final = "ALTER TABLE `logs_0` MATERIALIZE INDEX searched_words IN PARTITION ID {id:String}"


class Server:
    """Server with one part of one partition, which a search reads before each run. `is_built` says whether the part has
    the index, `has_index` whether the table has it."""

    def __init__(self) -> None:
        self.has_index = self.is_built = True
        self.started = list[str]()
        self._now = 1_800_000_000

    def query(self, statement: str, **_: object) -> SimpleNamespace:
        answers: dict[str, list[tuple[object, ...]]] = {
            "system.mutations": [],
            "ORDER BY volume_priority": [],
            "INNER JOIN system.data_skipping_indices": [("logs_0", 1)] if self.has_index else [],
            "FROM system.query_log": [(["logsieve.logs_0.id"], 60.0)],
            "FROM system.parts": [("id", ROWS, 2**20, 7, 0)],
            "EXPLAIN ESTIMATE": [("logsieve", "logs_0", 1, 0 if self.is_built else ROWS, 1)],
            "FROM system.disks": [(2**40, 2**40)],
        }
        [rows] = [rows for text, rows in answers.items() if text in statement]
        return SimpleNamespace(result_rows=rows)

    def command(self, statement: str, **_: object) -> int:
        if statement == "SELECT toUnixTimestamp(now())":
            self._now += RUN_SECONDS
            return self._now
        if not statement.startswith("EXISTS"):
            self.started.append(statement)
        return 1


def test_an_index_that_was_dropped_and_added_again_is_built_again() -> None:
    server, examined = Server(), SearchedServer(Settings())

    def run() -> list[str]:
        examined.run_once(cast("Client", server))
        return server.started

    assert run() == []
    server.has_index = server.is_built = False
    assert run() == []
    server.has_index = True
    assert run() == [BUILD]
