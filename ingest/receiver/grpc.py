"""OTLP over gRPC: LogsService/Export."""

import time
from typing import NoReturn

import grpc
import structlog

from ingest.receiver.decode import Encoding
from ingest.receiver.intake import Export, Intake
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.status import grpc_code, rpc_status
from kit import metrics
from kit.errors import Internal, LogsieveError
from kit.settings import Settings

log = structlog.get_logger()

SERVICE = "opentelemetry.proto.collector.logs.v1.LogsService"
STATUS_DETAILS = "grpc-status-details-bin"

Context = grpc.aio.ServicerContext[bytes, bytes]


def grpc_server(settings: Settings, intake: Intake, budget: MemoryBudget) -> grpc.aio.Server:
    """A server without a port yet. Messages pass as bytes, so that a key is looked at before anything is parsed."""
    export: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(GrpcExport(intake, budget).export)
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", settings.request_max_bytes),
            # Two receivers on one port would each get half of the connections, unnoticed.
            ("grpc.so_reuseport", 0),
        ]
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Export": export}),))
    return server


class GrpcExport:
    """The method."""

    def __init__(self, intake: Intake, budget: MemoryBudget) -> None:
        self._intake = intake
        self._budget = budget
        self._requests = metrics.counter(metrics.RECEIVER_REQUESTS)
        self._seconds = metrics.histogram(metrics.RECEIVER_ACK_SECONDS)

    async def export(self, body: bytes, context: Context) -> bytes:
        started = time.monotonic()
        try:
            tenant = self._intake.authorize(_authorization(context.invocation_metadata()))
            with self._budget.share() as share:
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

    async def _fail(self, context: Context, error: LogsieveError) -> NoReturn:
        code = grpc_code(error)
        self._requests.add(1, {"protocol": "grpc", "code": code.name})
        details = rpc_status(error).SerializeToString()
        await context.abort(code, error.detail, ((STATUS_DETAILS, details),))


def _authorization(metadata: grpc.aio.Metadata | None) -> str | None:
    for name, value in metadata or ():
        if name == "authorization":
            return value if isinstance(value, str) else value.decode("latin-1")
    return None
