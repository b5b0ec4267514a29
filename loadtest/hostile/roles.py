"""Roles of tenants, attackers or victims, by the partition that a tenant's id gives its messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from schema.tenant_partitions import partition_of, partitions_of, tenant_key

ATTACKERS: Final = 3
"""Attacking tenants, on as many partitions."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Ids of tenants.

    `near` writes to the partition of the first attacker, `far` to one that attackers never use, however much `far`
    sends.
    """

    attackers: tuple[int, ...]
    near: int
    far: int


def cast(ids: Sequence[int], partitions: int) -> Roles | None:
    """Chooses the roles among tenants with these ids; returns None when there are too few of them."""
    home = {each: partition_of(tenant_key(each, 0), partitions) for each in ids}
    for far in ids:
        attackers = [each for each in ids if home[far] not in partitions_of(each, partitions)]
        for chosen in combinations(attackers, ATTACKERS):
            if len({home[each] for each in chosen}) < ATTACKERS:
                continue
            for near in ids:
                if near not in chosen and home[near] == home[chosen[0]]:
                    return Roles(chosen, near, far)
    return None
