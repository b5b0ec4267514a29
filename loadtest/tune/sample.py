"""The records of a study: its largest tenant, a small one, and their time range."""

from dataclasses import dataclass
from typing import Final, Self

from clickhouse_connect.driver.client import Client

from kit.errors import InvalidRequest

_SMALL_RANK: Final = 3
"""Number of tenants with more records than the small one."""


@dataclass(frozen=True, slots=True)
class SampledTenant:
    """A tenant that searches are run for, and the cohorts of its records."""

    id: int
    cohorts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """Records of a table. `start_ns` and `end_ns` include all records of the largest tenant."""

    rows: int
    bytes: int
    """Bytes of all columns before compression."""
    largest: SampledTenant
    small: SampledTenant | None
    """None if there are fewer than four tenants."""
    start_ns: int
    end_ns: int

    @classmethod
    def of(cls, client: Client, table: str) -> Self:
        """Reads which tenants and times a merged table has. Raises InvalidRequest if it is empty."""
        found = client.query(
            "SELECT tenant_id, count(), arraySort(groupUniqArray(cohort)), min(toUnixTimestamp64Nano(timestamp)),"
            f" max(toUnixTimestamp64Nano(timestamp)) FROM {table}"
            " GROUP BY tenant_id ORDER BY count() DESC, tenant_id"
        ).result_rows
        if not found:
            raise InvalidRequest(f"table {table} is empty: run the command again, or choose another tenant")
        ((size,),) = client.query(
            "SELECT sum(data_uncompressed_bytes) FROM system.parts"
            " WHERE database = currentDatabase() AND table = {table:String} AND active",
            parameters={"table": table},
        ).result_rows
        tenants = [SampledTenant(int(tenant_id), tuple(cohorts)) for tenant_id, _, cohorts, *_ in found]
        return cls(
            rows=sum(int(count) for _, count, *_ in found),
            bytes=int(size),
            largest=tenants[0],
            small=tenants[_SMALL_RANK] if len(tenants) > _SMALL_RANK else None,
            start_ns=int(found[0][3]),
            end_ns=int(found[0][4]) + 1,
        )
