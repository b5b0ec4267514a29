"""Records that are wrong, in a study that counts all of them."""

from typing import Self

from pydantic import Field

from loadtest.comparison import KafkaRecord, Numbered
from loadtest.report.report import Part, Row, none_of


class Example(Part):
    """A record that is wrong, with its places in Kafka and the Kafka places its stored rows were made from.

    Lost and not in the topic: it never reached Kafka. Lost and in the topic: the loader lost it. Doubled from one
    place: the same range was inserted twice. Doubled from two places: it was written to Kafka twice.
    """

    record: Numbered
    in_topic: tuple[KafkaRecord, ...]
    in_store: tuple[KafkaRecord, ...]


class Correctness(Part):
    """Counts of records that were acknowledged and are not stored, are stored twice, or belong to another tenant."""

    lost: int = 0
    doubled: int = 0
    foreign: int = 0
    uncertain_stored: int = 0
    """Records that were stored without an acknowledgement, which is right."""
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)
    """The first wrong records, by `lost`, `doubled` and `foreign`."""

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.foreign

    def since(self, earlier: Self) -> "Correctness":
        """Returns what is wrong now and was not before."""
        return Correctness(
            lost=self.lost - earlier.lost,
            doubled=self.doubled - earlier.doubled,
            foreign=self.foreign - earlier.foreign,
        )

    def row(self, what: str, *, also: bool = True) -> Row:
        """Returns the row of a study's headline; `also` is whether everything else that it stands for holds."""
        return none_of(what, self.wrong, also=also)
