"""Runs the study: evaluates rules in quiet minutes and while their worker is killed, then compares the notices."""

import time
from typing import Final

from kit.errors import Unavailable
from loadtest.alerts.notices import ADDRESS, NoticeReceiver, compare
from loadtest.alerts.plan import Plan
from loadtest.alerts.rules import INTERVAL_SECONDS, Triggers, create_rules
from loadtest.alerts.study import AlertsReport, Lags
from loadtest.alerts.watch import Evaluation, EvaluationWatch
from loadtest.bench import Bench
from loadtest.faults.load import Load
from loadtest.otlp_http import HttpConnection
from loadtest.own_stack import OwnStack
from loadtest.services import CLICKHOUSE
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
"""Longest wait for the last evaluations and notices. A rule of a killed worker stays claimed for 90 s."""
_CHECK_SECONDS: Final = 1.0


class AlertsRun:
    """One run of a plan on one stack."""

    def __init__(self, bench: Bench, stack: OwnStack, plan: Plan) -> None:
        self._bench = bench
        self._clock = bench.clock
        self._stack = stack
        self._plan = plan

    def run(self, minutes: float, records_per_second: float) -> AlertsReport:
        """Runs the plan. Raises Unavailable if the worker does not recover, or rules are not evaluated in the end."""
        senders = [self._stack.create_sender(f"alerts-{number}") for number in range(TENANTS)]
        of_rules = {name: senders[number % TENANTS] for number, name in enumerate(self._plan.rules)}

        with (
            NoticeReceiver() as receiver,
            Load(
                self._bench,
                self._stack,
                senders,
                [lambda sender: HttpConnection(self._stack.otlp_http, sender.ingest_key)],
                records_per_second,
            ),
            EvaluationWatch(self._stack.settings, [each.tenant_id for each in senders], self._clock) as watch,
        ):
            self._bench.say(f"creating {len(self._plan.rules)} rules")
            for sender in senders:
                names = [name for name, owner in of_rules.items() if owner is sender]
                create_rules(self._stack, sender.tenant, names, receiver.url)
            with Triggers(self._plan.triggers, of_rules, self._stack.otlp_http, self._clock) as triggers:
                cpu = self._quiet(watch, minutes)
                before = len(watch.evaluations)
                claimed = self._kill_all(watch)
                triggers.finish(_SETTLE_SECONDS)
            self._settle(watch)
            evaluations = list(watch.evaluations)
        return AlertsReport(
            rules=len(self._plan.rules),
            kills=len(self._plan.kills),
            interrupted=sum(number > 0 for number in claimed),
            quiet=_lags(evaluations[:before]),
            killed=_lags(evaluations[before:]),
            arrivals=compare({trigger.firing for trigger in self._plan.triggers}, receiver.received),
            resolution_seconds=watch.resolution_seconds,
            cpu_seconds=cpu,
        )

    def _quiet(self, watch: EvaluationWatch, minutes: float) -> dict[str, float]:
        """Waits until each rule was evaluated `minutes` times on average.

        Returns the CPU seconds of each process meanwhile.
        """
        self._bench.say(f"evaluating without kills for {minutes:g} min")
        wanted, since = round(minutes * len(self._plan.rules)), self._stack.services.cpu((WORKER, CLICKHOUSE))
        seconds = (minutes + 1) * INTERVAL_SECONDS + _READY_SECONDS
        wait_until(lambda: len(watch.evaluations) >= wanted, self._clock, seconds, "rules were not evaluated")
        return self._stack.services.cpu((WORKER, CLICKHOUSE)).since(since)

    def _kill_all(self, watch: EvaluationWatch) -> list[int]:
        """Kills the worker as planned. Returns for each kill how many rules and notices that worker had claimed."""
        claimed, since_ns, killed = list[int](), 0, 0
        for number, after in enumerate(self._plan.kills, start=1):
            self._wait_for_worker_after(killed)
            idle_until = self._clock.monotonic() + _IDLE_SECONDS
            while not watch.snapshot().claimed_since(since_ns) and self._clock.monotonic() < idle_until:
                pass
            time.sleep(after)
            killed = self._stack.services.pid(WORKER)
            if not self._stack.services.kill(WORKER):
                raise Unavailable("the worker ended by itself; its log has the reason")
            found = watch.snapshot()
            # Claims of workers that were killed before are older.
            claimed.append(found.claimed_since(since_ns))
            since_ns = found.started_ns
            self._bench.say(f"kill {number} of {len(self._plan.kills)}: {claimed[-1]} rules and notices were claimed")
        return claimed

    def _wait_for_worker_after(self, killed: int) -> None:
        """Waits until the supervisor has started a worker with another pid than `killed`."""
        self._stack.services.wait_for_next_process(WORKER, killed, self._clock, _READY_SECONDS)

    def _settle(self, watch: EvaluationWatch) -> None:
        """Waits until each rule was evaluated with all triggers, and no notice waits to be sent."""
        self._bench.say("waiting for the last evaluations and notices")
        since_ns = self._clock.now_ns() + round(_DELAY_SECONDS * 1e9)

        def is_settled() -> bool:
            found = watch.snapshot()
            return found.waiting == 0 and all((each.evaluated_at_ns or 0) >= since_ns for each in found.rules.values())

        failure = "rules were not evaluated, or notices not sent"
        wait_until(is_settled, self._clock, _SETTLE_SECONDS, failure, _CHECK_SECONDS)


def _lags(evaluations: list[Evaluation]) -> Lags:
    return Lags.of((each.lag_seconds for each in evaluations), sum(each.failed for each in evaluations))
