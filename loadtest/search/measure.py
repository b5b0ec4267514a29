"""Times pages of the newest records: both index profiles, each plan and `auto`, against the exporter's table.

All sides take turns within each round, so that whatever else the machine does falls on all of them. A page is timed
from the query text to the API's records, in this process; the other side from its SQL to rows.
"""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.scope import Scope, TimeRange
from kit.clickhouse import connect
from kit.clock import Clock
from kit.errors import Internal
from kit.settings import Settings
from loadtest.corpus.rows import DAY_NS, LARGEST, OWN_COHORT, Corpus
from loadtest.own_stack import Say
from loadtest.search.cases import CASES, Case
from loadtest.search.exporter_table import newest
from loadtest.search.store import LANES
from schema.clickhouse.index_profiles import Profile

PAGE_ROWS: Final = 100
WARM_UP_ROUNDS: Final = 1


@dataclass(frozen=True, slots=True)
class Side:
    """Who answered: a plan over a profile; both None is the exporter's table."""

    profile: Profile | None
    plan: Plan | None


EXPORTER: Final = Side(None, None)
SIDES: Final = (EXPORTER, *(Side(profile, plan) for profile in Profile for plan in Plan))

Timings = dict[tuple[Case, Side], list[float]]
"""Milliseconds of each round."""


class SearchMeasurement:
    def __init__(self, settings: Settings, corpus: Corpus, clock: Clock, say: Say) -> None:
        self._settings = settings
        self._clock = clock
        self._say = say
        self._corpus = corpus

    def measure(self, rounds: int) -> Timings:
        """Raises Internal when two sides find a different number of records."""
        return asyncio.run(self._rounds(rounds))

    async def _rounds(self, rounds: int) -> Timings:
        executor, client = Executor(self._settings), connect(self._settings)
        reader = PageReader(self._settings, executor, self._clock)
        timings: Timings = defaultdict(list)
        # Whoever comes first after another side finds the caches full of that side's data.
        order = random.Random(rounds)
        try:
            for number in range(-WARM_UP_ROUNDS, rounds):
                for case in CASES:
                    found = {}
                    for side in order.sample(SIDES, len(SIDES)):
                        began = self._clock.monotonic()
                        found[side] = await self._ask(reader, client, case, side)
                        if number >= 0:
                            timings[case, side].append(1_000 * (self._clock.monotonic() - began))
                    if len(set(found.values())) != 1:
                        raise Internal(f"{case.query!r} finds different numbers of records: {found}")
                self._say(f"round {number + 1} of {rounds}" if number >= 0 else "warmed up")
        finally:
            client.close()
            await executor.close()
        return timings

    async def _ask(self, reader: PageReader, client: Client, case: Case, side: Side) -> int:
        if side.profile is None or side.plan is None:
            # As for ours, kit/clickhouse.py.
            return len(client.query(newest(case, PAGE_ROWS), settings={"enable_http_compression": 0}).result_rows)
        day = TimeRange(self._corpus.start_ns, self._corpus.start_ns + DAY_NS)
        scope = Scope(LARGEST, (LANES[side.profile],), (OWN_COHORT,), day, self._settings.shards)
        query = Query(scope, compile_filter(parse(case.query)), Order.desc, PAGE_ROWS)
        return len((await reader.page(query, await reader.plan(query, side.plan))).records)
