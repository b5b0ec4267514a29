"""Sends at a fixed rate for hours while searches and tails run, and compares sent with stored records at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf
from typing import Final

import psutil

from kit.clickhouse import connect_shards
from kit.errors import Unavailable
from loadtest.background import Running
from loadtest.bench import Bench
from loadtest.corpus.records import LARGE
from loadtest.freshness.measure import TENANTS
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import finite_percentile, percentile
from loadtest.report.correctness import Correctness
from loadtest.services import API
from loadtest.soak.beside import ERRORS, Searched, Tails, keep_searching
from loadtest.soak.memory import sample_memory
from loadtest.soak.study import Memory, SoakReport, Window
from loadtest.topic import keep_at_most, wait_until_loaded
from loadtest.traffic.open_loop import Call, on_schedule
from loadtest.traffic.prepared import Pace, PreparedRequests, calls
from loadtest.traffic.scheduled_exports import CONNECTIONS, Outcomes, ScheduledExports
from loadtest.traffic.searchable_watch import SearchableWatch
from loadtest.verdict import judge
from loadtest.waiting import WAIT_SECONDS, wait_until
from schema.severity import Severity

WINDOWS: Final = 24
"""Parts of a run. Sent and stored records are compared for one after the other, so that the ledger of each is small."""
TOPIC_BYTES: Final = 2**30
"""Bytes that the topic keeps of each partition, so that the disk has room for the records that ClickHouse stores."""
_TAILED_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Outcomes of the requests of one window, whose records have times from `start_ns` to `end_ns`, exclusive."""

    start_ns: int
    end_ns: int
    outcomes: Outcomes


class SoakRun:
    """One run on one stack."""

    def __init__(self, bench: Bench, stack: OwnStack) -> None:
        self._bench = bench
        self._stack = stack
        self._clock = bench.clock
        self._ledgers: list[Ledger] = []

    def run(self, rate: float, minutes: float, *, bound_topic: bool = True) -> SoakReport:
        """Sends `rate` records per second for `minutes`.

        With `bound_topic`, Kafka keeps at most TOPIC_BYTES of each partition. Raises Unavailable if no record is
        acknowledged, or if records are not loaded at the end.
        """
        stack, bench = self._stack, self._bench
        senders = [stack.create_sender(f"soak-{number}") for number in range(TENANTS)]
        with ExitStack() as opened:
            tails = opened.enter_context(Tails(stack, senders))
            apis = [opened.enter_context(stack.query_api(each.tenant)) for each in senders]
            searched, skipped = list[Searched](), list[float]()
            search = partial(keep_searching, apis, self._clock, searched, skipped)
            searches = opened.enter_context(Running("searches", search))
            all_open = partial(tails.has_set, tails.opened)
            wait_until(all_open, self._clock, WAIT_SECONDS, "not all tails were open")
            if bound_topic:
                keep_at_most(stack.settings, TOPIC_BYTES)
            bench.say("preparing requests")
            requests = PreparedRequests(LARGE, bench.seed, Pace.of(rate, minutes * 60, TENANTS))
            bench.say(f"sending {rate:.0f} records a second for {minutes:g} minutes")
            pids = {name: stack.services.pid(name) for name in (*stack.services.pipeline(), API)}
            shards = opened.enter_context(connect_shards(stack.settings))
            watch = opened.enter_context(SearchableWatch(shards, self._clock))
            mib: dict[str, list[float]] = {name: [] for name in pids}
            sample = partial(sample_memory, pids, minutes * 60, self._clock, mib)
            memory = opened.enter_context(Running("memory", sample))
            exports = opened.enter_context(ScheduledExports(stack.otlp_http, self._clock, watch.acknowledged))
            started = self._clock.monotonic()
            psutil.cpu_percent()  # the next call measures from now on
            on_schedule(self._in_windows(senders, requests, exports), self._clock, CONNECTIONS)
            busy_share = psutil.cpu_percent() / 100
            memory.join(_TAILED_SECONDS)
            watch.finish(WAIT_SECONDS)
            searches.__exit__()
            wait_until_loaded(stack.settings, self._clock, WAIT_SECONDS)
            bench.say("comparing what was sent with what is stored")
            expected = self._matching(senders)
            self._wait_for_tails(tails, expected)
        outcomes = [ledger.outcomes for ledger in self._ledgers]
        if not watch.delays:
            raise Unavailable("no record was acknowledged")
        done = [each for each in searched if each.due >= started]
        return SoakReport(
            minutes=minutes,
            rate=rate,
            busy_share=busy_share,
            acknowledged=sum(each.acknowledged for each in outcomes),
            uncertain=sum(each.refused + each.uncertain for each in outcomes),
            # All requests have as many records, so a percentile over requests is one over records.
            fresh_p99=percentile([delay for _, delay in watch.delays], 0.99),
            behind_seconds=max(each.behind for each in outcomes),
            searches=len(done),
            skipped_searches=sum(due >= started for due in skipped),
            failed_searches=sum(each.seconds == inf for each in done),
            tails=len(tails.clients),
            tailed=sum(len(numbers) for numbers in expected.values()),
            tailed_wrong=sum(
                _wrong(client.numbers, expected[client.tenant_id] if client.query == ERRORS else Counter())
                for client in tails.clients
            ),
            tail_events=dict(sum((client.other_events for client in tails.clients), Counter())),
            windows=_windows(started, minutes * 60, watch, done),
            memory=tuple(Memory(service=name, mib=tuple(points)) for name, points in mib.items()),
            **dict(self._compare()),
        )

    def _in_windows(
        self, senders: Sequence[Sender], requests: PreparedRequests, exports: ScheduledExports
    ) -> Iterator[tuple[float, Call]]:
        """Yields all calls of the run, and begins a ledger at the start of each window."""
        pace = requests.pace
        length = -(-pace.requests // WINDOWS)
        scheduled = calls(senders, requests, exports, self._clock)
        for first in range(0, pace.requests, length):
            outcomes, start_ns = exports.begin_ledger(), self._clock.now_ns()
            end = min(first + length, pace.requests)
            yield from islice(scheduled, end - first)
            self._ledgers.append(Ledger(start_ns, self._clock.now_ns(), outcomes))
            self._bench.say(f"sent for {end * pace.interval / 60:.0f} minutes")

    def _matching(self, senders: Sequence[Sender]) -> dict[int, Counter[int]]:
        """Returns for each tenant how often each record is stored that matches ERRORS."""
        with connect_shards(self._stack.settings) as shards:
            store = LogStore(shards, self._stack.settings, self._clock)
            found = store.numbers(frozenset(), least_severity=Severity.error)
        return {each.tenant_id: found.get(each.tenant_id, Counter()) for each in senders}

    def _wait_for_tails(self, tails: Tails, expected: dict[int, Counter[int]]) -> None:
        """Waits at most `_TAILED_SECONDS` until the tails have as many records as they should get."""
        following = [client for client in tails.clients if client.query == ERRORS]
        with suppress(Unavailable):
            wait_until(
                lambda: all(len(client.numbers) >= len(expected[client.tenant_id]) for client in following),
                self._clock,
                _TAILED_SECONDS,
                "not every record reached its tail",
            )

    def _compare(self) -> Correctness:
        """Compares each window's ledger with the stored records of its time, and adds up the differences."""
        settings, clock = self._stack.settings, self._clock
        return Correctness.total(
            [judge(each.outcomes.sent, settings, clock, between=(each.start_ns, each.end_ns)) for each in self._ledgers]
        )


def _wrong(numbers: Counter[int], expected: Counter[int]) -> int:
    """Returns how many records a tail missed, and how many it got too often or should not have got."""
    return ((numbers - expected) + (expected - numbers)).total()


def _windows(started: float, seconds: float, watch: SearchableWatch, done: Sequence[Searched]) -> tuple[Window, ...]:
    length = seconds / WINDOWS
    fresh: list[list[float]] = [[] for _ in range(WINDOWS)]
    searched: list[list[float]] = [[] for _ in range(WINDOWS)]
    for answer, delay in watch.delays:
        fresh[min(WINDOWS - 1, int((answer.at - started) / length))].append(delay)
    for each in done:
        searched[min(WINDOWS - 1, int((each.due - started) / length))].append(each.seconds)
    return tuple(
        Window(
            fresh_p50=finite_percentile(delays, 0.5),
            fresh_p99=finite_percentile(delays, 0.99),
            search_p50=finite_percentile(times, 0.5),
            search_p99=finite_percentile(times, 0.99),
        )
        for delays, times in zip(fresh, searched, strict=True)
    )
