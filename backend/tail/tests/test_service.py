"""Tests of the end of a tail's stream."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.steps import expression_steps
from backend.predicate.predicate import compile_predicate
from backend.store.query_threads import QueryThreads
from backend.tail.budget import WAITING_BYTES, TailBudget
from backend.tail.events import Piece
from backend.tail.group import TailedQuery
from backend.tail.position import TailPosition, digest_of
from backend.tail.queue import TailQueue
from backend.tail.response import TailResponse
from backend.tail.service import OpenTail, TailService
from kit.clock import SystemClock
from kit.errors import RateLimited, Unavailable
from kit.settings import Settings
from schema.tenant_partitions import UNCHANGED

_T = TypeVar("_T")


def test_a_client_that_was_slow_when_its_tail_ended_gets_the_reason(settings: Settings) -> None:
    async def stream() -> list[bytes]:
        service = service_of(settings)
        queue = TailQueue(100, 1, TailBudget())
        tail = OpenTail(TailedQuery(1, "*", digest_of("*", 1), compile_predicate(parse("*"))), queue, None)
        events = service.events(tail, lambda: UNCHANGED)
        try:
            queue.offer(Piece(b"record", 1))
            sent = [await anext(events)]
            queue.end(Unavailable("stopping"))
            return [*sent, *[text async for text in events]]
        finally:
            await service.close()

    record, end = asyncio.run(stream())
    assert record == b"record"
    assert b"event: end" in end
    assert b"stopping" in end


@pytest.mark.parametrize("version", ["2.3", "2.4"])
def test_a_client_that_leaves_before_the_first_event_leaves_its_place(settings: Settings, version: str) -> None:
    async def left() -> Message:
        return {"type": "http.disconnect"}

    async def refuse(_message: Message) -> None:
        raise OSError("the client is gone")

    async def use() -> None:
        service = service_of(settings.model_copy(update={"tail_max_per_tenant": 1}))
        try:
            for _ in range(3):
                tail = await open_one(service, 1)
                response = TailResponse(service.events(tail, lambda: UNCHANGED), partial(service.forget, tail))
                with suppress(ClientDisconnect, OSError):
                    await response({"type": "http", "method": "GET", "asgi": {"spec_version": version}}, left, refuse)
        finally:
            await service.close()

    asyncio.run(use())


def test_a_client_that_is_gone_frees_the_bytes_of_a_large_message(settings: Settings) -> None:
    async def use() -> list[bool]:
        service, is_ended = service_of(settings), []
        try:
            for _ in range(3):
                tail = await open_one(service, 1)
                events = service.events(tail, lambda: UNCHANGED)
                await anext(events)
                tail.queue.offer(Piece(b"x" * (WAITING_BYTES // 2), 1, message=(0, 0)))
                is_ended.append(tail.queue.is_ended)
                await events.aclose()
            return is_ended
        finally:
            await service.close()

    assert asyncio.run(use()) == [False, False, False]


class StoppingThreads(QueryThreads):
    """Calls `stop` when it has parsed a query, before the caller gets the query."""

    stop: Callable[[], None]

    async def run(self, tenant_id: int, work: Callable[[], _T]) -> _T:
        parsed = await super().run(tenant_id, work)
        self.stop()
        return parsed


def test_a_tail_whose_query_is_parsed_while_the_process_stops_is_refused(settings: Settings) -> None:
    async def use() -> None:
        queries = StoppingThreads(SystemClock())
        service = TailService(settings, SystemClock(), queries)
        queries.stop = service.end
        try:
            with pytest.raises(Unavailable, match="this server is stopping"):
                await open_one(service, 1)
        finally:
            await service.close()

    asyncio.run(use())


@pytest.mark.parametrize(("limit", "each"), [(6, 3), (6, 4), (7, 7)])
def test_a_tenant_without_a_tail_finds_a_place_whatever_the_others_have(limit: int, each: int) -> None:
    async def use() -> None:
        service = service_of(Settings(tail_max=limit, tail_max_per_tenant=each))
        try:
            for tenant_id in (1, 2):
                await open_all(service, tenant_id, each)
            tails = [await open_one(service, tenant_id) for tenant_id in range(3, 1 + limit)]
            assert {tail.queue.is_ended for tail in tails} == {False}, "who has one keeps it"
            with pytest.raises(RateLimited, match="spread evenly over tenants"):
                await open_one(service, 1)
            assert len(service._tails) == limit
        finally:
            await service.close()

    asyncio.run(use())


def test_the_newest_tail_of_whoever_has_the_most_ends_and_says_why() -> None:
    async def use() -> bytes:
        service = service_of(Settings(tail_max=3, tail_max_per_tenant=3))
        try:
            first, second, third = [await open_one(service, 1) for _ in range(3)]
            await open_one(service, 2)
            assert [tail.queue.is_ended for tail in (first, second, third)] == [False, False, True]
            with pytest.raises(RateLimited):
                await open_one(service, 1)
            return b"".join([text async for text in service.events(third, lambda: UNCHANGED)])
        finally:
            await service.close()

    end = asyncio.run(use())
    assert b"event: end" in end
    assert b'"code":"rate_limited"' in end
    assert b"the most live tails (3)" in end


def test_the_expressions_of_a_tenants_tails_cost_no_more_than_those_of_one_query_may() -> None:
    costly = [f"/a[ab]{{100}}{letter}/" for letter in "cdef"]
    steps = expression_steps(parse(costly[0]))

    async def use() -> None:
        service = service_of(Settings(tail_max_steps_per_tenant=2 * steps + 10))
        try:
            for query in (*costly[:2], costly[0], "words", "other words"):
                await open_one(service, 1, query)
            with pytest.raises(
                RateLimited, match=f"cost {steps:,} steps .* and those of the tenant's open tails .* close a"
            ):
                await open_one(service, 1, costly[2])
            await open_one(service, 2, costly[2])
        finally:
            await service.close()

    assert steps > 100
    asyncio.run(use())


def service_of(settings: Settings) -> TailService:
    return TailService(settings, SystemClock(), QueryThreads(SystemClock()))


async def open_one(service: TailService, tenant_id: int, query: str = "*") -> OpenTail:
    """Opens a resumed tail, which needs no Kafka until its events are read."""
    digest = digest_of(print_query(parse(query)), tenant_id)
    tail = await service.open(tenant_id, query, TailPosition(1, 1, {0: 1}).encode(digest).decode())
    tail.start = tail.start or TailPosition(1, 1, {0: 1})
    return tail


async def open_all(service: TailService, tenant_id: int, count: int) -> None:
    """Opens as many tails as there are places."""
    for _ in range(count):
        with suppress(RateLimited):
            await open_one(service, tenant_id)


@pytest.fixture
def settings() -> Settings:
    return Settings()
