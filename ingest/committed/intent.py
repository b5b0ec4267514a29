"""Metadata of committed offsets: the intent of the next insert, and the topic that the offset belongs to.

Committed offset `start` with metadata naming `end` means: [start, end) may be in ClickHouse already, under the tokens
of that range. The next owner of the partition repeats exactly that range, and ClickHouse drops rows that it has. The
metadata and the tokens also name the leader epoch of the last message of the range. So messages that have the offsets
of lost messages are not taken for them (docs/decisions/0060-messages-that-kafka-lost.md).
"""

import re
from dataclasses import dataclass
from typing import Self

from confluent_kafka import TopicPartition

from schema.coordinates import UNKNOWN_EPOCH, LogPosition, TopicId
from schema.kafka_message import position_of

_INTENT = re.compile(
    r"intent/(?:1|2:(?P<epoch>\d{1,10}))/(?P<topic>[0-9a-f]{32})/(?P<end>\d{1,19})(?:@(?P<shard>\d{1,4}))?"
    r"(?:/(?P<inserted>[0-9a-f]{1,2000}))?(?:!(?P<split>[0-9a-f]{1,1900}))?"
)
_SHARD_DIGITS = 4
_DONE = re.compile(r"done/1/(?P<topic>[0-9a-f]{32})")


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """The offsets from `start` (inclusive) to `end` (exclusive) of one partition.

    `leader_epoch` is that of the last message; None for a range that a loader of an earlier release began, whose tokens
    and record ids contain no leader epoch.
    """

    partition: int
    start: int
    end: int
    leader_epoch: int | None = None

    def token(self, topic: TopicId, lane: int) -> str:
        """Returns the token by which ClickHouse recognises a repeated insert.

        The topic's id is in it because a topic that is created again counts its offsets from 0 again.
        """
        return f"{self._name(topic)}/{lane}"

    def counts_token(self, topic: TopicId, lane: int) -> str:
        """Returns the token of the insert of the counts of a lane's fields."""
        return f"{self.token(topic, lane)}/fields"

    def usage_token(self, topic: TopicId) -> str:
        """Returns the token of the insert of the range's usage."""
        return f"{self._name(topic)}/usage"

    def intent(
        self,
        topic: TopicId,
        shard: int,
        inserted: frozenset[int] = frozenset(),
        split: frozenset[int] = frozenset(),
        views_counted: bool = False,
    ) -> str:
        """Returns the metadata to commit `start` with before the insert into `shard`.

        `inserted` are lanes that are stored already. Rows of the lanes `split` may be stored without a token. For these
        lanes, the next owner of the partition queries the table for the stored rows.

        The intent names the shard, because only the shard that received a token remembers it. The range is repeated
        there, even if new batches of the partition go to another shard by then. The shard is written with four digits.
        Older releases, whose views counted the fields, wrote it without leading zeros, and left out shard 0; they can
        read both forms. With `views_counted`, the shard is written in the old form. This form tells later owners of the
        partition that views have counted the fields of the range.

        Lanes are the bits of a hexadecimal number. They are written only for a batch that waits, because ClickHouse may
        forget its tokens meanwhile. The next owner must then not repeat the lanes that are stored.
        """
        form = "1" if self.leader_epoch is None else f"2:{self.leader_epoch}"
        lanes = f"/{_bits(inserted)}" if inserted else ""
        parted = f"!{_bits(split)}" if split else ""
        where = "" if views_counted and shard == 0 else f"@{shard}" if views_counted else f"@{shard:0{_SHARD_DIGITS}}"
        return f"intent/{form}/{topic.text}/{self.end}{where}{lanes}{parted}"

    def _name(self, topic: TopicId) -> str:
        epoch = "" if self.leader_epoch is None else f":{self.leader_epoch}"
        return f"{topic.text}/{self.partition}/{self.start}-{self.end}{epoch}"


def done(topic: TopicId) -> str:
    """Returns the metadata to commit `end` with after the insert."""
    return f"done/1/{topic.text}"


@dataclass(frozen=True, slots=True)
class IntendedRange:
    """A range of offsets that an earlier owner of the partition may have inserted. It ends before the offset `end`.

    It must be repeated on `shard`, without the lanes `inserted`. For the lanes `split`, the table must be queried for
    the missing rows. `leader_epoch` is OffsetRange.leader_epoch. `views_counted` says that a loader of an earlier
    release made the range, with views that counted its fields. `lost_from` is the offset from which on Kafka has lost
    the messages of the range, None if it is not known to have lost any.
    """

    end: int
    leader_epoch: int | None = None
    shard: int = 0
    inserted: frozenset[int] = frozenset()
    split: frozenset[int] = frozenset()
    views_counted: bool = False
    lost_from: int | None = None


@dataclass(frozen=True, slots=True)
class ResumePosition:
    """Position where a partition continues: the offset `start`, or None for the partition's first message.

    `start_epoch` is the leader epoch that was committed with `start`. `intended` is the range from `start` on that must
    be repeated; None without one.
    """

    start: int | None
    start_epoch: int = UNKNOWN_EPOCH
    intended: IntendedRange | None = None

    @property
    def stored_before(self) -> int:
        """The first offset from which on no message can be stored, because loaders commit an intent before an
        insert."""
        return self.intended.end if self.intended is not None else self.start or 0

    @classmethod
    def read(cls, committed: LogPosition, metadata: str | None, topic: TopicId) -> Self:
        """Reads a committed position and its metadata. A negative offset means that none was committed.

        Metadata of an earlier topic of this name is ignored, because its offsets mean other messages. Python's client
        leaves a trailing NUL in the metadata.
        """
        text = (metadata or "").rstrip("\0")
        intent, finished = _INTENT.fullmatch(text), _DONE.fullmatch(text)
        named = intent or finished
        offset = committed.offset
        if offset < 0 or (named is not None and named["topic"] != topic.text):
            return cls(None)
        if intent is None or int(intent["end"]) <= offset:
            return cls(offset, committed.leader_epoch)
        shard = intent["shard"] or "0"
        intended = IntendedRange(
            int(intent["end"]),
            None if intent["epoch"] is None else int(intent["epoch"]),
            int(shard),
            _lanes(intent["inserted"]),
            _lanes(intent["split"]),
            views_counted=len(shard) < _SHARD_DIGITS,
        )
        return cls(offset, committed.leader_epoch, intended)


def resume_position(committed: TopicPartition, topic: TopicId) -> ResumePosition:
    """Returns where a loader continues the partition, from its committed offset."""
    return ResumePosition.read(position_of(committed), committed.metadata, topic)


def _bits(lanes: frozenset[int]) -> str:
    return f"{sum(1 << lane for lane in lanes):x}"


def _lanes(bits: str | None) -> frozenset[int]:
    number = int(bits or "0", 16)
    return frozenset(bit for bit in range(number.bit_length()) if number >> bit & 1)
