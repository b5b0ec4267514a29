"""Tests when a loader says that a partition waits, and why."""

import pytest

from ingest.loader.claim import Abandoned
from ingest.loader.state import LoaderState
from ingest.loader.tests.journal import Journal, PatientClaim, batch, deliver
from kit.errors import Unavailable


def test_partitions_that_wait_for_the_same_reason_share_a_sentence() -> None:
    state = LoaderState()
    for partition, problem in ((3, "the disk is full"), (1, "the disk is full"), (2, "no leader")):
        state.report(partition, problem)
    assert state.problem == "the disk is full (partitions 1, 3); no leader (partitions 2)"


def test_problems_of_partitions_that_the_loader_does_not_own_are_forgotten() -> None:
    state = LoaderState()
    for partition in (1, 2, 3):
        state.report(partition, "no answer")
    state.keep_only({2, 4})
    assert state.problem == "no answer (partitions 2)"
    state.keep_only(frozenset())
    assert state.problem is None


def test_an_insert_that_fails_after_the_partition_was_revoked_is_not_reported() -> None:
    claim = PatientClaim()

    class Revoked(Journal):
        def insert(self, *_arguments: object) -> bytes:
            claim.release()
            raise Unavailable("no answer")

    journal = Revoked()
    with pytest.raises(Abandoned):
        deliver(journal, batch(0), claim)
    assert journal.problems == [(1, None)]


def test_the_problem_can_be_seen_while_it_lasts() -> None:
    journal = Journal(failures=[Unavailable("the log store cannot be reached")])
    deliver(journal, batch())
    assert journal.problems == [(1, "the log store cannot be reached"), (1, None)]
