"""One outage: applications log before, during and after it; in the end every record must be there."""

import signal
import time
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.outage.application import Application
from loadtest.outage.probe import Probe
from loadtest.outage.report import OutageReport
from loadtest.own_stack import OwnStack, Say
from loadtest.sent import Sent
from loadtest.services import CLICKHOUSE, KAFKA
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge

SERVICES: Final = (KAFKA, CLICKHOUSE)
_AROUND_SECONDS: Final = 10.0
_DRAIN_SECONDS: Final = 180.0
_POLL_SECONDS: Final = 0.1


class Outage:
    """Keeps one service down for a while: it is killed again whenever the supervisor has started it."""

    def __init__(self, stack: OwnStack, seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._seed = seed
        self._clock = clock
        self._say = say

    def run(self, service: str, seconds: float, rate: int) -> OutageReport:
        """Raises Unavailable when the stack does not recover."""
        logging_tenant = self._stack.create_sender("outage")
        probing_tenant = self._stack.create_sender("probe")
        application = Application(self._stack.otlp_http, logging_tenant, rate, self._clock)
        probe = Probe(self._stack.otlp_http, probing_tenant, self._seed, self._clock)
        application.start()
        probe.start()
        time.sleep(_AROUND_SECONDS)
        self._say(f"{service} is down for {seconds:g} s")
        self._keep_down(service, seconds)
        back = self._clock.monotonic()
        self._say(f"{service} may come back")
        self._wait_until_ready()
        time.sleep(_AROUND_SECONDS)
        answers = probe.stop()
        logged = application.stop()
        wait_until_loaded(self._stack.settings, self._clock, _DRAIN_SECONDS)
        drained_after = self._clock.monotonic() - back
        sent = {logging_tenant.tenant_id: Sent(acknowledged=[range(logged)])}
        verdict = judge(sent, self._stack.settings, self._clock, besides={probing_tenant.tenant_id})
        return OutageReport(service, seconds, rate, logged, answers, drained_after, verdict)

    def _keep_down(self, service: str, seconds: float) -> None:
        end = self._clock.monotonic() + seconds
        while self._clock.monotonic() < end:
            try:
                with self._stack.services.pinned(service) as process:
                    process.send(signal.SIGKILL)
            except Unavailable:
                pass
            time.sleep(_POLL_SECONDS)

    def _wait_until_ready(self) -> None:
        deadline = self._clock.monotonic() + _DRAIN_SECONDS
        while not self._stack.services.ready():
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"the stack is not ready {_DRAIN_SECONDS:g} s after the outage")
            time.sleep(_POLL_SECONDS)
