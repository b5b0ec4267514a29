"""The events of a tail, in the format of Server-Sent Events (HTML standard, section 9.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backend.problems import problem_of
from backend.tail.position import TailPosition
from kit.errors import LogsieveError

HEARTBEAT_SECONDS: Final = 10.0
RETRY_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole events, how many of them are records, and whether the stream ends with them."""

    text: bytes
    records: int
    is_last: bool = False


def log_events(records: Sequence[tuple[int, bytes]], position: TailPosition, digest: bytes) -> Piece:
    """Matching records of one message: each with its number in the message, as JSON.

    `position` is before the message; an id says how far into it a client has come.
    """
    events = [
        b"id: %b\nevent: log\ndata: %b\n\n" % (_inside(position, number + 1).encode(digest), text)
        for number, text in records
    ]
    return Piece(b"".join(events), len(events))


def opened(position: TailPosition, digest: bytes) -> Piece:
    """The first event of a stream, so that a client has a place to go on from before the first record."""
    return Piece(b"retry: %d\nid: %b\nevent: open\ndata: {}\n\n" % (RETRY_MS, position.encode(digest)), 0)


def heartbeat(position: TailPosition, digest: bytes) -> Piece:
    """No event, but a new id: a tail without matches does not fall behind."""
    return Piece(b": heartbeat\nid: %b\n\n" % position.encode(digest), 0)


def gap(reason: str) -> Piece:
    """Records are missing here."""
    return Piece(b"event: gap\ndata: %b\n\n" % orjson.dumps({"detail": reason}), 0)


def interrupted(detail: str) -> Piece:
    """Kafka is away; the stream waits for it."""
    return Piece(b"event: interrupted\ndata: %b\n\n" % orjson.dumps({"code": "unavailable", "detail": detail}), 0)


def restored() -> Piece:
    """Kafka is back; the stream goes on where it was."""
    return Piece(b"event: restored\ndata: {}\n\n", 0)


def ended(error: LogsieveError, dropped: int = 0) -> Piece:
    """The last event: why the server closes the stream, and how many records that were ready it did not send."""
    fields = problem_of(error).model_dump(exclude_none=True) | {"dropped": dropped}
    return Piece(b"event: end\ndata: %b\n\n" % orjson.dumps(fields), 0, is_last=True)


def _inside(position: TailPosition, rows: int) -> TailPosition:
    return TailPosition(position.topic_epoch, position.time_ns, position.offsets, position.begun, rows)
