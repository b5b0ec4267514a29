"""Encodes a streamed search: one JSON object a line, of the form schemas.SearchLine."""

from collections.abc import AsyncGenerator
from typing import Final

from backend.answers.streamed import streamed
from backend.problems import problem_of
from backend.search.schemas import SearchLine

MEDIA_TYPE: Final = "application/x-ndjson"


async def started(lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Waits for the first line, then returns an iterator over all lines, which end with an error that occurs later.
    Raises errors that occur until then."""
    return await streamed(lines, 1, lambda error: encode(SearchLine(error=problem_of(error))))


def encode(line: SearchLine) -> bytes:
    """Returns one line. Null attributes stay; members that were not set are left out."""
    return line.model_dump_json(exclude_unset=True).encode() + b"\n"
