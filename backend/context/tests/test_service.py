"""Tests of a context's neighbours on both sides, and of sides whose search was stopped early."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from backend.answers.resources import Resources
from backend.context.sameness import Same
from backend.context.schemas import Context
from backend.context.service import SIDE_LIMITS, SIDE_ROWS, ContextService
from backend.store.execute import RunsInSlot
from backend.store.limits import AnswerTooLarge, RanTooLong
from backend.store.record_id import key_of
from backend.store.rows import Cost
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import Clock, ManualClock, SystemClock
from kit.errors import QueryTooExpensive, RateLimited
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

TENANT = Tenant(
    id=7, name="demo", lanes=TenantLanes(2), cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096
)
SECOND = 10**9
NOW_NS = SystemClock().now_ns()
ROWS = [stored_row(NOW_NS - 3600 * SECOND + moment * SECOND, number) for moment in range(20) for number in range(5)]
MIDDLE = 52


class LogStore(FakeLogStore):
    """A log store that also answers look-ups of single records."""

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if "record_id" not in statement.parameters:
            return super().answer(statement)
        wanted = (statement.parameters["record_ns"], statement.parameters["record_id"])
        return [row for row in ROWS if (row.timestamp, row.id) == wanted], Cost(1.0, 1)


def around(store: FakeLogStore, before: int, after: int, clock: Clock | None = None) -> Context:
    service = ContextService(Settings(), store, clock or SystemClock(), Resources.of(Settings(), SystemClock()))

    async def read() -> bytes:
        return b"".join(await service.around(TENANT, identity(MIDDLE), before, after, ()))

    return Context.model_validate_json(asyncio.run(read()))


def identity(place: int) -> str:
    return str(key_of(ROWS[place]))


def test_neighbours_of_the_same_nanosecond_are_on_their_side() -> None:
    context = around(LogStore(ROWS), 4, 5)

    assert [log.id for log in context.before] == [identity(place) for place in range(48, 52)]
    assert context.log.id == identity(52)
    assert [log.id for log in context.after] == [identity(place) for place in range(53, 58)]
    assert (context.complete_before, context.complete_after) == (True, True)
    assert (context.searched_from, context.searched_to) == (context.before[0].timestamp, context.after[-1].timestamp)


def test_the_ends_are_the_ends() -> None:
    context = around(LogStore(ROWS), 200, 200)

    assert [log.id for log in context.before] == [identity(place) for place in range(52)]
    assert [log.id for log in context.after] == [identity(place) for place in range(53, 100)]
    assert (context.complete_before, context.complete_after) == (True, True)


@pytest.mark.parametrize(("text", "letter"), [("1e+21", "d"), ('["é",9007199254740993]', "j")])
def test_neighbours_share_the_stored_text_of_a_value_that_answers_write_in_another_way(text: str, letter: str) -> None:
    record = ROWS[MIDDLE]._replace(resource={"host.name": text}, resource_types=letter)

    class OneRecord(FakeLogStore):
        """Answers every look-up of a single record with `record`."""

        def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
            return ([record], Cost(1.0, 1)) if "record_id" in statement.parameters else super().answer(statement)

    store = OneRecord([])
    service = ContextService(Settings(), store, SystemClock(), Resources.of(Settings(), SystemClock()))
    asyncio.run(service.around(TENANT, identity(MIDDLE), 1, 0, (Same.host,)))

    assert text in store.requested[-1].parameters.values()


def test_no_side_is_no_question() -> None:
    store = LogStore(ROWS)
    context = around(store, 0, 0)

    assert (context.before, context.after, context.stats.windows) == ([], [], 0)
    assert ["record_id" in each.parameters for each in store.requested] == [True]


def test_a_search_that_costs_too_much_stops_and_says_so() -> None:
    context = around(LogStore(ROWS, rows_read=SIDE_ROWS), 200, 0)

    assert len(context.before) == 52
    assert context.complete_before is False
    assert context.searched_from < context.log.timestamp
    assert context.stats.windows == 1


def test_a_page_that_was_cut_short_says_how_far_it_reached() -> None:
    class LargeRecords(LogStore):
        """Refuses answers of more than eight rows, as for their size."""

        def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
            rows, cost = super().answer(statement)
            if len(rows) > 8:
                raise AnswerTooLarge("too large")
            return rows, cost

    context = around(LargeRecords(ROWS, rows_read=SIDE_ROWS), 200, 0)

    assert 0 < len(context.before) <= 8
    assert context.complete_before is False
    assert context.searched_from == context.before[0].timestamp


class SlowStore(LogStore):
    """Advances a clock with each statement. Those over more than `seconds` of time take all the time they may, and are
    refused."""

    def __init__(self, seconds: float, clock: ManualClock, costs: float) -> None:
        super().__init__(ROWS)
        self._longest_ns = int(seconds * SECOND)
        self._clock = clock
        self._costs = costs
        self.ran_seconds = 0.0

    def answer(self, statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        if "record_id" in statement.parameters:
            return super().answer(statement)
        given: dict[str, Any] = {**statement.parameters}
        is_slow = given["end_ns"] - given["start_ns"] > self._longest_ns
        most = Settings().query_max_seconds
        allowed = min(most, statement.settings.get("max_execution_time", most))
        taken = allowed if is_slow else min(allowed, self._costs)
        self._clock.advance(taken)
        self.ran_seconds += taken
        if is_slow or taken < self._costs:
            raise RanTooLong(most)
        return super().answer(statement)


def test_a_side_whose_statements_take_long_ends_and_says_how_far_it_reached() -> None:
    clock = ManualClock(NOW_NS)
    seconds = Settings().query_max_seconds
    store = SlowStore(1.0, clock, seconds / 60)
    context = around(store, 50, 0, clock)

    assert 0 < len(context.before) < 50
    assert [log.id for log in context.before] == [identity(place) for place in range(52 - len(context.before), 52)]
    assert context.complete_before is False
    assert store.ran_seconds <= SIDE_LIMITS * seconds + 1


def test_a_side_of_which_nothing_can_be_read_in_time_is_an_error() -> None:
    clock = ManualClock(NOW_NS)
    store = SlowStore(0.0, clock, 1.0)
    with pytest.raises(QueryTooExpensive, match=r"records before this one could not be read within .* fewer fields"):
        around(store, 5, 0, clock)
    assert store.ran_seconds <= SIDE_LIMITS * Settings().query_max_seconds + 1


class BusyStore(SlowStore):
    """Has no slot for a side whose statements have run for all of their time."""

    @asynccontextmanager
    async def slot(self, tenant_id: int) -> AsyncIterator[RunsInSlot]:
        if self.ran_seconds >= SIDE_LIMITS * Settings().query_max_seconds:
            raise RateLimited("no slot became free")
        async with super().slot(tenant_id) as held:
            yield held


def test_a_side_whose_time_is_over_waits_for_no_further_slot() -> None:
    """Tests that records that were read in time are not lost because the queue is full afterwards."""
    clock = ManualClock(NOW_NS)
    context = around(BusyStore(1.0, clock, Settings().query_max_seconds / 60), 50, 0, clock)
    assert context.before
    assert context.complete_before is False
