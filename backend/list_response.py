"""Makes the answers of routes that list what a tenant has saved, or what its admin keys may see."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from fastapi.responses import Response
from pydantic import BaseModel

from backend.answers.response import listed, written_response
from backend.state import State

T = TypeVar("T")


async def list_response(
    state: State, tenant_id: int, name: str, read: Callable[[], Awaitable[Iterable[T]]], body: Callable[[T], BaseModel]
) -> Response:
    """Returns a JSON object whose only member, with this name, is the list that `read` returns. `body` makes the model
    of each item.

    A tenant's lists are read and written one after the other. Raises RateLimited if too many wait, or if the tenant's
    clients leave too many bytes unread, and what `read` raises.
    """
    async with state.lists.of(tenant_id):
        found = await read()
        return await written_response(lambda: listed(name, map(body, found)), tenant_id, state.resources)
