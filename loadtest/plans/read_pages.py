"""Reads a page on a side: by Logsieve's own code for its plans, by a statement of `statements.py` for other ways."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from clickhouse_connect.driver.client import Client

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.execute import Executor, RunsInSlot
from backend.store.order import Order
from backend.store.plans.densities import Densities
from backend.store.plans.plan import Plan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.scope import Scope, TimeRange
from kit.clickhouse import Account
from kit.clock import Clock
from kit.settings import Settings
from loadtest.corpus.rows import LARGEST, OWN_COHORT
from loadtest.plans import statements
from loadtest.plans.distributed import DistributedReader
from loadtest.plans.questions import Question
from loadtest.plans.sides import ENGINE_SETTINGS, WAY_SETTINGS, Engine, Placement, Side, Way, ours
from loadtest.plans.statements import Span
from loadtest.plans.store import LANES, source
from schema.clickhouse.index_profiles import Profile

PAGE_ROWS: Final = 100


class EngineExecutor(Executor):
    """Runs each statement with additional settings, by which the server acts like one of another age."""

    def __init__(self, settings: Settings, account: Account, engine: Mapping[str, int]) -> None:
        super().__init__(settings, account=account)
        self._engine = engine

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[RunsInSlot]:
        async with super().slot(tenant_id) as held:
            yield replace(held, share={**self._engine, **held.share})


class SideReader:
    """Reads pages on all sides. For one event loop.

    `settings` are those of the stack with both nodes, `account` is the user of Logsieve's statements. `client` is
    connected to the first node.
    """

    def __init__(self, settings: Settings, account: Account, client: Client, span: Span, clock: Clock) -> None:
        self._client = client
        self._span = span
        self._executors: list[Executor] = []
        self._readers: dict[tuple[Placement, Engine], PageReader] = {}
        self._distributed: dict[Engine, DistributedReader] = {}
        self._shards = {Placement.local: (0,), Placement.shards: tuple(range(settings.shards))}
        of_placement = {
            Placement.local: settings.model_copy(update={"clickhouse_nodes": 1}),
            Placement.shards: settings,
        }
        for placement, own in of_placement.items():
            for engine in Engine:
                executor = EngineExecutor(own, account, ENGINE_SETTINGS[engine])
                self._executors.append(executor)
                # The reader remembers no densities, so that each repetition of a search is planned like the first one.
                forgetful = Densities(clock, kept_seconds=0.0)
                self._readers[placement, engine] = PageReader(own, executor, clock, forgetful)
                if placement is Placement.shards:
                    self._distributed[engine] = DistributedReader(executor, clock)

    async def page(self, side: Side, question: Question) -> int:
        """Reads a page. Returns the number of its records. Raises the errors of PageReader.page."""
        if isinstance(side.way, Plan):
            reader, query = self._readers[side.placement, side.engine], self._query(side, question)
            return len((await reader.page(query, await reader.plan(query, side.way))).records)
        if side.way is Way.distributed:
            return await self._distributed[side.engine].page(self._query(side, question))
        return self._by_hand(side, side.way, question)

    async def close(self) -> None:
        for executor in self._executors:
            await executor.close()

    def _query(self, side: Side, question: Question) -> Query:
        profile = next(each for each in Profile if ours(each) == side.layout)
        span, lane = TimeRange(self._span.start, self._span.end), LANES[side.placement, profile]
        scope = Scope(LARGEST, (lane,), (OWN_COHORT,), span, self._shards[side.placement])
        return Query(scope, compile_filter(parse(question.query)), Order.desc, PAGE_ROWS)

    def _by_hand(self, side: Side, way: Way, question: Question) -> int:
        table = source(side.layout, side.placement)
        condition = question.condition(table.layout.word)
        # The answer is not compressed, because answers to Logsieve's own statements are not.
        settings = {"enable_http_compression": 0, **ENGINE_SETTINGS[side.engine], **WAY_SETTINGS.get(way, {})}
        if way is Way.own and table.layout.own is not None:
            settings |= table.layout.own.settings
            missing = PAGE_ROWS
            for window in statements.windows(table.layout.own, self._span):
                sql = statements.plain(table, condition, window, missing)
                missing -= len(self._client.query(sql, settings=settings).result_rows)
                if missing <= 0:
                    break
            return PAGE_ROWS - missing
        write = statements.rewritten if way in (Way.rewrite, Way.rewrite_unindexed) else statements.plain
        return len(self._client.query(write(table, condition, self._span, PAGE_ROWS), settings=settings).result_rows)
