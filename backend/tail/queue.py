"""The queue of events for one client of a tail. Its size is bounded, because a client may read slowly."""

import asyncio
from collections import deque
from collections.abc import Iterable

from backend.tail.budget import TailBudget
from backend.tail.events import PIECE_BYTES, Piece, ended
from kit import metrics
from kit.errors import LogsieveError, RateLimited


class _Part:
    """Pieces in order, and their size in bytes."""

    def __init__(self) -> None:
        self.pieces: deque[Piece] = deque()
        self.size = 0
        self._is_one_message = False

    def append(self, piece: Piece) -> None:
        self._is_one_message = self.continues_one_message(piece) if self.pieces else True
        self.pieces.append(piece)
        self.size += len(piece.text)

    def take(self) -> Piece:
        piece = self.pieces.popleft()
        self.size -= len(piece.text)
        return piece

    def continues(self, piece: Piece) -> bool:
        """Returns whether the piece has further records of the message of the last piece."""
        return bool(self.pieces) and piece.message is not None and piece.message == self.pieces[-1].message

    def continues_one_message(self, piece: Piece) -> bool:
        """Returns whether the piece has further records of the message of all pieces."""
        return self._is_one_message and self.continues(piece)


class TailQueue:
    """Pieces for one client. For the event loop only.

    Holds at most `limit_bytes` that wait, as many that are being sent, and a message that is larger than the limit. The
    pieces of all queues together are limited by `budget`.
    """

    def __init__(self, limit_bytes: int, tenant_id: int, budget: TailBudget) -> None:
        self._limit = limit_bytes
        self._tenant_id = tenant_id
        self._budget = budget
        self._waiting = _Part()
        self._sending = _Part()
        """Pieces that `take` has begun to return, with the rest of the last piece's message."""
        self._taken: list[Piece] = []
        """Pieces that `take` returned last, which the client may not have read yet."""
        self._ready = asyncio.Event()
        self.is_ended = False
        self.awaits_replay = False
        """True while the client is still sent records that it missed, which are older than the queue's pieces."""

    def offer(self, piece: Piece) -> None:
        """Appends the piece, or ends the stream if the client is too far behind.

        If nothing waits in the queue when a message begins, the queue takes all pieces of the message, as far as the
        budget allows, even if together they are larger than the limit.
        """
        if self.is_ended:
            return
        is_sent = not self._waiting.pieces and self._sending.continues(piece)
        part = self._sending if is_sent else self._waiting
        try:
            self._hold(part, piece)
        except RateLimited as error:
            if piece.records or piece.is_needed:
                self.end(error, piece.records)
            return
        part.append(piece)
        self._ready.set()

    def end(self, error: LogsieveError, more: int = 0, keep: bool = False) -> None:
        """Ends the stream with the error as its last piece.

        Waiting pieces are dropped unless `keep`, and also if the queue awaits a replay: the client resumes before them.
        The error names the number of dropped records, with `more` added.
        """
        if self.is_ended:
            return
        dropped = more
        if not keep or self.awaits_replay:
            dropped += sum(piece.records for piece in self._waiting.pieces)
            self._release(self._waiting.pieces)
            self._waiting = _Part()
        self._waiting.append(ended(error, dropped))
        self._ready.set()
        self.is_ended = True
        metrics.counter(metrics.TAIL_ENDED).add(1, {"code": error.code})

    async def take(self, seconds: float) -> Piece | None:
        """Returns the next pieces as one piece. Returns None if no piece arrives within `seconds`.

        Each call confirms that the pieces of the previous call were sent to the client. All pieces that wait at the
        time of a call are sent before pieces that arrive later, and the limit counts only the later pieces.
        """
        self._release(self._taken)
        self._taken.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            return None
        if not self._sending.pieces:
            self._sending, self._waiting = self._waiting, _Part()
        size = 0
        while self._sending.pieces and (not size or size + len(self._sending.pieces[0].text) <= PIECE_BYTES):
            piece = self._sending.take()
            self._taken.append(piece)
            size += len(piece.text)
        if not self._sending.pieces and not self._waiting.pieces:
            self._ready.clear()
        return Piece(
            b"".join([piece.text for piece in self._taken]),
            sum(piece.records for piece in self._taken),
            any(piece.is_last for piece in self._taken),
        )

    def close(self) -> None:
        """Drops all pieces, because the client is gone. The queue takes no more."""
        self.is_ended = True
        self._release([*self._waiting.pieces, *self._sending.pieces, *self._taken])
        self._waiting, self._sending = _Part(), _Part()
        self._taken.clear()
        self._ready.clear()

    def _hold(self, part: _Part, piece: Piece) -> None:
        """Counts the piece in the budget. Raises RateLimited if the queue may not take it."""
        if part.size + len(piece.text) > self._limit and part.pieces and not part.continues_one_message(piece):
            raise RateLimited("the client reads more slowly than records arrive: reconnect to get the dropped records")
        self._budget.hold(self._tenant_id, piece)

    def _release(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            # The last piece says why the stream ends. It is sent even if nothing is left in the budget.
            if not piece.is_last:
                self._budget.release(piece)
