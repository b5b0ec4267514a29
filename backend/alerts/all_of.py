"""Runs several tasks. If one fails, the others continue."""

import asyncio
from collections.abc import Awaitable, Iterable


async def all_of(tasks: Iterable[Awaitable[None]]) -> None:
    """Waits until every task has ended, then raises the first error."""
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
