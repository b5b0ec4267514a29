"""OTLP over gRPC: LogsService/Export."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import NoReturn

import grpc
import structlog

from ingest.receiver.decode import Encoding
from ingest.receiver.intake import Export, Intake
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.status import grpc_code, retry_info, rpc_status
from kit import metrics
from kit.errors import Internal, InvalidRequest, LogsieveError, RateLimited, RetryableError
from kit.settings import Settings
from schema.control.directory import Tenant

log = structlog.get_logger()

SERVICE = "opentelemetry.proto.collector.logs.v1.LogsService"
STREAMS_A_CONNECTION = 100
READS_A_TENANT = 8
"""Messages of one tenant that are received at once; each may be as large as a request may be."""

READ_SECONDS = 10.0
STATUS_DETAILS = "grpc-status-details-bin"
RETRY_INFO = "google.rpc.retryinfo-bin"
"""The same RetryInfo once more: opentelemetry-python looks for it only here, grpc-java's clients too."""

Context = grpc.aio.ServicerContext[bytes, bytes]


def grpc_server(settings: Settings, intake: Intake, budget: MemoryBudget, share_port: bool) -> grpc.aio.Server:
    """A server without a port yet, which other workers may listen on too where `share_port` says so.

    Messages pass as bytes, so that a key is looked at before anything is parsed.
    """
    # On the wire a call with one message is the same either way, but as a stream its message is received only when
    # it is asked for: after the key was looked at, and not at all where the tenant may not send.
    export: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_unary_rpc_method_handler(
        GrpcExport(intake, budget).export
    )
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", settings.request_max_bytes),
            ("grpc.max_concurrent_streams", STREAMS_A_CONNECTION),
            # A second installation's receivers on the port would get half of the connections, unnoticed.
            ("grpc.so_reuseport", int(share_port)),
        ]
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Export": export}),))
    return server


class GrpcExport:
    """The method."""

    def __init__(self, intake: Intake, budget: MemoryBudget) -> None:
        self._intake = intake
        self._budget = budget
        self._reading: defaultdict[int, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(READS_A_TENANT))
        self._requests = metrics.counter(metrics.RECEIVER_REQUESTS)
        self._seconds = metrics.histogram(metrics.RECEIVER_ACK_SECONDS)

    async def export(self, _messages: AsyncIterator[bytes], context: Context) -> bytes:
        started = time.monotonic()
        try:
            tenant = self._intake.authorize(_authorization(context.invocation_metadata()))
            with self._intake.receiving(tenant, 0) as receiving, self._budget.share(tenant.id) as share:
                body = await self._read(tenant, context)
                receiving.size = len(body)
                share.grow(len(body))
                answer = await self._intake.take(tenant, Export(body, Encoding.protobuf, ""), share)
        except LogsieveError as error:
            await self._fail(context, error)
        except Exception:
            log.exception("export failed")
            await self._fail(context, Internal("the request could not be handled"))
        self._seconds.record(time.monotonic() - started, {"protocol": "grpc"})
        self._requests.add(1, {"protocol": "grpc", "code": grpc.StatusCode.OK.name})
        return answer.SerializeToString()

    async def _read(self, tenant: Tenant, context: Context) -> bytes:
        """The message. How large it is shows only when it is there, so a tenant receives only some at once."""
        try:
            async with asyncio.timeout(READ_SECONDS), self._reading[tenant.id]:
                message: object = await context.read()
        except TimeoutError:
            raise RateLimited("the request did not arrive in time, behind others of the tenant") from None
        if not isinstance(message, bytes):  # grpc.aio.EOF
            raise InvalidRequest("the call carries no message")
        return message

    async def _fail(self, context: Context, error: LogsieveError) -> NoReturn:
        code = grpc_code(error)
        self._requests.add(1, {"protocol": "grpc", "code": code.name})
        await context.abort(code, error.detail, _trailers(error))


def _trailers(error: LogsieveError) -> tuple[tuple[str, bytes], ...]:
    details = (STATUS_DETAILS, rpc_status(error).SerializeToString())
    if isinstance(error, RetryableError):
        return details, (RETRY_INFO, retry_info(error).SerializeToString())
    return (details,)


def _authorization(metadata: grpc.aio.Metadata | None) -> str | None:
    for name, value in metadata or ():
        if name == "authorization":
            return value if isinstance(value, str) else value.decode("latin-1")
    return None
