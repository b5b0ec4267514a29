"""Tests that `problems` of ingest.loader.tests.failing_loads finds planted mistakes of the loader."""

import itertools
import math
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from unittest.mock import patch

import pytest

from ingest.committed.intent import OffsetRange
from ingest.loader.batch import Batch
from ingest.loader.deliver import _Delivery
from ingest.loader.insert_errors import before_insert
from ingest.loader.progress import Progress, Write
from ingest.loader.tests.failing_loads import FAULTS, load, problems
from ingest.loader.tests.failing_store import FailingStore
from ingest.loader.tests.rows import rows_on_days
from ingest.loader.token_tries import TokenTries
from schema.otlp import field_counts

SEEDS = 5_000
"""Number of seeds. Some mistakes need three rare failures in one run."""


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
def repetitions_are_not_committed() -> Iterator[None]:
    """Defect: each owner of a repeated range takes itself for the first that repeats it."""
    make = Progress.__init__

    def without_mark(progress: Progress, batch: Batch, write: Write) -> None:
        make(progress, batch, write)
        progress._split = batch.split

    with patch.object(Progress, "__init__", without_mark):
        yield


@contextmanager
def stored_lanes_are_not_committed_while_usage_fails() -> Iterator[None]:
    """Defect: the next owner repeats rows that were stored long ago, because usage could not be inserted."""
    with patch.object(Progress, "late", lambda _progress: None):
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
        owner_not_checked_before_an_insert_is_sent,
        token_not_checked_before_an_insert_is_sent,
        repetitions_are_not_committed,
        stored_lanes_are_not_committed_while_usage_fails,
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
    with mistake():
        seed = next((seed for seed in range(SEEDS) if has_problems(seed)), None)
    assert seed is not None, f"a mistake in {SEEDS} runs was not seen"
    assert not has_problems(seed), "the loader without the mistake has problems too"


def has_problems(seed: int) -> bool:
    """Returns whether the loader has problems with the failures of this seed."""
    several = [rows_on_days(offset, {20_000, 20_001 + offset % 2}) for offset in range(5)]
    guilty = frozenset({several[2].first_record_id})
    messages = several if seed % 2 else several[:1]
    store = FailingStore(random.Random(seed), guilty if seed % 2 else frozenset(), FAULTS)
    try:
        load(store, messages)
    except AssertionError:
        return True
    return bool(problems(store, messages))
