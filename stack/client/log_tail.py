"""Follows a live tail over the REST API, and resumes it after a lost connection."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import httpx2
from pydantic import BaseModel, TypeAdapter

from kit.errors import Unavailable
from stack.client.log_search import FoundLog
from stack.client.query_api import Problem, SearchRefused, require_success

_TIMEOUT: Final = httpx2.Timeout(10, read=30)
"""Timeouts in seconds. The API sends heartbeats more often than `read`."""

_AGAIN_SECONDS: Final = 1.0
_LONGEST_PAUSE_SECONDS: Final = 30.0
_RETRIED: Final = ("rate_limited", "unavailable", "internal")
"""Codes of problems after which the same request can succeed."""

_OBJECT: Final = TypeAdapter(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the user that is not a log."""

    text: str


class _End(BaseModel):
    code: str
    detail: str
    dropped: int = 0


def follow_logs(client: httpx2.Client, query: str, random: Random) -> Iterator[FoundLog | Notice]:
    """Yields logs as they arrive, without end. Raises SearchRefused if a retry cannot help.

    While the API stays unreachable for the same reason, yields one notice about it. Pauses have a random length,
    because all tails of an API process that ends lose their connections at the same time.
    """
    last_id: str | None = None
    reported: str | None = None
    while True:
        headers = {} if last_id is None else {"Last-Event-ID": last_id}
        failure: str | None = None
        pause = _AGAIN_SECONDS
        try:
            with client.stream("POST", "logs/tail", json={"query": query}, headers=headers, timeout=_TIMEOUT) as answer:
                if not answer.is_success:
                    answer.read()
                    pause = _pause_of(answer)
                require_success(client, answer)
                reported = None
                for fields in _events(lines_of(answer.iter_text())):
                    # The position is stored before the log is yielded, so that no log is repeated if the connection
                    # breaks now.
                    last_id = fields.get("id", last_id)
                    if (shown := _shown(fields)) is not None:
                        yield shown
        except httpx2.HTTPError as error:
            failure = f"no connection, trying again: {error or type(error).__name__}"
        except Unavailable as error:
            failure = f"trying again: {error.detail}"
        except SearchRefused as refusal:
            if refusal.problem.code not in _RETRIED:
                raise
            failure = f"trying again: {refusal.problem.detail}"
        if failure is not None and failure != reported:
            yield Notice(failure)
        reported = failure
        time.sleep(pause * random.uniform(1, 2))


def _pause_of(refusal: httpx2.Response) -> float:
    """Returns the seconds after which the API wants the request again, within bounds."""
    asked = refusal.headers.get("retry-after", "")
    return min(max(float(asked), _AGAIN_SECONDS), _LONGEST_PAUSE_SECONDS) if asked.isdecimal() else _AGAIN_SECONDS


def lines_of(texts: Iterator[str]) -> Iterator[str]:
    """Yields the lines of a stream of events, without their line feeds.

    httpx2's `iter_lines` also splits at characters that JSON texts contain as they are, such as U+2028 and U+0085.
    """
    begun = ""
    for text in texts:
        *complete, begun = (begun + text).split("\n")
        yield from complete


def _events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            yield fields
            fields = {}


def _shown(fields: dict[str, str]) -> FoundLog | Notice | None:
    data = fields.get("data", "{}")
    match fields.get("event"):
        case "log":
            return FoundLog.of(_OBJECT.validate_json(data))
        case "gap":
            return Notice(f"records are missing here: {_OBJECT.validate_json(data)['detail']}")
        case "interrupted":
            return Notice(f"waiting: {_OBJECT.validate_json(data)['detail']}")
        case "restored":
            return Notice("Kafka answers again; the tail continues")
        case "end":
            end = _End.model_validate_json(data)
            if end.code not in _RETRIED:
                raise SearchRefused(Problem(code=end.code, detail=end.detail))
            return Notice(f"reconnecting: {end.detail}")
    return None
