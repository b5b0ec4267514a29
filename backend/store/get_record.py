"""Reads one record by its id."""

from backend.store.each_table import read_each_table
from backend.store.execute import Executor
from backend.store.record_id import parse_record_id
from backend.store.rows import Rows
from backend.store.runs import Runs
from backend.store.scope import Scope, Scopes, TimeRange
from backend.store.select_records import select_record
from kit.errors import NotFound
from schema.columns import StoredRecord
from schema.control.directory import Tenant


async def get_record(executor: Executor, scopes: Scopes, tenant: Tenant, record: str) -> StoredRecord:
    """Returns the tenant's record whose id is `record`. Raises NotFound, and what Executor.run raises."""
    wanted = parse_record_id(record)
    scope = scopes.of(tenant, TimeRange(wanted.timestamp_ns, wanted.timestamp_ns + 1))

    async def read(runs: Runs, table: Scope) -> Rows[StoredRecord]:
        return await runs.run(select_record(table, wanted))

    # A statement over Distributed tables would need one replica whose servers all answer.
    answers = await read_each_table(executor, scope, read)
    found = [row for answer in answers for row in answer.rows]
    if not found:
        raise NotFound("no stored record of this tenant has this id; the record may be older than the retention")
    return found[0]
