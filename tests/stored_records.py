"""Counts the records that single ClickHouse nodes have."""

from kit.clickhouse import connect
from schema.clickhouse.tables import table_name
from tests.running_stack import Stack
from tests.tenants import TenantKeys


def stored_on(stack: Stack, keys: TenantKeys, shard: int, replica: int = 0) -> int:
    """Returns the number of a tenant's records on one node, in all lanes."""
    with connect(stack.settings.of_replica(replica), shard=shard) as client:
        counts = [
            client.query(f"SELECT count() FROM {table_name(lane)} WHERE tenant_id = {keys.id}").result_rows[0][0]
            for lane in range(stack.settings.lanes)
        ]
    return int(sum(counts))
