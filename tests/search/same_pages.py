"""Compares the pages that each plan reads, in lanes with the same records and different index profiles."""

import random
from collections.abc import Sequence

import pytest

from backend.language.nodes import And, Not, Or
from backend.language.print import print_query
from backend.logs.record_json import json_text
from backend.logs.schemas import Log
from backend.logs.tests.models import to_log
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.search.parameters import PageParameters
from backend.search.service import SearchService
from backend.search.tests.services import search_service
from backend.store import read_records
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.plans import expected, windowed
from backend.store.plans.plan import Plan
from backend.tail.messages import record_of
from kit.clickhouse import Account
from kit.clock import ManualClock
from kit.settings import Settings
from schema.clickhouse.distributed import create_distributed, distributed_name
from schema.clickhouse.index_profiles import SEARCHED_WORDS, Profile
from schema.clickhouse.minute_counts import add_minute_counts
from schema.clickhouse.tables import create_table, table_name
from schema.columns import StoredRecord
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes
from schema.log_columns import LogColumns
from tests.search.aimed_queries import aimed_at
from tests.search.engine import ClickHouse
from tests.search.records import TRICKY, log_columns, share

NOW_NS = 1_790_000_000 * 10**9
PLANS = (Plan.in_order, Plan.two_phase, Plan.windowed, Plan.auto)

_SEED = 7
_SECOND_NS = 10**9
_MOMENTS = 40
"""Number of distinct timestamps of all records. It is small, so that most pages end among equal timestamps."""


def make_lanes(settings: Settings, shards: Sequence[ClickHouse]) -> None:
    """Creates a lane with all records for each index profile. The records alternate between the shards.

    One of two parts has minute counts and, with profile tokenbf, the index on searched words. Granules have two rows,
    so that a search reads many windows. Two thirds of the rows have a text in `record_json`.
    """
    records = all_records()
    for number, shard in enumerate(shards):
        rows = share(records, number, len(shards))
        for lane, profile in enumerate(Profile):
            table = table_name(lane)
            shard.command(f"DROP TABLE IF EXISTS {table}")
            searched = profile is Profile.tokenbf
            ddl = create_table(settings.clickhouse_database, table, profile, searched_words=searched)
            shard.command(ddl.replace("index_granularity = 1024", "index_granularity = 2"))
            for half, without_index in enumerate(("", SEARCHED_WORDS.name)):
                part = share(rows, half, 2)
                texts = [json_text(row).decode() if row.id % 9 else "" for row in _stored(part)]
                shard.insert(table, part, texts, without_index)
                shard.command(add_minute_counts(table))
            if len(shards) > 1:
                shard.command(create_distributed(settings, distributed_name(table), table))


def all_records() -> LogColumns:
    """Returns the records of `make_lanes`."""
    rng = random.Random(_SEED)
    moments = [NOW_NS - rng.randrange(6 * 3_600) * _SECOND_NS - rng.randrange(1_000) for _ in range(_MOMENTS)]
    records = log_columns(TRICKY * 4)
    # The ids exceed 2**64, like those that the loader makes from Kafka coordinates.
    records.id[:] = [2**100 + 3 * number for number in records.id]
    records.timestamp[:] = [rng.choice(moments) for _ in records.timestamp]
    return records


def _stored(rows: LogColumns) -> list[StoredRecord]:
    return [record_of(rows, row) for row in range(len(rows))]


def tenant(lane: int) -> Tenant:
    """Returns the tenant that all records belong to, in one of the lanes of `make_lanes`."""
    return Tenant(1, "demo", TenantLanes(lane), "r30", ("r30",), 30, 4096)


def random_queries(count: int, seed: int = _SEED) -> list[str]:
    """Returns the texts of random queries about the records' values. At most one of them matches no record."""
    rng, records = random.Random(seed), all_records()
    leaves = [leaf for record in TRICKY for leaf in aimed_at(record) if "timestamp" not in print_query(leaf)]
    shapes = (
        lambda: rng.choice(leaves),
        lambda: Not(rng.choice(leaves)),
        lambda: And((rng.choice(leaves), Not(rng.choice(leaves)))),
        lambda: Or((rng.choice(leaves), rng.choice(leaves))),
    )
    found, without_match = list[str](), False
    while len(found) < count:
        query = rng.choice(shapes)()
        matches = bool(rows_matching(compile_predicate(query), records))
        if matches or not without_match:
            found.append(print_query(query))
            without_match = without_match or not matches
    return found


def use_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes reads of few records use all ways in which plans read many."""
    monkeypatch.setattr(windowed, "FIRST_GRANULES", 4)
    monkeypatch.setattr(windowed, "FACTOR", 2)
    # A page that is expected in half of the time that it needs is also read from the rest.
    monkeypatch.setattr(expected, "SLACK", 0.5)
    # Pages have different shares of rows with a text in `record_json`, so that both ways of reading are tested.
    monkeypatch.setattr(read_records, "MIN_SHARE", 0.6)


async def max_windows_of_same_pages(
    settings: Settings, lane: int, order: Order, queries: Sequence[str], seed: int = _SEED
) -> int:
    """Fails if plans differ in their pages. Returns the largest number of windows that were read for one page."""
    executor, rng, max_windows = Executor(settings, account=Account.owner), random.Random(seed), 0
    service = search_service(settings, executor, ManualClock(NOW_NS))
    stored = {log.id: log for log in map(to_log, _stored(all_records()))}
    try:
        for query in queries:
            whole, _ = await _all_pages(service, lane, _parameters(query, order, 1_000, Plan.in_order))
            keys = [log.id for log in whole]
            assert keys == sorted(keys, reverse=order is Order.desc)
            assert whole == [stored[key] for key in keys]
            limit = rng.randrange(max(1, len(whole) // 3), len(whole) + 2)
            for plan in PLANS:
                found, windows = await _all_pages(service, lane, _parameters(query, order, limit, plan))
                assert found == whole, f"{plan} differs: {query!r}, {limit} a page"
                max_windows = max(max_windows, windows)
        return max_windows
    finally:
        await executor.close()


def _parameters(query: str, order: Order, limit: int, plan: Plan) -> PageParameters:
    return PageParameters(query=query, order=order, limit=limit, plan=plan)


async def _all_pages(service: SearchService, lane: int, requested: PageParameters) -> tuple[list[Log], int]:
    """Returns the records of all pages, and the largest number of windows that were read for one page."""
    found: list[Log] = []
    windows, cursor = 0, None
    while True:
        within = {"start": NOW_NS - 6 * 3_600 * _SECOND_NS, "end": NOW_NS, "cursor": cursor}
        page = await service.page(tenant(lane), requested.model_copy(update=within))
        assert requested.plan in (page.stats.plan, Plan.auto)
        assert 0 <= (page.stats.granules_read or 0) <= (page.stats.granules_total or 0)
        assert len(page.records) == requested.limit or page.next_cursor is None
        found += [to_log(row) for row in page.records]
        windows, cursor = max(windows, page.stats.windows), page.next_cursor
        if cursor is None:
            return found, windows
