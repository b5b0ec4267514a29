"""Cuts texts of answers into pieces, on separate threads.

Building models of 1,000 records of 4 KB would block the event loop for 0.4 s. The text comes in pieces that the event
loop sends one by one.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from kit.clock import SystemClock
from kit.tenant_threads import TenantThreads

PIECE_BYTES: Final = 64 * 2**10
"""Largest piece of an answer, in bytes. A piece ends with a record, or inside a record that is longer."""

_WRITERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, TenantThreads]] = WeakKeyDictionary()
"""Threads that write answers, of each event loop. The event loop's own threads may all be waiting for ClickHouse."""

_T = TypeVar("_T")


async def written(tenant_id: int, write: Callable[[], _T]) -> _T:
    """Returns the result of `write`, which runs on a separate thread.

    Runs one `write` of a tenant at a time, so that a thread is free for other tenants. A page of large, nested
    attributes may take seconds.
    """
    loop = asyncio.get_running_loop()
    if (threads := _WRITERS.get(loop)) is None:
        threads = _WRITERS[loop] = TenantThreads("answer-writer", SystemClock())
    return await threads.run(tenant_id, write)


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
