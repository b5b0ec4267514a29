"""From acknowledged to searchable at a fixed rate, and that nothing is lost or doubled on the way."""

from dataclasses import dataclass
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.corpus.records import Shape
from loadtest.freshness.open_loop import OpenLoop
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.freshness.watch import FreshnessWatch
from loadtest.ingest.sender import REQUEST_RECORDS, Extent, prepare_requests, send_all
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack, Say
from loadtest.percentile import percentile
from loadtest.sent import count
from loadtest.topic import wait_until_loaded
from loadtest.verdict import Verdict, judge
from schema.clickhouse.tables import table_name

GOAL_SECONDS: Final = 2.0
"""Most seconds at the 99th percentile under half load."""

LATE_SECONDS: Final = 0.5
"""Most seconds that the sender itself may be late; beyond, the rate was another one and the run says nothing."""

TENANTS: Final = 4
CALIBRATION_SECONDS: Final = 10.0
_LOAD_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class FreshnessResult:
    """Delays in seconds from acknowledgement to searchable, over records. `behind` is how late the latest request
    was sent, `resolution` how much too long a delay may be."""

    rate: float
    maximum_rate: float | None
    record_bytes: int
    acknowledged: int
    uncertain: int
    p50: float
    p99: float
    longest: float
    behind: float
    resolution: float
    verdict: Verdict

    @property
    def missed(self) -> tuple[str, ...]:
        """A sentence for everything that fails the run."""
        missed = []
        if self.behind > LATE_SECONDS:
            missed.append(
                f"the sender was {self.behind:.2f} s late, at most {LATE_SECONDS:g} s:"
                f" this run does not show what happens at {self.rate:,.0f} records a second"
            )
        if self.p99 > GOAL_SECONDS:
            missed.append(f"p99 is {self.p99:.2f} s, at most {GOAL_SECONDS:g} s")
        if self.uncertain:
            missed.append(f"{self.uncertain} records were not acknowledged")
        if not self.verdict.difference.nothing:
            missed.append("what is stored is not what was acknowledged")
        return tuple(missed)

    @property
    def passed(self) -> bool:
        return not self.missed


class FreshnessMeasurement:
    """On one stack, with a few tenants."""

    def __init__(self, stack: OwnStack, shape: Shape, seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._shape = shape
        self._seed = seed
        self._clock = clock
        self._say = say
        self._calibration: set[int] = set()

    def calibrate(self) -> float:
        """The most records a second that come in and are searchable, over some ten seconds as fast as it goes."""
        sender = self._stack.create_sender("calibration")
        self._calibration.add(sender.tenant_id)
        table = table_name(sender.lane)
        requests = prepare_requests(self._shape, self._seed, Extent(None, None), self._clock.now_ns())
        with connect_shards(self._stack.settings) as shards:
            store = LogStore(shards, self._stack.settings, self._clock)
            self._say("calibrating")
            # Once unmeasured: a virtual machine's first requests cost many times as much.
            sent = send_all(self._stack.otlp_http, sender.ingest_key, requests, Extent(len(requests), None))
            store.wait_for_count(table, sender.tenant_id, sent * REQUEST_RECORDS, _LOAD_SECONDS)
            began = self._clock.monotonic()
            extent = Extent(None, CALIBRATION_SECONDS)
            more = send_all(self._stack.otlp_http, sender.ingest_key, requests, extent)
            store.wait_for_count(table, sender.tenant_id, (sent + more) * REQUEST_RECORDS, _LOAD_SECONDS)
            rate = more * REQUEST_RECORDS / (self._clock.monotonic() - began)
        self._say(f"at most {rate:.0f} records a second")
        return rate

    def measure(self, rate: float, maximum_rate: float | None, seconds: float) -> FreshnessResult:
        """Raises Unavailable when something acknowledged does not become searchable."""
        senders = [self._stack.create_sender(f"freshness-{number}") for number in range(TENANTS)]
        watch = FreshnessWatch(self._stack.settings, self._clock)
        loop = OpenLoop(senders, self._stack.otlp_http, self._clock, watch.acknowledged)
        pace = Pace.of(rate, seconds, len(senders))
        self._say("preparing requests")
        requests = PreparedRequests(self._shape, self._seed, pace)
        self._say(f"sending {rate:.0f} records a second for {seconds:g} s")
        watch.start()
        try:
            loop.run(pace, requests)
        finally:
            watch.stop(_LOAD_SECONDS)
        wait_until_loaded(self._stack.settings, self._clock, _LOAD_SECONDS)
        self._say("comparing what was sent with what is stored")
        verdict = judge(loop.sent, self._stack.settings, self._clock, self._calibration)
        if not watch.delays:
            raise Unavailable("no record was acknowledged")
        return FreshnessResult(
            rate=rate,
            maximum_rate=maximum_rate,
            record_bytes=self._shape.size,
            acknowledged=sum(count(each.acknowledged) for each in loop.sent.values()),
            uncertain=sum(count(each.uncertain) for each in loop.sent.values()),
            p50=percentile(watch.delays, 0.5),
            p99=percentile(watch.delays, 0.99),
            longest=max(watch.delays),
            behind=loop.latest,
            resolution=watch.resolution,
            verdict=verdict,
        )
