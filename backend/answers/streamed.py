"""Streams an answer whose status is sent before all of it is known."""

from collections.abc import AsyncGenerator, Callable, Sequence

import structlog

from backend.problems import failure_of
from kit.errors import LogsieveError

log = structlog.get_logger()

LastLine = Callable[[LogsieveError], bytes]
"""Type of the function that returns the line with an error that ends a stream of lines."""


async def streamed(
    pieces: AsyncGenerator[bytes], first: int, last_line: LastLine | None, check: Callable[[], object] | None = None
) -> AsyncGenerator[bytes]:
    """Waits for the `first` pieces, then returns an iterator over all pieces. Raises errors that occur until then.

    Later errors cannot change the status any more. The stream then ends with `last_line`. If this is None, the format
    cannot hold an error, so the error is raised again, and the transfer ends without its end mark. `check` is called
    before later pieces, and may raise an error.
    """
    return _resumed([await anext(pieces, b"") for _ in range(first)], pieces, last_line, check)


async def _resumed(
    first: Sequence[bytes],
    pieces: AsyncGenerator[bytes],
    last_line: LastLine | None,
    check: Callable[[], object] | None,
) -> AsyncGenerator[bytes]:
    try:
        for piece in first:
            yield piece
        line_ended = not first[-1] or first[-1].endswith(b"\n")
        async for piece in pieces:
            # Called just before a piece is sent, because client and ClickHouse may both have been slow. A long record
            # comes in several pieces, and the line with the error must not begin inside one.
            if check is not None and (line_ended or last_line is None):
                check()
            yield piece
            line_ended = not piece or piece.endswith(b"\n")
    except Exception as error:
        failure = failure_of(error)
        log.warning(
            "an answer failed after its beginning",
            code=failure.code,
            detail=failure.detail,
            exc_info=failure is not error,
        )
        if last_line is None:
            raise
        yield last_line(failure)
    finally:
        await pieces.aclose()
