"""Exports over the REST API: yields the file as it arrives, and raises an error if it is incomplete."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

import httpx2
from pydantic import BaseModel

from kit.errors import Unavailable
from stack.client.query_api import Problem, SearchRefused, require_success, unreachable

Format = Literal["ndjson", "csv"]

_PIECE: Final = 256 * 1024
# The API sends nothing while the log store searches for the next match, which may take long for rare matches.
_TIMEOUT: Final = httpx2.Timeout(10, read=None)
_ERROR: Final = b'{"error":'


@dataclass(frozen=True, slots=True)
class Export:
    """Query of an export. `start` and `end` are in a form that the API accepts. `columns` are those of a CSV file."""

    query: str
    start: str
    end: str
    order: Literal["asc", "desc"]
    format: Format
    columns: str | None = None


class _LastLine(BaseModel):
    error: Problem


def export_logs(client: httpx2.Client, export: Export) -> Iterator[bytes]:
    """Yields the file, piece by piece.

    Raises SearchRefused if the API refuses the export or fails on the way, Unavailable if it does not answer or the
    connection breaks.
    """
    parameters = {
        "query": export.query,
        "start": export.start,
        "end": export.end,
        "order": export.order,
        "format": export.format,
        **({} if export.columns is None else {"columns": export.columns}),
    }
    try:
        with client.stream("POST", "logs/export", json=parameters, timeout=_TIMEOUT) as answer:
            if not answer.is_success:
                answer.read()
            require_success(client, answer)
            pieces = answer.iter_bytes(_PIECE)
            yield from records_of(pieces) if export.format == "ndjson" else pieces
    except httpx2.RemoteProtocolError as error:
        raise Unavailable("the export ended early, so records are missing; run it again") from error
    except httpx2.HTTPError as error:
        raise unreachable(client, error) from error


def records_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the pieces of an NDJSON file without a final error line. Raises that error as SearchRefused."""
    held = b""
    for piece in pieces:
        held += piece
        last_line = held.rfind(b"\n", 0, -1) + 1
        yield held[:last_line]
        held = held[last_line:]
    if held.startswith(_ERROR):
        raise SearchRefused(_LastLine.model_validate_json(held).error)
    yield held
