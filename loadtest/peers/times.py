"""Converts times and counts of the sides' answers into the form that is the same for all sides."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.questions import Answer


def nanoseconds(text: str) -> int:
    """Returns the nanoseconds since the Unix epoch of an RFC 3339 time in UTC with at most nine fractional digits."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(seconds).replace(tzinfo=UTC).timestamp())
    return whole * 10**9 + int(fraction.ljust(9, "0"))


def buckets(corpus: PeerCorpus, starts: Sequence[int], counts: Sequence[int | str]) -> Answer:
    """Returns the counts of all buckets of ten minutes, oldest first.

    `starts` (nanoseconds since the Unix epoch) and `counts` are those of the buckets in a side's answer. Other buckets
    are empty.
    """
    found = [0] * corpus.buckets
    for start, count in zip(starts, counts, strict=True):
        found[(start - corpus.start_ns) // BUCKET_NS] += int(count)
    return tuple(found)


def groups(counts: Iterable[int | str]) -> Answer:
    """Returns the counts of all groups, largest first."""
    return tuple(sorted(map(int, counts), reverse=True))
