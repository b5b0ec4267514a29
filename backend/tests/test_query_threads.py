"""Tests that query text is parsed and compiled off the event loop, one query of a tenant at a time."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest

from backend.answers.resources import Resources
from backend.export.formats import FileForm, Format
from backend.export.service import ExportService
from backend.fields.service import FieldsService
from backend.language.nodes import Node
from backend.language.parse import parse
from backend.logs.parameters import SearchParameters
from backend.patterns.service import PatternService
from backend.search.parameters import ExplainParameters, HistogramParameters, PageParameters
from backend.search.service import SearchService
from backend.search.tests.services import no_hints, search_service
from backend.store.order import Order
from backend.store.query_threads import KEPT, KEPT_CHARACTERS, QueryThreads
from backend.store.scope import TimeRange
from backend.store.scroll import ScrollReader
from backend.store.tests.fake_log_store import FakeLogStore
from backend.tail.service import TailService
from kit.clock import ManualClock, SystemClock
from kit.errors import InvalidQuery, Unavailable
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

CLOCK = ManualClock(10**18)
TENANT = Tenant(1, "acme", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)
SEARCH = SearchParameters(query="a")
PAGE = PageParameters(query="a")


async def first(pieces: AsyncGenerator[bytes]) -> None:
    await anext(pieces)


async def page() -> None:
    await search_service(Settings(), FakeLogStore([]), CLOCK).page(TENANT, PAGE)


async def stream() -> None:
    await first(search_service(Settings(), FakeLogStore([]), CLOCK).stream(TENANT, PAGE))


async def histogram() -> None:
    await search_service(Settings(), FakeLogStore([]), CLOCK).histogram(TENANT, HistogramParameters(query="a"))


async def explain() -> None:
    await search_service(Settings(), FakeLogStore([]), CLOCK).explain(TENANT, ExplainParameters(query="a"))


async def fields() -> None:
    await FieldsService(Settings(), FakeLogStore([]), CLOCK, QueryThreads(CLOCK)).fields(TENANT, SEARCH)


async def values() -> None:
    await FieldsService(Settings(), FakeLogStore([]), CLOCK, QueryThreads(CLOCK)).values(
        TENANT, SEARCH, "service", "", 1
    )


async def export() -> None:
    service = ExportService(Settings(), ScrollReader(FakeLogStore([])), CLOCK, Resources.of(Settings(), CLOCK))
    await first(service.stream(lambda: TENANT, "a", TimeRange(1, 2), Order.asc, FileForm(Format.ndjson)))


async def tail() -> None:
    service = TailService(Settings(), SystemClock(), QueryThreads(SystemClock()))
    try:
        await service.open(TENANT.id, "a", None)
    finally:
        await service.close()


@pytest.mark.parametrize("use", [page, stream, histogram, explain, fields, values, export, tail])
def test_no_query_is_parsed_on_the_event_loop(
    use: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = list[int]()

    def refuse(_: str) -> None:
        threads.append(threading.get_ident())
        raise InvalidQuery("seen", 0)

    async def run() -> None:
        with pytest.raises(InvalidQuery, match="seen"):
            await use()

    for module in ("backend.logs.compiled_query", "backend.tail.service"):
        monkeypatch.setattr(f"{module}.parse", refuse)
    asyncio.run(run())
    assert threads
    assert threading.get_ident() not in threads


def test_the_services_compile_a_query_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a web UI that requests a page, counts, fields and patterns of one query, and then an export."""
    parsed = list[str]()

    def counted(text: str) -> Node:
        parsed.append(text)
        return parse(text)

    def refuse(_: object) -> None:
        raise Unavailable("the query is compiled")

    async def run() -> None:
        resources, store = Resources.of(Settings(), CLOCK), FakeLogStore([], refuse)
        queries = resources.queries
        search = SearchService(Settings(), store, CLOCK, resources, no_hints)
        export = ExportService(Settings(), ScrollReader(store), CLOCK, resources)
        patterns = PatternService(Settings(), store, CLOCK, queries)
        try:
            for answer in (
                search.page(TENANT, PAGE),
                search.histogram(TENANT, HistogramParameters(query="a")),
                FieldsService(Settings(), store, CLOCK, queries).fields(TENANT, SEARCH),
                patterns.patterns(TENANT, SEARCH, 1),
            ):
                with pytest.raises(Unavailable, match="the query is compiled"):
                    await answer
            await first(export.stream(lambda: TENANT, "a", TimeRange(1, 2), Order.asc, FileForm(Format.ndjson)))
        finally:
            patterns.close()
            resources.close()

    monkeypatch.setattr("backend.logs.compiled_query.parse", counted)
    asyncio.run(run())
    assert parsed == ["a"]


def test_a_short_query_is_read_once_for_each_tenant_and_a_long_one_each_time() -> None:
    reads = list[str]()

    def read(text: str) -> str:
        reads.append(text)
        return f"{text}, read"

    def counted(text: str) -> int:
        return len(text)

    async def run() -> None:
        queries, long = QueryThreads(CLOCK), "a" * (KEPT_CHARACTERS + 1)
        try:
            for tenant_id, text in ((1, "a"), (1, "a"), (2, "a"), (1, "b"), (1, long), (1, long)):
                assert await queries.read(tenant_id, read, text) == f"{text}, read"
            assert await queries.read(1, counted, "a") == 1
            for number in range(KEPT):
                await queries.read(1, counted, str(number))
            await queries.read(1, read, "a")
        finally:
            queries.close()
        assert reads == ["a", "a", "b", long, long, "a"]

    asyncio.run(run())


def test_the_error_of_a_query_is_raised_each_time() -> None:
    async def run() -> None:
        queries = QueryThreads(CLOCK)
        try:
            for _ in range(2):
                with pytest.raises(InvalidQuery):
                    await queries.read(1, parse, "(")
        finally:
            queries.close()

    asyncio.run(run())


def test_a_tenants_queries_wait_for_each_other_and_not_for_those_of_another_tenant() -> None:
    async def run() -> list[str]:
        queries, done = QueryThreads(SystemClock()), list[str]()
        started, release = threading.Event(), threading.Event()

        def hold() -> None:
            started.set()
            release.wait(60)

        async def use(tenant_id: int, name: str, work: Callable[[], object]) -> None:
            await queries.run(tenant_id, work)
            done.append(name)

        try:
            held = asyncio.create_task(use(1, "long", hold))
            await asyncio.to_thread(started.wait, 60)
            own = [asyncio.create_task(use(1, "own", lambda: None)) for _ in range(5)]
            await use(2, "other", lambda: None)
            release.set()
            await asyncio.gather(held, *own)
        finally:
            release.set()
            queries.close()
        return done

    assert asyncio.run(run()) == ["other", "long", *["own"] * 5]


def test_a_cancelled_query_keeps_its_slot_until_its_thread_is_free() -> None:
    async def run() -> None:
        queries = QueryThreads(SystemClock())
        started, release, others = threading.Event(), threading.Event(), list[int]()

        def hold() -> None:
            started.set()
            release.wait(60)

        try:
            cancelled = asyncio.create_task(queries.run(1, hold))
            await asyncio.to_thread(started.wait, 60)
            cancelled.cancel()
            own = asyncio.create_task(queries.run(1, lambda: others.append(1)))
            # Another tenant's query has the other thread.
            await queries.run(2, lambda: others.append(2))
            assert (others, cancelled.done()) == ([2], False)
            release.set()
            await own
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            assert others == [2, 1]
        finally:
            release.set()
            queries.close()

    asyncio.run(run())
