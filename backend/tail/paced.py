"""Yields pieces, and None at regular times, so that the caller can act while it waits for the next piece."""

import asyncio
from collections.abc import AsyncGenerator

from backend.tail.events import Piece


async def paced(pieces: AsyncGenerator[Piece | None], seconds: float) -> AsyncGenerator[Piece | None]:
    """Yields the pieces, and None each time that no piece came for `seconds`.

    `pieces` is not interrupted meanwhile, so it keeps its place in a queue. It is closed together with this generator.
    """
    coming: asyncio.Task[Piece | None] | None = None
    try:
        while True:
            coming = asyncio.create_task(_next(pieces))
            while not (await asyncio.wait({coming}, timeout=seconds))[0]:
                yield None
            try:
                piece = coming.result()
            except StopAsyncIteration:
                return
            yield piece
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await pieces.aclose()


async def _next(pieces: AsyncGenerator[Piece | None]) -> Piece | None:
    return await anext(pieces)
