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
    """Text of whole events, the number of records in it, and true in `is_last` if the stream ends with it. A piece
    without records may be left out, unless `is_needed`."""

    text: bytes
    records: int
    is_last: bool = False
    is_needed: bool = False


def log_events(records: Sequence[tuple[int, bytes]], position: TailPosition, digest: bytes) -> Piece:
    """Returns the events of matching records of one message, given as JSON with their numbers in the message.

    `position` is the position before the message. The id of each event also has the number of rows up to its record.
    """
    events = [
        b"id: %b\nevent: log\ndata: %b\n\n" % (_inside(position, number + 1).encode(digest), text)
        for number, text in records
    ]
    return Piece(b"".join(events), len(events))


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


def _inside(position: TailPosition, rows: int) -> TailPosition:
    return TailPosition(position.topic_epoch, position.time_ns, position.offsets, position.started, rows)
