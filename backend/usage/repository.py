"""Sums the usage table. Counts of a minute are exact once its messages are loaded.

All ranges are whole minutes from `start`, inclusive, to `end`, exclusive, in seconds since the Unix epoch.
"""

from typing import Final, Literal, NamedTuple

from backend.store.execute import Executor
from backend.store.scope import Scopes, TimeRange
from backend.store.statement import Parameter, Statement, SystemStatement, SystemTable
from backend.store.tables import NS, Table
from kit.errors import InvalidRequest
from schema.control.directory import Tenant

Interval = Literal["minute", "hour", "day"]
SECONDS: Final[dict[Interval, int]] = {"minute": 60, "hour": 3600, "day": 86_400}

MAX_SUMS: Final = 30_000
"""Largest number of sums in the answer to one tenant: a day of minutes with 20 outcomes each, or a week of minutes with
almost three. Their text has about 4 MB."""

_LONGER: Final[dict[Interval, str]] = {
    "minute": ", or `interval=hour` or `interval=day`",
    "hour": ", or `interval=day`",
    "day": "",
}
"""Advice to choose longer intervals, as the end of an error text."""

_COLUMNS: Final = (
    "tenant_id, intDiv(toUnixTimestamp(minute), {seconds:UInt32}) * {seconds:UInt32} AS start_seconds,"
    " outcome, sum(requests), sum(records), sum(bytes)"
)
_BY_INTERVAL: Final = "GROUP BY tenant_id, start_seconds, outcome ORDER BY tenant_id, start_seconds, outcome"


class UsageSum(NamedTuple):
    """One tenant's requests, records and bytes with one outcome, in the interval that starts at `start`, in seconds."""

    tenant_id: int
    start: int
    outcome: str
    requests: int
    records: int
    bytes: int


class TenantUsage:
    """Sums the usage of single tenants."""

    def __init__(self, executor: Executor, scopes: Scopes) -> None:
        self._executor = executor
        self._scopes = scopes

    async def sums(self, whose: Tenant, start: int, end: int, interval: Interval) -> list[UsageSum]:
        """Returns the tenant's sums by interval and outcome.

        Raises InvalidRequest if there are more than MAX_SUMS, and what Executor.run raises.
        """
        statement = Statement(
            self._scopes.of(whose, TimeRange(start * NS, end * NS)),
            _COLUMNS,
            UsageSum._make,
            Table.usage,
            rest=f"{_BY_INTERVAL} LIMIT {MAX_SUMS + 1}",
            values={"seconds": SECONDS[interval]},
            reads_all=True,
        )
        sums = list((await self._executor.run(statement)).rows)
        if len(sums) > MAX_SUMS:
            raise InvalidRequest(
                f"the answer would have more than {MAX_SUMS:,} sums, one for each {interval} and outcome: choose a "
                f"shorter range{_LONGER[interval]}"
            )
        return sums


class UsageOfAll:
    """Sums the usage of all tenants, deleted ones too. Needs the executor of the tables' owner."""

    def __init__(self, executor: Executor, shards: int) -> None:
        self._executor = executor
        self._shards = tuple(range(shards))

    async def sums(self, whose: int | None, start: int, end: int, interval: Interval) -> list[UsageSum]:
        """Returns the sums of one tenant, given by its number, or of all. Raises what Executor.run raises."""
        one_tenant = "" if whose is None else "tenant_id = {tenant_id:UInt32} AND "
        parameters: dict[str, Parameter] = {"start": start, "end": end, "seconds": SECONDS[interval]}
        if whose is not None:
            parameters["tenant_id"] = whose
        statement = SystemStatement(
            _COLUMNS,
            UsageSum._make,
            SystemTable.usage,
            condition=f"{one_tenant}minute >= toDateTime({{start:UInt32}}, 'UTC')"
            " AND minute < toDateTime({end:UInt32}, 'UTC')",
            rest=_BY_INTERVAL,
            parameters=parameters,
            reads_all=True,
            shards=self._shards,
        )
        return list((await self._executor.run(statement)).rows)
