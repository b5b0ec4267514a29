"""A ClickHouse for tests: the engine's library in a separate process, which answers over HTTP like a server."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import clickhouse_connect
from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from backend.store.compile.filter import SETTINGS
from kit.settings import Settings
from schema.clickhouse.index_profiles import NOT_INSERTED
from schema.columns import COLUMNS, DECODED
from schema.log_columns import LogColumns
from stack.ports import PortNeed, claim_offset

_SERVE = """
import ctypes, sys
arguments = [argument.encode() for argument in sys.argv[2:]]
library = ctypes.CDLL(sys.argv[1])
library.query_stable_v2.restype = ctypes.c_void_p
library.query_stable_v2(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
"""
_LISTEN = (
    "SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(86400) "
    "SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1 FORMAT Null"
)
_CHECKOUT = Path(__file__).resolve().parents[2]
_HTTP_PORT = 8123
_READY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ClickHouse:
    """A running engine: a client of its HTTP port, and the port's number."""

    client: Client
    port: int

    @property
    def settings(self) -> Settings:
        """Settings of a log store on this engine alone, in the database `default`."""
        return Settings(
            clickhouse_url=f"http://127.0.0.1:{self.port}",
            clickhouse_user="default",
            clickhouse_password="",
            clickhouse_database="default",
        )

    def query_rows(
        self, sql: str, parameters: Mapping[str, str | int | float] | None = None
    ) -> list[tuple[object, ...]]:
        """Returns the rows of a query, run with the settings of searches. The server fills in the parameters."""
        result = self.client.query(sql, parameters=dict(parameters or {}), settings=dict(SETTINGS))
        return [tuple(row) for row in result.result_rows]

    def command(self, sql: str) -> None:
        """Runs a statement without a result."""
        self.client.command(sql)

    def insert(
        self, table: str, rows: LogColumns, record_json: Sequence[str] | None = None, without_index: str = ""
    ) -> None:
        """Inserts rows of a log table as one block. `record_json` has the texts of that column, by default none. The
        rows get all indexes of the table except `without_index`."""
        texts = [] if record_json is None else [record_json]
        columns = COLUMNS if texts else DECODED
        self.client.insert(
            table,
            [*rows.lists(), *texts],
            column_names=[column.name for column in columns],
            column_types=[get_from_name(column.type) for column in columns],
            column_oriented=True,
            # A test may insert the same records twice.
            settings={"insert_deduplicate": 0, NOT_INSERTED: without_index},
        )


def library() -> Path | None:
    """Returns the path of the engine's library: LOGSIEVE_TEST_LIBCHDB, or the library that `make up` installed."""
    if named := os.environ.get("LOGSIEVE_TEST_LIBCHDB"):
        return Path(named)
    return next((_CHECKOUT / ".runtime" / "engine" / "node_modules" / "@chdb").glob("*/libchdb.so"), None)


@contextmanager
def running(libchdb: Path, data: Path) -> Iterator[ClickHouse]:
    """Runs an engine on a free port of loopback until the block ends."""
    port = _HTTP_PORT + claim_offset([PortNeed("127.0.0.1", _HTTP_PORT, "the engine", "HTTP", "none")])
    arguments = ["clickhouse", f"--path={data}", f"--http_port={port}", "--listen_host=127.0.0.1", "--multiquery"]
    with (data.parent / "engine.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, str(libchdb), *arguments, f"--query={_LISTEN}"], stdout=log, stderr=log
        )
        try:
            client = _connected(process, port)
            yield ClickHouse(client, port)
            client.close()
        finally:
            process.terminate()
            process.wait(timeout=30)


def _connected(process: subprocess.Popen[bytes], port: int) -> Client:
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        try:
            return clickhouse_connect.get_client(host="127.0.0.1", port=port, autogenerate_session_id=False)
        except ClickHouseError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
