"""Compares what was sent with what is stored: every acknowledged record exactly once, every other at most once."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from loadtest.sent import Sent


@dataclass(frozen=True, slots=True, order=True)
class Numbered:
    """A record of a tenant."""

    tenant_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What is wrong; all empty when nothing is.

    `lost` were acknowledged and are not there, `doubled` are there more than once, `foreign` are there although their
    tenant never sent them. `uncertain_stored` counts those that were kept without an acknowledgement, which is right.
    """

    lost: tuple[Numbered, ...]
    doubled: tuple[Numbered, ...]
    foreign: tuple[Numbered, ...]
    uncertain_stored: int

    @property
    def nothing(self) -> bool:
        return not (self.lost or self.doubled or self.foreign)


def compare(sent: Mapping[int, Sent], stored: Mapping[int, Counter[int]]) -> Difference:
    """Both by tenant id; `stored` says how often each number is there."""
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
