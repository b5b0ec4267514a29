"""Sends requests over several connections at the same time."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

C = TypeVar("C")


def send_over(
    connections: int,
    connect: Callable[[], AbstractContextManager[C]],
    requests: Iterable[bytes],
    send: Callable[[C, bytes], int],
) -> int:
    """Sends each request once, over the connection that is free first. Returns the sum of the results of `send`.

    Each connection has its own thread. Raises the error of a connection that failed, after the others have ended.
    """
    remaining, lock = iter(requests), threading.Lock()

    def take() -> bytes | None:
        with lock:
            return next(remaining, None)

    def work() -> int:
        with connect() as connection:
            return sum(send(connection, body) for body in iter(take, None))

    with ThreadPoolExecutor(connections, thread_name_prefix="sender") as pool:
        return sum(future.result() for future in [pool.submit(work) for _ in range(connections)])
