"""Handles an export request of either transport: key, limits, memory, body, Kafka and errors, in this order."""

import time
from dataclasses import dataclass
from typing import Protocol

import structlog
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from ingest.receiver.intake import Export, Intake, Receiving
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.refusal_delay import RefusalDelay, Sender
from ingest.receiver.status import Failure
from kit import metrics
from kit.errors import Internal, InvalidRequest, LogsieveError
from kit.fair_budget import Share
from kit.self_logs import TENANT as OWN_TENANT
from kit.self_logs import own_traffic
from kit.server.connections import client_of
from schema.control.directory import Tenant

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Credentials:
    """Value of the Authorization header or metadata, and the client's address."""

    authorization: str | None
    address: str


class SenderDisconnected(Exception):
    """The sender closed the connection before its request was complete. Does not count as a refused request."""


class IncomingRequest(Protocol):
    """A request of which only the head has been read. HTTP and gRPC each implement it."""

    @property
    def announced_bytes(self) -> int:
        """Bytes of the body according to the head; 0 if the head does not say."""

    def credentials(self) -> Credentials:
        """Returns the sender's credentials. Raises Unauthenticated if the transport requires a client certificate and
        the sender has shown none."""

    async def read(self, tenant: Tenant, share: Share) -> Export:
        """Reads the body and adds its bytes to the share. Keeps no reference to the body.

        Raises UnsupportedMediaType, TooLarge, RateLimited if the body takes too long, InvalidRequest,
        SenderDisconnected.
        """

    def refused(self) -> None:
        """Notes that the request is refused. Its answer may be delayed."""


@dataclass(slots=True)
class _KnownSender:
    """The sender of a request, as far as it is known. `sends_own_logs`: it sends Logsieve's own log lines."""

    sender: Sender = ""
    sends_own_logs: bool = False


class Exports:
    """Answers the export requests of one transport. `protocol` is its name in metrics."""

    def __init__(self, intake: Intake, budget: MemoryBudget, protocol: str, delay: RefusalDelay) -> None:
        self._intake = intake
        self._budget = budget
        self._delay = delay
        self._attributes = {"protocol": protocol}
        self._requests = metrics.counter(metrics.RECEIVER_REQUESTS)
        self._seconds = metrics.histogram(metrics.RECEIVER_ACK_SECONDS)

    async def answer(self, incoming: IncomingRequest) -> ExportLogsServiceResponse | Failure:
        """Returns the answer once Kafka has the kept records, or the reason why the whole request is refused. The
        reason may be delayed (ingest.receiver.refusal_delay).

        Raises nothing and returns no traceback, because a traceback's frames would keep the request's body in memory.
        """
        started, known = time.monotonic(), _KnownSender()
        try:
            answer = await self._take(incoming, known)
        except LogsieveError as error:
            failure = Failure.of(error)
        except SenderDisconnected:
            return Failure.of(InvalidRequest("the sender closed the connection before the request was complete"))
        except Exception:
            # A line that is exported would fail to be received again, and cause the next line.
            with own_traffic(known.sends_own_logs):
                log.exception("export failed")
            failure = Failure.of(Internal("the request could not be handled; the receiver's log has the reason"))
        else:
            self._seconds.record(time.monotonic() - started, self._attributes)
            return answer
        # Outside of the except blocks, because the error's frames hold the body.
        incoming.refused()
        await self._delay.wait(failure, known.sender)
        return failure

    def count(self, code: str) -> None:
        """Counts an answered request by its status code in this transport."""
        self._requests.add(1, {**self._attributes, "code": code})

    async def _take(self, incoming: IncomingRequest, known: _KnownSender) -> ExportLogsServiceResponse:
        credentials = incoming.credentials()
        known.sender = client_of(credentials.address)
        tenant = self._intake.authorize(credentials.authorization, credentials.address)
        known.sender, known.sends_own_logs = tenant.id, tenant.name == OWN_TENANT
        with (
            self._intake.receiving(tenant, incoming.announced_bytes) as receiving,
            self._budget.share(tenant.id) as share,
        ):
            return await self._intake.take(tenant, await _read(incoming, tenant, receiving, share), share)


async def _read(incoming: IncomingRequest, tenant: Tenant, receiving: Receiving, share: Share) -> Export:
    export = await incoming.read(tenant, share)
    receiving.size = len(export.body)
    return export
