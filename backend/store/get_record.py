"""Reads one record by its id."""

from backend.store.execute import Executor, Row
from backend.store.record_id import parse_record_id
from backend.store.scope import TimeRange, scope_of
from backend.store.statement import select_record
from kit.errors import NotFound
from schema.control.directory import Tenant


async def get_record(executor: Executor, tenant: Tenant, record: str, shards: int) -> Row:
    """Returns the tenant's record whose id is `record`. Raises NotFound, and what Executor.run raises."""
    wanted = parse_record_id(record)
    scope = scope_of(tenant, TimeRange(wanted.timestamp_ns, wanted.timestamp_ns + 1), shards)
    answer = await executor.run(select_record(scope, wanted))
    if not answer.rows:
        raise NotFound("there is no record with this id")
    row: Row = answer.rows[0]
    return row
