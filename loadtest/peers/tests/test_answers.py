"""Tests that different answers to a question are reported, and the ratios of the sides' medians to Logsieve's."""

import pytest

from loadtest.peers.answers import OURS, SENT, Answers, Timing, disagreements
from loadtest.peers.questions import Kind


def test_equal_answers_agree() -> None:
    assert disagreements({"a": {SENT: (3, 1), "one": (3, 1), "two": (3, 1)}, "b": {"one": ()}}) == ()


def test_a_disagreement_names_the_question_and_each_answer() -> None:
    [found] = disagreements({"a": {"one": (1,), "two": (1,)}, "b": {"one": (3, 2, 1), "two": (3, 2)}})

    assert found.question == "b"
    assert found.answers == {"one": "3 values, sum 6, 3 to 1", "two": "2 values, sum 5, 3 to 2"}


def test_the_order_of_a_page_is_part_of_the_answer() -> None:
    assert disagreements({"a": {"one": (1, 2), "two": (2, 1)}})


def test_all_sides_can_be_wrong_about_what_was_sent() -> None:
    [found] = disagreements({"a": {SENT: (2, 1), "one": (1,), "two": (1,)}})

    assert found.answers[SENT] == "2 values, sum 3, 2 to 1"


def test_a_side_that_lost_records_is_not_compared() -> None:
    assert disagreements({"a": {SENT: (2, 1), "one": (2, 1), "two": (2,)}}, inexact={"two"}) == ()


def timing(question: str, side: str, median: float, kind: Kind = Kind.page) -> Timing:
    return Timing(
        question=question,
        kind=kind,
        side=side,
        median_ms=median,
        least_ms=median,
        most_ms=median,
        after_pause_ms=median,
    )


def test_the_ratio_is_the_geometric_mean_over_the_questions_of_the_kind() -> None:
    timings = (
        *(timing("a", OURS, 10), timing("a", "peer", 20)),
        *(timing("b", OURS, 10), timing("b", "peer", 80)),
        *(timing("c", OURS, 10, Kind.count), timing("c", "peer", 10, Kind.count)),
    )

    answers = Answers(timings=timings)

    assert answers.times_ours("peer", Kind.page) == pytest.approx(4)
    assert answers.times_ours("peer", Kind.count) == pytest.approx(1)
    assert answers.times_ours(OURS, Kind.page) == pytest.approx(1)


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
    timings = (timing("a", OURS, ours), *(timing("a", f"peer {place}", each) for place, each in enumerate(peers)))

    assert Answers(timings=timings).slower() == (("a",) if slower else ())


def test_without_peers_no_question_is_slower() -> None:
    assert Answers(timings=(timing("a", OURS, 100),)).slower() == ()
