"""The statement that reads the work of finished statements from ClickHouse's query_log."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.store.statement import SystemStatement, SystemTable


class Work(NamedTuple):
    """Work of one shard's server for one statement, as its query_log has it.

    `memory_bytes` is the largest amount at one time, `marks_total` the number of granules before any index.
    """

    query_id: str
    cpu_us: int
    memory_bytes: int
    marks_total: int
    marks_read: int
    files_opened: int


def select_work(query_ids: Sequence[str], tenant_id: int, shard: int) -> SystemStatement[Work]:
    """Returns the statement for the work of a tenant's statements on one shard, as far as query_log has it yet.

    ClickHouse writes the log every few seconds. Statements older than ten minutes are not read.
    """
    return SystemStatement(
        "initial_query_id, sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']),"
        " max(memory_usage), sum(ProfileEvents['SelectedMarksTotal']), sum(ProfileEvents['SelectedMarks']),"
        " sum(ProfileEvents['FileOpen'])",
        Work._make,
        SystemTable.work,
        condition="event_date >= today() - 1 AND event_time > now() - INTERVAL 10 MINUTE AND type = 'QueryFinish'"
        " AND initial_query_id IN {query_ids:Array(String)}",
        rest="GROUP BY initial_query_id",
        parameters={"query_ids": list(query_ids)},
        tenant_id=tenant_id,
        # The query user may read certain columns of query_log. If this setting were 1, ClickHouse would read a part of
        # a map, which counts as another column.
        settings={"optimize_functions_to_subcolumns": 0},
        shards=(shard,),
    )
