"""Builds the statements of patterns: the sample of matching messages, and the number of all of them."""

from typing import Final, NamedTuple

from backend.store.compile.filter import Filter
from backend.store.scope import Scope
from backend.store.statement import Statement, only_value

SAMPLE: Final = 10_000
"""Number of the newest matching records that are grouped into patterns."""
BODY_CHARACTERS: Final = 1_024
"""Number of characters of a message that are read and compared, so that the bytes of a sample are bounded."""


class SampledMessage(NamedTuple):
    """A record's time in nanoseconds since the Unix epoch, its id, and the first characters of its body."""

    timestamp_ns: int
    id: int
    body: str


def newest_messages(scope: Scope, matching: Filter) -> Statement[SampledMessage]:
    """Returns the statement for the newest matching messages, newest first."""
    return Statement(
        scope,
        "toUnixTimestamp64Nano(timestamp) AS ns, id, leftUTF8(body, {characters:UInt32}) AS text",
        SampledMessage._make,
        matching=matching,
        rest="ORDER BY timestamp DESC, id DESC LIMIT {sample:UInt32}",
        values={"characters": BODY_CHARACTERS, "sample": SAMPLE},
    )


def count_matching(scope: Scope, matching: Filter) -> Statement[int]:
    """Returns the statement for the number of matching records."""
    return Statement(scope, "count()", only_value, matching=matching, reads_all=True)
