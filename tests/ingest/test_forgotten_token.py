"""Tests that rows are stored once if the answer to their insert is lost, and ClickHouse forgets the insert's token."""

import time
from collections.abc import Sequence

import pytest

from ingest.committed.intent import OffsetRange
from ingest.loader.batch import Batch
from ingest.loader.claim import Claim
from ingest.loader.deliver import Deliverer
from ingest.loader.dependencies import Dependencies
from ingest.loader.insert import Inserter
from ingest.loader.lane_parts import BeforeSending
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.journal import Journal
from ingest.loader.token_tries import ROWS_SECONDS
from kit.clickhouse import connect
from kit.clock import ManualClock
from kit.errors import Unavailable
from schema.coordinates import Coordinates, LogPosition, TopicId
from schema.envelope import Envelope
from schema.otlp import LogMessage
from schema.usage import Usage
from tests.ingest.pipeline import Pipeline
from tests.ingest.requests import request_of

pytestmark = pytest.mark.lanes(1)

WINDOW = 3
TOPIC = TopicId("0123456789abcdef" * 2)
MESSAGES = 4


def message(offset: int) -> LogMessage:
    now = time.time_ns()
    request = request_of(now)
    return LogMessage.read(request.SerializeToString(), Envelope(1, 0, "r30", 4096, now), Coordinates(1, 0, offset))


class BrokenPath(Inserter):
    """The first insert is stored, but its answer is lost. ClickHouse cannot be reached after that for an hour."""

    clock: ManualClock
    tries = 0

    def insert(
        self,
        shard: int,
        lane: int,
        messages: Sequence[LogMessage],
        token: str,
        before_sending: BeforeSending,
    ) -> bytes:
        if self.tries == 0 or self.clock.monotonic() > 3600:
            counts = super().insert(shard, lane, messages, token, before_sending)
            self.tries += 1
            if self.tries > 1:
                return counts
        raise Unavailable("no answer")


class OtherLoaders(Claim):
    """Claim in whose waits other loaders insert into the same lane."""

    def __init__(self, inserter: Inserter, clock: ManualClock) -> None:
        super().__init__(StandstillWatch(ManualClock()), clock.monotonic())
        self._inserter = inserter
        self._clock = clock
        self._offset = 1_000

    def wait(self, seconds: float) -> None:
        if self._offset < 1_000 + WINDOW:
            self._inserter.insert(0, 0, [message(self._offset)], f"other-{self._offset}", lambda: None)
            self._offset += 1
        self._clock.advance(ROWS_SECONDS)
        super().wait(min(seconds, 0.2))


@pytest.fixture
def forgetful(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    with connect(pipeline.settings) as client:
        client.command(f"ALTER TABLE logs_0 MODIFY SETTING non_replicated_deduplication_window = {WINDOW}")
    # Only shortens the wait until no earlier insert can begin.
    monkeypatch.setattr("ingest.loader.insert_sql.START_SECONDS", 1)
    return pipeline


def test_rows_are_stored_once_though_their_token_is_forgotten(forgetful: Pipeline) -> None:
    clock, journal = ManualClock(), Journal()
    broken, inserter = BrokenPath(forgetful.settings), Inserter(forgetful.settings)
    broken.clock = clock
    rows = [message(offset) for offset in range(MESSAGES)]
    offsets = OffsetRange(0, 0, MESSAGES, leader_epoch=0)
    batch = Batch(offsets, {0: rows}, [], Usage(), 1, None, 0, LogPosition(MESSAGES))
    dependencies = Dependencies(journal, broken, journal, journal, journal.report, lambda: TOPIC)
    try:
        Deliverer(dependencies, clock).deliver(batch, TOPIC, OtherLoaders(inserter, clock))
    finally:
        broken.close()
        inserter.close()
    stored = MESSAGES + WINDOW
    assert forgetful.query("SELECT count(), uniqExact(id) FROM logs_0") == [(stored, stored)]
