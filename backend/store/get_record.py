"""Reads one record by its id."""

from backend.store.execute import Executor
from backend.store.record_id import parse_record_id
from backend.store.scope import Scopes, TimeRange
from backend.store.select_records import select_record
from kit.errors import NotFound
from schema.columns import StoredRecord
from schema.control.directory import Tenant


async def get_record(executor: Executor, scopes: Scopes, tenant: Tenant, record: str) -> StoredRecord:
    """Returns the tenant's record whose id is `record`. Raises NotFound, and what Executor.run raises."""
    wanted = parse_record_id(record)
    scope = scopes.of(tenant, TimeRange(wanted.timestamp_ns, wanted.timestamp_ns + 1))
    found = await executor.run(select_record(scope, wanted))
    if not found.rows:
        raise NotFound("no stored record of this tenant has this id; the record may be older than the retention")
    return found.rows[0]
