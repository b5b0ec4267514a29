"""Chooses attackers and victims among tenants by the partitions that their messages go to."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from schema.tenant_partitions import partition_of, partitions_of, tenant_key

ATTACKERS: Final = 3
"""Number of attacking tenants. Each writes to another partition."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Ids of the tenants in each role.

    `near` is a victim that writes to the partition of the first attacker. `far` is a victim that writes to a partition
    that no attacker uses, however much the attackers send.
    """

    attackers: tuple[int, ...]
    near: int
    far: int


def cast(ids: Sequence[int], partitions: int) -> Roles | None:
    """Returns roles for some of these tenants. Returns None if no choice of them fits all roles."""
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
