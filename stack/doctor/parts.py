"""Checks the number of parts, merges, mutations, and remembered insert tokens."""

from collections.abc import Mapping
from math import inf
from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE, TABLE_SETTINGS
from stack.doctor.finding import Bounds, Finding, Level, graded

LANE_PARTS: Final = Bounds(
    10_000,
    30_000,
    "loaders move tenants from lanes with more than LOGSIEVE_LANE_PARTS parts, up to LOGSIEVE_MAX_LANES lanes: check"
    " both, and the warnings of the loaders; `logsieve tenant move --lane` moves one tenant; fewer cohorts or shorter"
    " retentions mean fewer parts",
)
"""Bounds for the active parts of a lane's table. Planning takes about 7 microseconds of CPU for each part: 70 ms at the
first bound, 0.2 s at the second one (docs/benchmarks/parts.md)."""
MERGES_BEHIND: Final = (
    "merges do not keep up: raise LOGSIEVE_LOADER_BATCH_SECONDS, or background_pool_size of ClickHouse"
)
COHORTS_SHOWN: Final = 3
TOKENS: Final = "non_replicated_deduplication_window"

_LOG_TABLES: Final = f"database = currentDatabase() AND match(table, '^{LOG_TABLE}$')"


def part_findings(client: Client) -> list[Finding]:
    """Returns findings about the parts of all lanes."""
    rows = client.query(
        "SELECT table, count() FROM system.detached_parts"
        f" WHERE {_LOG_TABLES} AND startsWith(reason, 'broken') GROUP BY table ORDER BY table"
    ).result_rows
    return [
        *_lanes(client),
        _fullest_partition(client),
        judge_broken({table: int(parts) for table, parts in rows}),
        _merges(client),
        *_mutations(client),
        *_tokens(client),
    ]


def judge_broken(broken: Mapping[str, int]) -> Finding:
    """Returns the finding about parts that ClickHouse could not read and has detached; `broken` has their number, by
    table."""
    if not broken:
        return Finding("broken parts", Level.ok, "ClickHouse has detached no part as broken")
    seen = ", ".join(f"{parts} in {table}" for table, parts in broken.items())
    return Finding(
        "broken parts",
        Level.fail,
        f"ClickHouse has detached parts that it could not read, so searches lack their records: {seen}",
        "fill this replica from another one by `logsieve replica fill` (docs/operations/several-servers.md, Replicas),"
        " then remove the parts that system.detached_parts names by ALTER TABLE … DROP DETACHED PART; without another"
        " replica, restore these parts from a backup",
    )


def _lanes(client: Client) -> list[Finding]:
    """Returns a finding for every lane, also for a lane without parts."""
    rows = client.query(
        f"SELECT table, total, cohorts FROM (SELECT table FROM system.tables WHERE {_LOG_TABLES}) AS lanes LEFT JOIN ("
        "  SELECT table, sum(parts) AS total, arrayStringConcat(arraySlice("
        "    groupArray(cohort || ' ' || toString(parts)), 1, {shown:UInt32}), ', ') AS cohorts FROM ("
        "    SELECT table, splitByChar('\\'', partition)[2] AS cohort, count() AS parts FROM system.parts"
        f"    WHERE {_LOG_TABLES} AND active GROUP BY table, cohort ORDER BY parts DESC"
        "  ) GROUP BY table"
        ") AS counted USING table ORDER BY table",
        parameters={"shown": COHORTS_SHOWN},
    ).result_rows
    return [
        graded(f"parts of {table}", int(parts), LANE_PARTS, f"{parts} parts" + (cohorts and f" (most: {cohorts})"))
        for table, parts, cohorts in rows
    ]


def _fullest_partition(client: Client) -> Finding:
    """Returns a finding about the partition with the most parts.

    ClickHouse delays inserts into a partition with many parts, and refuses them at a higher number.
    """
    settings = client.query(
        "SELECT name, toUInt64(value) FROM system.merge_tree_settings"
        " WHERE name IN ('parts_to_delay_insert', 'parts_to_throw_insert')"
    ).result_rows
    limits: dict[str, int] = {name: int(value) for name, value in settings}
    rows = client.query(
        f"SELECT table, partition, count() AS parts FROM system.parts WHERE {_LOG_TABLES} AND active"
        " GROUP BY table, partition ORDER BY parts DESC LIMIT 1"
    ).result_rows
    table, partition, parts = rows[0] if rows else ("no table", "", 0)
    delayed, refused = limits["parts_to_delay_insert"], limits["parts_to_throw_insert"]
    seen = f"{parts} parts in {table} {partition}; inserts are delayed from {delayed} on, refused from {refused} on"
    return graded("parts of one partition", int(parts), Bounds(delayed / 2, refused, MERGES_BEHIND), seen)


def _merges(client: Client) -> Finding:
    rows = client.query(
        "SELECT metric, value FROM system.metrics WHERE metric LIKE 'BackgroundMergesAndMutationsPool%'"
    ).result_rows
    metrics: dict[str, int] = {metric: int(value) for metric, value in rows}
    busy = metrics["BackgroundMergesAndMutationsPoolTask"]
    size = metrics["BackgroundMergesAndMutationsPoolSize"]
    seen = f"{busy} of {size} threads for merges and mutations are busy"
    return graded(
        "background pool",
        busy,
        Bounds(size, inf, "normal for some minutes; if it lasts, raise background_pool_size of ClickHouse"),
        seen,
    )


def _mutations(client: Client) -> list[Finding]:
    rows = client.query(
        "SELECT table, mutation_id, any(command), max(parts_to_do), any(latest_fail_reason) FROM system.mutations"
        " WHERE database = currentDatabase() AND NOT is_done AND NOT is_killed GROUP BY table, mutation_id"
    ).result_rows
    if not rows:
        return [Finding("mutations", Level.ok, "no mutation is unfinished")]
    return [
        Finding(
            "mutations", Level.fail, f"{table} {name} fails: {reason}", "remove the cause, or end it with KILL MUTATION"
        )
        if reason
        else Finding(
            "mutations", Level.warn, f"{table} {name} has {parts} parts to rewrite ({command})", "wait for its end"
        )
        for table, name, command, parts, reason in rows
    ]


def _tokens(client: Client) -> list[Finding]:
    """Returns findings about the remembered insert tokens of each table.

    An insert may be repeated up to 60 s later, and in this time a table must not get more blocks than ClickHouse
    remembers tokens (docs/decisions/0007)."""
    rows = client.query(
        "SELECT table, toUInt64OrZero(extract(create_table_query, {setting:String})) FROM system.tables"
        f" WHERE {_LOG_TABLES} ORDER BY table",
        parameters={"setting": f"{TOKENS} = ([0-9]+)"},
    ).result_rows
    seen = _blocks_a_minute(client)
    return [judge_tokens(str(table), int(window), seen.get(table, 0)) for table, window in rows]


def judge_tokens(table: str, window: int, blocks_a_minute: int) -> Finding:
    """Rates a table by its busiest minute: the number of blocks written in it, as a share of the number of tokens that
    ClickHouse remembers (`window`)."""
    expected = TABLE_SETTINGS[TOKENS]
    written = f"{blocks_a_minute} blocks, each with a token, were written in the busiest minute of the last 24 h"
    seen = f"ClickHouse remembers {window}; {written}"
    about = f"insert tokens of {table}"
    if window < expected:
        return Finding(about, Level.warn if window > blocks_a_minute else Level.fail, seen, "run `logsieve migrate`")
    advice = f"run ALTER TABLE {table} MODIFY SETTING {TOKENS} = {4 * blocks_a_minute}"
    return graded(about, blocks_a_minute / window, Bounds(0.5, 1.0, advice), seen)


def _blocks_a_minute(client: Client) -> dict[str, int]:
    if not client.command("EXISTS TABLE system.part_log"):
        return {}
    rows = client.query(
        "SELECT table, max(blocks) FROM (SELECT table, toStartOfMinute(event_time) AS minute, count() AS blocks"
        f" FROM system.part_log WHERE {_LOG_TABLES} AND event_type = 'NewPart' AND event_time > now() - 86400"
        " GROUP BY table, minute) GROUP BY table"
    ).result_rows
    return {str(table): int(blocks) for table, blocks in rows}
