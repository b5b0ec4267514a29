"""Turns are taken again and again, and none after the end was told."""

from kit.repeating import Repeating

PATIENCE = 10


class Counting(Repeating):
    """Stops itself in its third turn."""

    def __init__(self) -> None:
        super().__init__("counting", 0.001)
        self.turns = 0

    def turn(self) -> None:
        self.turns += 1
        if self.turns == 3:
            self.stop()


def test_it_ends_with_the_turn_in_which_it_was_stopped() -> None:
    counting = Counting()
    counting.start()
    counting.join(PATIENCE)
    assert not counting.is_alive()
    assert counting.turns == 3


def test_stopped_before_its_first_turn_it_takes_none() -> None:
    counting = Counting()
    counting.stop()
    counting.start()
    counting.join(PATIENCE)
    assert counting.turns == 0
