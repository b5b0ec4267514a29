"""Tests that counts by bucket include empty buckets."""

from loadtest.peers.corpus import BUCKET_NS, BUCKETS, PeerCorpus
from loadtest.peers.questions import buckets


def test_buckets_without_records_count_zero() -> None:
    corpus = PeerCorpus(1_000, 1, 10 * BUCKET_NS)

    answer = buckets(corpus, [(12 * BUCKET_NS, "3"), (10 * BUCKET_NS, 2)])

    assert answer[:4] == (2, 0, 3, 0)
    assert len(answer) == BUCKETS
