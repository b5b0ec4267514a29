"""A hint: a likely reason why a query found nothing, and the query that was probably meant."""

from collections.abc import Awaitable, Callable

from pydantic import BaseModel, Field

from backend.language.nodes import Node
from backend.store.scope import Scope


class Hint(BaseModel):
    """A likely reason why a query found nothing."""

    detail: str
    query: str | None = Field(description="The query that was probably meant; null if none is known.")


FindHints = Callable[[Scope, str, Node], Awaitable[list[Hint]]]
"""Type of the function that returns the hints for a query, given its scope, text and tree.

An error of the log store is not raised. Hints that need the store are then left out.
"""
