"""OTLP over gRPC: LogsService/Export."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import unquote

import grpc

from ingest.receiver.encoding import Encoding
from ingest.receiver.exports import Credentials, Exports
from ingest.receiver.grpc_traffic import Traffic
from ingest.receiver.intake import READ_SECONDS, Export, Intake
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.refusal_delay import DelayBounds, RefusalDelay
from ingest.receiver.status import Failure
from kit.access_log import Access, answered, logged, received
from kit.client_address import FORWARDED_FOR, client_address
from kit.clock import SystemClock
from kit.errors import InvalidRequest, RateLimited
from kit.fair_budget import Share
from kit.networks import Networks
from kit.server.limits import connections_of
from kit.settings import Settings
from schema.control.directory import Tenant

SERVICE = "opentelemetry.proto.collector.logs.v1.LogsService"
STREAMS_A_CONNECTION = 100
READS_A_TENANT = 8
"""Largest number of one tenant's messages that are received at the same time, if they fit into the budget. Each may
have the size of a request."""

DELAYED: Final = DelayBounds(of_a_sender=64, in_all=512)
"""Largest number of refused calls whose answers are delayed. Each holds up to CALL_BYTES, which the budget does not
count."""

CALL_BYTES = 128 * 2**10
"""Bytes that a call takes before its message is received: its part of the flow control window, and gRPC's own state."""

METADATA_BYTES = 16 * 2**10
"""Largest size of a call's metadata in bytes, gRPC's default. A call with more gets RESOURCE_EXHAUSTED."""

KEEPALIVE_MS = 60_000
KEEPALIVE_ANSWER_MS = 20_000

PORTS = 2
"""Number of a receiver process's listening ports, OTLP/HTTP and OTLP/gRPC. They share its descriptors."""

STATUS_DETAILS = "grpc-status-details-bin"
RETRY_INFO = "google.rpc.retryinfo-bin"
"""Trailer that repeats the RetryInfo, because opentelemetry-python and grpc-java read it only from this trailer."""

Context = grpc.aio.ServicerContext[bytes, bytes]


@dataclass(frozen=True, slots=True)
class GrpcServer:
    """The gRPC server, and the byte allowances of its connections."""

    server: grpc.aio.Server
    traffic: Traffic


def grpc_server(settings: Settings, intake: Intake, budget: MemoryBudget, share_port: bool) -> GrpcServer:
    """Returns the server, still without a port. With `share_port`, other workers may listen on the same port.

    Messages pass as bytes, so that a key is checked before anything is parsed.
    """
    # A stream of one message is the same on the wire as a single message. But a stream's message is received only on
    # request: after the key was checked, and not at all if the tenant may not send.
    traffic = Traffic()
    method = GrpcExport(settings, intake, budget, traffic)
    export: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_unary_rpc_method_handler(
        method.export_logged if settings.access_log == "all" else method.export
    )
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", settings.request_max_bytes),
            ("grpc.max_concurrent_streams", STREAMS_A_CONNECTION),
            # With its bandwidth estimate, gRPC would let each call send up to 16 MiB before anyone reads it. A call
            # that is read may send its whole message in any case.
            ("grpc.http2.bdp_probe", 0),
            *_limits(settings),
            # Otherwise a second installation's receivers on the port would silently get half of the connections.
            ("grpc.so_reuseport", int(share_port)),
        ]
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Export": export}),))
    return GrpcServer(server, traffic)


def _limits(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Returns the limits of a client before the key of any of its calls is known."""
    head_ms = round(settings.http_head_seconds * 1000)
    return (
        ("grpc.max_allowed_incoming_connections", connections_of(settings, PORTS)),
        # Longest times until TLS is negotiated, and until the client's first HTTP/2 frame has arrived.
        ("grpc.server_handshake_timeout_ms", head_ms),
        ("grpc.http2.settings_timeout", head_ms),
        ("grpc.max_connection_idle_ms", round(settings.grpc_idle_seconds * 1000)),
        # A connection whose client vanished silently is closed after the sum of these two times.
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_ANSWER_MS),
        # gRPC counts pings that come too often as strikes, and closes the connection after some. Each further ping then
        # adds a text to the reason of the close: 61,000 pings in 1 MiB took 1.3 s of a core. Without strikes, 2.3
        # million pings took 0.3 s. On Linux, Traffic limits the bytes of a connection.
        ("grpc.http2.max_ping_strikes", 0),
        ("grpc.max_metadata_size", METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", METADATA_BYTES),
    )


class GrpcExport:
    """The method LogsService/Export.

    The size of a message is known only after it was received. Before a call receives its message, it waits until the
    budget has room for the largest size, and takes that size. Afterwards it gives back what the message does not need.
    """

    def __init__(self, settings: Settings, intake: Intake, budget: MemoryBudget, traffic: Traffic) -> None:
        self._largest = settings.request_max_bytes
        self._proxies = settings.proxies
        self._traffic = traffic
        self._reading: defaultdict[int, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(READS_A_TENANT))
        self._exports = Exports(intake, budget, "grpc", RefusalDelay(DELAYED))

    async def export_logged(self, messages: AsyncIterator[bytes], context: Context) -> bytes:
        """Runs `export` and writes a line to the access log."""
        with logged(Access("POST", route=f"/{SERVICE}/Export"), SystemClock()):
            return await self.export(messages, context)

    async def export(self, _messages: AsyncIterator[bytes], context: Context) -> bytes:
        self._traffic.called(context.peer())
        answer = await self._exports.answer(_GrpcRequest(context, self._read_message, self._proxies))
        if isinstance(answer, Failure):
            self._exports.count(answer.code.name)
            answered(answer.code.name)
            # This must be outside of any except block. gRPC keeps the exception raised here in a cycle with the call,
            # and with it all frames of an error being handled. Some of them hold the body until garbage collection
            # finds the cycle.
            return await context.abort(answer.code, answer.status.message, _trailers(answer))
        self._exports.count(grpc.StatusCode.OK.name)
        content = answer.SerializeToString()
        answered(grpc.StatusCode.OK.name, len(content))
        return content

    async def _read_message(self, tenant: Tenant, context: Context, share: Share) -> bytes:
        """Receives the message and adds its bytes to the share."""
        try:
            async with asyncio.timeout(READ_SECONDS), self._reading[tenant.id]:
                await share.grow_when_there_is_room(self._largest)
                self._traffic.called(context.peer(), self._largest)
                message: object = await context.read()
        except TimeoutError:
            raise RateLimited(
                f"the request did not arrive within {READ_SECONDS:.0f} s, because it was sent slowly, or waited "
                "for other requests of the tenant or for memory that other tenants hold; send it again, or send fewer "
                "requests at once"
            ) from None
        if not isinstance(message, bytes):  # grpc.aio.EOF
            raise InvalidRequest("the call carries no message; send one ExportLogsServiceRequest")
        share.shrink(self._largest - len(message))
        received(len(message))
        return message


ReadMessage: TypeAlias = Callable[[Tenant, Context, Share], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class _GrpcPeer:
    """Address of a connection's other end."""

    host: str


@dataclass(frozen=True, slots=True)
class _GrpcRequest:
    """One call of the method."""

    context: Context
    read_message: ReadMessage
    proxies: Networks

    @property
    def announced_bytes(self) -> int:
        return 0

    def credentials(self) -> Credentials:
        metadata = self.context.invocation_metadata()
        forwarded = list(_values(metadata, FORWARDED_FOR))
        address = client_address(_GrpcPeer(_address(self.context.peer())), forwarded, self.proxies)
        return Credentials(next(_values(metadata, "authorization"), None), address)

    async def read(self, tenant: Tenant, share: Share) -> Export:
        share.grow(CALL_BYTES)
        return Export(await self.read_message(tenant, self.context, share), Encoding.protobuf, "")

    def refused(self) -> None:
        """Does nothing: a full port closes no connection of this transport."""


def _trailers(failure: Failure) -> tuple[tuple[str, bytes], ...]:
    details = (STATUS_DETAILS, failure.status.SerializeToString())
    if failure.retry is None:
        return (details,)
    return (details, (RETRY_INFO, failure.retry.info.SerializeToString()))


def _address(peer: str) -> str:
    """Returns the address in gRPC's name of a peer, such as `ipv4:127.0.0.1:4317` or `ipv6:%5B::1%5D:4317`."""
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")


def _values(metadata: grpc.aio.Metadata | None, name: str) -> Iterator[str]:
    """Yields the values of all metadata entries with this name, in their order."""
    for each, value in metadata or ():
        if each == name:
            yield value if isinstance(value, str) else value.decode("latin-1")
