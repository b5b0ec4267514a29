"""Runs statements under the limits of one search, and says what they cost."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.exceptions import Error

from backend.search.compile.filter import SETTINGS
from backend.search.statement import Statement
from kit.clickhouse import connect_async, translate
from kit.settings import Settings
from kit.telemetry import client_span

# What the client library returns per row: one Python value a column.
Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, and what ClickHouse read for them."""

    rows: Sequence[Row]
    elapsed_ms: float
    rows_read: int
    bytes_read: int


class Executor:
    """Asks ClickHouse, never more than `query_max_concurrent` questions at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._slots = asyncio.Semaphore(settings.query_max_concurrent)
        self._client: AsyncClient | None = None
        self._connecting = asyncio.Lock()

    async def run(self, statement: Statement) -> Answer:
        """Raises QueryTooExpensive, RateLimited, Unavailable or Internal, as kit.clickhouse.translate says."""
        async with self._slots:
            client = await self._connected()
            try:
                with client_span("query", **{"db.system.name": "clickhouse", "db.query.text": statement.sql}):
                    result = await client.query(
                        statement.sql, parameters=dict(statement.parameters), settings=self._limits()
                    )
            except (Error, aiohttp.ClientError, OSError) as error:
                raise translate(error) from error
        summary = result.summary or {}
        return Answer(
            rows=result.result_rows,
            elapsed_ms=int(summary.get("elapsed_ns", 0)) / 1e6,
            rows_read=int(summary.get("read_rows", 0)),
            bytes_read=int(summary.get("read_bytes", 0)),
        )

    def _limits(self) -> dict[str, str | int | float]:
        return {
            "max_execution_time": self._settings.query_max_seconds,
            "timeout_overflow_mode": "throw",
            "max_memory_usage": self._settings.query_max_memory,
            # Whoever stops waiting closes the connection, and the server stops working; it does so for reading only.
            "readonly": 2,
            "cancel_http_readonly_queries_on_client_close": 1,
            **SETTINGS,
        }

    async def problem(self) -> str | None:
        """Why the log store cannot be asked, or None when it can."""
        try:
            await self.run(Statement("SELECT 1", {}))
        except Exception as error:  # a readiness check gives every failure as its reason
            return str(error)
        return None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _connected(self) -> AsyncClient:
        # Made on first use, so that a backend starts and says what is missing while ClickHouse is away.
        async with self._connecting:
            if self._client is None:
                self._client = await connect_async(self._settings)
            return self._client
