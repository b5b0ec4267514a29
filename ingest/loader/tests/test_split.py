"""Tests batches that cost too much, with failing stores and dying loaders: each row is stored once or a dead letter."""

import itertools
import math
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.committed.intent import OffsetRange, ResumePosition
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.deliver import COUNTS_TRIES, Deliverer, _Delivery
from ingest.loader.dependencies import Dependencies
from ingest.loader.insert_errors import before_insert
from ingest.loader.progress import Progress
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.failing_store import PARTITION, PLACE, Crash, FailingStore
from ingest.loader.tests.rows import rows_on_days
from ingest.loader.token_tries import COUNTS_SECONDS, TokenTries
from kit.clock import ManualClock
from kit.errors import Unavailable
from schema.coordinates import LogPosition, TopicId
from schema.otlp import LogMessage, field_counts
from schema.usage import Usage
from tests.chance import repetitions

TOPIC = TopicId("0123456789abcdef" * 2)
FAULTS = 12
MAX_LIVES = 200
SHARD, LANE = PLACE


class WaitingClaim(Claim):
    """Claim whose waits advance the store's time. With `has_successor`, Kafka has given the partition to another
    loader, and this one does not poll, so that it has not been told."""

    def __init__(self, store: FailingStore) -> None:
        super().__init__(StandstillWatch(ManualClock()), store.monotonic())
        self._store = store
        self.has_successor = False

    def check_polled(self) -> None:
        super().check_polled()
        if self.has_successor:
            raise Unavailable("this loader does not poll")

    def wait(self, seconds: float) -> None:
        self._store.wait(seconds)


def load(store: FailingStore, messages: list[LogMessage]) -> None:
    """Loads until the range is done. After a loader is killed, another one continues from the committed state."""
    end = len(messages)
    for _ in range(MAX_LIVES):
        position = ResumePosition.read(*store.committed, TOPIC)
        if position.start == end:
            return
        assert position.start == 0
        assert position.stored_before in {0, end}
        offsets = OffsetRange(PARTITION, 0, end, leader_epoch=0)
        batch = Batch(
            offsets, {LANE: messages}, [], Usage(), 1, None, SHARD, LogPosition(end), repeated=position.intended
        )
        dependencies = Dependencies(store, store, store, store, lambda _partition, _problem: None, lambda: TOPIC)
        claim = WaitingClaim(store)
        with suppress(Crash):
            Deliverer(dependencies, store).deliver(batch, TOPIC, claim)
        claim.has_successor = True
    raise AssertionError(f"not loaded after {MAX_LIVES} lives")


def problems(store: FailingStore, messages: list[LogMessage]) -> list[str]:
    """Returns the broken guarantees, after all late inserts have ended."""
    counts_given_up = store.expensive >= COUNTS_TRIES or store.now > COUNTS_SECONDS
    for _ in range(100):
        store.wait(1.0)
    found = []
    for number, message in enumerate(messages):
        counts = [store.rows[message.first_record_id, day] for day in message.message.days]
        dead, guilty = number in store.dead_letters, message.first_record_id in store.guilty
        if max(counts) > 1:
            found.append(f"message {number} is stored {max(counts)} times")
        if dead and not guilty:
            found.append(f"message {number} is dead and need not be")
        if min(counts) == 0 and not dead:
            found.append(f"message {number} is lost")
        counted = [store.counted[number, day] for day in message.message.days]
        if any(fields > rows for fields, rows in zip(counted, counts, strict=True)):
            found.append(f"fields of message {number} are counted {max(counted)} times")
        if min(counted) == 0 and not guilty and not counts_given_up:
            found.append(f"fields of message {number} are not counted")
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[LogMessage], frozenset[int], random.Random]:
    days = st.sets(st.sampled_from([20_000, 20_001, 20_002]), min_size=1)
    messages = [rows_on_days(offset, each) for offset, each in enumerate(draw(st.lists(days, min_size=1, max_size=7)))]
    guilty = draw(st.sets(st.sampled_from([each.first_record_id for each in messages]), max_size=3))
    return messages, frozenset(guilty), random.Random(draw(st.integers(0, 2**32)))


@settings(max_examples=repetitions(3_000), deadline=None)
@given(case=cases())
def test_every_row_is_in_once_and_only_what_costs_too_much_is_dead(
    case: tuple[list[LogMessage], frozenset[int], random.Random],
) -> None:
    messages, guilty, rng = case
    store = FailingStore(rng, guilty, FAULTS)
    load(store, messages)
    assert problems(store, messages) == []


def test_without_faults_exactly_the_guilty_message_is_dead() -> None:
    messages = [rows_on_days(offset, {20_000}) for offset in range(7)]
    store = FailingStore(random.Random(1), frozenset({messages[4].first_record_id}), faults=0)
    with patch.object(FailingStore, "_some_days", lambda _store, _rows: []):
        load(store, messages)
    assert store.dead_letters == [4]
    assert problems(store, messages) == []
    assert sorted(store.rows.values()) == [1] * 6


@contextmanager
def no_memory_of_splits() -> Iterator[None]:
    """Defect: the next owner does not learn that a lane was split."""
    with patch.object(Progress, "split", lambda _progress, _lane: None):
        yield


@contextmanager
def tokens_repeated_without_limit() -> Iterator[None]:
    """Defect: an insert is repeated under its token however old its first try is."""
    with patch("ingest.loader.deliver.ROWS_SECONDS", math.inf):
        yield


@contextmanager
def age_of_tokens_unknown_to_the_next_owner() -> Iterator[None]:
    """Defect: the next owner does not learn that a try of the first owner failed."""
    with patch.object(TokenTries, "may_be_stored", property(lambda _tries: False)):
        yield


@contextmanager
def owner_not_checked_before_an_insert_is_sent() -> Iterator[None]:
    """Defect: a loader sends an insert although another loader may own the partition since the insert was begun."""

    def check_tries(_delivery: _Delivery, tries: TokenTries | None = None) -> None:
        if tries is not None:
            tries.check()

    with patch.object(_Delivery, "_check_before_sending", check_tries):
        yield


@contextmanager
def token_not_checked_before_an_insert_is_sent() -> Iterator[None]:
    """Defect: the age of the token is checked only when the steps before the insert begin."""

    def check_claim(delivery: _Delivery, _tries: TokenTries | None = None) -> None:
        with before_insert():
            delivery.claim.check_polled()

    with patch.object(_Delivery, "_check_before_sending", check_claim):
        yield


@contextmanager
def no_wait_for_late_inserts() -> Iterator[None]:
    """Defect: the loader waits only for running inserts, not for those that may still start."""
    check = FailingStore.check_stopped

    def without_time(store: FailingStore, shard: int, token: str, _none_starts_after: float | None) -> None:
        check(store, shard, token, None)

    with patch.object(FailingStore, "check_stopped", without_time):
        yield


@contextmanager
def nothing_left_out() -> Iterator[None]:
    """Defect: parts are inserted whole, including stored rows."""
    with patch.object(FailingStore, "stored_days", lambda *_arguments: {}):
        yield


@contextmanager
def no_second_try() -> Iterator[None]:
    """Defect: an insert that failed without an answer is treated as stored."""
    with patch.object(FailingStore, "insert_missing", suppressing(FailingStore.insert_missing)):
        yield


def suppressing(method: Callable[..., None]) -> Callable[..., None]:
    def without_errors(*arguments: object) -> None:
        with suppress(Exception):
            method(*arguments)

    return without_errors


@contextmanager
def counts_under_a_token_each_time() -> Iterator[None]:
    """Defect: a repetition of the counts has a new token."""
    tokens = (f"token {number}" for number in itertools.count())
    with patch.object(OffsetRange, "counts_token", lambda *_arguments: next(tokens)):
        yield


@contextmanager
def no_second_try_of_counts() -> Iterator[None]:
    """Defect: counts that failed are treated as stored."""
    with patch.object(FailingStore, "insert_counts", suppressing(FailingStore.insert_counts)):
        yield


@contextmanager
def dead_letters_counted() -> Iterator[None]:
    """Defect: messages that became dead letters are counted with the others."""

    def all_of(delivery: _Delivery, lane: int, all_answered: bool) -> bytes:
        load_in_parts(delivery, lane, all_answered)
        return field_counts(delivery.batch.lanes[lane])

    load_in_parts = _Delivery._load_in_parts
    with patch.object(_Delivery, "_load_in_parts", all_of):
        yield


@pytest.mark.parametrize(
    "mistake",
    [
        no_memory_of_splits,
        tokens_repeated_without_limit,
        age_of_tokens_unknown_to_the_next_owner,
        owner_not_checked_before_an_insert_is_sent,
        token_not_checked_before_an_insert_is_sent,
        no_wait_for_late_inserts,
        nothing_left_out,
        no_second_try,
        counts_under_a_token_each_time,
        no_second_try_of_counts,
        dead_letters_counted,
    ],
    ids=lambda each: each.__name__,
)
def test_a_planted_mistake_is_found(mistake: Callable[[], AbstractContextManager[None]]) -> None:
    messages = [rows_on_days(offset, {20_000, 20_001 + offset % 2}) for offset in range(5)]
    guilty = frozenset({messages[2].first_record_id})
    with mistake():
        for seed in range(2_000):
            store = FailingStore(random.Random(seed), guilty, FAULTS)
            try:
                load(store, messages)
            except AssertionError:
                return
            if problems(store, messages):
                return
    pytest.fail("a mistake in 2,000 runs was not seen")
