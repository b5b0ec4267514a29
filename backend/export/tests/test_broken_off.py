"""Tests of exports that fail after they started, and of exports whose client has disconnected."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Callable

import pytest

from backend.answers.resources import Resources
from backend.export.formats import FileForm, Format
from backend.export.service import PAGE_ROWS, ExportService, started
from backend.store.order import Order
from backend.store.scope import TimeRange
from backend.store.scroll import ScrollReader
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore, stored_row
from kit.clock import SystemClock
from kit.errors import InvalidQuery, QueryTooExpensive, Unauthenticated
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

ROWS = [stored_row(number, number) for number in range(3 * PAGE_ROWS)]
TENANT = Tenant(
    id=7, name="demo", lanes=TenantLanes(2), cohort="r30", cohorts=("r30",), retention_days=30, body_max_bytes=4096
)
RANGE = TimeRange(0, 10**9)


def fail_at(number: int, error: Exception) -> FakeLogStore:
    """A log store that answers with the error from statement number `number` on."""

    def check(_: AnyStatement) -> None:
        if len(store.requested) >= number:
            raise error

    store = FakeLogStore(ROWS, check)
    return store


def valid() -> None:
    """Checks nothing: stands for a key that stays valid."""


async def export(
    store: FakeLogStore, format: Format, query: str = "", check: Callable[[], object] = valid
) -> AsyncGenerator[bytes]:
    service = ExportService(Settings(), ScrollReader(store), SystemClock(), Resources.of(Settings(), SystemClock()))
    return await started(service.stream(lambda: TENANT, query, RANGE, Order.asc, FileForm(format)), format, check)


async def read(store: FakeLogStore, format: Format, check: Callable[[], object] = valid) -> bytes:
    return b"".join([piece async for piece in await export(store, format, check=check)])


@pytest.mark.parametrize("format", Format)
def test_what_is_wrong_at_once_is_an_ordinary_error(format: Format) -> None:
    with pytest.raises(InvalidQuery):
        asyncio.run(export(FakeLogStore(ROWS), format, "("))
    with pytest.raises(QueryTooExpensive):
        asyncio.run(export(fail_at(1, QueryTooExpensive("too much")), format))


@pytest.mark.parametrize(
    ("error", "code"), [(QueryTooExpensive("too much"), "query_too_expensive"), (KeyError("oops"), "internal")]
)
def test_ndjson_ends_with_the_error(error: Exception, code: str) -> None:
    *records, last = (json.loads(line) for line in asyncio.run(read(fail_at(3, error), Format.ndjson)).splitlines())

    assert len(records) == 2 * PAGE_ROWS
    assert last["error"]["code"] == code
    assert "oops" not in last["error"]["detail"]


def test_a_key_that_was_revoked_gets_no_further_page() -> None:
    store = FakeLogStore(ROWS)

    def check() -> None:
        if len(store.requested) == 2:
            raise Unauthenticated("the key was revoked")

    *records, last = (json.loads(line) for line in asyncio.run(read(store, Format.ndjson, check)).splitlines())

    assert len(records) == PAGE_ROWS
    assert last["error"]["code"] == "unauthenticated"
    assert len(store.requested) == 2


def test_the_error_has_a_line_of_its_own_after_a_record_that_comes_in_pieces() -> None:
    long = FakeLogStore([stored_row(number, number, "x" * 200_000) for number in range(3)])
    checks = itertools.count()

    def check() -> None:
        if next(checks):
            raise Unauthenticated("the key was revoked")

    *records, last = (json.loads(line) for line in asyncio.run(read(long, Format.ndjson, check)).splitlines())

    assert len(records) == 2
    assert last["error"]["code"] == "unauthenticated"


def test_csv_is_not_ended() -> None:
    with pytest.raises(QueryTooExpensive):
        asyncio.run(read(fail_at(3, QueryTooExpensive("too much")), Format.csv))


def test_nothing_is_a_whole_file_too() -> None:
    assert asyncio.run(read(FakeLogStore([]), Format.ndjson)) == b""
    assert asyncio.run(read(FakeLogStore([]), Format.csv)).startswith(b"id,timestamp,")


def test_a_client_that_disconnects_stops_the_reading() -> None:
    store = FakeLogStore(ROWS)

    async def leave_early() -> None:
        pieces = await export(store, Format.ndjson)
        await anext(pieces)
        await pieces.aclose()

    asyncio.run(leave_early())

    assert len(store.requested) == 1


def test_the_key_is_checked_before_the_first_record_after_pages_without_any() -> None:
    checks = itertools.count()

    def check() -> None:
        if next(checks):
            raise Unauthenticated("the key was revoked")

    async def pieces() -> AsyncGenerator[bytes]:
        for piece in (b"", b"", b"", b'{"body":"late"}\n'):
            yield piece

    async def whole() -> bytes:
        return b"".join([piece async for piece in await started(pieces(), Format.ndjson, check)])

    (line,) = asyncio.run(whole()).splitlines()
    assert json.loads(line)["error"]["code"] == "unauthenticated"
