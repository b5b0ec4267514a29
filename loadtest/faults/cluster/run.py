"""Runs the study: clients send and search while servers and loaders of several replicas fail one after the other."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

from loadtest.bench import Bench
from loadtest.comparison import count
from loadtest.faults.cluster.plan import Failure, Step
from loadtest.faults.cluster.report import ClusterFindings
from loadtest.faults.cluster.searching import Search, Searching
from loadtest.faults.cluster.times import Period, catching_up, during, times_of, undisturbed
from loadtest.faults.cluster.wipe import fill_again, wipe
from loadtest.faults.inflict import RECOVERY_SECONDS
from loadtest.faults.run import TENANTS
from loadtest.faults.study import FaultReport
from loadtest.own_stack import OwnStack
from loadtest.report.correctness import Correctness
from loadtest.topic import ends_of_topic, wait_until_loaded
from loadtest.traffic.load import SETTLE_SECONDS, Load
from loadtest.traffic.otlp_http import HttpConnection
from loadtest.verdict import judge

CALM_SECONDS: Final = 5.0
"""Seconds between the recovery from a failure and the next failure."""
HANG_SECONDS: Final = 30.0
"""Seconds that a server hangs. Searches are counted for twice as long before the first failure."""
CLIENTS_PER_TENANT: Final = 3
_COMPARE_SECONDS: Final = 120.0
_REASONS: Final = 5
"""Largest number of different reasons of failed searches that are shown."""


class ClusterRun:
    """One run of planned failures on one stack."""

    def __init__(self, bench: Bench, stack: OwnStack, steps: tuple[Step, ...], rates: tuple[float, float]) -> None:
        """`rates` are records and searches per second."""
        self._say = bench.say
        self._bench = bench
        self._clock = bench.clock
        self._stack = stack
        self._steps = steps
        self._records, self._searches = rates
        self._replicas = [stack.settings.of_replica(each) for each in range(stack.settings.topology.replicas)]

    def run(self) -> FaultReport:
        """Runs the study and returns its report.

        Raises Unavailable if the stack does not recover from a failure, Internal if a command fails.
        """
        senders = [self._stack.create_sender(f"faults-{number}") for number in range(TENANTS)]
        connects = [lambda sender: HttpConnection(self._stack.otlp_http, sender.ingest_key)] * CLIENTS_PER_TENANT
        with (
            Load(self._bench, self._stack, senders, connects, self._records) as load,
            Searching(self._stack, [each.tenant for each in senders], self._searches, self._clock) as searching,
        ):
            # The first searches are not counted, because connections and caches are new.
            time.sleep(HANG_SECONDS)
            counted_from = self._clock.monotonic()
            self._say(f"searching for {2 * HANG_SECONDS:g} s before the first failure")
            time.sleep(2 * HANG_SECONDS)
            periods = self._fail_all(load, searching)
            sent = load.finish()
        self._wait_until_loaded()
        every = [each for each in searching.done if each.due >= counted_from]
        return FaultReport(
            kills=dict(Counter(step.service for step in self._steps if step.failure.is_kill)),
            pauses=sum(step.failure is Failure.node_hangs for step in self._steps),
            nodes=self._stack.settings.shards,
            acknowledged=sum(count(each.acknowledged) for each in sent.values()),
            cluster=self._findings(periods, every),
            **dict(Correctness.total([judge(sent, replica, self._clock) for replica in self._replicas])),
        )

    def _fail_all(self, load: Load, searching: Searching) -> list[Period]:
        periods: list[Period] = []
        for number, step in enumerate(self._steps, start=1):
            self._say(f"[{number}/{len(self._steps)}] {step.failure}: {step.service}")
            moment = self._clock.monotonic()
            self._fail(step)
            ready = self._clock.monotonic()
            self._wait_until_loaded()
            periods.append(Period(step.failure, moment, ready, self._clock.monotonic()))
            if due := during(periods[-1:], searching.done):
                seen = times_of("", 1, due, searching.done)
                self._say(
                    f"  ready after {ready - moment:.1f} s; {seen.failed} of {seen.searches} searches failed, the"
                    f" slowest took {seen.slowest:.2f} s"
                )
            load.check()
            searching.check()
            time.sleep(CALM_SECONDS)
        return periods

    def _fail(self, step: Step) -> None:
        """Lets a service fail. Returns when it is ready again."""
        services = self._stack.services
        if step.failure is Failure.node_hangs:
            with services.stopped(step.service):
                time.sleep(HANG_SECONDS)
        else:
            pid = services.pid(step.service)
            if step.failure is Failure.node_wiped:
                wipe(self._stack, step.place)
            else:
                services.kill(step.service)
            services.wait_for_next_process(step.service, pid, self._clock, RECOVERY_SECONDS)
        if step.failure is Failure.node_wiped:
            # The loaders of a server without tables are not ready.
            services.wait_until_ready(self._clock, RECOVERY_SECONDS, [step.service])
            fill_again(self._stack, step.place, self._clock)
        services.wait_until_ready(self._clock, RECOVERY_SECONDS)

    def _wait_until_loaded(self) -> None:
        """Waits until every replica has the messages that are in Kafka now."""
        ends = ends_of_topic(self._stack.settings)
        for replica in self._replicas:
            wait_until_loaded(replica, self._clock, SETTLE_SECONDS, ends)

    def _findings(self, periods: Sequence[Period], every: Sequence[Search]) -> ClusterFindings:
        """Returns what searches noticed, and how many shards' replicas differ. Says why searches failed."""
        compared = json.loads(self._stack.run("doctor", "--compare", "--json", seconds=_COMPARE_SECONDS, codes=(0, 1)))
        differing = [f"{each['about']}: {each['seen']}" for each in compared if each["level"] != "ok"]
        for reason, times in Counter(each.failure for each in every if each.failure).most_common(_REASONS):
            self._say(f"  {times} searches failed: {reason}")
        for shard in differing:
            self._say(f"  {shard}")
        by_kind = {kind: [each for each in periods if each.failure is kind] for kind in Failure}
        nodes = [each for each in periods if each.failure is not Failure.loader_killed]
        due = [(str(kind), len(own), during(own, every)) for kind, own in by_kind.items()]
        due.append(("ready again, replicas catch up", len(periods), catching_up(periods, every)))
        return ClusterFindings(
            replicas=len(self._replicas),
            records_per_second=self._records,
            searches_per_second=self._searches,
            before=times_of("before failures and between them", 0, undisturbed(periods, every), every),
            during=tuple(times_of(when, failures, own, every) for when, failures, own in due if own),
            unreachable=times_of("while any server was unreachable", len(nodes), during(nodes, every), every),
            unequal=len(differing),
        )
