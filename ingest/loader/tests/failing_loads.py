"""Loads a batch into a failing store, by loaders that die, and finds broken guarantees."""

from contextlib import suppress

from ingest.committed.intent import OffsetRange, ResumePosition
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.decode import usage_of
from ingest.loader.deliver import COUNTS_TRIES, Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.failing_store import PARTITION, PLACE, REMEMBERED_SECONDS, Crash, FailingStore
from ingest.loader.token_tries import COUNTS_SECONDS, ROWS_SECONDS
from kit.clock import ManualClock
from kit.errors import Unavailable
from schema.coordinates import LogPosition, TopicId
from schema.otlp import LogMessage

TOPIC = TopicId("0123456789abcdef" * 2)
FAULTS = 12
MAX_LIVES = 200
SHARD, LANE = PLACE

CHANGE_SECONDS = REMEMBERED_SECONDS - ROWS_SECONDS
"""Longest time, in seconds, from the end of an owner of the partition to the assignment to the next one."""


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
    """Loads until the range is done. After a loader is killed, another one continues from the committed state. It comes
    later, unless the killed loader committed nothing: 0007 names this case."""
    end = len(messages)
    for _ in range(MAX_LIVES):
        committed = store.committed
        position = ResumePosition.read(*committed, TOPIC)
        if position.start == end:
            return
        assert position.start == 0
        assert position.stored_before in {0, end}
        offsets = OffsetRange(PARTITION, 0, end, leader_epoch=0)
        batch = Batch(
            offsets,
            {LANE: messages},
            [],
            usage_of(messages),
            1,
            None,
            SHARD,
            LogPosition(end),
            repeated=position.intended,
        )
        dependencies = Dependencies(store, store, store, store, lambda _partition, _problem: None, lambda: TOPIC)
        claim = WaitingClaim(store)
        with suppress(Crash):
            Deliverer(dependencies, store).deliver(batch, TOPIC, claim)
        claim.has_successor = True
        if store.committed != committed:
            store.wait(store.rng.choice((0, CHANGE_SECONDS)))
    raise AssertionError(f"not loaded after {MAX_LIVES} lives")


def problems(store: FailingStore, messages: list[LogMessage]) -> list[str]:
    """Returns the broken guarantees, after all late inserts have ended."""
    counts_given_up = store.expensive >= COUNTS_TRIES or store.now > COUNTS_SECONDS
    for _ in range(100):
        store.wait(1.0)
    is_counted = len(store.usage) == 1 or set(store.dead_letters) == set(range(len(messages)))
    found = [] if is_counted else ["usage is not counted once"]
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
