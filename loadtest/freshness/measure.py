"""From acknowledged to searchable at a fixed rate, and that nothing is lost or doubled on the way."""

import threading
from collections.abc import Iterator, Sequence
from math import inf
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.corpus.records import Shape
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.freshness.report import FreshnessReport
from loadtest.freshness.watch import Answered, SearchableWatch
from loadtest.ingest.sender import REQUEST_RECORDS, Extent, prepare_requests, send_all
from loadtest.log_store import LogStore
from loadtest.open_loop import Call, on_schedule
from loadtest.otlp_http import SendOutcome, ThreadConnections
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import percentile
from loadtest.sent import Sent, count
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge
from schema.clickhouse.tables import table_name

TENANTS: Final = 4
CALIBRATION_SECONDS: Final = 10.0
_LOAD_SECONDS: Final = 300.0
_CONNECTIONS: Final = 32
"""Requests under way at once; a receiver that is slower than that many makes the run late, which is reported."""


def calibrate(bench: Bench, stack: OwnStack, sender: Sender, shape: Shape) -> float:
    """Returns the most records a second that come in and are searchable, over some ten seconds as fast as it goes."""
    table = table_name(sender.lane)
    requests = prepare_requests(shape, bench.seed, Extent(None, None), bench.clock.now_ns())
    with connect_shards(stack.settings) as shards:
        store = LogStore(shards, stack.settings, bench.clock)
        bench.say("calibrating")
        # Once unmeasured: a virtual machine's first requests cost many times as much.
        sent = send_all(stack.otlp_http, sender.ingest_key, requests, Extent(len(requests), None))
        store.wait_for_count(table, sender.tenant_id, sent * REQUEST_RECORDS, _LOAD_SECONDS)
        began = bench.clock.monotonic()
        more = send_all(stack.otlp_http, sender.ingest_key, requests, Extent(None, CALIBRATION_SECONDS))
        store.wait_for_count(table, sender.tenant_id, (sent + more) * REQUEST_RECORDS, _LOAD_SECONDS)
        rate = more * REQUEST_RECORDS / (bench.clock.monotonic() - began)
    bench.say(f"at most {rate:.0f} records a second")
    return rate


def measure(bench: Bench, stack: OwnStack, shape: Shape, rate: float | None, seconds: float) -> FreshnessReport:
    """Sends `rate` records a second, or half of what goes in at most where it is None.

    Raises Unavailable when something acknowledged does not become searchable.
    """
    calibration = stack.create_sender("calibration")
    maximum = calibrate(bench, stack, calibration, shape) if rate is None else None
    rate = rate or (maximum or 0) / 2
    senders = [stack.create_sender(f"freshness-{number}") for number in range(TENANTS)]
    pace = Pace.of(rate, seconds, len(senders))
    bench.say("preparing requests")
    requests = PreparedRequests(shape, bench.seed, pace)
    bench.say(f"sending {rate:.0f} records a second for {seconds:g} s")
    with connect_shards(stack.settings) as shards:
        watch = SearchableWatch(shards, bench.clock)
        sending = _Sending(bench, stack, senders, watch)
        watch.start()
        try:
            on_schedule(sending.calls(pace, requests), bench.clock, _CONNECTIONS)
        finally:
            watch.stop(_LOAD_SECONDS)
    delays = [delay for answer, delay in watch.delays for _ in range(answer.records)]
    if not delays:
        raise Unavailable("no record was acknowledged")
    if inf in delays:
        raise Unavailable(f"{delays.count(inf)} acknowledged records are not searchable after {_LOAD_SECONDS:g} s")
    wait_until_loaded(stack.settings, bench.clock, _LOAD_SECONDS)
    bench.say("comparing what was sent with what is stored")
    verdict = judge(sending.sent, stack.settings, bench.clock, {calibration.tenant_id})
    return FreshnessReport(
        rate=rate,
        maximum_rate=maximum,
        record_bytes=shape.size,
        acknowledged=sum(count(each.acknowledged) for each in sending.sent.values()),
        uncertain=sum(count(each.uncertain) for each in sending.sent.values()),
        p50_seconds=percentile(delays, 0.5),
        p99_seconds=percentile(delays, 0.99),
        longest_seconds=max(delays),
        behind_seconds=sending.latest,
        resolution_seconds=watch.resolution,
        **dict(verdict),
    )


class _Sending:
    """Requests of all tenants in turn, and what became of them."""

    def __init__(self, bench: Bench, stack: OwnStack, senders: Sequence[Sender], watch: SearchableWatch) -> None:
        self.sent = {sender.tenant_id: Sent() for sender in senders}
        self.latest = 0.0
        """Seconds by which the latest request went out behind its schedule."""
        self._clock = bench.clock
        self._senders = senders
        self._watch = watch
        self._connections = ThreadConnections(stack.otlp_http)
        self._lock = threading.Lock()

    def calls(self, pace: Pace, requests: PreparedRequests) -> Iterator[tuple[float, Call]]:
        for turn in range(pace.requests):
            time_ns = self._clock.now_ns()
            body, numbers = requests.next(time_ns)
            yield turn * pace.interval, self._call(self._senders[turn % len(self._senders)], body, numbers, time_ns)

    def _call(self, sender: Sender, body: bytes, numbers: range, time_ns: int) -> Call:
        def send(due: float) -> None:
            late = self._clock.monotonic() - due
            outcome = self._connections.with_key(sender.ingest_key).export(body)
            at, kept = self._clock.monotonic(), outcome is SendOutcome.acknowledged
            with self._lock:
                self.latest = max(self.latest, late)
                ledger = self.sent[sender.tenant_id]
                (ledger.acknowledged if kept else ledger.uncertain).append(numbers)
            if kept:
                self._watch.acknowledged(Answered(sender, time_ns, len(numbers), at))

        return send
