"""The whole measurement on one stack: sends what is there from the beginning, then reads all pages both ways."""

from typing import Final

from kit.clock import Clock
from loadtest.log_store import wait_for_tenant
from loadtest.own_stack import OwnStack, Say
from loadtest.paging.arrivals import Arrivals
from loadtest.paging.measure import PagingMeasurement
from loadtest.paging.report import PagingReport

PAGE_ROWS: Final = 100
_BACK_NS: Final = 3600 * 10**9
_LENGTH_NS: Final = 1800 * 10**9


class PagingRun:
    """On one stack, with one tenant."""

    def __init__(self, stack: OwnStack, seed: int, clock: Clock, say: Say) -> None:
        self._stack = stack
        self._seed = seed
        self._clock = clock
        self._say = say

    def run(self, records: int, rate: int) -> PagingReport:
        """`rate` records a second arrive meanwhile. Raises Unavailable when a request is not acknowledged or loaded."""
        stack, say = self._stack, self._say
        start_ns = self._clock.now_ns() - _BACK_NS
        sender = stack.create_sender("paging")
        arrivals = Arrivals(stack.otlp_http, sender.ingest_key, start_ns, _LENGTH_NS, self._seed)
        with stack.query_api(sender.tenant) as api:
            say(f"sending {records} records")
            arrivals.send(records)
            wait_for_tenant(stack.settings, sender.lane, sender.tenant_id, records)
            measurement = PagingMeasurement(api, arrivals, (start_ns, start_ns + _LENGTH_NS), PAGE_ROWS, say)
            known = measurement.stored()
            passes = tuple(measurement.measure(order, known, rate, records // PAGE_ROWS) for order in ("desc", "asc"))
        return PagingReport(records, len(known), arrivals.sent - records, passes)
