from kit.backoff import Backoff
from kit.clock import ManualClock


def test_pauses_double_up_to_the_longest() -> None:
    clock = ManualClock()
    backoff = Backoff(clock, first=0.5, longest=3.0, stable_after=60.0)
    pauses = []
    for _ in range(5):
        backoff.started()
        clock.advance(1)
        pauses.append(backoff.ended())
    assert pauses == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_run_that_was_stable_starts_over() -> None:
    clock = ManualClock()
    backoff = Backoff(clock, first=0.5, longest=30.0, stable_after=60.0)
    for seconds in (1, 1, 59.9):
        backoff.started()
        clock.advance(seconds)
        last = backoff.ended()
    assert last == 2.0
    backoff.started()
    clock.advance(60)
    assert backoff.ended() == 0.5
