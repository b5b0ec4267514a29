"""Bytes per CPU second: from the receiver into ClickHouse, against ClickHouse's own insert of the same rows.

Both sides are measured in one run on one server, and in the same way: CPU seconds of the processes from the first
byte sent until all rows are counted and no merge has run for three seconds. What idles meanwhile counts too. Bytes are
those of bodies and attributes. Preparing requests and reading rows back happen before the clocks start.
"""

from dataclasses import dataclass, field

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.clock import Clock
from kit.errors import Internal
from loadtest.corpus.records import LARGE, SMALL, Shape
from loadtest.ingest.native_insert import COPY, NativeInserter, create_copy, read_batches
from loadtest.ingest.parts import PartsWork, parts_since
from loadtest.ingest.sender import REQUEST_RECORDS, Extent, prepare_requests, send_all
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack, Say, Sender
from loadtest.services import CLICKHOUSE, PIPELINE
from schema.clickhouse.tables import table_name

GOALS = {LARGE.size: 0.5, SMALL.size: 0.35}
"""Least share of the Native insert's bytes per CPU second that the whole way must reach, by bytes a record."""

_LOAD_SECONDS = 600.0
_PAST_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What one side took. `seconds` of wall-clock time from the first byte until all rows were counted."""

    bytes: int
    seconds: float
    cpu_seconds: dict[str, float]
    parts: PartsWork
    mb_per_cpu_second: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mb_per_cpu_second", self.bytes / 1e6 / sum(self.cpu_seconds.values()))


@dataclass(frozen=True, slots=True)
class SizeResult:
    """Both sides for one size of records."""

    record_bytes: int
    sent: int
    stored: int
    logsieve: Cost
    native: Cost
    batch_rows: int
    goal: float = field(init=False)
    ratio: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "goal", GOALS[self.record_bytes])
        object.__setattr__(self, "ratio", self.logsieve.mb_per_cpu_second / self.native.mb_per_cpu_second)

    @property
    def passed(self) -> bool:
        return self.sent == self.stored and self.ratio >= self.goal


class IngestMeasurement:
    """Measures one size after the other on one stack, each on a tenant of its own."""

    def __init__(self, stack: OwnStack, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._clock = clock
        self._say = say

    def measure(self, shape: Shape, extent: Extent, seed: int) -> SizeResult:
        """Raises Unavailable when a request is not acknowledged or rows do not arrive."""
        sender = self._stack.create_sender(f"ingest-{shape.size}")
        self._say(f"{shape.size} bytes: preparing requests")
        requests = prepare_requests(shape, seed, extent, self._clock.now_ns() - _PAST_NS)
        # The loader's own limits, so that the other side's inserts are as large as the loader's may become.
        settings = self._stack.settings
        batch_rows = max(1, min(settings.loader_batch_rows, settings.loader_batch_bytes // shape.size))
        client = connect(settings)
        try:
            self._warm_up(client, shape, requests)
            logsieve = self._through_logsieve(client, sender, shape, requests, extent)
            stored = LogStore([client], settings, self._clock).count(table_name(sender.lane), sender.tenant_id)
            native = self._native(client, sender, batch_rows, stored * shape.size)
        finally:
            client.close()
        sent = logsieve.bytes // shape.size
        return SizeResult(shape.size, sent, stored, logsieve, native, batch_rows)

    def _warm_up(self, client: Client, shape: Shape, requests: list[bytes]) -> None:
        """Every prepared request once, not measured: a virtual machine's first requests cost many times as much."""
        self._say(f"{shape.size} bytes: warming up")
        sender = self._stack.create_sender(f"warmup-{shape.size}")
        table, store = table_name(sender.lane), LogStore([client], self._stack.settings, self._clock)
        sent = send_all(self._stack.otlp_http, sender.ingest_key, requests, Extent(len(requests), None))
        store.wait_for_count(table, sender.tenant_id, REQUEST_RECORDS * sent, _LOAD_SECONDS)
        store.wait_for_merges(table, _LOAD_SECONDS)

    def _through_logsieve(
        self, client: Client, sender: Sender, shape: Shape, requests: list[bytes], extent: Extent
    ) -> Cost:
        table, store = table_name(sender.lane), LogStore([client], self._stack.settings, self._clock)
        store.wait_for_merges(table, _LOAD_SECONDS)
        self._say(f"{shape.size} bytes: sending")
        before, began, began_ns = self._stack.services.cpu(PIPELINE), self._clock.monotonic(), self._clock.now_ns()
        sent = REQUEST_RECORDS * send_all(self._stack.otlp_http, sender.ingest_key, requests, extent)
        self._say(f"{shape.size} bytes: {sent} records acknowledged, waiting until they are in ClickHouse")
        store.wait_for_count(table, sender.tenant_id, sent, _LOAD_SECONDS)
        seconds = self._clock.monotonic() - began
        store.wait_for_merges(table, _LOAD_SECONDS)
        cpu = self._stack.services.cpu(PIPELINE).since(before)
        return Cost(sent * shape.size, seconds, cpu, parts_since(client, table, began_ns))

    def _native(self, client: Client, sender: Sender, batch_rows: int, size: int) -> Cost:
        table, store = table_name(sender.lane), LogStore([client], self._stack.settings, self._clock)
        create_copy(client, table)
        batches = list(read_batches(client, table, sender.tenant_id, batch_rows))
        inserter = NativeInserter(self._stack.settings)
        try:
            store.wait_for_merges(table, _LOAD_SECONDS)
            self._say(f"inserting the same rows as Native: {len(batches)} batches")
            before, began, began_ns = (
                self._stack.services.cpu([CLICKHOUSE]),
                self._clock.monotonic(),
                self._clock.now_ns(),
            )
            for batch in batches:
                inserter.insert(batch)
            seconds = self._clock.monotonic() - began
            store.wait_for_merges(COPY, _LOAD_SECONDS)
            cpu = self._stack.services.cpu([CLICKHOUSE]).since(before)
        finally:
            inserter.close()
        copied, original = store.count(COPY, sender.tenant_id), store.count(table, sender.tenant_id)
        if copied != original:
            raise Internal(f"the copy has {copied} rows, the original {original}")
        return Cost(size, seconds, cpu, parts_since(client, COPY, began_ns))
