"""Tests of the ratios of the sides' medians, and of the questions that a peer answers faster."""

import pytest

from loadtest.peers.questions import Kind
from loadtest.peers.ratios import OURS, Timing, slower_than_a_peer, times_ours


def timing(question: str, side: str, median: float, kind: Kind = Kind.page) -> Timing:
    return Timing(question=question, kind=kind, side=side, median_ms=median, least_ms=median, most_ms=median)


def test_the_ratio_is_the_geometric_mean_over_the_questions_of_the_kind() -> None:
    timings = [
        *(timing("a", OURS, 10), timing("a", "peer", 20)),
        *(timing("b", OURS, 10), timing("b", "peer", 80)),
        *(timing("c", OURS, 10, Kind.count), timing("c", "peer", 10, Kind.count)),
    ]

    assert times_ours(timings, "peer", Kind.page) == pytest.approx(4)
    assert times_ours(timings, "peer", Kind.count) == pytest.approx(1)
    assert times_ours(timings, OURS, Kind.page) == pytest.approx(1)


@pytest.mark.parametrize(
    ("ours", "peers", "slower"),
    [
        (30, (40, 50), False),
        (30, (40, 29), True),
        (9.9, (3, 50), False),  # less than EQUAL_MS
        (10.1, (3, 50), True),
    ],
)
def test_a_question_is_slower_where_any_peer_is_faster_and_it_takes_more_than_ten_milliseconds(
    ours: float, peers: tuple[float, ...], slower: bool
) -> None:
    timings = [timing("a", OURS, ours), *(timing("a", f"peer {place}", each) for place, each in enumerate(peers))]

    assert slower_than_a_peer(timings) == (("a",) if slower else ())


def test_without_peers_no_question_is_slower() -> None:
    assert slower_than_a_peer([timing("a", OURS, 100)]) == ()
