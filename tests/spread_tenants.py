"""Creates tenants whose records may be on all shards."""

from schema.shards import shard_of
from schema.tenant_partitions import partitions_of
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant


def on_all_shards(stack: Stack, name: str) -> TenantKeys:
    """Creates a tenant whose messages may be in partitions of all shards."""
    shards = stack.settings.shards
    while True:
        keys = new_tenant(stack, name)
        partitions = partitions_of(keys.id, stack.settings.kafka_partitions)
        if len({shard_of(each, shards) for each in partitions}) == shards:
            return keys
