"""Measures the delay from acknowledged to searchable at a fixed rate, and counts lost and doubled records."""

from itertools import islice
from math import inf
from typing import Final

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.corpus.records import LARGE
from loadtest.freshness.study import FreshnessReport
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import percentile
from loadtest.topic import wait_until_loaded
from loadtest.traffic.open_loop import on_schedule
from loadtest.traffic.prepared import Pace, PreparedRequests, calls
from loadtest.traffic.scheduled_exports import CONNECTIONS, ScheduledExports
from loadtest.traffic.searchable_watch import SearchableWatch
from loadtest.traffic.sender import REQUEST_RECORDS, Extent, prepare_requests, send_all
from loadtest.verdict import judge
from loadtest.waiting import WAIT_SECONDS
from schema.clickhouse.tables import table_name

TENANTS: Final = 4
CALIBRATION_SECONDS: Final = 10.0


def calibrate(bench: Bench, stack: OwnStack, sender: Sender) -> float:
    """Returns the largest number of records per second that become searchable.

    Sends as fast as the receiver answers for CALIBRATION_SECONDS, and waits until all records are searchable.
    """
    table = table_name(sender.lane)
    requests = prepare_requests(LARGE, bench.seed, Extent(None, None), bench.clock.now_ns())
    with connect_shards(stack.settings) as shards:
        store = LogStore(shards, stack.settings, bench.clock)
        bench.say("calibrating")
        # All requests are sent once before the measurement, because a virtual machine's first requests cost many times
        # as much.
        sent = send_all(stack.otlp_http, sender.ingest_key, requests, Extent(len(requests), None))
        store.wait_for_count(table, sender.tenant_id, sent * REQUEST_RECORDS, WAIT_SECONDS)
        started = bench.clock.monotonic()
        more = send_all(stack.otlp_http, sender.ingest_key, requests, Extent(None, CALIBRATION_SECONDS))
        store.wait_for_count(table, sender.tenant_id, (sent + more) * REQUEST_RECORDS, WAIT_SECONDS)
        rate = more * REQUEST_RECORDS / (bench.clock.monotonic() - started)
    bench.say(f"at most {rate:.0f} records a second")
    return rate


def measure(bench: Bench, stack: OwnStack, rate: float | None, seconds: float) -> FreshnessReport:
    """Sends `rate` records per second for `seconds`. If `rate` is None, sends half of the maximum rate.

    Raises Unavailable if no record is acknowledged, or if acknowledged records do not become searchable.
    """
    calibration = stack.create_sender("calibration")
    maximum = calibrate(bench, stack, calibration) if rate is None else None
    rate = rate or (maximum or 0) / 2
    senders = [stack.create_sender(f"freshness-{number}") for number in range(TENANTS)]
    pace = Pace.of(rate, seconds, len(senders))
    bench.say("preparing requests")
    requests = PreparedRequests(LARGE, bench.seed, pace)
    bench.say(f"sending {rate:.0f} records a second for {seconds:g} s")
    with (
        connect_shards(stack.settings) as shards,
        SearchableWatch(shards, bench.clock) as watch,
        ScheduledExports(stack.otlp_http, bench.clock, watch.acknowledged) as exports,
    ):
        scheduled = islice(calls(senders, requests, exports, bench.clock), pace.requests)
        on_schedule(scheduled, bench.clock, CONNECTIONS)
        watch.finish(WAIT_SECONDS)
    delays = [delay for answer, delay in watch.delays for _ in range(answer.records)]
    if not delays:
        raise Unavailable("no record was acknowledged")
    if inf in delays:
        raise Unavailable(f"{delays.count(inf)} acknowledged records are not searchable after {WAIT_SECONDS:g} s")
    wait_until_loaded(stack.settings, bench.clock, WAIT_SECONDS)
    bench.say("comparing what was sent with what is stored")
    verdict = judge(exports.outcomes.sent, stack.settings, bench.clock, {calibration.tenant_id})
    return FreshnessReport(
        rate=rate,
        maximum_rate=maximum,
        record_bytes=LARGE.size,
        acknowledged=exports.outcomes.acknowledged,
        uncertain=exports.outcomes.refused + exports.outcomes.uncertain,
        p50_seconds=percentile(delays, 0.5),
        p99_seconds=percentile(delays, 0.99),
        longest_seconds=max(delays),
        behind_seconds=exports.outcomes.behind,
        resolution_seconds=watch.resolution,
        **dict(verdict),
    )
