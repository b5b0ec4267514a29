"""Pieces that may be long in coming, for somebody who has other things to see to."""

import asyncio
from collections.abc import AsyncGenerator

from backend.tail.events import Piece


async def paced(pieces: AsyncGenerator[Piece | None], seconds: float) -> AsyncGenerator[Piece | None]:
    """The same pieces, and None whenever nothing came for that long.

    `pieces` waits on undisturbed, so it keeps its place where it stands in a queue. It is closed with this generator.
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
