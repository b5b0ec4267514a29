"""Measures bytes per CPU second from the receiver into ClickHouse, against a Native insert of the same rows.

Both sides are measured in one run, on one server and in the same way. CPU seconds count from the first byte sent until
all rows are stored and no merge has run for MERGES_QUIET_SECONDS. They include all processes of the side, idle ones
too. Bytes are those of bodies and attributes. Requests are prepared, and rows are read back, before the measurement.
"""

from collections.abc import Iterator
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.errors import Internal
from loadtest.bench import Bench
from loadtest.corpus.records import Shape
from loadtest.ingest.study import Cost, SizeResult
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack, Sender
from loadtest.services import CLICKHOUSE
from loadtest.traffic.sender import REQUEST_RECORDS, Extent, prepare_requests, send_all
from schema.clickhouse.tables import table_name
from schema.columns import NAMES

COPY: Final = "loadtest_copy"
_COLUMNS: Final = ", ".join(f"`{name}`" for name in NAMES)
_LOAD_SECONDS: Final = 600.0
_PAST_NS: Final = 60_000_000_000


def read_batches(client: Client, table: str, tenant_id: int, rows: int) -> Iterator[bytes]:
    """Yields a tenant's rows in Native format, `rows` per batch, ordered by id as in the loader's batches.

    An id orders rows by their partition and offset in Kafka.
    """
    parameters = {"tenant": tenant_id, "rows": rows}
    starts = [
        record_id
        for (record_id,) in client.query(
            f"SELECT id FROM (SELECT id, rowNumberInAllBlocks() AS place FROM"
            f" (SELECT id FROM {table} WHERE tenant_id = {{tenant:UInt32}} ORDER BY id))"
            " WHERE place % {rows:UInt64} = 0 ORDER BY id",
            parameters=parameters,
        ).result_rows
    ]
    for first, after in zip(starts, [*starts[1:], 2**128 - 1], strict=True):
        yield client.raw_query(
            f"SELECT {_COLUMNS} FROM {table} WHERE tenant_id = {{tenant:UInt32}}"
            " AND id >= {first:UInt128} AND id < {after:UInt128} ORDER BY id FORMAT Native",
            parameters={**parameters, "first": first, "after": after},
        )


class IngestMeasurement:
    """Measures one record size after the other on one stack, each with a separate tenant."""

    def __init__(self, bench: Bench, stack: OwnStack, client: Client) -> None:
        self._bench = bench
        self._stack = stack
        self._client = client
        self._store = LogStore([client], stack.settings, bench.clock)

    def measure(self, shape: Shape, extent: Extent) -> SizeResult:
        """Measures both sides for one record size. Raises Unavailable if requests are refused or rows do not arrive."""
        sender = self._stack.create_sender(f"ingest-{shape.size}")
        self._bench.say(f"{shape.size} bytes: preparing requests")
        requests = prepare_requests(shape, self._bench.seed, extent, self._bench.clock.now_ns() - _PAST_NS)
        # The Native inserts are as large as the loader's limits allow its own inserts to be.
        settings = self._stack.settings
        batch_rows = max(1, min(settings.loader_batch_rows, settings.loader_batch_bytes // shape.size))
        self._warm_up(shape, requests)
        logsieve = self._through_logsieve(sender, shape, requests, extent)
        stored, distinct = (
            self._store.count(table_name(sender.lane), sender.tenant_id, what) for what in ("count()", "uniqExact(id)")
        )
        native = self._native(sender, batch_rows, stored * shape.size)
        return SizeResult(
            record_bytes=shape.size, stored=stored, doubled=stored - distinct, logsieve=logsieve, native=native
        )

    def _warm_up(self, shape: Shape, requests: list[bytes]) -> None:
        """Sends each request once before the measurement, because a virtual machine's first requests cost much more."""
        self._bench.say(f"{shape.size} bytes: warming up")
        sender = self._stack.create_sender(f"warmup-{shape.size}")
        table = table_name(sender.lane)
        sent = send_all(self._stack.otlp_http, sender.ingest_key, requests, Extent(len(requests), None))
        self._store.wait_for_count(table, sender.tenant_id, REQUEST_RECORDS * sent, _LOAD_SECONDS)
        self._store.wait_for_merges(table, _LOAD_SECONDS)

    def _through_logsieve(self, sender: Sender, shape: Shape, requests: list[bytes], extent: Extent) -> Cost:
        table, services = table_name(sender.lane), self._stack.services
        pipeline = services.pipeline()
        self._store.wait_for_merges(table, _LOAD_SECONDS)
        self._bench.say(f"{shape.size} bytes: sending")
        before = services.cpu(pipeline)
        sent = REQUEST_RECORDS * send_all(self._stack.otlp_http, sender.ingest_key, requests, extent)
        self._bench.say(f"{shape.size} bytes: {sent} records acknowledged, waiting until they are in ClickHouse")
        self._store.wait_for_count(table, sender.tenant_id, sent, _LOAD_SECONDS)
        self._store.wait_for_merges(table, _LOAD_SECONDS)
        return Cost(bytes=sent * shape.size, cpu_seconds=services.cpu(pipeline).since(before))

    def _native(self, sender: Sender, batch_rows: int, size: int) -> Cost:
        client, table, cpu = self._client, table_name(sender.lane), self._stack.services.cpu
        # The copy has the columns, codecs, indexes, partitions and settings of the table.
        client.command(f"DROP TABLE IF EXISTS {COPY} SYNC")
        client.command(f"CREATE TABLE {COPY} AS {table}")
        batches = list(read_batches(client, table, sender.tenant_id, batch_rows))
        self._store.wait_for_merges(table, _LOAD_SECONDS)
        self._bench.say(f"inserting the same rows as Native: {len(batches)} batches")
        before = cpu([CLICKHOUSE])
        for batch in batches:
            client.raw_insert(COPY, NAMES, batch, settings={"async_insert": 0}, fmt="Native")
        self._store.wait_for_merges(COPY, _LOAD_SECONDS)
        used = cpu([CLICKHOUSE]).since(before)
        copied, original = (self._store.count(each, sender.tenant_id) for each in (COPY, table))
        if copied != original:
            raise Internal(f"the copy has {copied} rows, the original {original}")
        return Cost(bytes=size, cpu_seconds=used)


def measure_sizes(bench: Bench, stack: OwnStack, shapes: list[Shape], extent: Extent) -> tuple[SizeResult, ...]:
    """Measures one size of records after the other, over one connection to ClickHouse."""
    with connect(stack.settings) as client:
        measurement = IngestMeasurement(bench, stack, client)
        return tuple(measurement.measure(shape, extent) for shape in shapes)
