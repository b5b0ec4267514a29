"""The access log: one line for each request, with its tenant, key, route, status, bytes and time.

A line has the route's template and the key's id, but neither the query text nor the key. Lines go to stderr
like all others, but they are not sent into Logsieve itself, because each would cause a request that causes a line.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kit.clock import Clock
from kit.ops import PATHS as PROBED
from kit.self_logs import own_traffic

log = structlog.get_logger("logsieve.access")


@dataclass(slots=True)
class Access:
    """Facts about a request, as far as they are known.

    `status` is HTTP's number or the name of gRPC's code; None without an answer. Bytes count bodies as sent, after any
    compression.
    """

    method: str
    tenant: str | None = None
    key: str | None = None
    route: str | None = None
    status: int | str | None = None
    bytes_in: int = 0
    bytes_out: int = 0


_current: Final[ContextVar[Access | None]] = ContextVar("logsieve_access", default=None)


def identified(tenant: str, key_id: str) -> None:
    """Notes the tenant and the key of the current request. Does nothing if requests are not logged."""
    access = _current.get()
    if access is not None:
        access.tenant, access.key = tenant, key_id


def received(size: int) -> None:
    """Notes `size` bytes of the current request's body. For servers that are not ASGI."""
    access = _current.get()
    if access is not None:
        access.bytes_in += size


def answered(status: str, size: int = 0) -> None:
    """Notes the status and the body size of the answer. For servers that are not ASGI."""
    access = _current.get()
    if access is not None:
        access.status, access.bytes_out = status, size


@contextmanager
def logged(access: Access, clock: Clock) -> Iterator[None]:
    """Logs the request as one line when the block ends, also when it ends by an exception."""
    started = clock.monotonic()
    token = _current.set(access)
    try:
        yield
    finally:
        _current.reset(token)
        with own_traffic():
            log.info(
                "request",
                tenant=access.tenant,
                key=access.key,
                method=access.method,
                route=access.route,
                status=access.status,
                bytes_in=access.bytes_in,
                bytes_out=access.bytes_out,
                ms=round((clock.monotonic() - started) * 1000, 1),
            )


class AccessLog:
    """ASGI middleware that logs each request. Must be the outermost one. Probes and /metrics are not logged."""

    def __init__(self, app: ASGIApp, clock: Clock, route_of: Callable[[Scope], str | None]) -> None:
        """`route_of` returns the template of a request's route; it is called after the request was answered."""
        self._app = app
        self._clock = clock
        self._route_of = route_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBED:
            await self._app(scope, receive, send)
            return
        access = Access(scope["method"])

        async def receive_counted() -> Message:
            message = await receive()
            access.bytes_in += len(message.get("body", b""))
            return message

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                access.status = message["status"]
            access.bytes_out += len(message.get("body", b""))
            await send(message)

        with logged(access, self._clock):
            try:
                await self._app(scope, receive_counted, send_counted)
            finally:
                access.route = self._route_of(scope)
