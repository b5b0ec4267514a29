"""Present definition of the usage table. The migrations must lead to it; `logsieve migrate --check` compares."""

from schema.usage import COLUMNS

KEPT_DAYS = 400


def create_usage_table(database: str, name: str) -> str:
    """Returns the CREATE TABLE statement. ClickHouse adds up rows with equal keys when it merges parts; queries sum
    rows that are not merged yet."""
    columns = ",\n    ".join(f"`{column}` {kind}" for column, kind in COLUMNS)
    return (
        f"CREATE TABLE `{database}`.`{name}`\n(\n    {columns}\n)\n"
        "ENGINE = SummingMergeTree((requests, records, bytes))\n"
        "PARTITION BY toYYYYMM(minute)\nORDER BY (tenant_id, minute, outcome)\n"
        f"TTL minute + toIntervalDay({KEPT_DAYS})\n"
        "SETTINGS non_replicated_deduplication_window = 10000"
    )
