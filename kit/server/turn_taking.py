"""The part of our HTTP protocol that decides when arrived bytes are processed, and when the application starts."""

import asyncio
from collections import deque
from functools import partial
from typing import ClassVar, Final

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from kit.server.connections import client_of
from kit.server.declined_upgrades import DecliningHttp
from kit.server.request_head import Refused
from kit.server.turns import Job, Turns

PARSED_BYTES: Final = 32 * 2**10
"""Largest number of received bytes that are parsed in one turn. A chunked body of one-byte chunks takes 1.4 ms of the
event loop for them, and would take 11 ms for the 250 KB that one read returns."""

TINY_CHUNKS: Final = 20_000
"""Number of chunks of a body from which on they must have CHUNK_BYTES on average. Parsing a chunk takes 0.26
microseconds of the event loop, however small it is. No client is known that sends a body in smaller ones."""

CHUNK_BYTES: Final = 16
"""Smallest average size of the chunks of a body that has more than TINY_CHUNKS, in bytes. A chunk that arrives in two
pieces counts twice."""

BODY_PIECE = 4 * 2**10
"""Bytes of an incomplete body at which the application starts, and at which it gets the next piece."""


class _Flow(FlowControl):
    """Flow control of a connection that is not read while its bytes wait for a turn, whatever the application wants."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._is_enough = self._is_held = False

    def pause_reading(self) -> None:
        self._is_enough = True
        super().pause_reading()

    def resume_reading(self) -> None:
        self._is_enough = False
        self._resume()

    def hold(self) -> None:
        """Pauses reading until `release`."""
        self._is_held = True
        super().pause_reading()

    def release(self) -> None:
        """Resumes reading, unless the application has enough bytes."""
        self._is_held = False
        self._resume()

    def _resume(self) -> None:
        if not self._is_enough and not self._is_held:
            super().resume_reading()


class TurnTakingHttp(DecliningHttp):
    """Processes received bytes in the client's turn, and starts the application when there is something to read.

    The application of a request starts once its body is complete, or its first BODY_PIECE bytes have arrived, or the
    client waits for `100 Continue`. So a body that arrives byte by byte costs no task and wakes none.
    """

    turns: ClassVar[Turns]
    """The turns of the port."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = self._flow = _Flow(transport)
        self.client_name = client_of(self.client[0]) if self.client else ""
        self._arrived: deque[bytes] = deque()  # pieces that wait for the client's turn
        self._waits_for_turn = self._is_lost = False
        self._chunks = self._chunk_bytes = 0  # of the body that arrives
        self._not_started: tuple[RequestResponseCycle, ASGI3Application] | None = None
        self._started: RequestResponseCycle | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def data_received(self, data: bytes) -> None:
        self._arrived.extend(data[start : start + PARSED_BYTES] for start in range(0, len(data), PARSED_BYTES))
        if not self._waits_for_turn:
            self._wait_for_turn()

    def _wait_for_turn(self) -> None:
        self._waits_for_turn = True
        if not self.turns.take(self.client_name, self._take_turn):
            self._unset_keepalive_if_required()
            self._flow.hold()

    def _take_turn(self) -> None:
        self._waits_for_turn = False
        if self._is_lost:
            return
        if not self.transport.is_closing():
            self.process(self._arrived.popleft())
        # A closing transport is not resumed: asyncio's TLS transport may have let go of its connection.
        if self.transport.is_closing():
            self._arrived.clear()
        elif self._arrived:
            self._wait_for_turn()
        else:
            self._flow.release()

    def process(self, data: bytes) -> None:
        """Parses bytes that arrived. Does not raise anything."""
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self.forget_request()
        # uvicorn marks only the request that arrived last as disconnected, and this request may wait in the pipeline.
        answering = self.answering
        if answering is not None:
            answering.disconnected = True  # at once, because from now on uvloop refuses to write
        # Done in the client's turn, because this wakes the application, which may take long to end.
        self.turns.take(self.client_name, partial(self._lost, exc, answering))

    def _lost(self, exc: Exception | None, answering: RequestResponseCycle | None) -> None:
        if answering is not None:
            answering.message_event.set()
        super().connection_lost(exc)

    @property
    def answering(self) -> RequestResponseCycle | None:
        """The request that the application is answering. Later ones may wait in the pipeline meanwhile."""
        return None if self._started is None or self._started.response_complete else self._started

    @property
    def has_deadline(self) -> bool:
        return self._deadline is not None

    def set_deadline(self, seconds: float, act: Job) -> None:
        """Calls `act` after some seconds, when it is the client's turn, unless the deadline is cleared or set again
        before."""
        self.clear_deadline()
        self._deadline = self.loop.call_later(seconds, self._deadline_passed, act)

    def clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def close_within(self, seconds: float) -> None:
        """Closes the connection when the client has taken all that was written, and after `seconds` at the latest."""
        self.transport.close()
        if not self._is_lost:
            self.set_deadline(seconds, self.transport.abort)

    def _deadline_passed(self, act: Job) -> None:
        passed = self._deadline

        def job() -> None:
            if self._deadline is passed:  # not cleared before the turn
                self._deadline = None
                act()

        self.turns.take(self.client_name, job)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._chunks = self._chunk_bytes = 0

    def on_body(self, body: bytes) -> None:
        if self.cycle.response_complete:
            return
        self._chunks += 1
        self._chunk_bytes += len(body)
        if self._chunks > TINY_CHUNKS and self._chunk_bytes < CHUNK_BYTES * self._chunks:
            raise Refused(
                413, f"the body has over {TINY_CHUNKS:,} chunks of under {CHUNK_BYTES} bytes: send larger ones"
            )
        self.cycle.body += body
        if len(self.cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        if len(self.cycle.body) >= BODY_PIECE:
            self._start_application()
            self.cycle.message_event.set()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._start_application()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._not_started = cycle, app
        if not cycle.more_body or cycle.waiting_for_100_continue or len(cycle.body) >= BODY_PIECE:
            self._start_application()

    def _start_application(self) -> None:
        if self._not_started is not None:
            cycle, app = self._not_started
            self._not_started = None
            self.start(cycle, app)

    def start(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Starts the application for a request."""
        self._started = cycle
        super()._start_asgi_task(cycle, app)

    def forget_request(self) -> None:
        """Does not start the application any more, because the request was refused or the client is gone."""
        self._not_started = None
