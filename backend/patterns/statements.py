"""Builds the statements of patterns: matching messages, and the number of all of them over time."""

from typing import Final, NamedTuple

from backend.store.compile.filter import Filter
from backend.store.scope import Scope
from backend.store.statement import Statement
from backend.store.time_buckets import BUCKET_SQL

BODY_CHARACTERS: Final = 1_024
"""Number of characters of a message that are read and compared, so that the bytes of a sample are bounded."""


class SampledMessage(NamedTuple):
    """A record's time in nanoseconds since the Unix epoch, its id, and the first characters of its body."""

    timestamp_ns: int
    id: int
    body: str


class StepCount(NamedTuple):
    """Number of matching records in a step of time. Steps have equal widths and are numbered from the Unix epoch."""

    step: int
    records: int


def newest_messages(scope: Scope, matching: Filter, most: int) -> Statement[SampledMessage]:
    """Returns the statement for the newest matching messages, at most `most`, newest first."""
    return Statement(
        scope,
        "toUnixTimestamp64Nano(timestamp) AS ns, id, leftUTF8(body, {characters:UInt32}) AS text",
        SampledMessage._make,
        matching=matching,
        rest="ORDER BY timestamp DESC, id DESC LIMIT {most:UInt32}",
        values={"characters": BODY_CHARACTERS, "most": most},
    )


def count_steps(scope: Scope, matching: Filter, width_ns: int) -> Statement[StepCount]:
    """Returns the statement for the numbers of matching records, oldest step first. Steps without records are left
    out."""
    return Statement(
        scope,
        f"{BUCKET_SQL} AS step, count()",
        StepCount._make,
        matching=matching,
        rest="GROUP BY step ORDER BY step",
        values={"width_ns": width_ns},
        reads_all=True,
    )
