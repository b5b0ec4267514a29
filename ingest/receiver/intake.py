"""Takes in a request of either transport: finds its tenant, decides which records are kept, and sends them to Kafka."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from ingest.policy.prepared import PreparedPolicies, PreparedRedactors
from ingest.receiver.admit import Admission, Admitter, Window
from ingest.receiver.compression import decompress, is_costly, too_large
from ingest.receiver.decode_pool import DecodePool
from ingest.receiver.delivery import Delivery, Quota, Sender
from ingest.receiver.encoding import Encoding
from ingest.receiver.gate import Gate
from ingest.receiver.otlp_json import read_json
from ingest.receiver.prepare import Prepared, prepare
from ingest.receiver.refused import RefusalCounter, reason_of
from kit import metrics, self_logs
from kit.clock import Clock
from kit.errors import Forbidden, InvalidRequest, LogsieveError, TooLarge, Unauthenticated, Unavailable
from kit.fair_budget import Share
from kit.settings import Settings
from schema.attribute_rules import Action
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose
from schema.envelope import Envelope

READ_SECONDS = 10.0
"""Seconds that a request may take to arrive after its key was checked. An exporter's timeout is 10 s. Without this
limit, a sender that vanished would hold its bytes for 30 s over HTTP and for 80 s over gRPC."""

DECODE_SECONDS = 10.0
"""Longest time until a request is decoded, in seconds, with its waits for a thread. An exporter's timeout is 10 s, so
its sender has given up then and sends the request again."""

HELD_COPIES = 2
"""Copies of a request body held at the same time at most: the compressed and the decompressed one. The message for
Kafka then replaces the body."""

THREAD_FROM_BYTES = 64 * 1024
"""Smallest body, in bytes, that is decoded in a thread, so that it does not delay other requests."""

SURVEY_IN_THREAD_FROM_BYTES = 512 * 1024
"""Smallest protobuf body, in bytes, that is surveyed in a thread if the tenant has no rules. Surveying a smaller one
takes less processor time than handing it to a thread: less than a millisecond for the records of an application, and up
to 6 ms for records that consist of names of attributes."""

REDACT_IN_THREAD_FROM_BYTES = 4 * 1024
"""Smallest protobuf body, in bytes, that is prepared in a thread if the tenant has redactions, all of them built in.
docs/decisions/0020-bodies-are-redacted-before-kafka.md has the times of hostile texts."""


class Grants(Protocol):
    """The one method of schema.control.directory.Directory that Intake uses. Lets tests replace it."""

    def grant(self, key: str, address: str | None = None) -> Grant: ...


@dataclass(frozen=True, slots=True)
class Export:
    """A request as sent. `compression` is its Content-Encoding."""

    body: bytes
    encoding: Encoding
    compression: str


@dataclass(slots=True)
class Receiving:
    """A request in progress. Holds its bytes on the wire, as far as they are known."""

    size: int


class Intake:
    """Takes requests for both transports, in one event loop."""

    def __init__(  # noqa: PLR0913, PLR0917 the parts of a receiver meet here
        self,
        settings: Settings,
        grants: Grants,
        sender: Sender,
        gate: Gate,
        quota: Quota,
        refused: RefusalCounter,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._grants = grants
        self._sender = sender
        self._gate = gate
        self._delivery = Delivery(sender, quota)
        self._refused = refused
        self._clock = clock
        self._decode_pool = DecodePool(clock)
        self._admitter = Admitter(settings)
        self._policies = PreparedPolicies()
        self._redactors = PreparedRedactors()
        self._records = metrics.counter(metrics.RECEIVER_RECORDS)
        self._bytes = metrics.counter(metrics.RECEIVER_BYTES)
        self._attributes = metrics.counter(metrics.RECEIVER_ATTRIBUTES)
        self._redacted = metrics.counter(metrics.RECEIVER_REDACTED)
        self._invalid_utf8 = metrics.counter(metrics.RECEIVER_INVALID_UTF8)

    def authorize(self, authorization: str | None, address: str | None = None) -> Tenant:
        """Returns the tenant whose key is in the Authorization header of a request from that address.

        Raises Unauthenticated; RateLimited after too many wrong keys from the address; Forbidden for a key that may not
        send logs; Unavailable while keys cannot be read.
        """
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Unauthenticated("an ingest key is needed; send it as: Authorization: Bearer <key>")
        grant = self._grants.grant(key.strip(), address)
        if grant.purpose is not Purpose.ingest:
            raise Forbidden(
                f"this key is for {grant.purpose}, but sending logs needs an ingest key; create one with "
                f"`logsieve key create {grant.tenant.name} ingest`"
            )
        return grant.tenant

    @contextmanager
    def receiving(self, tenant: Tenant, announced: int) -> Iterator[Receiving]:
        """Yields the context of a tenant's request. Enter it before the body is read.

        Raises OverLimit if the tenant may not send now, Unavailable while its messages cannot reach Kafka. Each error
        that leaves the block is counted as a refused request of the tenant.
        """
        # A sender may announce any number, and the sums of a report must fit into 63 bits.
        request = Receiving(min(announced, self._settings.request_max_bytes + 1))
        with self_logs.own_traffic(tenant.name == self_logs.TENANT):
            try:
                self._gate.check(tenant)
                self._sender.check(tenant.id)
                yield request
            except LogsieveError as error:
                self._refused.count(tenant, reason_of(error), requests=1, size=request.size)
                raise

    async def take(self, tenant: Tenant, export: Export, share: Share) -> ExportLogsServiceResponse:
        """Returns the answer when Kafka has all kept records. The answer counts the refused records.

        The share must already hold the export's body. The caller must keep no reference to the body, so that it can be
        freed. Raises InvalidRequest, TooLarge, UnsupportedMediaType, RateLimited and Unavailable. No record is kept
        then, unless only Kafka's answer was lost.
        """
        now = self._clock.now_ns()
        encoding = export.encoding
        try:
            async with asyncio.timeout(DECODE_SECONDS):
                body = await self._decompress(tenant, export, share)
                del export
                size = len(body)
                self._gate.take_bytes(tenant, size)
                value, replaced = await self._as_protobuf(tenant, body, encoding)
                del body
                prepared = await self._prepare(tenant, value, now)
                del value
        except TimeoutError:
            raise Unavailable("the receiver is decoding other requests; send it again") from None
        self._gate.take_rows(tenant, size, prepared.row_cost)
        self._gate.take_records(tenant, prepared.records)
        admission = prepared.admission
        # Only the difference changes, because bytes that were given back might not be granted again.
        more = len(admission.value) - size
        if more > 0:
            share.grow(more)
        else:
            share.shrink(-more)
        if admission.kept:
            envelope = Envelope(tenant.id, tenant.lane, tenant.cohort, tenant.body_max_bytes, now)
            await self._delivery.send(envelope, admission.value, share)
        replaced += prepared.replaced
        self._bytes.add(size)
        self._count_changes(prepared, replaced)
        self._count_records(tenant, admission)
        return _answer(admission, replaced)

    def close(self) -> None:
        self._decode_pool.close()

    async def _decompress(self, tenant: Tenant, export: Export, share: Share) -> bytes:
        limit = self._settings.request_max_bytes
        if export.compression.strip().lower() in ("", "identity"):
            return export.body
        work = partial(decompress, export.body, export.compression, limit)
        try:
            body = await self._decode_pool.in_thread(tenant.id, work)
        except (TooLarge, InvalidRequest):
            # It is not known how much was decompressed, so the tenant pays for the most that is.
            if is_costly(export.body, export.compression):
                self._gate.charge(tenant, limit)
            raise
        share.grow(len(body))
        share.shrink(len(export.body))
        return body

    async def _as_protobuf(self, tenant: Tenant, body: bytes, encoding: Encoding) -> tuple[bytes, int]:
        """Returns the body as protobuf, and the number of byte sequences that were not UTF-8 and were replaced.

        Raises TooLarge if the body became too large, before it waits for a thread again.
        """
        if encoding is Encoding.protobuf:
            return body, 0
        read = partial(read_json, body)
        value, replaced = (
            await self._decode_pool.in_thread(tenant.id, read) if len(body) >= THREAD_FROM_BYTES else read()
        )
        if len(value) > self._settings.request_max_bytes:  # U+FFFD is longer than a byte
            raise too_large(self._settings.request_max_bytes)
        return value, replaced

    async def _prepare(self, tenant: Tenant, value: bytes, now: int) -> Prepared:
        window = Window.at(now, tenant.retention_days, self._settings.future_tolerance_seconds, tenant.kept_from_day)
        max_records = self._settings.request_max_records
        policy = self._policies.policy(tenant.attribute_rules)
        redactor = self._redactors.redactor(tenant.attribute_rules)
        work = partial(prepare, value, max_records, window, self._admitter, tenant.id, redactor, policy)
        if len(value) >= _in_thread_from(tenant):
            prepared = await self._decode_pool.in_thread(tenant.id, work, may_be_slow=_has_expression(tenant))
        else:
            prepared = work()
        if len(prepared.admission.value) > self._settings.request_max_bytes:  # U+FFFD is longer than a byte
            raise too_large(self._settings.request_max_bytes)
        return prepared

    def _count_changes(self, prepared: Prepared, replaced: int) -> None:
        if prepared.dropped:
            self._attributes.add(prepared.dropped, {"action": Action.drop})
        if prepared.masked:
            self._attributes.add(prepared.masked, {"action": Action.mask})
        if replaced:
            self._invalid_utf8.add(replaced)

    def _count_records(self, tenant: Tenant, admission: Admission) -> None:
        self._records.add(admission.kept, {"outcome": "accepted"})
        if admission.redacted:
            self._redacted.add(admission.redacted)
        if admission.refused:
            self._records.add(admission.records_refused, {"outcome": "refused"})
        for each in admission.refused:
            self._refused.count(tenant, each.reason, records=each.records, size=each.size)


def _in_thread_from(tenant: Tenant) -> int:
    """Returns the smallest protobuf body, in bytes, that is prepared in a thread."""
    rules = tenant.attribute_rules
    redactions = rules.redactions
    if not redactions:
        # Rules need more time, because the name of a nested entry is looked up once for each map around it.
        return THREAD_FROM_BYTES if rules.installation or rules.own else SURVEY_IN_THREAD_FROM_BYTES
    return 0 if _has_expression(tenant) else REDACT_IN_THREAD_FROM_BYTES


def _has_expression(tenant: Tenant) -> bool:
    """Returns whether a redaction of the tenant has an expression that is not built in. It may take seconds for any
    text, which would delay all tenants."""
    return any(each.expression is not None for each in tenant.attribute_rules.redactions)


def _answer(admission: Admission, replaced: int) -> ExportLogsServiceResponse:
    """Returns the answer to the sender. By the OTLP specification, a message without refused records is a warning."""
    parts = [f"refused: {admission.detail}"] if admission.refused else []
    if replaced:
        parts.append(
            f"replaced by U+FFFD: {replaced} byte sequences that are not UTF-8; the records are kept; send texts as "
            "UTF-8 (in a Collector, name the file's `encoding`)"
        )
    response = ExportLogsServiceResponse()
    if parts:
        response.partial_success.rejected_log_records = admission.records_refused
        response.partial_success.error_message = "; ".join(parts)
    return response
