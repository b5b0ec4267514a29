"""Tests that a deleted tenant's rows are erased on all shards."""

import secrets

from ingest.erasure.stores import advance
from kit.clickhouse import connect_shards
from schema.control.erasures import Phase, Progress
from tests.eventually import eventually
from tests.running_stack import Stack

LEAVING, STAYING = 4_100_000_031, 4_100_000_032
"""Ids of tenants that the control plane and other tests do not have."""


def test_rows_go_on_both_shards(two: Stack) -> None:
    erasing = {LEAVING: Progress(phase=Phase.deleting)}
    with connect_shards(two.settings) as shards:
        # ClickHouse would skip rows that an earlier run inserted already.
        body = secrets.token_hex()
        for client in shards:
            for tenant_id in (LEAVING, STAYING):
                client.command(f"INSERT INTO logs_0 (tenant_id, body) SELECT {tenant_id}, '{body}' FROM numbers(5)")

        def is_clean() -> bool:
            erasing.update(advance(two.settings, shards, erasing).progress)
            return erasing[LEAVING].phase in (Phase.removing, Phase.erased)

        eventually(is_clean, "no shard has a row", 60.0)
        assert {"shard 0 logs_0": 5, "shard 1 logs_0": 5}.items() <= erasing[LEAVING].found.items()
        for client in shards:
            counted = client.query(
                "SELECT tenant_id, count() FROM logs_0 WHERE tenant_id IN {tenants:Array(UInt32)} GROUP BY tenant_id"
                " SETTINGS apply_deleted_mask = 0",
                parameters={"tenants": [LEAVING, STAYING]},
            ).result_rows
            assert [tuple(row) for row in counted] == [(STAYING, 5)]
            client.command(f"ALTER TABLE logs_0 DELETE WHERE tenant_id = {STAYING}")
