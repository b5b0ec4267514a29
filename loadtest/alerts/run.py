"""Runs the study: evaluates rules in quiet minutes and while their worker is killed, then compares the notices."""

import time
from dataclasses import dataclass
from functools import partial
from typing import Final

from kit.errors import Unavailable
from loadtest.alerts.notices import ADDRESS, compare, receiving
from loadtest.alerts.plan import Plan
from loadtest.alerts.rules import INTERVAL_SECONDS, create_rules, send_triggers
from loadtest.alerts.study import AlertsReport, Lags
from loadtest.alerts.watch import Evaluation, EvaluationWatch
from loadtest.background import Running
from loadtest.bench import Bench
from loadtest.own_stack import OwnStack
from loadtest.percentile import percentile
from loadtest.services import CLICKHOUSE
from loadtest.traffic.load import Load
from loadtest.traffic.otlp_http import HttpConnection
from loadtest.waiting import wait_until

WORKER: Final = "alerts"
SETTINGS: Final = {"LOGSIEVE_ALERTS_WEBHOOK_NETWORKS": f"{ADDRESS}/32"}
"""Settings of the stack: webhooks may reach the receiver."""
TENANTS: Final = 4
_DELAY_SECONDS: Final = 20.0
"""Seconds after which an evaluation counts a record: 10 s for late records, and the time until it is searchable."""
_IDLE_SECONDS: Final = 10.0
"""Seconds after which a worker is killed that has claimed nothing."""
_READY_SECONDS: Final = 120.0
_SETTLE_SECONDS: Final = 400.0
"""Longest wait for the last evaluations and notices, in seconds. A rule of a killed worker stays claimed for 20 s."""
_CHECK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class AlertsRun:
    """One run of a plan on one stack."""

    bench: Bench
    stack: OwnStack
    plan: Plan

    def run(self, minutes: float, records_per_second: float) -> AlertsReport:
        """Runs the plan. Raises Unavailable if the worker does not recover, or rules are not evaluated in the end."""
        senders = [self.stack.create_sender(f"alerts-{number}") for number in range(TENANTS)]
        of_rules = {name: senders[number % TENANTS] for number, name in enumerate(self.plan.rules)}

        with (
            receiving() as (url, received),
            Load(
                self.bench,
                self.stack,
                senders,
                [lambda sender: HttpConnection(self.stack.otlp_http, sender.ingest_key)],
                records_per_second,
            ),
            EvaluationWatch(self.stack.settings, [each.tenant_id for each in senders], self.bench.clock) as watch,
        ):
            self.bench.say(f"creating {len(self.plan.rules)} rules")
            for number, sender in enumerate(senders):
                create_rules(self.stack, sender.tenant, self.plan.rules[number::TENANTS], url)
            send = partial(send_triggers, self.plan.triggers, of_rules, self.stack.otlp_http, self.bench.clock)
            with Running("triggers", send) as triggers:
                cpu = self._quiet(watch, minutes)
                before = len(watch.evaluations)
                claimed = self._kill_all(watch)
                if not triggers.join(_SETTLE_SECONDS):
                    raise Unavailable(f"some triggers were not acknowledged within {_SETTLE_SECONDS:g} s")
            self._settle(watch)
            evaluations = list(watch.evaluations)
        return AlertsReport(
            rules=len(self.plan.rules),
            kills=len(self.plan.kills),
            interrupted=sum(number > 0 for number in claimed),
            quiet=_lags(evaluations[:before]),
            killed=_lags(evaluations[before:]),
            arrivals=compare({firing for _, firing in self.plan.triggers}, received),
            resolution_seconds=watch.resolution_seconds,
            cpu_seconds=cpu,
        )

    def _quiet(self, watch: EvaluationWatch, minutes: float) -> dict[str, float]:
        """Waits until each rule was evaluated `minutes` times on average.

        Returns the CPU seconds of each process meanwhile.
        """
        self.bench.say(f"evaluating without kills for {minutes:g} min")
        wanted, since = round(minutes * len(self.plan.rules)), self.stack.services.cpu((WORKER, CLICKHOUSE))
        seconds = (minutes + 1) * INTERVAL_SECONDS + _READY_SECONDS
        wait_until(lambda: len(watch.evaluations) >= wanted, self.bench.clock, seconds, "rules were not evaluated")
        return self.stack.services.cpu((WORKER, CLICKHOUSE)).since(since)

    def _kill_all(self, watch: EvaluationWatch) -> list[int]:
        """Kills the worker as planned. Returns for each kill how many rules and notices that worker had claimed."""
        claimed, since_ns, killed = list[int](), 0, 0
        for number, after in enumerate(self.plan.kills, start=1):
            self.stack.services.wait_for_next_process(WORKER, killed, self.bench.clock, _READY_SECONDS)
            idle_until = self.bench.clock.monotonic() + _IDLE_SECONDS
            while not watch.snapshot().claimed_since(since_ns) and self.bench.clock.monotonic() < idle_until:
                pass
            time.sleep(after)
            killed = self.stack.services.pid(WORKER)
            if not self.stack.services.kill(WORKER):
                raise Unavailable("the worker ended by itself; its log has the reason")
            found = watch.snapshot()
            # Claims of workers that were killed before are older.
            claimed.append(found.claimed_since(since_ns))
            since_ns = found.started_ns
            self.bench.say(f"kill {number} of {len(self.plan.kills)}: {claimed[-1]} rules and notices were claimed")
        return claimed

    def _settle(self, watch: EvaluationWatch) -> None:
        """Waits until each rule was evaluated with all triggers, and no notice waits to be sent."""
        self.bench.say("waiting for the last evaluations and notices")
        since_ns = self.bench.clock.now_ns() + round(_DELAY_SECONDS * 1e9)

        def is_settled() -> bool:
            found = watch.snapshot()
            return found.waiting == 0 and all((each.evaluated_at_ns or 0) >= since_ns for each in found.rules.values())

        failure = "rules were not evaluated, or notices not sent"
        wait_until(is_settled, self.bench.clock, _SETTLE_SECONDS, failure, _CHECK_SECONDS)


def _lags(evaluations: list[Evaluation]) -> Lags:
    seconds = [each.lag_seconds for each in evaluations]
    return Lags(
        evaluations=len(evaluations),
        failed=sum(each.failed for each in evaluations),
        p50=percentile(seconds, 0.5),
        p99=percentile(seconds, 0.99),
        longest=max(seconds),
    )
