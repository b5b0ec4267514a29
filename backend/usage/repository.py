"""Sums the usage table over whole minutes. Counts of a minute are exact once its messages are loaded."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from backend.store.execute import Executor
from backend.store.scope import Scopes, TimeRange
from backend.store.statement import Parameter, Statement, SystemStatement, SystemTable
from backend.store.tables import NS, Table
from backend.usage.minutes import SECONDS, Interval, minutes_of
from kit.clock import Clock
from kit.errors import InvalidRequest
from schema.control.directory import Tenant

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

    def __init__(self, executor: Executor, scopes: Scopes, clock: Clock) -> None:
        self._executor = executor
        self._scopes = scopes
        self._clock = clock

    async def sums(
        self, tenant: Tenant, start_ns: int | None, end_ns: int | None, interval: Interval
    ) -> list[UsageSum]:
        """Returns the tenant's sums by interval and outcome.

        Raises InvalidRequest if there are more than MAX_SUMS, what `minutes_of` raises, and what Executor.run raises.
        """
        if (minutes := minutes_of(start_ns, end_ns, interval, self._clock.now_ns())) is None:
            return []
        statement = Statement(
            self._scopes.of(tenant, TimeRange(minutes.start * NS, minutes.end * NS)),
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

    def __init__(self, executor: Executor, shards: int, clock: Clock) -> None:
        self._executor = executor
        self._shards = tuple(range(shards))
        self._clock = clock

    async def sums(
        self, tenant_id: int | None, start_ns: int | None, end_ns: int | None, interval: Interval
    ) -> list[UsageSum]:
        """Returns the sums of one tenant, or of all if `tenant_id` is None. Raises what `minutes_of` and Executor.run
        raise."""
        if (minutes := minutes_of(start_ns, end_ns, interval, self._clock.now_ns())) is None:
            return []
        one_tenant = "" if tenant_id is None else "tenant_id = {tenant_id:UInt32} AND "
        parameters: dict[str, Parameter] = {**minutes._asdict(), "seconds": SECONDS[interval]}
        if tenant_id is not None:
            parameters["tenant_id"] = tenant_id
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


def totals(sums: Sequence[UsageSum]) -> list[UsageSum]:
    """Returns one sum over all intervals for each tenant and outcome, ordered by both. `start` is the start of the
    first interval."""
    found: dict[tuple[int, str], list[int]] = {}
    for tenant_id, start, outcome, requests, records, size in sums:
        total = found.setdefault((tenant_id, outcome), [start, 0, 0, 0])
        total[0] = min(total[0], start)
        total[1] += requests
        total[2] += records
        total[3] += size
    return [
        UsageSum(tenant_id, start, outcome, requests, records, size)
        for (tenant_id, outcome), (start, requests, records, size) in sorted(found.items())
    ]
