"""Cuts texts of answers into pieces, on separate threads.

Building models of 1,000 records of 4 KB would block the event loop for 0.4 s. The text comes in pieces that the event
loop sends one by one.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar
from weakref import WeakValueDictionary

PIECE_BYTES: Final = 64 * 2**10
"""Largest piece of an answer, in bytes. A piece ends with a record, or inside a record that is longer."""

_WRITERS: Final = ThreadPoolExecutor(2, "answer-writer")
"""Threads that write answers. The event loop's own threads may all be waiting for ClickHouse."""

_TURNS: Final[WeakValueDictionary[int, asyncio.Lock]] = WeakValueDictionary()
"""Locks of the tenants whose answers are written or wait for that, by the tenant's id."""

_T = TypeVar("_T")


async def written(tenant_id: int, write: Callable[[], _T]) -> _T:
    """Returns the result of `write`, which runs on a separate thread.

    Runs one `write` of a tenant at a time, so that a thread is free for other tenants. A page of large, nested
    attributes may take seconds.
    """
    turn = _TURNS.get(tenant_id)
    if turn is None:
        turn = _TURNS[tenant_id] = asyncio.Lock()
    await turn.acquire()
    try:
        job = asyncio.wrap_future(_WRITERS.submit(write))
    except BaseException:
        turn.release()
        raise
    # If the client disconnects, its request ends but the work does not. The turn lasts as long as the work runs.
    job.add_done_callback(lambda _: turn.release())
    return await asyncio.shield(job)


def pieces(texts: Iterable[bytes]) -> list[bytes]:
    """Returns the texts joined and cut into pieces of about PIECE_BYTES."""
    return list(_pieces(texts))


def _pieces(texts: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= PIECE_BYTES:
            joined = b"".join(held)
            yield from (joined[first : first + PIECE_BYTES] for first in range(0, size, PIECE_BYTES))
            held, size = [], 0
    if held:
        yield b"".join(held)
