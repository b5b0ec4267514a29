"""The events of a tail, in the format of Server-Sent Events (HTML standard, section 9.2)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from backend.problems import problem_of
from backend.tail.position import TailPosition
from kit.errors import LogsieveError

HEARTBEAT_SECONDS: Final = 10.0
RETRY_MS: Final = 1_000

PIECE_BYTES: Final = 2**18
"""Largest size of a piece of records, in bytes, unless it has a single larger record. It bounds the memory that a
message takes, however many of its records match."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of whole events, and the number of records in it. `is_last` is true if the stream ends with it. If a queue
    is full, a piece without records is dropped, unless `is_needed` is true.

    If the records are of one message, `message` is its partition and offset, and `rows` the number of the message's
    rows up to the last record.
    """

    text: bytes
    records: int
    is_last: bool = False
    is_needed: bool = False
    message: tuple[int, int] | None = None
    rows: int = 0


def log_events(records: Iterable[tuple[int, bytes]], position: TailPosition, digest: bytes) -> Iterator[Piece]:
    """Yields the events of matching records of one message, given as JSON with their numbers in the message.

    `position` is the position at the message. The id of each event also has the number of rows up to its record.
    """
    partition, offset = position.started, position.offsets[position.started]
    events: list[bytes] = []
    size = rows = 0
    for number, text in records:
        event_id = position.inside(partition, offset, number + 1).encode(digest)
        event = b"id: %b\nevent: log\ndata: %b\n\n" % (event_id, text)
        if events and size + len(event) > PIECE_BYTES:
            yield Piece(b"".join(events), len(events), message=(partition, offset), rows=rows)
            events, size = [], 0
        events.append(event)
        size += len(event)
        rows = number + 1
    if events:
        yield Piece(b"".join(events), len(events), message=(partition, offset), rows=rows)


def opened(position: TailPosition, digest: bytes) -> Piece:
    """Returns the first event of a stream, whose id lets a client resume before the first record arrived."""
    return Piece(b"retry: %d\nid: %b\nevent: open\ndata: {}\n\n" % (RETRY_MS, position.encode(digest)), 0)


def heartbeat(position: TailPosition, digest: bytes) -> Piece:
    """Returns a comment with a new id, so that a tail without matches can resume from a recent place."""
    return Piece(b": heartbeat\nid: %b\n\n" % position.encode(digest), 0)


def gap(reason: str) -> Piece:
    """Returns the event that reports to the client that records are missing at this place in the stream."""
    return Piece(b"event: gap\ndata: %b\n\n" % orjson.dumps({"detail": reason}), 0, is_needed=True)


def interrupted(detail: str) -> Piece:
    """Returns the event that reports to the client that Kafka is unreachable and the stream waits."""
    return Piece(b"event: interrupted\ndata: %b\n\n" % orjson.dumps({"code": "unavailable", "detail": detail}), 0)


def restored() -> Piece:
    """Returns the event that reports to the client that Kafka is back and the stream continues."""
    return Piece(b"event: restored\ndata: {}\n\n", 0)


def ended(error: LogsieveError, dropped: int = 0) -> Piece:
    """Returns the last event: the reason for closing the stream, and the number of waiting records left unsent."""
    fields = problem_of(error).model_dump(exclude_none=True) | {"dropped": dropped}
    return Piece(b"event: end\ndata: %b\n\n" % orjson.dumps(fields), 0, is_last=True)
