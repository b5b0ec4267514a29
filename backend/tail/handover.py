"""Passes events from the thread that feeds tails to the event loop, in order."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from backend.tail.events import PIECE_BYTES, Piece
from backend.tail.group import TailedQuery
from backend.tail.position import TailPosition
from backend.tail.queue import TailQueue
from kit.errors import LogsieveError, Unavailable

Offered = tuple[tuple[TailQueue, ...], Piece]
"""A piece, and the queues of the tails that receive it."""


IN_TRANSIT: Final = 2
"""Largest number of batches of pieces that were passed to the event loop and are not in the queues yet."""

POSITION_SECONDS: Final = 15.0
"""Longest time, in seconds, that a caller waits for its position in the topic."""

CHECK_SECONDS: Final = 1.0
"""Longest time, in seconds, until a thread that waits for the event loop notices that the loop is closed."""


@dataclass(frozen=True, slots=True)
class PositionRequest:
    """A request for the position of the tails of `query`. If `tail` is given, the reader also attaches it."""

    query: TailedQuery
    tail: TailQueue | None
    answered: "asyncio.Future[TailPosition]"

    async def position(self) -> TailPosition:
        """Returns the answer. Raises the error of the answer, and Unavailable after POSITION_SECONDS without one."""
        try:
            async with asyncio.timeout(POSITION_SECONDS):
                return await self.answered
        except TimeoutError as error:
            raise Unavailable(
                f"Kafka did not answer within {POSITION_SECONDS:g} s, so the tail has no start. Connect again: tails "
                "work when Kafka is back.",
                retry_after=2,
            ) from error


class Handover:
    """Passes events and answers to the event loop. For use by one thread, which is not the event loop's.

    Pieces are passed in batches of about PIECE_BYTES. The thread waits while IN_TRANSIT of them are on their way, so
    that the pieces that are in no queue yet take little memory when the event loop is busy.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._batch: list[Offered] = []
        self._batch_bytes = 0
        self._places = threading.BoundedSemaphore(IN_TRANSIT)

    def offer(self, pieces: Sequence[Offered]) -> None:
        """Puts each piece into the queues of its tails, at the latest when `flush` is called."""
        for tails, piece in pieces:
            self._batch.append((tails, piece))
            self._batch_bytes += len(piece.text)
            if self._batch_bytes >= PIECE_BYTES:
                self.flush()

    def flush(self) -> None:
        """Passes the pieces that were offered. Waits while the event loop has too many batches."""
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if not batch:
            return
        while not self._places.acquire(timeout=CHECK_SECONDS):
            if self._loop.is_closed():
                return
        self._call(self._put, batch)

    def end(self, tails: Sequence[TailQueue], error: LogsieveError) -> None:
        """Ends tails after sending the pieces that were offered before."""
        self.flush()
        self._call(_end, tails, error)

    def answer(self, requested: PositionRequest, answer: TailPosition | LogsieveError) -> None:
        """Answers the caller that waits for `requested`, unless it was cancelled."""
        self.flush()
        self._call(_answer, requested.answered, answer)

    def _put(self, batch: Sequence[Offered]) -> None:
        self._places.release()
        for tails, piece in batch:
            for tail in tails:
                tail.offer(piece)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)


def _end(tails: Sequence[TailQueue], error: LogsieveError) -> None:
    for tail in tails:
        tail.end(error, keep=True)


def _answer(answered: "asyncio.Future[TailPosition]", answer: TailPosition | LogsieveError) -> None:
    if answered.done():
        return
    if isinstance(answer, LogsieveError):
        answered.set_exception(answer)
    else:
        answered.set_result(answer)
