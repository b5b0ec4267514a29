"""The queue of events for one client of a tail. Its size is bounded, because a client may read slowly."""

import asyncio
from collections import deque

from backend.tail.events import Piece, ended
from kit import metrics
from kit.errors import LogsieveError, RateLimited


class TailQueue:
    """Pieces for one client. For the event loop only."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._pieces: deque[Piece] = deque()
        self._size = 0
        self._ready = asyncio.Event()
        self.is_ended = False

    def offer(self, piece: Piece) -> None:
        """Appends the piece, or ends the stream if the client is too far behind.

        An empty queue takes any piece, because one message may be larger than the limit.
        """
        if self.is_ended:
            return
        if self._pieces and self._size + len(piece.text) > self._limit:
            if piece.records or piece.is_needed:
                self.end(
                    RateLimited(
                        "the client reads more slowly than records arrive: reconnect to get the dropped records"
                    ),
                    piece.records,
                )
            return
        self._pieces.append(piece)
        self._size += len(piece.text)
        self._ready.set()

    def end(self, error: LogsieveError, more: int = 0, keep: bool = False) -> None:
        """Ends the stream with the error as its last piece.

        Waiting pieces are dropped unless `keep`. The error names the number of dropped records, with `more` added.
        """
        if self.is_ended:
            return
        dropped = more
        if not keep:
            dropped += sum(piece.records for piece in self._pieces)
            self._pieces.clear()
        self._pieces.append(ended(error, dropped))
        self.is_ended = True
        self._ready.set()
        metrics.counter(metrics.TAIL_ENDED).add(1, {"code": error.code})

    async def take(self, seconds: float) -> Piece | None:
        """Returns all waiting pieces as one piece. Returns None if no piece arrives within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            return None
        self._ready.clear()
        taken = Piece(
            b"".join(piece.text for piece in self._pieces),
            sum(piece.records for piece in self._pieces),
            any(piece.is_last for piece in self._pieces),
        )
        self._pieces.clear()
        self._size = 0
        return taken
