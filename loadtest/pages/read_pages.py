"""Reads a page on a side: by Logsieve's own code for its plans, by a statement of `layouts.py` for other ways."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product
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
from loadtest.pages.distributed import DistributedReader
from loadtest.pages.layouts import plain, rewritten, windows
from loadtest.pages.questions import Question
from loadtest.pages.sides import ENGINE_SETTINGS, WAY_SETTINGS, Engine, Placement, Side, Way
from loadtest.pages.store import LANES, source

PAGE_ROWS: Final = 100


class EngineExecutor(Executor):
    """Runs each statement with additional settings, with which the server works like an older release."""

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

    def __init__(self, settings: Settings, account: Account, client: Client, span: TimeRange, clock: Clock) -> None:
        self._client = client
        self._span = span
        self._executors: list[Executor] = []
        self._readers: dict[tuple[Placement, Engine], PageReader] = {}
        self._distributed: dict[tuple[Placement, Engine], DistributedReader] = {}
        one_node = settings.model_copy(update={"clickhouse_nodes": 1})
        self._shards = {Placement.local: one_node.shards, Placement.shards: settings.shards}
        for (placement, own), engine in product(((Placement.local, one_node), (Placement.shards, settings)), Engine):
            executor = EngineExecutor(own, account, ENGINE_SETTINGS[engine])
            self._executors.append(executor)
            # The reader remembers no densities, so that each repetition of a search is planned like the first one.
            forgetful = Densities(clock, kept_seconds=0.0)
            self._readers[placement, engine] = PageReader(own, executor, clock, forgetful)
            self._distributed[placement, engine] = DistributedReader(executor, clock)

    async def page(self, side: Side, question: Question) -> int:
        """Reads a page. Returns the number of its records. Raises the errors of PageReader.page."""
        if isinstance(side.way, Plan):
            reader, query = self._readers[side.placement, side.engine], self._query(side, question)
            return len((await reader.page(query, await reader.plan(query, side.way))).records)
        if side.way is Way.distributed:
            return await self._distributed[side.placement, side.engine].page(self._query(side, question))
        return self._by_hand(side, side.way, question)

    async def aclose(self) -> None:
        for executor in self._executors:
            await executor.close()

    def _query(self, side: Side, question: Question) -> Query:
        lane, shards = LANES[side.placement, side.layout], tuple(range(self._shards[side.placement]))
        scope = Scope(LARGEST, (lane,), (OWN_COHORT,), self._span, shards)
        return Query(scope, compile_filter(parse(question.query)), Order.desc, PAGE_ROWS)

    def _by_hand(self, side: Side, way: Way, question: Question) -> int:
        table = source(side.layout, side.placement)
        condition = question.condition(table.layout.word)
        # The answer is not compressed, because answers to Logsieve's own statements are not.
        settings = {"enable_http_compression": 0, **ENGINE_SETTINGS[side.engine], **WAY_SETTINGS.get(way, {})}
        spans: Iterable[TimeRange] = (self._span,)
        if way is Way.own:
            settings |= table.layout.settings
            spans = windows(table.layout, self._span)
        write = rewritten if way in (Way.rewrite, Way.rewrite_unindexed) else plain
        missing = PAGE_ROWS
        for span in spans:
            missing -= len(self._client.query(write(table, condition, span, missing), settings=settings).result_rows)
            if missing <= 0:
                break
        return PAGE_ROWS - missing
