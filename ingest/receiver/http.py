"""OTLP over HTTP: POST /v1/logs."""

import asyncio
from collections.abc import Mapping

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ingest.receiver.compression import too_large
from ingest.receiver.encoding import Encoding
from ingest.receiver.exports import Credentials, Exports, SenderDisconnected
from ingest.receiver.intake import READ_SECONDS, Export, Intake
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.refusal_delay import RefusalDelay
from ingest.receiver.status import Failure
from kit.access_log import AccessLog
from kit.client_address import connection_address
from kit.clock import SystemClock
from kit.errors import InvalidRequest, NotFound, RateLimited, Unauthenticated
from kit.fair_budget import Share
from kit.ops import Probe, ops_routes
from kit.server.connections import connection_of
from kit.server.protocol import CLIENT_CERTIFICATE
from kit.settings import Settings
from kit.web_addresses import split_origins
from schema.control.directory import Tenant

PATH = "/v1/logs"


def http_app(
    settings: Settings, intake: Intake, budget: MemoryBudget, probes: Mapping[str, Probe], *, alone: bool = True
) -> Starlette:
    """Returns the ASGI app of the receiver's HTTP port: OTLP, health and metrics.

    If the worker is not `alone` on the port, the app has no /metrics, because any of the workers could answer it.
    """
    endpoint = HttpExport(settings, intake, budget)
    origins = split_origins(settings.otlp_cors_origins)
    cors = Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["POST"], allow_headers=["*"], max_age=7200)
    operations = [route for route in ops_routes(probes) if alone or route.path != "/metrics"]
    access = Middleware(AccessLog, clock=SystemClock(), route_of=lambda scope: PATH if scope["path"] == PATH else None)
    app = Starlette(
        routes=[Route(PATH, endpoint.export, methods=["POST"]), *operations],
        middleware=[*([access] if settings.access_log == "all" else []), *([cors] if origins else [])],
        exception_handlers={404: _not_found, 405: _not_allowed},
    )
    # Behind a proxy with TLS, a redirect could name an address without TLS, to which a sender would send its key.
    app.router.redirect_slashes = False
    return app


async def _not_found(request: Request, _error: Exception) -> Response:
    error = NotFound(f"no such endpoint: {request.url.path}; send logs to {PATH}")
    return _refusal(Failure.of(error), request)


async def _not_allowed(request: Request, error: Exception) -> Response:
    refused = InvalidRequest(f"{request.url.path} does not take {request.method}; send logs by POST")
    answer = _refusal(Failure.of(refused), request)
    answer.status_code = 405
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})
    return answer


class HttpExport:
    """The endpoint POST /v1/logs. Answers in the request's encoding."""

    def __init__(self, settings: Settings, intake: Intake, budget: MemoryBudget) -> None:
        self._settings = settings
        # Each delayed answer occupies a connection, which a full port may close (_HttpRequest.refused). So their number
        # needs no bound.
        self._exports = Exports(intake, budget, "http", RefusalDelay())

    async def export(self, request: Request) -> Response:
        answer = await self._exports.answer(_HttpRequest(request, self._settings))
        if isinstance(answer, Failure):
            response = _refusal(answer, request)
        else:
            response = _response(answer, _encoding(request), 200)
        self._exports.count(str(response.status_code))
        return response


class _HttpRequest:
    """One request of POST /v1/logs."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self._request = request
        self._settings = settings

    @property
    def announced_bytes(self) -> int:
        length = self._request.headers.get("content-length", "")
        return int(length) if length.isdecimal() and len(length) < 16 else 0

    def credentials(self) -> Credentials:
        request, settings = self._request, self._settings
        certificate = request.scope.get("extensions", {}).get(CLIENT_CERTIFICATE)
        if settings.tls_client_ca_file is not None and certificate is None:
            raise Unauthenticated(
                "a client certificate is needed; send one signed by a CA of LOGSIEVE_TLS_CLIENT_CA_FILE"
            )
        address = connection_address(request, settings.proxies)
        return Credentials(request.headers.get("authorization"), address)

    async def read(self, tenant: Tenant, share: Share) -> Export:
        if (connection := connection_of(self._request.scope)) is not None:
            connection.protect(tenant.id)
        headers = self._request.headers
        encoding = Encoding.of(headers.get("content-type", ""))
        return Export(await self._body(share), encoding, headers.get("content-encoding", ""))

    def refused(self) -> None:
        """Lets a full port close the connection while the answer is delayed."""
        if (connection := connection_of(self._request.scope)) is not None:
            connection.release()

    async def _body(self, share: Share) -> bytes:
        """Returns the body as sent (compressed). Raises TooLarge as soon as it exceeds the limit for a decompressed
        request."""
        body, largest = bytearray(), self._settings.request_max_bytes
        try:
            async with asyncio.timeout(READ_SECONDS):
                async for chunk in self._request.stream():
                    if len(body) + len(chunk) > largest:
                        raise too_large(largest)
                    share.grow(len(chunk))
                    body += chunk
        except TimeoutError:
            raise RateLimited(
                f"the request did not arrive within {READ_SECONDS:.0f} s; send it again, or send smaller requests"
            ) from None
        except ClientDisconnect:
            raise SenderDisconnected from None
        return bytes(body)


def _refusal(failure: Failure, request: Request) -> Response:
    response = _response(failure.status, _encoding(request), failure.http_status)
    if failure.retry is not None:
        response.headers["retry-after"] = failure.retry.header
    if failure.http_status == Unauthenticated.status:
        response.headers["www-authenticate"] = "Bearer"
    return response


def _encoding(request: Request) -> Encoding:
    """Returns the encoding of the answer: the request's, or JSON if the request has another content type."""
    try:
        return Encoding.of(request.headers.get("content-type", ""))
    except InvalidRequest:
        return Encoding.json


def _response(message: Message, encoding: Encoding, status: int) -> Response:
    content = message.SerializeToString() if encoding is Encoding.protobuf else MessageToJson(message, indent=None)
    return Response(content, status_code=status, headers={"content-type": encoding.value})
