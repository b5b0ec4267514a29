"""Counts refusals and reports them through Kafka. The loader puts them into the usage table."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import structlog

from ingest.receiver.gate import OverLimit
from kit import metrics
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.repeating import RepeatingTask
from schema.control.directory import Tenant
from schema.envelope import Envelope
from schema.refusals import Refusal
from schema.usage import MINUTE_NS

log = structlog.get_logger()

REPORT_SECONDS = 10.0
"""Seconds between two reports. A killed receiver loses the counts since its last report."""

STOP_SECONDS: Final = 3.0
"""Longest time for the last reports when the process stops, in seconds. Kafka has another 10 s for messages that are
already sent (ingest.receiver.producer.TopicProducer.close)."""

MAX_KEPT = 50_000
"""Largest number of counts kept while Kafka is unreachable: one per tenant, minute and reason."""


class Sender(Protocol):
    """The part of ingest.receiver.producer.TopicProducer that RefusalCounter uses."""

    async def send(self, envelope: Envelope, value: bytes) -> None: ...


class RefusalCounter:
    """Counts the refusals of this process. Used from one event loop."""

    def __init__(self, sender: Sender, tenant_of: Callable[[int], Tenant | None], clock: Clock) -> None:
        """`tenant_of` returns the tenant with an id as it is now, or None if the tenant was deleted."""
        self._sender = sender
        self._tenant_of = tenant_of
        self._clock = clock
        self._counts: dict[tuple[int, int, str], Refusal] = {}
        self._not_counted = 0  # requests and records since the last report
        self._requests = metrics.counter(metrics.RECEIVER_REFUSED)
        self._reporting = RepeatingTask("refused", REPORT_SECONDS, self.report)

    def start(self) -> None:
        self._reporting.start()

    async def stop(self) -> None:
        """Reports the remaining counts, and waits at most STOP_SECONDS for Kafka.

        A report that still waits has given its messages to Kafka's client, which goes on sending them.
        """
        await self._reporting.cancel()
        await self._reporting.stop(STOP_SECONDS)

    def count(self, tenant: Tenant, reason: str, *, requests: int = 0, records: int = 0, size: int = 0) -> None:
        """Counts a refusal in the current minute. `reason` is an identifier of a small fixed set, never a sender's
        text."""
        if requests:
            self._requests.add(requests, {"reason": reason})
        minute = self._clock.now_ns() // MINUTE_NS
        self._add(tenant.id, Refusal(minute, reason, requests, records, size))

    async def report(self) -> None:
        """Sends all counts, one message per tenant. Counts that Kafka does not accept are kept for the next report.

        Sends all messages at the same time, because each waits 10 s while its partition has no leader. Drops the counts
        of deleted tenants: counts that waited for Kafka could arrive after the erasure of the tenant, and remain.
        """
        counts, self._counts = self._counts, {}
        by_tenant: defaultdict[int, list[Refusal]] = defaultdict(list)
        for (tenant_id, _, _), refusal in counts.items():
            by_tenant[tenant_id].append(refusal)
        known = ((self._tenant_of(tenant_id), refusals) for tenant_id, refusals in by_tenant.items())
        reports = (self._send(tenant, refusals) for tenant, refusals in known if tenant is not None)
        reasons = [reason for reason in await asyncio.gather(*reports) if reason is not None]
        if reasons:
            log.warning(
                "counts of refused requests are not in Kafka yet; they are sent later",
                tenants=len(reasons),
                reason=reasons[0],
            )
        if self._not_counted:
            log.warning(
                "refusals are not counted, because too many counts wait for Kafka",
                refusals=self._not_counted,
                kept=MAX_KEPT,
            )
            self._not_counted = 0

    async def _send(self, tenant: Tenant, refusals: Sequence[Refusal]) -> str | None:
        """Sends the counts of a tenant. If Kafka does not accept them, adds them again and returns the reason."""
        envelope = Envelope(
            tenant.id,
            tenant.lane,
            tenant.cohort,
            tenant.body_max_bytes,
            self._clock.now_ns(),
            refusals=tuple(refusals),
        )
        try:
            await self._sender.send(envelope, b"")
        except LogsieveError as error:
            for refusal in refusals:
                self._add(tenant.id, refusal)
            return error.detail
        return None

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
            self._not_counted += more.requests + more.records
            return
        self._counts[key] = more


def reason_of(error: LogsieveError) -> str:
    """Returns the reason of a refused request: the name of the exceeded limit, or the error's code."""
    return error.limit.value if isinstance(error, OverLimit) else error.code
