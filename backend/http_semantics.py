"""Sets headers of all answers on the API's port, answers HEAD like GET, and refuses invalid URLs."""

import re
from urllib.parse import unquote_to_bytes

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.problems import problem_response
from kit.api_telemetry import MAX_PARAMETERS, has_too_many_parameters
from kit.errors import InvalidRequest

_NO_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class HttpSemantics:
    """ASGI middleware around all others except AccessLog.

    Answers HEAD like GET, without the body, and forbids caching of answers below /api.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, api=scope["path"].startswith("/api/"), head=scope["method"] == "HEAD")
        # A copy, because the server reads the method of its own scope. The access log reads the route from that scope,
        # too, so it is copied back below.
        inner = {**scope, "method": "GET"} if answer.head else scope
        if (fault := _fault(scope)) is not None:
            await problem_response(InvalidRequest(fault))(scope, receive, answer.send)
        else:
            try:
                await self._app(inner, receive, answer.send)
            finally:
                scope["route"] = inner.get("route")


class _Answer:
    def __init__(self, send: Send, api: bool, head: bool) -> None:
        self._send = send
        self._api = api
        self.head = head
        self._complete = False

    async def send(self, message: Message) -> None:
        if self._complete:
            return
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["X-Content-Type-Options"] = "nosniff"
            if self._api:
                headers["Cache-Control"] = "no-store"
        await self._send(message)
        if self.head and message["type"] == "http.response.start":
            # A HEAD answer is complete now. This ends a long answer, such as a tail, like a client that disconnects.
            self._complete = True
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _fault(scope: Scope) -> str | None:
    """Returns a description of the error in the URL's percent-encoding or in its number of parameters, or None."""
    if has_too_many_parameters(scope):
        count = scope["query_string"].count(b"&") + 1
        return f"the URL has {count:,} parameters: give at most {MAX_PARAMETERS}"
    raw: bytes = scope.get("raw_path") or b""
    for part, name in ((raw, "path"), (scope["query_string"], "query string")):
        if b"%" not in part:
            continue
        if (found := _NO_ESCAPE.search(part)) is not None:
            text = part[found.start() : found.start() + 3].decode("latin-1")
            return f"the URL's {name} has {text!r}, which is not a valid escape; write % as %25"
        try:
            unquote_to_bytes(part).decode()
        except UnicodeDecodeError:
            return f"the URL's {name} is not UTF-8 after its escapes are decoded"
    return None
