"""Fake of ClickHouse and Kafka with every allowed failure: inserts apply in part, answer late or never, and begin late.

ClickHouse may be unreachable for so long that it forgets the tokens of rows.

Time passes only in waits. All choices come from one random number generator.
"""

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ingest.loader.claim import Abandoned, Claim
from ingest.loader.insert_errors import TooExpensive
from ingest.loader.insert_sql import START_SECONDS
from ingest.loader.lane_parts import BeforeSending, MissingRows
from kit.errors import Unavailable
from schema.coordinates import Coordinates, LogPosition, TopicId
from schema.dead_letter import DeadLetter, Origin
from schema.otlp import LogMessage, field_counts
from schema.tests.field_counts_oracle import read_block
from schema.usage import Usage

PARTITION = 1
PLACE = (3, 2)
"""Shard and lane of all rows."""

Row = tuple[int, int]
"""Rows of a message on one day: the message's first record id, and the day. In counts, its offset replaces the id."""

COUNTED = ("value", "severity_text")
"""Kind and name of the counts that tests check: messages of `rows_on_days` have their offset there."""

DAY_SECONDS = 86_400

REMEMBERED_SECONDS = 60.0
"""Seconds after which the store forgets the token of rows: R of docs/decisions/0007-what-clickhouse-remembers.md."""

OUTAGE_SECONDS = 100.0
"""Longest time, in seconds, for which the store cannot be reached after one of the lost answers."""

MAX_PREPARING_SECONDS = 60.0
"""Longest time, in seconds, of the steps before an insert is sent."""


class Crash(BaseException):
    """The loader is killed at this point."""


@dataclass(eq=False, slots=True)
class Late:
    """An insert whose caller no longer waits for it. It has not started yet, or it still runs."""

    token: str
    rows: list[Row]
    starts_until: float
    under_token: bool
    running: bool = False


@dataclass(slots=True)
class FailingStore:
    """Fake store. `guilty` are the first record ids of messages that no insert can store.

    `faults` is the number of failures that may still happen. `expensive` counts inserts of counts that ended at a
    limit.
    """

    rng: random.Random
    guilty: frozenset[int]
    faults: int
    now: float = 0.0
    rows: Counter[Row] = field(default_factory=Counter)
    counted: Counter[Row] = field(default_factory=Counter)
    expensive: int = 0
    usage: dict[str, Usage] = field(default_factory=dict)
    counts_remembered: set[tuple[str, int]] = field(default_factory=set)
    remembered: dict[tuple[str, int], float] = field(default_factory=dict)
    """Times at which rows were stored under a token, by token and day."""
    unreachable_until: float = 0.0
    chance: float = field(init=False)
    """Chance of a failure in each step that may fail."""
    late: list[Late] = field(default_factory=list)
    unsent: list[tuple[Late, BeforeSending]] = field(default_factory=list)
    """Inserts that earlier owners of the partition have not sent yet."""
    committed: tuple[LogPosition, str] = (LogPosition(0), "")
    dead_letters: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = self.rng.uniform(0.05, 0.4)

    def monotonic(self) -> float:
        return self.now

    def now_ns(self) -> int:
        return round(self.now * 1e9)

    def wait(self, seconds: float) -> None:
        """Advances the time."""
        self.now += seconds
        self._go_on()

    def commit(self, claim: Claim, partition: int, position: LogPosition, metadata: str) -> None:
        claim.check()
        assert partition == PARTITION
        self._may_crash()
        self.committed = position, metadata
        self._may_crash()

    def insert(
        self, shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending
    ) -> bytes:
        assert (shard, lane) == PLACE
        self._insert(MissingRows(messages, frozenset()), token, before_sending, under_token=True)
        return field_counts(messages)

    def insert_counts(self, shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending) -> None:
        """Counts rows of messages that `rows_on_days` made, under a token, or those of some days before it fails."""
        assert (shard, lane) == PLACE
        self._go_on()
        self._may_crash()
        self._may_be_unreachable()
        before_sending()
        rows = [(int(key[6]), key[5] // DAY_SECONDS) for key in read_block(counts) if (key[3], key[4]) == COUNTED]
        if self._fault():
            if self.rng.random() < 0.7:
                self._count(token, self._some_days(rows))
            if self.rng.random() < 0.4:
                raise Crash
            if self.rng.random() < 0.3:
                self.expensive += 1
                raise TooExpensive("too much memory", own=True)
            raise Unavailable("no answer")
        self._count(token, rows)
        self._may_crash()

    def _count(self, token: str, rows: list[Row]) -> None:
        self.counted.update(row for row in rows if (token, row[1]) not in self.counts_remembered)
        self.counts_remembered.update((token, day) for _, day in rows)

    def insert_missing(
        self, shard: int, lane: int, missing: MissingRows, token: str, before_sending: BeforeSending
    ) -> None:
        assert (shard, lane) == PLACE
        self._insert(missing, token, before_sending, under_token=False)

    def stored_days(self, shard: int, lane: int, messages: Sequence[LogMessage]) -> dict[int, frozenset[int]]:
        assert (shard, lane) == PLACE
        self._go_on()
        self._may_crash()
        self._may_be_unreachable()
        ids = [each.first_record_id for each in messages]
        return {first: frozenset(day for row, day in self.rows if row == first) for first in ids}

    def stop(self, shard: int, token: str) -> float:
        assert shard == PLACE[0]
        self._may_crash()
        self._may_be_unreachable()
        for each in [each for each in self.late if each.running and each.token == token]:
            if self.rng.random() < 0.5:
                self.late.remove(each)
        return self.now + START_SECONDS

    def check_stopped(self, shard: int, token: str, none_starts_after: float | None) -> None:
        assert shard == PLACE[0]
        self._may_crash()
        self._may_be_unreachable()
        self._go_on()
        running = [each for each in self.late if each.running and each.token == token]
        for each in running:
            self.late.remove(each)
        if running or (none_starts_after is not None and self.now <= none_starts_after):
            raise Unavailable("an earlier insert runs or may start")

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
        """Inserts usage under a token, which is never forgotten. Failures may last up to OUTAGE_SECONDS."""
        assert shard == PLACE[0]
        self._go_on()
        self._may_crash()
        self._may_be_unreachable()
        if not self._fault():
            self.usage.setdefault(token, usage)
            return
        if self.rng.random() < 0.5:
            self.unreachable_until = self.now + self.rng.uniform(0, OUTAGE_SECONDS)
        raise Unavailable("no answer")

    def letter(self, topic: TopicId, coordinates: Coordinates, reason: str) -> DeadLetter:
        return DeadLetter(
            Origin(topic.text, coordinates.partition, coordinates.offset), "insert_limit", reason, None, [], b""
        )

    def write(self, dead_letters: list[DeadLetter]) -> None:
        self._may_crash()
        self.dead_letters += [letter.origin.offset for letter in dead_letters]
        self._may_crash()

    def _insert(self, missing: MissingRows, token: str, before_sending: BeforeSending, under_token: bool) -> None:
        messages = missing.messages
        self._go_on()
        self._may_crash()
        if self.now < self.unreachable_until:
            raise Unavailable("unreachable")
        rows = [
            (each.first_record_id, day)
            for each in messages
            for day in each.message.days
            if day not in missing.without_days
        ]
        self._prepare(Late(token, rows, 0.0, under_token), before_sending)
        if self._fault():
            match self.rng.randrange(3):
                case 0:  # refused before anything was done
                    raise Unavailable("unreachable")
                case 1:  # starts later, or already runs: the client cannot know
                    until = self.now + START_SECONDS
                    self.late.append(Late(token, rows, until, under_token, running=self.rng.random() < 0.5))
                case _:  # the answer is lost
                    self._apply(token, self._some_days(rows), under_token)
                    if self.rng.random() < 0.5:
                        self.unreachable_until = self.now + self.rng.uniform(0, OUTAGE_SECONDS)
            if self.rng.random() < 0.5:
                raise Crash
            raise Unavailable("no answer")
        if any(each.first_record_id in self.guilty for each in messages):
            # At a limit between the table and its views all rows are in; within the table, those of some days.
            self._apply(token, self._some_days(rows) if self.rng.random() < 0.5 else [], under_token)
            raise TooExpensive("too much memory", own=True)
        self._apply(token, rows, under_token)
        self._may_crash()

    def _prepare(self, insert: Late, before_sending: BeforeSending) -> None:
        """The steps before an insert is sent. They may take long, or so long that Kafka gives the partition to another
        loader, which knows nothing of the insert."""
        if self._fault():
            if self.rng.random() < 0.5:
                self.unsent.append((insert, before_sending))
                raise Crash
            self.wait(self.rng.uniform(0, MAX_PREPARING_SECONDS))
        before_sending()

    def _send(self, insert: Late, before_sending: BeforeSending) -> None:
        """Sends the insert of an earlier owner of the partition, unless the owner notices that it is one."""
        with suppress(Abandoned, Unavailable):
            before_sending()
            self.late.append(replace(insert, starts_until=self.now + START_SECONDS))

    def _some_days(self, rows: list[Row]) -> list[Row]:
        chosen = {day for _, day in rows if self.rng.random() < 0.5}
        return [row for row in rows if row[1] in chosen]

    def _apply(self, token: str, rows: list[Row], under_token: bool) -> None:
        """Checks that the rows of a token are inserted once for each day."""
        taken = {day for _, day in rows if not (under_token and (token, day) in self.remembered)}
        self.rows.update(row for row in rows if row[1] in taken)
        if under_token:
            for _, day in rows:
                self.remembered.setdefault((token, day), self.now)

    def _go_on(self) -> None:
        """Late inserts begin, continue and end at random. Earlier owners of the partition send prepared inserts. The
        store forgets old tokens."""
        for prepared in self.unsent.copy():
            if self.rng.random() < 0.05:
                self.unsent.remove(prepared)
                self._send(*prepared)
        for each in self.late.copy():
            if not each.running:
                if self.now > each.starts_until:
                    self.late.remove(each)
                    continue
                each.running = self.rng.random() < 0.3
            if each.running and self.rng.random() < 0.4:
                self._apply(each.token, self._some_days(each.rows), each.under_token)
                self.late.remove(each)
        tokens = {each.token for each in self.late}
        for token, day in [key for key, stored in self.remembered.items() if self.now - stored > REMEMBERED_SECONDS]:
            if token not in tokens:
                del self.remembered[token, day]

    def _fault(self) -> bool:
        if self.faults == 0 or self.rng.random() > self.chance:
            return False
        self.faults -= 1
        return True

    def _may_crash(self) -> None:
        if self.faults and self.rng.random() < self.chance / 4:
            self.faults -= 1
            raise Crash

    def _may_be_unreachable(self) -> None:
        if self.now < self.unreachable_until:
            raise Unavailable("unreachable")
        if self.rng.random() < 0.2 and self._fault():
            raise Unavailable("unreachable")
