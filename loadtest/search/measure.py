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

from backend.logs.asked import PageOptions, Search
from backend.search.service import SearchService
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.plans.plan import Plan
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
from schema.control.directory import Tenant

PAGE_ROWS: Final = 100
WARM_UP_ROUNDS: Final = 1
_RETENTION_DAYS: Final = 36_500
"""The searched day is always the same one, so that kept records stay searchable."""


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
        service = SearchService(self._settings, executor, self._clock)
        timings: Timings = defaultdict(list)
        # Whoever comes first after another side finds the caches full of that side's data.
        order = random.Random(rounds)
        try:
            for number in range(-WARM_UP_ROUNDS, rounds):
                for case in CASES:
                    found = {}
                    for side in order.sample(SIDES, len(SIDES)):
                        began = self._clock.monotonic()
                        found[side] = await self._ask(service, client, case, side)
                        if number >= 0:
                            timings[case, side].append(1_000 * (self._clock.monotonic() - began))
                    if len(set(found.values())) != 1:
                        raise Internal(f"{case.query!r} finds different numbers of records: {found}")
                self._say(f"round {number + 1} of {rounds}" if number >= 0 else "warmed up")
        finally:
            client.close()
            await executor.close()
        return timings

    async def _ask(self, service: SearchService, client: Client, case: Case, side: Side) -> int:
        if side.profile is None or side.plan is None:
            # As for ours, kit/clickhouse.py.
            return len(client.query(newest(case, PAGE_ROWS), settings={"enable_http_compression": 0}).result_rows)
        tenant = Tenant(LARGEST, "loadtest", LANES[side.profile], OWN_COHORT, (OWN_COHORT,), _RETENTION_DAYS, 4_096)
        search = Search(case.query, self._corpus.start_ns, self._corpus.start_ns + DAY_NS)
        page = await service.page(tenant, search, PageOptions(Order.desc, PAGE_ROWS, None, side.plan))
        return len(page.rows)
