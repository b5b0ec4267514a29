"""Groups sampled messages into patterns, and counts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.language.words import without_last_word
from backend.patterns.query_text import WILDCARD
from backend.patterns.sample import PARTS, Sample
from backend.patterns.statements import BODY_BYTES, SampledMessage
from backend.store.record_id import RecordId
from backend.store.scope import TimeRange
from logsieve_native import group_patterns


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template and the sampled messages that it matches. Times are nanoseconds since the Unix epoch."""

    template: Sequence[str]
    records: int
    counts: Sequence[int]
    """Records in each of PARTS equal parts of the sample's time, oldest first."""
    first_ns: int
    last_ns: int
    example: RecordId
    """The newest sampled message of the pattern."""
    was_before: bool
    """True if a message of the earlier sample has the pattern too."""


class Found(NamedTuple):
    """Number of all patterns of a sample, and the most frequent ones of them, most frequent first."""

    number: int
    patterns: list[Pattern]


def find_patterns(sample: Sample, earlier: Sequence[SampledMessage], limit: int) -> Found:
    """Finds the patterns of a sample, and returns at most `limit` of them. Each message belongs to exactly one pattern.

    Both samples are grouped together, so that equal messages share a pattern. Only the returned patterns get their
    template, because making the templates of 20,000 different messages would hold Python's global lock for a second.
    """
    messages = sample.messages
    templates, indexes = group_patterns([whole_words(each.body) for each in (*messages, *earlier)])
    before = set(indexes[len(messages) :])
    members: dict[int, list[SampledMessage]] = {}
    for message, index in zip(messages, indexes[: len(messages)], strict=True):
        members.setdefault(index, []).append(message)
    ranked = sorted(members.items(), key=lambda each: (-len(each[1]), each[0]))
    shown = [
        _pattern(templates.template(index), found, sample.time_range, index in before)
        for index, found in ranked[:limit]
    ]
    return Found(len(ranked), shown)


def whole_words(body: str) -> str:
    """Returns the body. Leaves out its last word if the statement may have cut the body within this word, and U+FFFD in
    the place of a cut character.

    A cut body without a separator keeps its only word, because all such bodies would share a pattern as empty texts.
    The wildcard after the word stands for the rest, and keeps the word out of queries.
    """
    if len(body.encode()) < BODY_BYTES:
        return body
    kept = without_last_word(body)
    return kept if kept.strip() else body.removesuffix("\ufffd") + WILDCARD


def _pattern(
    template: Sequence[str], found: Sequence[SampledMessage], time_range: TimeRange, was_before: bool
) -> Pattern:
    length_ns = time_range.end_ns - time_range.start_ns
    counts = [0] * PARTS
    for each in found:
        counts[(each.timestamp_ns - time_range.start_ns) * PARTS // length_ns] += 1
    newest, oldest = found[0], found[-1]
    example = RecordId(newest.timestamp_ns, newest.id)
    return Pattern(
        template, len(found), counts, oldest.timestamp_ns, newest.timestamp_ns, example, was_before=was_before
    )
