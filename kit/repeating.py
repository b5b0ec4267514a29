"""One thing done again and again beside the work of a process."""

import threading
from abc import ABC, abstractmethod


class Repeating(threading.Thread, ABC):
    """A daemon thread that takes a turn every `seconds`, the first after as many, until it is told to stop.

    An error that a turn raises ends the thread: turns handle what they expect.
    """

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Takes no turn any more; does not wait for the one that is being taken."""
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self.turn()

    @abstractmethod
    def turn(self) -> None:
        """What is done each time."""
