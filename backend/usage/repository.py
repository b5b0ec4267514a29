"""The usage table, summed. Counts are exact once their minute's messages are loaded."""

from dataclasses import dataclass
from typing import Final, Literal

from backend.store.execute import Executor
from backend.store.statement import Parameter, Statement
from schema.clickhouse.distributed import readable_name
from schema.usage import TABLE

Interval = Literal["minute", "hour", "day"]
SECONDS: Final[dict[Interval, int]] = {"minute": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True, slots=True)
class UsageSum:
    """One tenant's requests, records and bytes of one outcome in the interval that starts at `start`, in seconds."""

    tenant_id: int
    start: int
    outcome: str
    requests: int
    records: int
    bytes: int


class UsageRepository:
    def __init__(self, executor: Executor, shards: int) -> None:
        self._executor = executor
        self._table = readable_name(TABLE, shards)

    async def sums(self, tenant_id: int | None, start: int, end: int, interval: Interval) -> list[UsageSum]:
        """For the minutes from `start` to before `end`, in seconds since the Unix epoch.

        Of one tenant, or of all, which only the executor of an operator can read.
        """
        one_tenant = "" if tenant_id is None else "tenant_id = {tenant_id:UInt32} AND "
        parameters: dict[str, Parameter] = {"start": start, "end": end, "seconds": SECONDS[interval]}
        if tenant_id is not None:
            parameters["tenant_id"] = tenant_id
        sql = (
            "SELECT tenant_id, intDiv(toUnixTimestamp(minute), {seconds:UInt32}) * {seconds:UInt32} AS start_seconds,"
            " outcome, sum(requests), sum(records), sum(bytes)"
            f" FROM {self._table} WHERE {one_tenant}"
            "minute >= toDateTime({start:UInt32}, 'UTC') AND minute < toDateTime({end:UInt32}, 'UTC')"
            " GROUP BY tenant_id, start_seconds, outcome ORDER BY tenant_id, start_seconds, outcome"
        )
        answer = await self._executor.run(Statement(sql, parameters, tenant_id or 0, reads_all=True))
        return [UsageSum(*row) for row in answer.rows]
