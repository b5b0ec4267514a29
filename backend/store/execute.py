"""Runs statements under the limits of a search, and returns their cost."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

import aiohttp
from clickhouse_connect.driver.exceptions import Error

from backend.store.compile.filter import SETTINGS
from backend.store.connections import Connections
from backend.store.limits import RanTooLong, query_limits
from backend.store.replicas.hedge import Hedging
from backend.store.replicas.shown import NOTHING_SHOWN, Shown
from backend.store.replicas.watched import WatchedReplicas
from backend.store.rows import Cost, Rows
from backend.store.slots import QueueSlots
from backend.store.statement import Statement, SystemStatement, SystemTable, only_value
from backend.store.together import all_of
from kit.clickhouse import Account, cannot_answer, connect_async, server_lacks_memory, translate
from kit.clickhouse_statements import StatementClient
from kit.errors import Unavailable
from kit.settings import Settings
from kit.telemetry import client_span
from kit.topology import Place
from schema.clickhouse.searched_words import WORD_SEARCH
from schema.columns import Record

R = TypeVar("R")

LATE_SECONDS: Final = 5.0
"""Seconds after a statement's time limit at which its server is late. It is then probed (LATE_PROBE_SECONDS).

The server checks its clock only after each granule, and one expression may take seconds for a granule
(backend/language/limits.py).
"""
TRIES: Final = 3
"""Largest number of times that a statement is sent, if servers do not answer and another replica may."""
LATE_PROBE_SECONDS: Final = 2.0
"""Seconds that a late server has to answer a statement that costs nothing. Otherwise it counts as hanging."""
READY_SECONDS: Final = 5.0
LOGGED_CHARACTERS: Final = 16
"""Number of characters of a statement that ClickHouse's query_log keeps: enough to tell a probe from a search."""

WITHOUT_STATISTICS: Final[Mapping[str, int]] = MappingProxyType({"use_statistics": 0})
"""Setting by which ClickHouse plans a statement without the statistics of columns that it makes at merges (26.x).

Searches need none: they read by primary key and skip indexes. The server reads the statistics files of all columns of
fresh parts for every statement, until it caches them some minutes later: 12.0 ms of CPU instead of 10.9 for a word that
none of 8 parts has.
"""

WITHOUT_REWRITING: Final[Mapping[str, int]] = MappingProxyType({"optimize_redundant_comparisons": 0})
"""Setting by which ClickHouse keeps comparisons as they are written (26.x).

Otherwise the server that receives a statement replaces conflicting ones, such as `x >= 'b' AND x < 'a'`, by 0 within a
function. The shards give that function another name, and the statement fails with THERE_IS_NO_COLUMN (26.7).
"""

ANSWERS: Final[SystemStatement[int]] = SystemStatement("1", only_value)
"""A statement that costs nothing. Its answer shows that one server is up.

Run over the usage table, where the query user sees no rows, it shows that every shard is up.
"""

NO_ANSWER: Final = "ClickHouse did not answer. Searches work again when it is back; sent logs are safe in Kafka."


def processors_of(client: StatementClient) -> int:
    """Returns the number of processors of a client's server.

    `max_threads` shows it as a number or as `auto(number)`.
    """
    found = re.search(r"[0-9]+", getattr(client.server_settings.get("max_threads"), "value", ""))
    return max(1, int(found[0])) if found else 1


class _Run(Protocol):
    """Runs a statement on the replica in use."""

    async def __call__(self, statement: Statement[R] | SystemStatement[R], /) -> Rows[R]: ...


@dataclass(frozen=True, slots=True)
class RunsInSlot:
    """Runs statements in a slot that is held already, with the settings that the slot gives."""

    run_now: _Run
    share: Mapping[str, int]

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises, except RateLimited."""
        return await self.run_now(replace(statement, settings={**statement.settings, **self.share}))


class ServerUnreachable(Unavailable):
    """A server stopped answering while a statement ran, or its replica is no longer read. Another replica may answer
    the statement."""


class Executor:
    """Runs statements in ClickHouse as the query user, who sees only rows of the statement's tenant.

    Statements wait in a queue. An executor for operators runs statements as the owner of the tables, who sees all rows.
    It has no queue.
    """

    def __init__(
        self,
        settings: Settings,
        slots: QueueSlots | None = None,
        account: Account = Account.query,
        replicas: WatchedReplicas | None = None,
        hedging: Hedging | None = None,
    ) -> None:
        """Without `replicas`, reads the replica that the settings name. Without `hedging`, sends no statement to a
        second replica."""
        self._settings = settings
        self._limits = query_limits(settings)
        self._slots = slots
        self._account = account
        self._replicas = replicas
        self._hedging = hedging if replicas is not None and replicas.has_several else None
        self._connections = Connections(self._connect)

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        """Returns the whole answer.

        Raises QueryTooExpensive when a limit was hit, RateLimited when the wait in the queue is too long, and
        Unavailable or Internal as kit.clickhouse.translate says. Cancelling the caller gives its place in the queue
        back and stops the statement in ClickHouse.
        """
        async with self.slot(statement.tenant_id) as held:
            return await held.run(statement)

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator["RunsInSlot"]:
        """Holds one slot of the tenant for the block, whose statements run in it without waiting.

        For statements that run at the same time on different shards. A block must not wait for another slot, because
        blocks that wait for each other's slots never end. Raises RateLimited when the wait is too long.
        """
        if self._slots is None:
            yield RunsInSlot(self._run_on_replicas, {})
            return
        async with self._slots.of(tenant_id) as share:
            yield RunsInSlot(self._run_on_replicas, share)

    def shown(self, shards: Sequence[int], before: Shown | None, records: Iterable[Record]) -> Shown | None:
        """Returns what the pages of a search over these shards have shown: `before` from the earlier pages, and these
        records of the next page. Returns None with one replica."""
        if self._replicas is None:
            return None
        in_use = [self._replicas.in_use(shard) for shard in shards]
        replicas = [replica for replica in in_use if replica is not None]
        return None if len(replicas) < len(shards) else (before or NOTHING_SHOWN).with_records(replicas, records)

    async def wait_for(self, shards: Sequence[int], shown: Shown | None) -> None:
        """Waits until, for each shard, the replica that is read has the records that earlier pages of a search showed.
        Raises Unavailable."""
        if self._replicas is not None and shown is not None:
            await all_of(self._replicas.wait_for(shard, shown) for shard in shards)

    async def _connect(self, place: Place) -> StatementClient:
        client = await connect_async(self._settings.of_replica(place.replica), self._account, place.shard)
        if self._slots is not None:
            self._slots.queue.processors = processors_of(client)
        return client

    async def _run_on_replicas(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        """Runs the statement on the replica in use. If one of its servers does not answer, chooses a replica again and
        runs it there."""
        shards, watched = statement.shards, self._replicas
        for tries in range(1, TRIES + 1):
            replica = self._settings.loader_replica if watched is None else await watched.choose(shards)
            try:
                return await self._run_in_time(statement, replica)
            except Unavailable as error:
                is_unreachable = isinstance(error, ServerUnreachable) or cannot_answer(error.__cause__)
                if (
                    watched is None
                    or tries == TRIES
                    or not is_unreachable
                    or not await watched.may_retry(shards, replica)
                ):
                    raise
        raise AssertionError

    async def _run_in_time(self, statement: Statement[R] | SystemStatement[R], replica: int) -> Rows[R]:
        """Runs the statement on a replica. If the answer is late, also runs it on a second replica."""
        shards, watched = statement.shards, self._replicas
        first = self._run_on_replica(statement, replica)
        if watched is None or self._hedging is None:
            return await first

        async def run_second() -> Rows[R] | None:
            if (second := await watched.second(shards, replica)) is None:
                return None
            rows = await self._run_on_replica(statement, second)
            await watched.accept(shards, replica, second)
            return rows

        return await self._hedging.first_answer((shards, statement.reads_all), first, run_second)

    async def _run_on_replica(self, statement: Statement[R] | SystemStatement[R], replica: int) -> Rows[R]:
        shards, watched, given_up = statement.shards, self._replicas, asyncio.Event()
        try:
            # A server that accepts connections and then hangs does not enforce its own limits.
            async with asyncio.timeout(self._limits.of(statement).statement_seconds + LATE_SECONDS) as limit:

                def give_up() -> None:
                    given_up.set()
                    if not limit.expired():
                        limit.reschedule(asyncio.get_running_loop().time())

                with nullcontext() if watched is None else watched.until_unreachable(shards, replica, give_up):
                    return await self._answer(statement, replica)
        except TimeoutError as error:
            # The server may answer again by now, so `given_up` says whether it was unreachable.
            if given_up.is_set() or (watched is not None and watched.is_left(shards, replica)):
                raise ServerUnreachable(NO_ANSWER, retry_after=2) from error
            if await self._probed(shards, replica, LATE_PROBE_SECONDS):
                raise RanTooLong(self._limits.seconds) from error
            raise Unavailable(NO_ANSWER, retry_after=2) from error

    async def _probed(self, shards: tuple[int, ...], replica: int, seconds: float) -> bool:
        """Returns true when these shards answer within `seconds`. Raises what `_answer` raises."""
        try:
            async with asyncio.timeout(seconds):
                await self._answer(replace(ANSWERS, shards=shards[:1]), replica)
                if len(shards) > 1:
                    every = replace(ANSWERS, table=SystemTable.usage, rest="LIMIT 1", shards=shards)
                    await self._answer(every, replica)
        except TimeoutError:
            return False
        return True

    async def _answer(self, statement: Statement[R] | SystemStatement[R], replica: int) -> Rows[R]:
        client = await self._connections.of(Place(statement.shards[0], replica))
        sql, settings = statement.sql, self._settings_of(statement, client)
        counting = nullcontext() if self._slots is None else self._slots.counting(statement.tenant_id)
        try:
            with counting as count, client_span("query", **{"db.system.name": "clickhouse", "db.query.text": sql}):
                kind = WORD_SEARCH if statement.looks_up_words else ""
                result = await client.query(sql, statement.parameters, settings, kind, count)
        except (Error, aiohttp.ClientError, OSError) as error:
            limit = error.code if isinstance(error, Error) and not server_lacks_memory(error) else None
            raise self._limits.of(statement).hit(limit) or translate(error) from error
        summary = result.summary
        cost = Cost(
            elapsed_ms=int(summary.get("elapsed_ns", 0)) / 1e6,
            rows_read=int(summary.get("read_rows", 0)),
            bytes_read=int(summary.get("read_bytes", 0)),
            rows_selected=int(summary.get("total_rows_to_read", 0)),
        )
        return Rows([statement.row(row) for row in result.result_rows], cost, result.query_id)

    def _settings_of(
        self, statement: Statement[R] | SystemStatement[R], client: StatementClient
    ) -> dict[str, str | int | float]:
        return {
            # The value that the row policy compares with each row's tenant (schema/clickhouse/query_user.py).
            "log_comment": str(statement.tenant_id),
            # query_log gets the cost of a search, and not the words that were searched.
            "log_queries_cut_to_length": LOGGED_CHARACTERS,
            # When the connection closes, the server stops the statement. It does so only for read-only statements.
            "readonly": 2,
            "cancel_http_readonly_queries_on_client_close": 1,
            # A search fails when a shard is unreachable, because a page must never lack rows silently.
            "skip_unavailable_shards": 0,
            "prefer_localhost_replica": 1,
            **SETTINGS,
            # These settings change how rows are read, not which ones. A server without a setting works without it.
            **{
                name: value
                for name, value in {**WITHOUT_STATISTICS, **WITHOUT_REWRITING, **statement.all_settings}.items()
                if name in client.server_settings
            },
            # The limits come last, because a limit among the statement's own settings may be larger than they are.
            **self._limits.of(statement).settings(statement.reads_all),
        }

    async def problem(self) -> str | None:
        """Returns the reason why some shard cannot be queried, or None when all of them answer."""
        every = tuple(range(self._settings.shards))
        try:
            if not await self._probed(every, self._settings.loader_replica, READY_SECONDS):
                return f"ClickHouse did not answer within {READY_SECONDS:g} s"
        except Exception as error:  # readiness reports every error as a reason
            return str(error)
        return None

    async def close(self) -> None:
        await self._connections.close()
