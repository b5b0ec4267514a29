"""The thread of the live reader: its turns, what is done when one fails, and what is done at the end."""

from typing import Protocol

from kit.repeating import Repeating


class Reader(Protocol):
    """The part of backend.tail.live.LiveReader that is needed here; all of it is called within the thread."""

    def turn(self) -> None: ...

    def fail(self) -> None: ...

    def end(self) -> None: ...


class Reading(Repeating):
    """Reads without a pause until it is stopped."""

    def __init__(self, reader: Reader) -> None:
        super().__init__("tail-reader", 0)
        self._reader = reader

    def turn(self) -> None:
        self._reader.turn()

    def recover(self) -> None:
        self._reader.fail()

    def ended(self) -> None:
        self._reader.end()
