"""Reads patterns of messages from the REST API."""

from dataclasses import asdict, dataclass
from typing import Final

import httpx2
from pydantic import BaseModel

from stack.client.query_api import parsed, requested

_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class PatternsRequest:
    """Parameters of a request for patterns. `start` and `end` have the form that the API takes; `limit` is the largest
    number of patterns."""

    query: str
    start: str
    end: str
    limit: int


class LogPattern(BaseModel):
    """A template, and the number of sampled records that it matches. `counts` has this number for equal parts of the
    sample's time."""

    template: str
    records: int
    share: float
    counts: list[int]
    new: bool | None


class LogPatterns(BaseModel):
    """Patterns, most frequent first. `found` counts all patterns of the sample, `matching` all matching records."""

    sampled: int
    matching: int | None
    is_estimate: bool
    found: int
    patterns: list[LogPattern]


def read_patterns(client: httpx2.Client, given: PatternsRequest) -> tuple[LogPatterns, bytes]:
    """Returns the patterns, and their JSON as the API wrote it.

    Raises SearchRefused for a problem answer, Unavailable without an answer.
    """
    raw = requested(client, "POST", "logs/patterns", _SECONDS, asdict(given)).content
    return parsed(LogPatterns, raw), raw
