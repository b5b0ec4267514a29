"""Reads a request's body only after its key was checked, and only up to a size.

FastAPI alone would read the body first.
"""

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.auth import NO_KEY
from backend.problems import problem_response
from kit.client_address import connection_address
from kit.errors import LogsieveError, TooLarge, Unauthenticated
from kit.networks import NO_NETWORKS, Networks
from kit.server.connections import connection_of
from schema.control.directory import Directory, Grant

BODY_BYTES = 128 * 2**10
"""Largest request body, in bytes. The largest useful body has a query of 8,192 characters, each of which JSON may write
in up to 12 bytes. An invalid body of this size has so few errors that listing them delays no other request."""


class GuardBodies:
    """ASGI middleware that checks the key before it reads a request's body, and hands the application the whole body.

    Refuses wrong keys and too large bodies without the application. Requests without a body pass unchecked.
    """

    def __init__(self, app: ASGIApp, directory: Directory, proxies: Networks = NO_NETWORKS) -> None:
        self._app = app
        self._directory = directory
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(headers := Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        try:
            grant = self._grant(headers.get("authorization", ""), scope)
            if (connection := connection_of(scope)) is not None:
                connection.protect(grant.tenant.id)
            body = await _read(receive, headers.get("content-length", ""))
        except LogsieveError as error:
            await problem_response(error)(scope, receive, send)
            return
        if body is None:
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def received() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, received, send)

    def _grant(self, authorization: str, scope: Scope) -> Grant:
        kind, _, key = authorization.partition(" ")
        if kind.lower() != "bearer" or not key:
            raise Unauthenticated(NO_KEY)
        return self._directory.grant(key.strip(), connection_address(HTTPConnection(scope), self._proxies))


async def _read(receive: Receive, announced: str) -> bytes | None:
    """Returns the whole body, or None when the client disconnected. Raises TooLarge."""
    body = bytearray()
    more = True
    # Longer numbers are ignored here, because uvicorn refuses such a Content-Length itself.
    size = int(announced) if announced.isdecimal() and len(announced) < 16 else 0
    while more and max(size, len(body)) <= BODY_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(size, len(body)) > BODY_BYTES:
        raise TooLarge(
            f"a request body may have at most {BODY_BYTES:,} bytes, but this one has more; send a shorter query or "
            "fewer members"
        )
    return bytes(body)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
