"""Ledgers of sent records, and their comparison with stored records.

Each acknowledged record must be stored exactly once, each other record at most once.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from schema.coordinates import INDEX_BITS, offset_of, partition_of


@dataclass(slots=True)
class Sent:
    """Ranges of record numbers, one range for each request.

    Records of `acknowledged` requests are kept, those of `uncertain` requests may be kept. An uncertain number is never
    sent again.
    """

    acknowledged: list[range] = field(default_factory=list)
    uncertain: list[range] = field(default_factory=list)

    def merged(self, other: "Sent") -> "Sent":
        """Returns a ledger with the numbers of both, for clients of the same tenant."""
        return Sent(self.acknowledged + other.acknowledged, self.uncertain + other.uncertain)


def count(ranges: list[range]) -> int:
    """Returns the total length of all ranges."""
    return sum(len(each) for each in ranges)


@dataclass(frozen=True, slots=True, order=True)
class Numbered:
    """A tenant's record, named by its number."""

    tenant_id: int
    number: int


@dataclass(frozen=True, slots=True, order=True)
class KafkaRecord:
    """A record's place in the topic. `index` is its place within the message."""

    partition: int
    offset: int
    index: int

    @classmethod
    def of(cls, record_id: int) -> Self:
        """Returns the place in the topic that a row's id was made from (schema/coordinates.py)."""
        return cls(partition_of(record_id), offset_of(record_id), record_id & ((1 << INDEX_BITS) - 1))


@dataclass(frozen=True, slots=True)
class Difference:
    """Records that are wrong.

    `lost` records were acknowledged and are not stored. `doubled` records are stored more than once. `foreign` records
    are stored for a tenant that never sent them. `uncertain_stored` counts records that are stored although their
    request was not acknowledged. This is allowed.
    """

    lost: tuple[Numbered, ...]
    doubled: tuple[Numbered, ...]
    foreign: tuple[Numbered, ...]
    uncertain_stored: int


def compare(sent: Mapping[int, Sent], stored: Mapping[int, Counter[int]]) -> Difference:
    """Returns the records that are wrong. Keys of `sent` and `stored` are tenant ids.

    `stored` counts for each number of a tenant the rows that have it.
    """
    lost, doubled, foreign = [], [], []
    uncertain_stored = 0
    for tenant_id in sorted({*sent, *stored}):
        found = stored.get(tenant_id, Counter())
        ledger = sent.get(tenant_id, Sent())
        acknowledged = set(chain.from_iterable(ledger.acknowledged))
        uncertain = set(chain.from_iterable(ledger.uncertain))
        lost += [Numbered(tenant_id, number) for number in sorted(acknowledged - found.keys())]
        doubled += [Numbered(tenant_id, number) for number in sorted(found) if found[number] > 1]
        foreign += [Numbered(tenant_id, number) for number in sorted(found.keys() - acknowledged - uncertain)]
        uncertain_stored += len(uncertain & found.keys())
    return Difference(tuple(lost), tuple(doubled), tuple(foreign), uncertain_stored)
