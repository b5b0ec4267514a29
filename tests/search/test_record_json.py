"""Tests that pages and exports show rows alike, whether an old or a new loader inserted them."""

import asyncio
import time
from collections.abc import Iterator, Sequence

import pytest
from alembic import command
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from sqlalchemy import NullPool, create_engine

from backend.export.formats import Format, encode
from backend.language.parse import parse
from backend.logs.record_json import MIN_BODY_BYTES
from backend.logs.records import encode_log
from backend.search.parameters import PageParameters
from backend.search.tests.services import search_service
from backend.store.compile.filter import compile_filter
from backend.store.execute import Executor
from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.scope import OpenRange, Scopes
from backend.store.scroll import ScrollReader
from backend.tail.messages import record_of
from ingest.loader.insert import Inserter
from kit.clickhouse import Account
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.clickhouse.fields_rollup import create_fields, fields_table
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_empty
from schema.clickhouse.tables import table_name
from schema.columns import Record
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.log_columns import LogColumns
from schema.otlp import LogMessage, decode_message
from schema.revisions import revisions
from tests.search.engine import ClickHouse
from tests.search.same_pages import tenant

LANES = tuple(range(len(Profile)))
BATCH = 12
PAGE = 10
PLANS = (Plan.auto, Plan.in_order, Plan.two_phase, Plan.windowed)


def message(first: int, now_ns: int) -> tuple[bytes, Envelope, Coordinates]:
    """Returns a request of BATCH records. Every third body is too small for a text in `record_json`."""
    texts = ['"\\\n\x01é漢😀', "plain", "<&>' \u2028"]
    records = [
        LogRecord(
            time_unix_nano=now_ns - (first + number) // 2 * 10**9,
            severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
            body=AnyValue(string_value=f"word {texts[number % 3]}" + "x" * (MIN_BODY_BYTES if number % 3 else 0)),
            attributes=[
                KeyValue(key="text", value=AnyValue(string_value=texts[number % 3])),
                KeyValue(key="large", value=AnyValue(int_value=2**53 + number)),
                KeyValue(key="double", value=AnyValue(double_value=1e16 / (number + 1))),
                KeyValue(key="none", value=AnyValue()),
                KeyValue(key="map", value=AnyValue(kvlist_value=KeyValueList())),
            ][: number % 6],
            trace_id=bytes(range(16)) if number % 2 else b"",
        )
        for number in range(BATCH)
    ]
    resource = Resource(attributes=[KeyValue(key="service.name", value=AnyValue(string_value="shop"))])
    request = ExportLogsServiceRequest(
        resource_logs=[ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)])]
    )
    return request.SerializeToString(), Envelope(1, 0, "r30", 65_536, now_ns), Coordinates(1, 0, first)


def upgrade(clickhouse: ClickHouse, settings: Settings, revision: str) -> None:
    config = revisions("clickhouse")
    config.attributes["lanes"] = LANES
    url = f"clickhousedb://default@127.0.0.1:{clickhouse.port}/{settings.clickhouse_database}"
    with create_engine(url, poolclass=NullPool).connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


async def pages(settings: Settings, lane: int, plan: Plan, order: Order, now_ns: int) -> list[bytes]:
    """Returns the records of all pages. A page is read by the share of rows with a text on earlier pages."""
    executor = Executor(settings, account=Account.owner)
    service, found, cursor = search_service(settings, executor, SystemClock()), list[bytes](), None
    start_ns = now_ns - 3_600 * 10**9
    requested = PageParameters(query="word", start=start_ns, end=now_ns + 1, order=order, limit=PAGE, plan=plan)
    try:
        while True:
            page = await service.page(tenant(lane), requested.model_copy(update={"cursor": cursor}))
            found += map(encode_log, page.records)
            cursor = page.next_cursor
            if cursor is None:
                return found
    finally:
        await executor.close()


async def exported(settings: Settings, lane: int) -> Sequence[Sequence[Record]]:
    """Returns the pages of an export."""
    executor = Executor(settings, account=Account.owner)
    try:
        scope = Scopes(settings, SystemClock()).of(
            tenant(lane), Scopes(settings, SystemClock()).range(tenant(lane), OpenRange())
        )
        read = ScrollReader(executor).read(lambda: scope, compile_filter(parse("word")), Order.desc, 5)
        return [page.records async for page in read]
    finally:
        await executor.close()


@pytest.fixture
def settings(clickhouse: ClickHouse) -> Iterator[Settings]:
    """Yields settings of a database of its own, which has no tables yet."""
    clickhouse.command("CREATE DATABASE upgraded")
    yield clickhouse.settings.model_copy(update={"clickhouse_database": "upgraded"})
    clickhouse.command("DROP DATABASE upgraded SYNC")


def test_rows_of_both_releases_are_on_the_same_pages(
    clickhouse: ClickHouse, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = time.time_ns() // 10**9 * 10**9
    upgrade(clickhouse, settings, "0007")
    for lane, profile in enumerate(Profile):
        clickhouse.command(create_fields("upgraded", fields_table(lane)))
        if profile is Profile.text:
            for statement in switch_empty(f"upgraded.{table_name(lane)}", Profile.tokenbf, profile):
                clickhouse.command(statement)
    rows = LogColumns()

    def insert(first: int, is_old: bool) -> None:
        raw, envelope, coordinates = message(first, now_ns)
        columns = decode_message(raw, envelope, coordinates)
        for lane in LANES:
            if is_old:
                clickhouse.insert(f"upgraded.{table_name(lane)}", columns)
            else:
                inserter.insert(0, lane, [LogMessage.read(raw, envelope, coordinates)], f"{lane}/{first}", lambda: None)
        rows.extend(columns)

    inserter = Inserter(settings)
    try:
        insert(0, is_old=True)
        with pytest.raises(Unavailable, match="`logsieve migrate`"):
            insert(12, is_old=False)
        upgrade(clickhouse, settings, "head")
        for first, is_old in ((12, False), (24, True), (36, False), (48, False), (60, False)):
            insert(first, is_old)
    finally:
        inserter.close()
    shown = sorted((record_of(rows, row) for row in range(len(rows))), key=lambda row: (row.timestamp, row.id))
    for lane in LANES:
        [(packed,)] = clickhouse.query_rows(f"SELECT countIf(record_json != '') FROM upgraded.{table_name(lane)}")
        assert packed == 4 * BATCH * 2 // 3
        for share in (0.0, 0.5):
            monkeypatch.setattr("backend.store.read_records.MIN_SHARE", share)
            for plan in PLANS:
                order = Order.asc if share else Order.desc
                expected = [encode_log(row) for row in (shown if order is Order.asc else shown[::-1])]
                assert asyncio.run(pages(settings, lane, plan, order, now_ns)) == expected
            export = asyncio.run(exported(settings, lane))
            for format in Format:
                written = b"".join(piece for records in export for piece in encode(format, records))
                assert written == b"".join(encode(format, shown[::-1]))
