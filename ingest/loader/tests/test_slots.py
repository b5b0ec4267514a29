"""Tests that steps outside ClickHouse take none of the slots for its inserts."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ingest.loader.deliver import Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.slots import AT_ONCE
from ingest.loader.tests.journal import TOPIC, Journal, PatientClaim, batch
from kit.clock import ManualClock
from schema.dead_letter import DeadLetter, Origin
from schema.usage import Usage, UsageCount, UsageKey

LETTER = DeadLetter(Origin(TOPIC.text, 1, 6), "not_otlp", "why", None, [], b"?")


def test_dead_letters_that_wait_for_kafka_delay_no_inserts_of_other_partitions() -> None:
    writing, answered = threading.Barrier(AT_ONCE + 1), threading.Event()
    journal = Journal()

    def hang(dead_letters: list[DeadLetter]) -> None:
        assert dead_letters == [LETTER]
        writing.wait(timeout=60)
        answered.wait(timeout=60)

    journal.write = hang  # type: ignore[method-assign]  # one more way to take long
    dependencies = Dependencies(journal, journal, journal, journal, journal.report, journal.topic_id)
    deliverer, usage = Deliverer(dependencies, ManualClock()), Usage({UsageKey(1, 2, "accepted"): UsageCount(1, 1, 10)})
    with ThreadPoolExecutor(AT_ONCE + 1) as threads:
        waiting = [
            threads.submit(deliverer.deliver, batch(dead=[LETTER]), TOPIC, PatientClaim()) for _ in range(AT_ONCE)
        ]
        try:
            writing.wait(timeout=60)
            other = replace(batch(0), usage=usage)
            threads.submit(deliverer.deliver, other, TOPIC, PatientClaim()).result(timeout=60)
            assert not any(each.done() for each in waiting)
        finally:
            answered.set()
