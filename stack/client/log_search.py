"""Searches over the REST API, page by page, as a customer's program would."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import httpx2
from pydantic import BaseModel

from stack.client.query_api import parsed, requested

PAGE: Final = 1000
"""Largest page that the API gives, in records."""
_SECONDS: Final = 60.0


class FoundLog(BaseModel):
    """The fields of a log that the terminal shows; `raw` is the API's whole object."""

    timestamp: str
    severity_number: int
    severity_text: str
    service: str
    body: str
    raw: dict[str, Any]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Self:
        """Parses one JSON object of the API. Raises ValidationError if a shown member is missing."""
        return cls.model_validate({**raw, "raw": raw})


class Hint(BaseModel):
    """A likely reason why a query found nothing, and the query that was probably meant."""

    detail: str
    query: str | None


class _Page(BaseModel):
    logs: list[dict[str, Any]]
    next_cursor: str | None
    hints: list[Hint] = []


@dataclass(frozen=True, slots=True)
class Search:
    """Query of a search. `start` and `end` are in a form that the API accepts."""

    query: str
    start: str
    end: str
    order: Literal["asc", "desc"]
    limit: int


def search_logs(client: httpx2.Client, search: Search, hint: Callable[[Hint], None]) -> Iterator[FoundLog]:
    """Yields up to `limit` logs, following cursors. Calls `hint` with each hint if there are none.

    Raises SearchRefused for a problem answer, Unavailable without one.
    """
    parameters = {"query": search.query, "start": search.start, "end": search.end, "order": search.order}
    left, cursor = search.limit, None
    while left > 0:
        body = {**parameters, "limit": min(left, PAGE), **({"cursor": cursor} if cursor else {})}
        page = parsed(_Page, requested(client, "POST", "logs/search", _SECONDS, body).content)
        for log in page.logs:
            yield FoundLog.of(log)
        for each in page.hints:
            hint(each)
        left -= len(page.logs)
        cursor = page.next_cursor
        if cursor is None:
            return
