"""What happens to a request, whichever way it came: who sent it, what of it is kept, and that Kafka has it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from ingest.receiver.admit import Admission, Window, admit
from ingest.receiver.compression import decompress
from ingest.receiver.decode import Encoding, decode
from ingest.receiver.memory import Share
from kit import metrics
from kit.clock import Clock
from kit.errors import Forbidden, Unauthenticated
from kit.settings import Settings
from schema.control.directory import Grant, Tenant
from schema.control.models import Purpose
from schema.envelope import Envelope

THREAD_FROM_BYTES = 64 * 1024
"""Bodies from this size on are decoded in a thread, so that they do not hold up everyone else's requests."""

DECODING_THREADS = 2


class Grants(Protocol):
    """The part of schema.control.directory.Directory that is needed here."""

    def grant(self, key: str) -> Grant: ...


class Sender(Protocol):
    """The part of ingest.receiver.producer.TopicProducer that is needed here."""

    async def send(self, envelope: Envelope, value: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Export:
    """A request as it came over the wire. `compression` is its Content-Encoding."""

    body: bytes
    encoding: Encoding
    compression: str


@dataclass(frozen=True, slots=True)
class _Decoded:
    """What of a request goes to Kafka; `size` is its bytes before the compression."""

    value: bytes
    admission: Admission
    size: int


class Intake:
    """Shared by both transports; to be used from one event loop."""

    def __init__(self, settings: Settings, grants: Grants, sender: Sender, clock: Clock) -> None:
        self._settings = settings
        self._grants = grants
        self._sender = sender
        self._clock = clock
        self._threads = ThreadPoolExecutor(DECODING_THREADS, thread_name_prefix="decode")
        self._records = metrics.counter(metrics.RECEIVER_RECORDS)
        self._bytes = metrics.counter(metrics.RECEIVER_BYTES)

    def authorize(self, authorization: str | None) -> Tenant:
        """The tenant an Authorization header speaks for.

        Raises Unauthenticated, Forbidden for a key that is not for ingest, Unavailable while keys cannot be read.
        """
        scheme, _, key = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise Unauthenticated("an ingest key is needed, as: Authorization: Bearer <key>")
        grant = self._grants.grant(key.strip())
        if grant.purpose is not Purpose.ingest:
            raise Forbidden(f"the key is for {grant.purpose}, not for ingest")
        return grant.tenant

    async def take(self, tenant: Tenant, export: Export, share: Share) -> ExportLogsServiceResponse:
        """Returns when Kafka has all records that can be kept; the answer counts the others.

        Raises InvalidRequest, TooLarge, UnsupportedMediaType, Unavailable. Nothing is kept then.
        """
        now = self._clock.now_ns()
        window = Window.at(now, tenant.retention_days, self._settings.future_tolerance_seconds)
        decoded = await self._decode(export, window)
        share.grow(len(decoded.value))
        admission = decoded.admission
        if admission.kept:
            envelope = Envelope(tenant.id, tenant.lane, tenant.cohort, tenant.body_max_bytes, now)
            await self._sender.send(envelope, decoded.value)
        self._records.add(admission.kept, {"outcome": "accepted"})
        self._bytes.add(decoded.size)
        response = ExportLogsServiceResponse()
        if admission.refused:
            self._records.add(admission.refused, {"outcome": "refused"})
            response.partial_success.rejected_log_records = admission.refused
            response.partial_success.error_message = f"refused: {admission.reason}"
        return response

    def close(self) -> None:
        self._threads.shutdown()

    async def _decode(self, export: Export, window: Window) -> _Decoded:
        if len(export.body) < THREAD_FROM_BYTES and not export.compression:
            return self._decode_now(export, window)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._decode_now, export, window)

    def _decode_now(self, export: Export, window: Window) -> _Decoded:
        body = decompress(export.body, export.compression, self._settings.request_max_bytes)
        request = decode(body, export.encoding, self._settings.request_max_records)
        admission = admit(request, window)
        as_it_came = export.encoding is Encoding.protobuf and not admission.refused
        return _Decoded(body if as_it_came else request.SerializeToString(), admission, len(body))
