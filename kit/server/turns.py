"""A few things at a time, of one client after the other: a burst of thousands delays nobody else."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, TypeAlias

AT_ONCE: Final = 8
"""Things done in one turn of the event loop. A connection or a request costs 100 to 300 µs."""

Act: TypeAlias = Callable[[], None]


class Turns:
    """Bounds what is done in one turn of an event loop. What has to wait is done when it is its client's turn, behind
    all else of that client. For the thread of the loop."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._left = at_once
        self._clients: OrderedDict[str, deque[Act]] = OrderedDict()
        self._next: asyncio.Handle | None = None

    def free(self) -> bool:
        """Returns whether one thing may be done now, which counts as done."""
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._turn)
        if not self._left or self._clients:
            return False
        self._left -= 1
        return True

    def wait(self, client: str, act: Act) -> None:
        """Does it in one of the next turns of the loop."""
        self._clients.setdefault(client, deque()).append(act)
        if self._next is None:
            self._next = asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._next, self._left = None, self._at_once
        if self._clients:
            self._next = asyncio.get_running_loop().call_soon(self._turn)
        while self._left and self._clients:
            self._left -= 1
            client, acts = self._clients.popitem(last=False)
            act = acts.popleft()
            if acts:
                self._clients[client] = acts
            act()
