"""The thread of the live reader: runs it repeatedly, recovers after an error, and ends it."""

from typing import Protocol

from kit.repeating import Repeating


class Reader(Protocol):
    """The methods of backend.tail.live.LiveReader that the thread calls."""

    def run_once(self) -> None: ...

    def fail(self) -> None: ...

    def end(self) -> None: ...


class Reading(Repeating):
    """Reads without pauses until it is stopped."""

    def __init__(self, reader: Reader) -> None:
        super().__init__("tail-reader", 0)
        self._reader = reader

    def run_once(self) -> None:
        self._reader.run_once()

    def recover(self) -> None:
        self._reader.fail()

    def ended(self) -> None:
        self._reader.end()
