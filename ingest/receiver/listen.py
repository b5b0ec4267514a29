"""Serves the receiver's two ports."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import grpc
from starlette.applications import Starlette

from ingest.receiver.grpc import PORTS, GrpcServer
from ingest.receiver.grpc_connections import GrpcConnections
from ingest.receiver.producer import DELIVERY_MS
from kit.clock import SystemClock
from kit.errors import Conflict, RateLimited
from kit.server.accepting_server import AcceptingServer
from kit.server.certificates import Certificates, Loaded, certificates
from kit.server.config import http_config
from kit.server.limits import HttpLimits, address_limit
from kit.server.listener import bind
from kit.settings import Settings

DRAIN_SECONDS = DELIVERY_MS // 1000 + 2
"""Seconds for which requests in progress at SIGTERM are answered. By then each has Kafka's answer, or an error."""


async def listen(
    settings: Settings, app: Starlette, grpc_server: GrpcServer, share_ports: bool, stopping: asyncio.Event
) -> None:
    """Serves both ports until `stopping` is set or one of them ends, then drains both concurrently. Raises Conflict."""
    certificate = certificates(settings, SystemClock(), requires_client_certificates=True)
    http = _HttpServer(http_config(app, _limits(settings), DRAIN_SECONDS), certificate)
    grpc_address = grpc_listen_address(settings)
    with bind(settings.bind_host, settings.port(settings.otlp_http_port), "OTLP/HTTP", share=share_ports) as listener:
        try:
            if certificate is None:
                grpc_server.server.add_insecure_port(grpc_address)
            else:
                grpc_server.server.add_secure_port(grpc_address, grpc_credentials(certificate))
        except RuntimeError as error:
            raise Conflict(f"cannot listen on {grpc_address} for OTLP/gRPC: {error}") from error
        await grpc_server.server.start()
        serving = asyncio.create_task(http.serve([listener]), name="otlp-http")
        serving.add_done_callback(lambda _: stopping.set())
        port = settings.port(settings.otlp_grpc_port)
        watching = GrpcConnections(port, address_limit(settings), grpc_server.traffic).watching()
        watching.start()
        await stopping.wait()
        await watching.cancel()
        http.should_exit = True
        await asyncio.gather(serving, grpc_server.server.stop(DRAIN_SECONDS))


def _limits(settings: Settings) -> HttpLimits:
    """Returns the limits of the OTLP/HTTP port.

    A body that does not arrive in time is answered 429, because exporters send a request again after 429, 502, 503 and
    504 only (OTLP specification, "Failures"). After 408 they would drop its records.
    """
    return replace(HttpLimits.of(settings, PORTS), late_body_status=RateLimited.status)


def grpc_listen_address(settings: Settings) -> str:
    """Returns host and port for gRPC, with brackets around an IPv6 address."""
    host = f"[{settings.bind_host}]" if ":" in settings.bind_host else settings.bind_host
    return f"{host}:{settings.port(settings.otlp_grpc_port)}"


def grpc_credentials(certificates: Certificates) -> grpc.ServerCredentials:
    """Returns server credentials that follow changes of the certificate's files."""
    given = certificates.current()

    def configuration(loaded: Loaded) -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration([(loaded.key, loaded.chain)], loaded.client_ca)

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        """Returns a changed certificate; None if it did not change. gRPC calls it before each handshake, in its own
        thread."""
        nonlocal given
        loaded = certificates.current()
        if loaded is given:
            return None
        given = loaded
        return configuration(loaded)

    return grpc.dynamic_ssl_server_credentials(
        configuration(given),
        fetch,  # type: ignore[arg-type]  # None is documented, and missing in the stubs
        require_client_authentication=certificates.requires_client_certificates,
    )


class _HttpServer(AcceptingServer):
    """HTTP server without signal handlers. The worker handles signals, because two servers share the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
