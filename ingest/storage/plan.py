"""Decides which tenants lose their oldest days so that the logs of a volume fit into its target."""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ingest.storage.shares import fair_shares

Days = Mapping[int, int]
"""Bytes on disk of one tenant by UTC day, given in days since the Unix epoch."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits on what is removed. `guaranteed` is the number of bytes that each tenant keeps, unless one day alone
    exceeds its share. `untouchable_from` is the first of the days that are never removed."""

    guaranteed: int
    untouchable_from: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Share of each tenant in bytes, and the first day that each tenant keeps, for tenants that lose days.

    `over` is the number of bytes by which the logs exceed the budget afterwards. It is 0 unless guarantees or days that
    are never removed prevent that.
    """

    shares: Mapping[int, int]
    kept_from: Mapping[int, int]
    over: int


def plan(stored: Mapping[int, Days], budget: int, rules: Rules) -> Plan:
    """Returns the plan for a volume whose logs may take `budget` bytes. The budget is negative if other files alone
    exceed the target.

    While the logs take more, the tenant that exceeds its fair share by most loses its oldest day. A tenant at or below
    its share loses nothing. A tenant that would keep less than the guaranteed bytes loses only a day that alone exceeds
    its share.
    """
    sizes = {tenant: sum(days.values()) for tenant, days in stored.items()}
    shares = fair_shares(sizes, budget, rules.guaranteed)
    total, kept_from = sum(sizes.values()), dict[int, int]()
    exceeding = [(shares[tenant] - sizes[tenant], tenant) for tenant in stored if sizes[tenant] > shares[tenant]]
    removable = {tenant: _removable(stored[tenant], rules) for _, tenant in exceeding}
    heapify(exceeding)
    while total > budget and exceeding:
        _, losing = heappop(exceeding)
        if not removable[losing]:
            continue
        day = removable[losing].pop()
        size = stored[losing][day]
        # The share is at least the guaranteed bytes here. If they protected a larger day, a tenant with one day as
        # large as the volume would keep it, and no loader could insert.
        if sizes[losing] - size < rules.guaranteed and size <= shares[losing]:
            continue
        sizes[losing] -= size
        total -= size
        kept_from[losing] = day + 1
        if sizes[losing] > shares[losing]:
            heappush(exceeding, (shares[losing] - sizes[losing], losing))
    return Plan(shares, kept_from, max(0, total - budget))


def without_removed(days: Days, kept_from: int) -> Days:
    """Returns the days from `kept_from` on."""
    return {day: size for day, size in days.items() if day >= kept_from}


def _removable(days: Days, rules: Rules) -> list[int]:
    """Returns the days that may be removed, the newest first."""
    return sorted((day for day in days if day < rules.untouchable_from), reverse=True)
