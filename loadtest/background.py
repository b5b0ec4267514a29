"""Runs work in a separate thread beside a measurement."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self


class Background(ABC):
    """Context manager that runs `work` in a thread within its block.

    The end of the block raises the error that ended the work, unless the block ends with an error of its own.
    """

    def __init__(self, name: str) -> None:
        """`name` is the name of the thread."""
        self.stopping = threading.Event()
        """Set at the end of the block. `work` must return soon after it."""
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def work(self) -> None:
        """Does the work until it is done or `stopping` is set."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, error: type[BaseException] | None = None, *_: object) -> None:
        self.stopping.set()
        self._thread.join()
        if error is None:
            self.check()

    def join(self, seconds: float) -> bool:
        """Waits at most `seconds` until the work is done. Returns whether it is. Raises the error that ended it."""
        self._thread.join(seconds)
        self.check()
        return not self._thread.is_alive()

    def has_set(self, event: threading.Event) -> bool:
        """Returns whether the work has set an event. Raises the error that ended it before, if any."""
        self.check()
        return event.is_set()

    def check(self) -> None:
        """Raises the error that ended the work, if any."""
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self.work()
        except Exception as error:  # raised by `check`
            self._failure = error


class Running(Background):
    """Runs a function within the block. Its argument is the event `stopping`."""

    def __init__(self, name: str, function: Callable[[threading.Event], None]) -> None:
        super().__init__(name)
        self._function = function

    def work(self) -> None:
        self._function(self.stopping)


def repeating(name: str, step: Callable[[], None], pause: float) -> Running:
    """Returns background work that repeats a step, with a pause in seconds between two."""

    def repeat(stopping: threading.Event) -> None:
        step()
        while not stopping.wait(pause):
            step()

    return Running(name, repeat)
