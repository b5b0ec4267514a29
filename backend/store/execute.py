"""Runs statements under the limits of a search, and says what they cost."""

import asyncio
import re
from dataclasses import replace
from typing import Final, TypeVar

import aiohttp
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.exceptions import Error

from backend.store.compile.filter import SETTINGS
from backend.store.connections import Connections
from backend.store.limits import query_limits, ran_too_long
from backend.store.rows import Cost, Rows
from backend.store.statement import Statement, SystemStatement, SystemTable, only_value
from backend.store.turns import Turns
from kit.clickhouse import Account, connect_async, server_lacks_memory, translate
from kit.errors import QueryTooExpensive, Unavailable
from kit.settings import Settings
from kit.telemetry import client_span

R = TypeVar("R")

LATE_SECONDS: Final = 5.0
"""Seconds beyond a search's limit of time after which the server counts as hanging. The server looks at its clock after
each granule only, and an expression may keep it at one (backend/language/limits.py)."""
PROBE_SECONDS: Final = 2.0
"""Seconds that a late server has to answer a statement that costs nothing before it counts as hanging."""
READY_SECONDS: Final = 5.0
LOGGED_CHARACTERS: Final = 16
"""Characters of a statement that ClickHouse's query_log keeps: enough to tell a probe (`SELECT 1`) from a search."""

ANSWERS: Final[SystemStatement[int]] = SystemStatement("1", only_value)
"""Costs nothing, and tells that a server answers. Over the table of usage, of which the query user sees no row, it
tells that every shard answers."""

NO_ANSWER: Final = "ClickHouse did not answer. Searches work again when it is back; sent logs are safe in Kafka."


def processors_of(client: AsyncClient) -> int:
    """Returns the processors of a client's server, which `max_threads` shows as a number or as `auto(number)`."""
    found = re.search(r"[0-9]+", getattr(client.server_settings.get("max_threads"), "value", ""))
    return max(1, int(found[0])) if found else 1


class Executor:
    """Asks ClickHouse as the query user, who sees the rows of a statement's tenant only, in turns.

    For operators it asks as the owner of the tables instead, who sees all, and without turns.
    """

    def __init__(self, settings: Settings, turns: Turns | None = None, account: Account = Account.query) -> None:
        self._settings = settings
        self._limits = query_limits(settings)
        self._turns = turns
        self._account = account
        self._connections = Connections(self._connect)

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        """Returns the whole answer.

        Raises QueryTooExpensive for a limit that was hit, RateLimited where no turn comes, and Unavailable or Internal
        as kit.clickhouse.translate says. A caller that is cancelled leaves its place, and ClickHouse stops working.
        """
        if self._turns is None:
            return await self._ask(statement)
        async with self._turns.of(statement.tenant_id) as share:
            return await self._ask(replace(statement, settings={**statement.settings, **share}))

    async def _connect(self, shard: int) -> AsyncClient:
        client = await connect_async(self._settings, self._account, shard)
        if self._turns is not None:
            self._turns.queue.processors = processors_of(client)
        return client

    async def _ask(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        try:
            # A server that accepts connections and then hangs enforces no limit of its own.
            async with asyncio.timeout(self._limits.seconds + LATE_SECONDS):
                return await self._answer(statement)
        except TimeoutError as error:
            if await self._probed(PROBE_SECONDS):
                raise QueryTooExpensive(ran_too_long(self._limits.seconds)) from error
            raise Unavailable(NO_ANSWER, retry_after=2) from error

    async def _probed(self, seconds: float) -> bool:
        """Returns whether every shard answers within so many seconds. Raises what `_answer` does."""
        try:
            async with asyncio.timeout(seconds):
                await self._answer(ANSWERS)
                if (shards := self._settings.shards) > 1:
                    await self._answer(replace(ANSWERS, table=SystemTable.usage, rest="LIMIT 1", shards=shards))
        except TimeoutError:
            return False
        return True

    async def _answer(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        client = await self._connections.of(statement.shard)
        try:
            with client_span("query", **{"db.system.name": "clickhouse", "db.query.text": statement.sql}):
                result = await client.query(
                    statement.sql, parameters=dict(statement.parameters), settings=self._settings_of(statement, client)
                )
        except (Error, aiohttp.ClientError, OSError) as error:
            limit = error.code if isinstance(error, Error) and not server_lacks_memory(error) else None
            raise self._limits.of(statement).hit(limit) or translate(error) from error
        summary = result.summary or {}
        cost = Cost(
            elapsed_ms=int(summary.get("elapsed_ns", 0)) / 1e6,
            rows_read=int(summary.get("read_rows", 0)),
            bytes_read=int(summary.get("read_bytes", 0)),
            rows_selected=int(summary.get("total_rows_to_read", 0)),
        )
        return Rows([statement.row(row) for row in result.result_rows], cost)

    def _settings_of(
        self, statement: Statement[R] | SystemStatement[R], client: AsyncClient
    ) -> dict[str, str | int | float]:
        return {
            **self._limits.of(statement).settings(statement.reads_all),
            # What the row policy compares (schema/clickhouse/query_user.py).
            "log_comment": str(statement.tenant_id),
            # query_log keeps what a search cost, and not the words that were searched.
            "log_queries_cut_to_length": LOGGED_CHARACTERS,
            # Whoever stops waiting closes the connection, and the server stops working; it does so for reading only.
            "readonly": 2,
            "cancel_http_readonly_queries_on_client_close": 1,
            # A shard that is away makes the search fail: a page must not lack rows silently.
            "skip_unavailable_shards": 0,
            "prefer_localhost_replica": 1,
            # Replicas fill at their own pace: pages of one search come from the same ones while these are there.
            "load_balancing": "in_order",
            **SETTINGS,
            # They say how to read, not what: a server that lacks one does as it did before there was one.
            **{name: value for name, value in statement.settings.items() if name in client.server_settings},
        }

    async def problem(self) -> str | None:
        """Why the log store cannot be asked, or None when it can, which takes every shard."""
        try:
            if not await self._probed(READY_SECONDS):
                return f"ClickHouse did not answer within {READY_SECONDS:g} s"
        except Exception as error:  # a readiness check gives every failure as its reason
            return str(error)
        return None

    async def close(self) -> None:
        await self._connections.close()
