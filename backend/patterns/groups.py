"""Groups sampled messages into patterns, and counts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.patterns.statements import BODY_CHARACTERS, SampledMessage
from backend.store.record_id import RecordId
from logsieve_native import group_patterns

BUCKETS: Final = 40
"""Number of time buckets in which the records of a pattern are counted."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template and the sampled messages that it matches. Times are nanoseconds since the Unix epoch."""

    template: Sequence[str]
    records: int
    counts: Sequence[int]
    """Records in each of BUCKETS equal parts of the sample's time, oldest first."""
    first_ns: int
    last_ns: int
    example: RecordId
    """The newest sampled message of the pattern."""
    was_before: bool
    """True if a message of the earlier sample has the pattern too."""


def find_patterns(sample: Sequence[SampledMessage], earlier: Sequence[SampledMessage]) -> list[Pattern]:
    """Returns the patterns of a sample, most frequent first. Each message belongs to exactly one pattern.

    `sample` is ordered newest first. Both samples are grouped together, so that equal messages share a pattern.
    """
    templates, numbers = group_patterns([whole_words(each.body) for each in (*sample, *earlier)])
    before = set(numbers[len(sample) :])
    members: dict[int, list[SampledMessage]] = {}
    for message, number in zip(sample, numbers[: len(sample)], strict=True):
        members.setdefault(number, []).append(message)
    ranked = sorted(members.items(), key=lambda each: (-len(each[1]), each[0]))
    return [_pattern(templates[number], found, sample, number in before) for number, found in ranked]


def whole_words(body: str) -> str:
    """Returns the body. Leaves out its last word if the statement may have cut the body within this word."""
    return body if len(body) < BODY_CHARACTERS else body[: body.rfind(" ") + 1]


def _pattern(
    template: Sequence[str], found: Sequence[SampledMessage], sample: Sequence[SampledMessage], was_before: bool
) -> Pattern:
    start_ns, length_ns = sample[-1].timestamp_ns, sample[0].timestamp_ns - sample[-1].timestamp_ns + 1
    counts = [0] * BUCKETS
    for each in found:
        counts[(each.timestamp_ns - start_ns) * BUCKETS // length_ns] += 1
    newest, oldest = found[0], found[-1]
    example = RecordId(newest.timestamp_ns, newest.id)
    return Pattern(
        template, len(found), counts, oldest.timestamp_ns, newest.timestamp_ns, example, was_before=was_before
    )
