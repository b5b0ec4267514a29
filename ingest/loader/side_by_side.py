"""Runs the steps of one batch concurrently, so that none waits for a step that hangs."""

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final

MAX_THREADS: Final = 16
"""Largest number of steps of one batch that run at the same time."""

Step = Callable[[], None]


def side_by_side(name: str, steps: Sequence[Step], tick: Step, tick_seconds: float) -> None:
    """Runs the steps concurrently, at most MAX_THREADS at once.

    Calls `tick` when no step has ended for `tick_seconds`. A single step runs without ticks.

    Raises the first error of a step. Other steps then continue in their threads, which do not keep the process from
    ending.
    """
    if len(steps) == 1:
        steps[0]()
        return
    waiting: SimpleQueue[Step] = SimpleQueue()
    for step in steps:
        waiting.put(step)
    outcomes: SimpleQueue[BaseException | None] = SimpleQueue()

    def work() -> None:
        while True:
            try:
                step = waiting.get_nowait()
            except Empty:
                return
            try:
                step()
            except BaseException as error:  # handed to the batch's own thread
                outcomes.put(error)
                return
            outcomes.put(None)

    for number in range(min(len(steps), MAX_THREADS)):
        threading.Thread(target=work, name=f"{name}-{number}", daemon=True).start()
    missing = len(steps)
    while missing:
        try:
            error = outcomes.get(timeout=tick_seconds)
        except Empty:
            tick()
            continue
        if error is not None:
            raise error
        missing -= 1
