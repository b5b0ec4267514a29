"""Searching over the REST API, page by page, as a program of a customer would."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx2
from pydantic import BaseModel, ConfigDict

from kit.errors import Internal, Unavailable

PAGE: Final = 1000
"""The largest page the API gives (contract.md)."""
_SECONDS: Final = 60.0


class Problem(BaseModel):
    """A problem+json answer (RFC 9457) with the fields that query errors add."""

    model_config = ConfigDict(extra="ignore")

    code: str
    detail: str
    position: int | None = None
    expected: list[str] | None = None


class SearchRefused(Exception):
    """The API answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class FoundLog(BaseModel):
    """The fields of a log that the terminal shows; `raw` is the API's whole object."""

    timestamp: str
    severity_number: int
    severity_text: str
    service: str
    body: str
    raw: dict[str, Any]


class _Page(BaseModel):
    logs: list[dict[str, Any]]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for; `start` and `end` as the API takes them."""

    query: str
    start: str
    end: str
    order: Literal["asc", "desc"]
    limit: int


def search_logs(client: httpx2.Client, search: Search) -> Iterator[FoundLog]:
    """Up to `limit` logs, following cursors. Raises SearchRefused for a problem answer, Unavailable without one."""
    parameters = {"query": search.query, "start": search.start, "end": search.end, "order": search.order}
    left, cursor = search.limit, None
    while left > 0:
        page = _get(client, {**parameters, "limit": str(min(left, PAGE)), **({"cursor": cursor} if cursor else {})})
        for log in page.logs:
            yield FoundLog(**{name: log[name] for name in FoundLog.model_fields if name != "raw"}, raw=log)
        left -= len(page.logs)
        cursor = page.next_cursor
        if cursor is None:
            return


def _get(client: httpx2.Client, parameters: dict[str, str]) -> _Page:
    try:
        answer = client.get("logs/search", params=parameters, timeout=_SECONDS)
    except httpx2.HTTPError as error:
        raise Unavailable(f"the API at {client.base_url} does not answer: {error or type(error).__name__}") from error
    if answer.is_success:
        return _Page.model_validate_json(answer.content)
    if answer.headers.get("content-type", "").startswith("application/problem+json"):
        raise SearchRefused(Problem.model_validate_json(answer.content))
    raise Internal(f"the API at {client.base_url} answered {answer.status_code} without a reason")
