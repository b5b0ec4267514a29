"""The range of an earlier owner of a partition while its messages arrive again."""

from dataclasses import dataclass, replace
from typing import Self

from ingest.committed.intent import IntendedRange, ResumePosition
from schema.coordinates import UNKNOWN_EPOCH, LogPosition


@dataclass(frozen=True, slots=True)
class RepeatedRange:
    """An intended range, and the offset `end` before which the messages end that Kafka still has of it."""

    intended: IntendedRange
    end: int

    @classmethod
    def of(cls, position: ResumePosition) -> Self | None:
        """Returns the range that starts at the position; None without one, or if Kafka has lost all of it.

        A range that Kafka has lost in part ends there. Perhaps no message follows the lost ones to show that.
        """
        intended = position.intended
        if intended is None:
            return None
        if position.start is None or intended.lost_from is None:
            return cls(intended, intended.end)
        return cls(intended, intended.lost_from) if intended.lost_from > position.start else None

    def was_lost_before(self, position: LogPosition) -> bool:
        """Returns whether a later leader than that of the range wrote the message inside the range. Kafka has lost the
        messages of the range from there on."""
        epoch = self.intended.leader_epoch
        return epoch is not None and position.leader_epoch > epoch

    def coordinates(self, position: LogPosition) -> LogPosition:
        """Returns the position from which record ids are made. They have no leader epoch in a range that a loader of an
        earlier release began."""
        return replace(position, leader_epoch=UNKNOWN_EPOCH) if self.intended.leader_epoch is None else position

    def with_stored(self, lanes: frozenset[int]) -> IntendedRange:
        """Returns the intended range, with what its insert may have stored of these lanes.

        A token covers the whole range. If only the beginning of the range is left, the table must be queried for the
        stored rows.
        """
        in_parts = lanes if self.end < self.intended.end else frozenset[int]()
        return replace(self.intended, split=self.intended.split | in_parts - self.intended.inserted)
