"""Tests that different answers of sides to one question are reported."""

from loadtest.peers.ratios import SENT, disagreements


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
