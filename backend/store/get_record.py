"""Reads one record by its id."""

from backend.store.each_table import read_each_table
from backend.store.execute import Executor
from backend.store.record_id import parse_record_id
from backend.store.rows import Rows
from backend.store.runs import Runs
from backend.store.runs_in_time import RunsInTime
from backend.store.scope import Scope, Scopes, TimeRange
from backend.store.select_records import select_record
from kit.clock import Clock
from kit.errors import NotFound
from kit.settings import Settings
from schema.columns import StoredRecord
from schema.control.directory import Tenant


class RecordReader:
    """Reads single records in the tables of their lanes and shards."""

    def __init__(self, settings: Settings, executor: Executor, clock: Clock) -> None:
        self._executor = executor
        self._scopes = Scopes(settings, clock)
        self._seconds = settings.query_max_seconds
        self._clock = clock

    async def get(self, tenant: Tenant, record: str) -> StoredRecord:
        """Returns the tenant's record whose id is `record`.

        Raises NotFound, what Executor.run raises, and QueryTooExpensive when the statements over all tables together
        took longer than QUERY_MAX_SECONDS.
        """
        wanted = parse_record_id(record)
        scope = self._scopes.of(tenant, TimeRange(wanted.timestamp_ns, wanted.timestamp_ns + 1))

        async def read(runs: Runs, table: Scope) -> Rows[StoredRecord]:
            return await runs.run(select_record(table, wanted))

        # A statement over Distributed tables would need one replica whose servers all answer.
        answers = await read_each_table(RunsInTime(self._executor, self._seconds, self._clock), scope, read)
        found = [row for answer in answers for row in answer.rows]
        if not found:
            raise NotFound("no stored record of this tenant has this id; the record may be older than the retention")
        return found[0]
