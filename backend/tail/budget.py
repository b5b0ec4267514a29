"""Bounds the memory of events that wait for the clients of live tails, for each tenant and for all tenants together."""

from typing import Final

from backend.tail.events import Piece
from kit.errors import RateLimited
from kit.fair_budget import FairBudget, Share

WAITING_BYTES: Final = 256 * 2**20
"""Bytes of events that may wait for the clients of all tails of a process. One tenant may hold half of them."""


class TailBudget(FairBudget):
    """Counts the bytes of the pieces in the queues of tails. A piece in the queues of several tails counts once,
    because the queues share its memory. For one event loop."""

    def __init__(self, size: int = WAITING_BYTES) -> None:
        super().__init__(size)
        self._pieces: dict[int, tuple[Share, int]] = {}
        """For each piece, by its identity: its share of the budget, and the number of queues that hold it."""

    def hold(self, tenant_id: int, piece: Piece) -> None:
        """Counts the piece for one more queue of the tenant. Raises RateLimited if too few bytes are left."""
        share, queues = self._pieces.get(id(piece)) or (Share(self, tenant_id), 0)
        if not queues:
            share.grow(len(piece.text))
        self._pieces[id(piece)] = share, queues + 1

    def release(self, piece: Piece) -> None:
        """Ends one `hold` of the piece."""
        share, queues = self._pieces.pop(id(piece))
        if queues > 1:
            self._pieces[id(piece)] = share, queues - 1
        else:
            share.shrink(share.size)

    def refusal(self, size: int, held: int, left: int) -> RateLimited:
        """Returns the error for a live tail whose next events do not fit into the budget."""
        return RateLimited(
            f"{held:,} bytes wait for clients of this tenant's live tails, and {left:,} bytes are left for "
            f"all tenants: {size:,} more do not fit. Reconnect to get the dropped records. If this repeats, close "
            "tails that are read slowly, or write a query that matches fewer records"
        )
