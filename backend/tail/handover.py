"""Passes events from the thread that feeds tails to the event loop, in order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.tail.events import Piece
from backend.tail.group import TailedQuery
from backend.tail.position import TailPosition
from backend.tail.queue import TailQueue
from kit.errors import LogsieveError

Offered = tuple[tuple[TailQueue, ...], Piece]
"""A piece, and the queues of the tails that receive it."""


@dataclass(frozen=True, slots=True)
class PositionRequest:
    """A request for the position of the tails of `query`. If `tail` is given, the reader also attaches it."""

    query: TailedQuery
    tail: TailQueue | None
    answered: "asyncio.Future[TailPosition]"


class Handover:
    """Passes events and answers to the event loop. Its methods may be called from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def offer(self, pieces: Sequence[Offered]) -> None:
        """Puts each piece into the queues of its tails."""
        self._call(_offer, pieces)

    def end(self, tails: Sequence[TailQueue], error: LogsieveError) -> None:
        """Ends tails after sending the pieces that wait in their queues."""
        self._call(_end, tails, error)

    def answer(self, requested: PositionRequest, answer: TailPosition | LogsieveError) -> None:
        """Answers the caller that waits for `requested`, unless it was cancelled."""
        self._call(_answer, requested.answered, answer)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)


def _offer(pieces: Sequence[Offered]) -> None:
    for tails, piece in pieces:
        for tail in tails:
            tail.offer(piece)


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
