"""Tests that answers about usage are bounded, written off the event loop, and made one at a time for a tenant."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest

from backend.answers.paced_response import PacedResponse
from backend.answers.slots import AnswerSlots
from backend.answers.tests.resources import resources_with
from backend.change_rate import ChangeRate
from backend.state import State
from backend.store.execute import Executor
from backend.store.rows import Cost, Rows
from backend.store.scope import Scopes
from backend.store.statement import Statement, SystemStatement
from backend.store.tables import NS
from backend.usage import endpoints
from backend.usage.minutes import Interval
from backend.usage.repository import TenantUsage, UsageSum
from backend.usage.schemas import AT_ONCE, Usage, UsageCounts, UsageInterval, usage_json
from kit.clock import ManualClock
from kit.errors import InvalidRequest, RateLimited
from kit.settings import Settings
from schema.control.directory import Directory, Tenant
from schema.control.tenant_lanes import TenantLanes

CLOCK = ManualClock(1_790_000_000 * 10**9)
R = TypeVar("R")


def tenant(number: int) -> Tenant:
    return Tenant(number, f"t{number}", TenantLanes(1), "c", ("c",), 1, 4096, longest_retention_days=1)


class Sums(Executor):
    """Answers with rows of usage."""

    def __init__(self, rows: int) -> None:
        super().__init__(Settings())
        self._rows = [(1, 60 * number, "accepted", 1, 2, 3) for number in range(rows)]
        self.rest = ""

    async def run(self, statement: Statement[R] | SystemStatement[R]) -> Rows[R]:
        self.rest = statement.rest
        return Rows([statement.row(row) for row in self._rows], Cost(), "")


@pytest.mark.parametrize(
    ("interval", "advice"),
    [("minute", "`interval=hour` or `interval=day`"), ("hour", "shorter range, or `interval=day`"), ("day", "range$")],
)
def test_an_answer_with_too_many_sums_is_refused(
    monkeypatch: pytest.MonkeyPatch, interval: Interval, advice: str
) -> None:
    monkeypatch.setattr("backend.usage.repository.MAX_SUMS", 3)

    def sums(rows: int) -> tuple[list[UsageSum], str]:
        executor = Sums(rows)
        repository = TenantUsage(executor, Scopes(Settings(), CLOCK), CLOCK)
        return asyncio.run(repository.sums(tenant(1), 0, 6_000 * NS, interval)), executor.rest

    found, rest = sums(3)
    assert found[2] == UsageSum(1, 120, "accepted", 1, 2, 3)
    assert rest.endswith(" LIMIT 4"), "ClickHouse sends one sum more than allowed, and not all of them"
    with pytest.raises(InvalidRequest, match=advice):
        sums(4)


def test_the_text_of_an_answer_is_that_of_its_model() -> None:
    sums = [
        UsageSum(1, 60 * number, outcome, number, 2**63 + number, 3)
        for number in range(AT_ONCE)
        for outcome in ("accepted", "too_old", 'a"b')
    ]
    for part in (sums, sums[:AT_ONCE], sums[:1], []):
        entries = [
            UsageInterval(
                outcome=outcome, requests=requests, records=records, bytes=size, start=f"1970-01-01T{clock_time(start)}"
            )
            for _, start, outcome, requests, records, size in part
        ]
        wanted = Usage(interval="hour", usage=entries, totals=list(totals_of(entries)))
        assert b"".join(usage_json("hour", part)).decode() == wanted.model_dump_json()


def clock_time(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000000000Z"


def totals_of(entries: Sequence[UsageInterval]) -> Iterator[UsageCounts]:
    for outcome in sorted({each.outcome for each in entries}):
        own = [each for each in entries if each.outcome == outcome]
        yield UsageCounts(
            outcome=outcome,
            requests=sum(each.requests for each in own),
            records=sum(each.records for each in own),
            bytes=sum(each.bytes for each in own),
        )


class HeldUsage(TenantUsage):
    """Repository that answers when the test allows it."""

    def __init__(self) -> None:
        super().__init__(Sums(0), Scopes(Settings(), CLOCK), CLOCK)
        self.asked: list[int] = []
        self.released = asyncio.Event()

    async def sums(
        self, tenant: Tenant, _start_ns: int | None, _end_ns: int | None, _interval: Interval
    ) -> list[UsageSum]:
        self.asked.append(tenant.id)
        await self.released.wait()
        return [UsageSum(tenant.id, 0, "accepted", 1, 2, 3)]


def test_a_tenant_has_one_answer_made_at_a_time_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set[int]()

    def recording(interval: Interval, sums: Sequence[UsageSum]) -> Iterator[bytes]:
        threads.add(threading.get_ident())
        return usage_json(interval, sums)

    monkeypatch.setattr(endpoints, "usage_json", recording)
    monkeypatch.setattr("backend.answers.response.AT_ONCE_BYTES", 10)

    async def run() -> None:
        lists, usages = AnswerSlots("list", 2, CLOCK), AnswerSlots("usage", 2, CLOCK)
        directory = Directory("sqlite+aiosqlite://", 60, CLOCK)
        state = State(Settings(), directory, resources_with(1_000, CLOCK), ChangeRate(CLOCK), lists, usages)
        repository = HeldUsage()
        first = [asyncio.create_task(endpoints.usage(tenant(1), repository, state)) for _ in range(3)]
        while not repository.asked:
            await asyncio.sleep(0)
        other = asyncio.create_task(endpoints.usage(tenant(2), repository, state))
        while 2 not in repository.asked:
            await asyncio.sleep(0)
        assert repository.asked == [1, 2]
        repository.released.set()
        assert isinstance(await other, PacedResponse)
        answers = await asyncio.gather(*first, return_exceptions=True)
        assert isinstance(answers[0], PacedResponse)
        assert isinstance(answers[2], RateLimited), "the clients read none of the answers"

    asyncio.run(run())
    assert threads
    assert threading.get_ident() not in threads
