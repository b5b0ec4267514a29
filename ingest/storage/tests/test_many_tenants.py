"""Tests that days are removed however many tenants have lost days."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Final, cast

from clickhouse_connect.driver.client import Client

from ingest.storage.remove import remove_days

PARAMETER_BYTES: Final = 128 * 1024
"""Size above which ClickHouse refuses a parameter."""

TENANTS: Final = range(100_000, 130_000)
DAY: Final = 20_454
"""Day of the only partition, 1 January 2026, since the Unix epoch."""


class Server:
    """Server with one part, which has a row of each tenant."""

    def __init__(self) -> None:
        self.dropped = list[str]()

    def query(self, statement: str, parameters: Mapping[str, Sequence[object]] | None = None) -> SimpleNamespace:
        given = parameters or {}
        assert all(len(str([*each])) <= PARAMETER_BYTES for each in given.values())
        if "system.mutations" in statement:
            rows: list[tuple[object, ...]] = []
        elif "any(partition)" in statement:
            rows = [("logs_0", "id", "('r30','2026-01-01')", len(TENANTS), 1)]
        elif "tenant_id, count()" in statement:
            rows = [("id", "part", tenant, 1) for tenant in given["tenants"]]
        else:
            rows = [("part", len(TENANTS))]
        return SimpleNamespace(result_rows=rows)

    def command(self, _statement: str, parameters: Mapping[str, str], **_: object) -> None:
        self.dropped.append(parameters["part"])


def test_the_rows_of_thousands_of_tenants_are_removed() -> None:
    server = Server()

    [removal] = remove_days(cast("Client", server), dict.fromkeys(TENANTS, DAY + 1))

    assert removal.tenants == tuple(TENANTS)
    assert server.dropped == ["part"]
