"""Tests that a run reads no dead letters while Kafka denies their deletion."""

from collections import Counter

import pytest

from ingest.erasure import stores
from ingest.erasure.dead_letters import DeadLetterCounts
from ingest.erasure.stores import DEAD_LETTERS
from kit.errors import Unavailable
from kit.settings import Settings
from schema.control.erasures import Phase, Progress

DENIED = "dead letters cannot be erased: Topic authorization failed"


class Topic:
    """Topic with two dead letters of tenant 1. Kafka denies their deletion as long as `denied` is true."""

    def __init__(self) -> None:
        self.letters = Counter({1: 2})
        self.denied = True
        self.readings = 0

    def count(self, _settings: Settings) -> DeadLetterCounts:
        self.readings += 1
        return DeadLetterCounts(self.letters, 0, {0: 0}, {0: 2})

    def require_deletions(self, _settings: Settings) -> None:
        if self.denied:
            raise Unavailable(DENIED)

    def erase(self, settings: Settings, *_: object) -> None:
        self.require_deletions(settings)
        self.letters = Counter()


def test_the_topic_is_not_read_again_while_its_deletions_are_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic()
    monkeypatch.setattr(stores, "count_dead_letters", topic.count)
    monkeypatch.setattr(stores, "erase_dead_letters", topic.erase)
    monkeypatch.setattr(stores, "require_deletions", topic.require_deletions)
    clean = Progress(phase=Phase.erased)
    reached = stores._without_dead_letters(Settings(), {1: clean, 2: clean})
    assert (reached[1].phase, reached[1].detail, reached[1].found) == (Phase.removing, DENIED, {DEAD_LETTERS: 2})
    assert reached[2].phase is Phase.erased
    assert topic.readings == 1
    with pytest.raises(Unavailable, match=DENIED):
        stores._without_dead_letters(Settings(), {1: reached[1]})
    assert topic.readings == 1
    topic.denied = False
    reached = stores._without_dead_letters(Settings(), {1: reached[1]})
    assert (reached[1].phase, reached[1].left) == (Phase.erased, {DEAD_LETTERS: 0})
