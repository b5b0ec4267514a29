"""Builds the statements of patterns: matching messages, and the number of all of them over time."""

from typing import Final, NamedTuple

from backend.store.compile.filter import Filter
from backend.store.scope import Scope
from backend.store.statement import Statement
from backend.store.time_buckets import BUCKET_SQL

BODY_BYTES: Final = 1_000
"""Bytes of a message that are read and compared, so that the bytes of a sample are bounded."""
ROW_BYTES: Final = BODY_BYTES + 40
"""Largest number of bytes of a row of `newest_messages`, as ClickHouse counts the bytes of an answer: body, time, id,
the length of the body, and up to two bytes by which U+FFFD is longer than what is left of a cut character."""


class SampledMessage(NamedTuple):
    """A record's time in nanoseconds since the Unix epoch, its id, and the first BODY_BYTES bytes of its body."""

    timestamp_ns: int
    id: int
    body: str


class StepCount(NamedTuple):
    """Number of matching records in a step of time, and the times of the oldest and the newest of them, in nanoseconds
    since the Unix epoch. Steps have equal widths and are numbered from the Unix epoch."""

    step: int
    records: int
    first_ns: int
    last_ns: int


def newest_messages(scope: Scope, matching: Filter, most: int) -> Statement[SampledMessage]:
    """Returns the statement for the newest matching messages, at most `most`, newest first.

    If a body is cut within a character, U+FFFD stands for the character's first bytes.
    """
    return Statement(
        scope,
        "toUnixTimestamp64Nano(timestamp) AS ns, id, toValidUTF8(left(body, {body_bytes:UInt32})) AS text",
        SampledMessage._make,
        matching=matching,
        rest="ORDER BY timestamp DESC, id DESC LIMIT {most:UInt32}",
        values={"body_bytes": BODY_BYTES, "most": most},
    )


def count_steps(scope: Scope, matching: Filter, width_ns: int) -> Statement[StepCount]:
    """Returns the statement for the numbers and times of matching records, oldest step first. Steps without records are
    left out."""
    return Statement(
        scope,
        f"{BUCKET_SQL} AS step, count(), toUnixTimestamp64Nano(min(timestamp)), toUnixTimestamp64Nano(max(timestamp))",
        StepCount._make,
        matching=matching,
        rest="GROUP BY step ORDER BY step",
        values={"width_ns": width_ns},
        reads_all=True,
    )
