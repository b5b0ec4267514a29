"""uvicorn's HTTP/1.1 protocol with bounds on everything that a client may send before its key is checked.

uvicorn itself bounds neither the size of a request line and headers nor the time they take. It also continues to read
the body of a request that is already answered. docs/decisions/0022 compares other servers.
"""

import asyncio
from typing import ClassVar
from weakref import ref

import httptools
from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, ASGISendEvent, Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from kit.server.connections import CONNECTION, Closable, Connections, count_refused
from kit.server.head_limits import HeadLimitedHttp
from kit.server.request_head import Refused, check_head

DRAIN_BYTES = 16 * 2**20
"""Largest number of bytes of a body that are read and discarded after its request was answered. Without that, a client
that sends its whole body before it reads the answer would get a connection reset instead of the answer."""

DRAIN_SECONDS = 5.0
"""Longest time, in seconds, for discarding a body, and for reading the beginning of an answer that failed."""

REFUSED_LINGER = 64
"""Largest number of refused connections that are drained: further bytes are discarded before the connection is closed.
Other refused connections are closed immediately, and their clients may get a reset instead of the reason."""

PIPELINED = 32
"""Largest number of requests that a client may send ahead of the answers."""

RETRIED = frozenset({429, 503})
"""HTTP statuses of refusals that say after how many seconds to send the request again."""

CLIENT_CERTIFICATE = "logsieve.client_certificate"
"""ASGI extension of requests whose client showed a certificate that our CA signed."""


class LimitedHttp(HeadLimitedHttp):
    """HTTP protocol of one connection. `limited_http` creates a subclass per port, which holds the port's limits,
    connection count and turns."""

    open_connections: ClassVar[Connections]
    lingering: ClassVar[set["LimitedHttp"]]
    handshake: Closable | None = None
    """Connection that was counted during the TLS handshake. The HTTP connection takes its place."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._stalled: asyncio.TimerHandle | None = None
        self._in_body = False
        self._quiet_bytes = 0  # bytes since the parser's last callback
        self._drain_bytes: int | None = None  # bytes that may still be discarded; None while requests are read
        self._drain_after = False
        self._released = False  # by the application, for the request that it is answering
        if self.handshake is not None:
            self.open_connections.remove(self.handshake)
        reason = self.open_connections.admit(self, self.client[0] if self.client else "")
        if reason is not None:
            self._answer_and_close(503, f"{reason}; try again later", "connections")
        else:
            self.set_deadline(self.limits.head_seconds, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections.remove(self)
        self.lingering.discard(self)
        self.clear_deadline()
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def evict(self) -> None:
        """Closes the connection to make room for another. Its request is answered 503, unless its answer has begun,
        later requests wait behind it, or too many refused connections wait for their clients."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle or self.pipeline or self._drain_bytes is not None or len(self.lingering) >= REFUSED_LINGER:
            count_refused("evicted")
            self.transport.abort()
        else:
            self._answer_and_close(503, "too many connections, and this one waited; try again later", "evicted")

    # Methods for the application (RequestConnection)

    def protect(self, owner: int) -> None:
        self.open_connections.protect(self, owner)

    def release(self) -> None:
        self._released = True
        self._note_state()

    def drop_unread(self) -> None:
        count_refused("stall_seconds")
        self.transport.abort()

    def _note_state(self) -> None:
        """Tells the port whether the server works on a request, or the connection waits for its client."""
        answering = self.cycle is not None and not self.cycle.response_complete
        arriving = self._in_body and not self.pipeline  # with a pipeline, the application has an earlier request
        ending = self._drain_bytes is not None or self.transport.is_closing()
        if answering and not arriving and not self._released and self._stalled is None and not ending:
            self.open_connections.busy(self)
        else:
            self.open_connections.waits(self)

    def process(self, data: bytes) -> None:
        if self._drain_bytes is not None:
            self._drain_bytes -= len(data)
            if self._drain_bytes < 0:
                self.transport.abort()
            return
        self._unset_keepalive_if_required()
        self._quiet_bytes += len(data)
        try:
            self.parse(data)
            if self._quiet_bytes > self.limits.head_bytes:
                self._refuse_size()
        except (httptools.HttpParserError, Refused) as error:
            cause = error if isinstance(error, Refused) else error.__context__  # the error of a callback
            refusal = cause if isinstance(cause, Refused) else Refused(400, "this is not an HTTP/1.1 request")
            reason = "head" if refusal.status in {414, 431} else "malformed"
            self._answer_and_close(refusal.status, refusal.text, reason)
            return
        self._watch()

    def _watch(self) -> None:
        """Sets the deadline for the part of a request that has not arrived yet."""
        if self._in_head or self.cycle is None or (self.cycle.response_complete and not self._in_body):
            if not self.has_deadline:
                self.set_deadline(self.limits.head_seconds, self._head_is_late)
        elif self._in_body and not self.cycle.response_complete:
            if not self.has_deadline:
                self.set_deadline(self.limits.body_seconds, self._body_is_late)
        else:
            self.clear_deadline()

    # Parser callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {CONNECTION: {"ref": ref(self)}}
        if self.scheme == "https":
            session = self.transport.get_extra_info("ssl_object")
            if session is not None and session.getpeercert(binary_form=True) is not None:
                self.scope["extensions"][CLIENT_CERTIFICATE] = {}

    def on_headers_complete(self) -> None:
        if self.declines():
            return
        self._quiet_bytes = 0
        check_head(self.headers, self.parser.get_http_version())
        if len(self.pipeline) >= PIPELINED:
            raise Refused(400, f"at most {PIPELINED} requests may be sent before their answers have arrived")
        self._in_head, self._in_body = False, True
        self.clear_deadline()
        super().on_headers_complete()
        self._note_state()

    def on_body(self, body: bytes) -> None:
        self._quiet_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.is_declining:
            return
        self._quiet_bytes = 0
        self._in_body = False
        super().on_message_complete()
        self._note_state()

    # Answers

    def start(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        async def answer(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            try:
                await whole_answer(scope, receive, send)
            finally:
                if cycle.response_started and not cycle.response_complete and not cycle.disconnected:
                    self._end_within_answer()

        async def whole_answer(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            if not cycle.more_body:
                await app(scope, receive, send)
                return

            async def sending(message: ASGISendEvent) -> None:
                if message["type"] != "http.response.start" or not cycle.more_body:
                    await send(message)
                    return
                # The request was answered before its body was read. The application reads no more of the body, so the
                # connection takes no other request.
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                await send({**message, "headers": headers})
                self._drain_after = True
                cycle.keep_alive = True  # uvicorn would close now, which resets what the client still sends

            await app(scope, receive, sending)

        super().start(cycle, answer)

    def _end_within_answer(self) -> None:
        """Closes the connection, because the application ended within an answer. uvicorn would close it only when the
        client has read all that is written, which may be never."""
        self.close_within(DRAIN_SECONDS)
        self._note_state()

    def on_response_complete(self) -> None:
        self._released = False
        if self._drain_after:
            self.server_state.total_requests += 1
            self._drain()
            return
        super().on_response_complete()
        if self.transport.is_closing():
            self.close_within(self.limits.stall_seconds)
        self._note_state()

    def _answer_and_close(self, status: int, text: str, reason: str) -> None:
        """Refuses a request without the application, and closes the connection."""
        count_refused(reason)
        self.clear_deadline()
        self.forget_request()
        answering = self.answering
        if answering is not None and (answering.response_started or answering is not self.cycle):
            # What is written now would be part of an earlier answer.
            self.transport.abort()
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = f"{text}\n".encode()
        retry = b"retry-after: 5\r\n" if status in RETRIED else b""
        self.transport.write(
            STATUS_LINE[status]
            + b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n" % len(body)
            + retry
            + b"connection: close\r\n\r\n"
            + body
        )
        if len(self.lingering) >= REFUSED_LINGER:
            self.close_within(DRAIN_SECONDS)
            return
        self.lingering.add(self)
        self._drain()

    def _drain(self) -> None:
        """Ends our side of the connection, then discards what still arrives, within bounds, before it closes."""
        self._drain_bytes = DRAIN_BYTES
        self._note_state()
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.set_deadline(DRAIN_SECONDS, self.transport.abort)

    # Deadlines

    def _head_is_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            # The previous answer is still being sent, so the next request's headers get the full time again.
            self.set_deadline(self.limits.head_seconds, self._head_is_late)
            return
        self._answer_and_close(408, f"the headers did not arrive in {self.limits.head_seconds:g} s", "head_seconds")

    def _body_is_late(self) -> None:
        text = f"the body did not arrive in {self.limits.body_seconds:g} s; send the request again"
        self._answer_and_close(self.limits.late_body_status, text, "body_seconds")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.stall_seconds, self.drop_unread)
        self._note_state()

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        super().resume_writing()
        self._note_state()

    def timeout_keep_alive_handler(self) -> None:
        if not self.transport.is_closing():
            self.close_within(self.limits.head_seconds)
