"""Encodes a streamed search: one JSON object a line, of the form schemas.SearchLine."""

from collections.abc import AsyncGenerator
from typing import Final

import structlog

from backend.problems import failure_of, problem_of
from backend.search.schemas import SearchLine

MEDIA_TYPE: Final = "application/x-ndjson"

log = structlog.get_logger()


async def started(lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Waits for the first line, then returns an iterator over all lines. Raises errors that occur until then.

    Later errors cannot change the status any more, so they become the last line.
    """
    first = await anext(lines)
    return _resumed(first, lines)


async def _resumed(first: bytes, lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    try:
        yield first
        async for line in lines:
            yield line
    except Exception as error:
        failure = failure_of(error)
        log.warning("streamed search failed after its beginning", code=failure.code, exc_info=failure is not error)
        yield encode(SearchLine(error=problem_of(failure)))
    finally:
        await lines.aclose()


def encode(line: SearchLine) -> bytes:
    """Returns one line. Null attributes stay; members that were not set are left out."""
    return line.model_dump_json(exclude_unset=True).encode() + b"\n"
