"""Checks how much memory ClickHouse holds for primary keys and marks of its parts, also of those that no query
reads."""

from typing import Final

from clickhouse_connect.driver.client import Client

from stack.doctor.finding import Bounds, Finding, Level, graded

PARTS_SHARE: Final = Bounds(
    0.1,
    0.3,
    "reduce the number of parts: use more lanes or servers, fewer cohorts or shorter retentions; or add memory",
)
"""Share of the server's memory that primary keys and marks of parts take. This memory is not available to searches and
merges, because it cannot be evicted."""


def memory_findings(client: Client) -> list[Finding]:
    """Returns a finding about the memory of all active parts of the server, also of other databases."""
    parts, held = client.query(
        "SELECT count(), sum(primary_key_bytes_in_memory_allocated + index_granularity_bytes_in_memory_allocated)"
        " FROM system.parts WHERE active"
    ).result_rows[0]
    return [judge_parts_memory(int(parts), int(held), _limit(client))]


def judge_parts_memory(parts: int, held: int, limit: int) -> Finding:
    """Rates the bytes that all parts hold against the server's memory limit in bytes; 0 means that the limit is
    unknown."""
    about = "memory of parts"
    each = held / max(parts, 1) / 1024
    seen = f"{parts} parts hold {held / 2**20:.1f} MiB, {each:.1f} KiB each"
    if not limit:
        return Finding(about, Level.ok, seen)
    return graded(about, held / limit, PARTS_SHARE, f"{seen}: {held / limit:.1%} of the server's memory")


def _limit(client: Client) -> int:
    """Returns the server's memory limit in bytes; 0 if the server does not report it."""
    if not client.command("EXISTS TABLE system.server_settings"):
        return 0
    rows = client.query(
        "SELECT toUInt64OrZero(value) FROM system.server_settings WHERE name = 'max_server_memory_usage'"
    ).result_rows
    return int(rows[0][0]) if rows else 0
