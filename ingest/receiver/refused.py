"""Counts refusals and reports them through Kafka. The loader puts them into the usage table."""

from collections import defaultdict
from typing import Protocol

import structlog

from ingest.receiver.gate import OverLimit
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.repeating import RepeatingTask
from schema.control.directory import Tenant
from schema.envelope import Envelope
from schema.refusals import Refusal

log = structlog.get_logger()

MINUTE_NS = 60 * 10**9
REPORT_SECONDS = 10.0
"""Seconds between two reports. A killed receiver loses the counts since its last report."""

MAX_KEPT = 50_000
"""Largest number of counts kept while Kafka is unreachable: one per tenant, minute and reason."""


class Sender(Protocol):
    """The part of ingest.receiver.producer.TopicProducer that RefusalCounter uses."""

    async def send(self, envelope: Envelope, value: bytes) -> None: ...


class RefusalCounter:
    """Counts the refusals of this process. Used from one event loop."""

    def __init__(self, sender: Sender, clock: Clock) -> None:
        self._sender = sender
        self._clock = clock
        self._counts: dict[tuple[int, int, str], Refusal] = {}
        self._requests = metrics.counter(metrics.RECEIVER_REFUSED)
        self._tenants: dict[int, Tenant] = {}
        self._reporting = RepeatingTask("refused", REPORT_SECONDS, self.report)

    def start(self) -> None:
        self._reporting.start()

    async def stop(self) -> None:
        """Reports the remaining counts, if Kafka accepts them."""
        await self._reporting.stop()

    def count(self, tenant: Tenant, reason: str, *, requests: int = 0, records: int = 0, size: int = 0) -> None:
        """Counts a refusal in the current minute. `reason` is an identifier of a small fixed set, never a sender's
        text."""
        self._tenants[tenant.id] = tenant
        if requests:
            self._requests.add(requests, {"reason": reason})
        minute = self._clock.now_ns() // MINUTE_NS
        self._add(tenant.id, Refusal(minute, reason, requests, records, size))

    async def report(self) -> None:
        """Sends all counts, one message per tenant. Counts that Kafka does not accept are kept for the next report."""
        counts, self._counts = self._counts, {}
        by_tenant: defaultdict[int, list[Refusal]] = defaultdict(list)
        for (tenant_id, _, _), refusal in counts.items():
            by_tenant[tenant_id].append(refusal)
        for tenant_id, refusals in by_tenant.items():
            tenant = self._tenants[tenant_id]
            now = self._clock.now_ns()
            envelope = Envelope(
                tenant.id, tenant.lane, tenant.cohort, tenant.body_max_bytes, now, refusals=tuple(refusals)
            )
            try:
                await self._sender.send(envelope, b"")
            except LogsieveError as error:
                log.warning("counts of refused requests are not in Kafka yet; they are sent later", reason=error.detail)
                for refusal in refusals:
                    self._add(tenant_id, refusal)

    def _add(self, tenant_id: int, more: Refusal) -> None:
        key = (tenant_id, more.minute, more.reason)
        before = self._counts.get(key)
        if before is not None:
            more = Refusal(
                more.minute,
                more.reason,
                before.requests + more.requests,
                before.records + more.records,
                before.size + more.size,
            )
        elif len(self._counts) >= MAX_KEPT:
            log.warning("a refused request is not counted, because too many counts wait for Kafka", kept=MAX_KEPT)
            return
        self._counts[key] = more


def reason_of(error: LogsieveError) -> str:
    """Returns the reason of a refused request: the name of the exceeded limit, or the error's code."""
    return error.limit.value if isinstance(error, OverLimit) else error.code
