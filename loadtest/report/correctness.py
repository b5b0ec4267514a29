"""Counts of wrong records, for reports of studies that compare all sent records with the stored ones."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from loadtest.comparison import KafkaRecord, Numbered
from loadtest.report.report import Part, Row, none_of


class Example(Part):
    """A wrong record, its places in the topic, and the places in the topic from which its stored rows were made.

    A lost record that is not in the topic never reached Kafka. A lost record in the topic was lost by the loader. If a
    doubled record has one place, its range was inserted twice. If it has two, it was written to Kafka twice.
    """

    record: Numbered
    in_topic: tuple[KafkaRecord, ...]
    in_store: tuple[KafkaRecord, ...]


class Correctness(Part):
    """Counts of wrong records.

    `lost` records were acknowledged and are not stored. `doubled` records are stored more than once. `foreign` records
    are stored for a tenant that never sent them.
    """

    lost: int = 0
    doubled: int = 0
    foreign: int = 0
    uncertain_stored: int = 0
    """Records that are stored although their request was not acknowledged. This is allowed."""
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)
    """First few wrong records of each of the kinds `lost`, `doubled` and `foreign`."""

    @classmethod
    def total(cls, found: Sequence[Self]) -> Self:
        """Returns the sums of the counts, with the examples of the first one that has a wrong record."""
        names = ("lost", "doubled", "foreign", "uncertain_stored")
        return cls(
            **{name: sum(getattr(each, name) for each in found) for name in names},
            examples=next((each.examples for each in found if each.wrong), {}),
        )

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.foreign

    def row(self, what: str, *, also: bool = True) -> Row:
        """Returns a row with the number of wrong records. Its goal is met if that is 0 and `also` is true."""
        return none_of(what, self.wrong, also=also)
