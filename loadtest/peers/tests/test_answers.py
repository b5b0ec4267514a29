"""Tests that times keep their nanoseconds, and that counts by bucket include empty buckets."""

import pytest

from loadtest.peers.corpus import BUCKET_NS, PeerCorpus
from loadtest.peers.questions import buckets, nanoseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01Z", 10**9),
        ("1970-01-01T00:00:01.5Z", 1_500_000_000),
        ("2026-11-22T06:00:00.000000345Z", 1_795_327_200_000_000_345),
    ],
)
def test_times_keep_their_nanoseconds(text: str, expected: int) -> None:
    assert nanoseconds(text) == expected


def test_buckets_without_records_count_zero() -> None:
    corpus = PeerCorpus(1_000, 1, 10 * BUCKET_NS)

    answer = buckets(corpus, [12 * BUCKET_NS, 10 * BUCKET_NS], ["3", 2])

    assert answer[:4] == (2, 0, 3, 0)
    assert len(answer) == corpus.buckets
