"""Tests that SQL over two shards and the predicate find the same random records, with both index profiles."""

import dataclasses

import pytest
from hypothesis import Phase

from tests.chance import SEED, repetitions
from tests.empty_store import EmptyStore
from tests.search.agreement import PROFILES, Agreement, Disagreement, agreement
from tests.search.random_logs import Batch, for_random_batches

PAIRS = repetitions(500)
"""Smallest number of random queries, each of which is run over a batch of random records."""
FEW_PAIRS = 40


@pytest.fixture(scope="module")
def both(empty_store: EmptyStore) -> Agreement:
    return agreement(empty_store.settings, empty_store.shards)


def test_random_queries_find_the_same_records(both: Agreement) -> None:
    requested = 0

    def check(batch: Batch) -> None:
        nonlocal requested
        requested += len(batch.queries)
        found = both.disagreements(both.store(batch.records), batch)
        assert not found, f"seed {SEED}: {found[0]}"

    for_random_batches(check, PAIRS, Phase.generate, Phase.shrink)
    assert requested >= PAIRS


def test_reading_one_shard_alone_is_found(both: Agreement) -> None:
    """Tests that the comparison detects SQL that reads only the first shard."""
    one_shard, found = dataclasses.replace(both, tables=tuple(PROFILES)), list[Disagreement]()

    def collect(batch: Batch) -> None:
        found.extend(one_shard.disagreements(both.store(batch.records), batch))

    for_random_batches(collect, FEW_PAIRS, Phase.generate)
    assert found
