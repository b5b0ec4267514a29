"""Tests that attackers and victims are chosen by the partitions that their tenant ids give them."""

import pytest

from loadtest.hostile.tenants import ATTACKERS, cast
from schema.tenant_partitions import partition_of, partitions_of, tenant_key

PARTITIONS = 4


@pytest.mark.parametrize("first", range(1, 8))
def test_one_victim_shares_the_attackers_partition_and_one_no_attackers(first: int) -> None:
    roles = cast(range(first, first + 30), PARTITIONS)

    assert roles is not None
    homes = [partition_of(tenant_key(each, 0), PARTITIONS) for each in roles.attackers]
    far = partition_of(tenant_key(roles.far, 0), PARTITIONS)
    assert len(set(homes)) == ATTACKERS
    assert partition_of(tenant_key(roles.near, 0), PARTITIONS) == homes[0]
    assert all(far not in partitions_of(each, PARTITIONS) for each in roles.attackers)
    assert len({*roles.attackers, roles.near, roles.far}) == ATTACKERS + 2


def test_too_few_tenants_have_no_roles() -> None:
    assert cast([1, 2, 3], PARTITIONS) is None
