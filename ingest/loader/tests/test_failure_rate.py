import pytest

from ingest.loader.failure_rate import RECENT_MESSAGES, FailureRate, TooManyDeadLetters
from kit.settings import Settings
from schema.dead_letter import DeadLetter, Origin

LIVE = object()


def letter(offset: int) -> DeadLetter:
    return DeadLetter(Origin("ab" * 16, 3, offset), "envelope", "header lane is missing", None, [], b"")


def failure_rate() -> FailureRate:
    return FailureRate(Settings(loader_dead_ratio=0.1, loader_dead_minimum=20))


def test_a_few_dead_letters_never_stop_a_loader() -> None:
    counting = failure_rate()
    for offset in range(20):
        counting.count(letter(offset))


def test_more_than_the_minimum_and_the_ratio_do_and_say_where() -> None:
    counting = failure_rate()
    for offset in range(20):
        counting.count(letter(offset))
    with pytest.raises(
        TooManyDeadLetters, match=r"21 of the last 21 messages.*3:20: header lane is missing\. The loader stops"
    ):
        counting.count(letter(20))


def test_below_the_ratio_it_goes_on_for_ever() -> None:
    counting = failure_rate()
    for offset in range(10 * RECENT_MESSAGES):
        counting.count(letter(offset) if offset % 11 == 0 else LIVE)


def test_only_the_recent_ones_count() -> None:
    counting = failure_rate()
    for _ in range(3):
        for offset in range(20):
            counting.count(letter(offset))
        for _ in range(RECENT_MESSAGES):
            counting.count(LIVE)
