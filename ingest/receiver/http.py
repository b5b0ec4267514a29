"""OTLP over HTTP: POST /v1/logs."""

import asyncio
import time
from collections.abc import Mapping

import structlog
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
from ingest.receiver.decode import Encoding
from ingest.receiver.intake import READ_SECONDS, Export, Intake, Receiving
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.status import rpc_status
from kit import metrics
from kit.access_log import AccessLog
from kit.client_address import client_address
from kit.clock import SystemClock
from kit.errors import Internal, InvalidRequest, LogsieveError, NotFound, RateLimited, RetryableError, Unauthenticated
from kit.fair_budget import Share
from kit.ops import Probe, ops_routes
from kit.server.protocol import CLIENT_CERTIFICATE
from kit.settings import Settings

log = structlog.get_logger()

PATH = "/v1/logs"

REFUSAL_SECONDS = 1.0
"""Longest that the refusal of a tenant over its limit waits. Its sender sends nothing more over that connection
meanwhile, not even the rest of a large body, so that a flood costs one small answer a connection and second."""


def http_app(
    settings: Settings, intake: Intake, budget: MemoryBudget, probes: Mapping[str, Probe], *, alone: bool = True
) -> Starlette:
    """The receiver's HTTP port: OTLP, health and metrics.

    Where it is not `alone` on the port, metrics would be those of whichever worker answers: each shows them elsewhere.
    """
    endpoint = HttpExport(settings, intake, budget)
    origins = [origin.strip() for origin in settings.otlp_cors_origins.split(",") if origin.strip()]
    cors = Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["POST"], allow_headers=["*"], max_age=7200)
    operations = [route for route in ops_routes(probes) if alone or route.path != "/metrics"]
    access = Middleware(AccessLog, clock=SystemClock(), route_of=lambda scope: PATH if scope["path"] == PATH else None)
    return Starlette(
        routes=[Route(PATH, endpoint.export, methods=["POST"]), *operations],
        middleware=[*([access] if settings.access_log == "all" else []), *([cors] if origins else [])],
        exception_handlers={404: _not_found, 405: _not_allowed},
    )


async def _not_found(request: Request, _error: Exception) -> Response:
    return _failure(NotFound(f"no such endpoint: {request.url.path}; logs go to {PATH}"), request)


async def _not_allowed(request: Request, error: Exception) -> Response:
    answer = _failure(InvalidRequest(f"{request.url.path} does not take {request.method}; send logs by POST"), request)
    answer.status_code = 405
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})
    return answer


class HttpExport:
    """The endpoint; answers in the encoding the request came in."""

    def __init__(self, settings: Settings, intake: Intake, budget: MemoryBudget) -> None:
        self._asks_clients = settings.tls_client_ca_file is not None
        self._request_max_bytes = settings.request_max_bytes
        self._trusted_proxies = settings.trusted_proxies
        self._intake = intake
        self._budget = budget
        self._requests = metrics.counter(metrics.RECEIVER_REQUESTS)
        self._seconds = metrics.histogram(metrics.RECEIVER_ACK_SECONDS)

    async def export(self, request: Request) -> Response:
        started = time.monotonic()
        try:
            response = await self._answer(request)
            self._seconds.record(time.monotonic() - started, {"protocol": "http"})
        except LogsieveError as error:
            if isinstance(error, RateLimited):
                await asyncio.sleep(min(error.retry_after, REFUSAL_SECONDS))
            response = _failure(error, request)
        except ClientDisconnect:
            response = _failure(InvalidRequest("the sender went away before the request was whole"), request)
        except Exception:
            log.exception("export failed")
            response = _failure(Internal("the request could not be handled"), request)
        self._requests.add(1, {"protocol": "http", "code": str(response.status_code)})
        return response

    async def _answer(self, request: Request) -> Response:
        if self._asks_clients and CLIENT_CERTIFICATE not in request.scope.get("extensions", {}):
            raise Unauthenticated("show a client certificate that a CA in LOGSIEVE_TLS_CLIENT_CA_FILE signed")
        address = client_address(request.client, request.headers, self._trusted_proxies)
        tenant = self._intake.authorize(request.headers.get("authorization"), address)
        with (
            self._intake.receiving(tenant, _announced(request)) as receiving,
            self._budget.share(tenant.id) as share,
        ):
            encoding = Encoding.of(request.headers.get("content-type", ""))
            compression = request.headers.get("content-encoding", "")
            answer = await self._intake.take(
                tenant, Export(await self._read(request, receiving, share), encoding, compression), share
            )
        return _response(answer, encoding, 200)

    async def _read(self, request: Request, receiving: Receiving, share: Share) -> bytes:
        """The body as it came, with its bytes added to the share.

        Raises TooLarge as soon as it is more than a request may have decompressed, RateLimited when it takes too long.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(READ_SECONDS):
                async for chunk in request.stream():
                    if len(body) + len(chunk) > self._request_max_bytes:
                        raise too_large(self._request_max_bytes)
                    share.grow(len(chunk))
                    body += chunk
        except TimeoutError:
            raise RateLimited("the request did not arrive in time") from None
        receiving.size = len(body)
        return bytes(body)


def _announced(request: Request) -> int:
    """Bytes of the body by Content-Length; 0 where it does not say."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 16 else 0


def _failure(error: LogsieveError, request: Request) -> Response:
    try:
        encoding = Encoding.of(request.headers.get("content-type", ""))
    except InvalidRequest:
        encoding = Encoding.json
    response = _response(rpc_status(error), encoding, error.status)
    if isinstance(error, RetryableError):
        response.headers["retry-after"] = error.retry_after_header
    if error.status == 401:
        response.headers["www-authenticate"] = "Bearer"
    return response


def _response(message: Message, encoding: Encoding, status: int) -> Response:
    content = message.SerializeToString() if encoding is Encoding.protobuf else MessageToJson(message, indent=None)
    return Response(content, status_code=status, headers={"content-type": encoding.value})
