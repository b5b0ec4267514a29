"""Present definition of a lane's log table. The migrations must lead to it; `logsieve migrate --check` compares."""

from typing import Final

from schema.attribute_pairs import PAIRS
from schema.clickhouse.index_profiles import BODY_INDEXES, NOT_MERGED, SEARCHED_WORDS, Profile, SkipIndex
from schema.columns import COLUMNS, SORTING_KEY

SKIP_INDEXES: tuple[SkipIndex, ...] = (
    # The indexes on the words of bodies come before these.
    SkipIndex("attribute_keys", "mapKeys(attributes)", "bloom_filter(0.01)"),
    SkipIndex("attribute_pairs", PAIRS, "text(tokenizer = 'array')", granularity=None),
    SkipIndex("resource_keys", "mapKeys(resource)", "bloom_filter(0.01)"),
    SkipIndex("traces", "trace_id", "bloom_filter(0.01)"),
    SkipIndex("service_names", "service", "text(tokenizer = 'array')", granularity=None),
    SkipIndex("severities", "severity_number", "minmax"),
)

TABLE_SETTINGS: dict[str, int] = {
    # For each record of a page, ClickHouse reads a whole granule, and there is one token filter for each granule. The
    # limit in bytes gives a granule about 55 messages of 4 KB, or 1,024 short ones, and about as many distinct words as
    # the filter can distinguish: docs/decisions/0017-granules-are-measured-in-bytes.md.
    "index_granularity": 1_024,
    "index_granularity_bytes": 524_288,
    # ClickHouse remembers the tokens of this many blocks. An insert adds one block for each table partition in it. The
    # number must be larger than the blocks that are inserted between an insert and its repetition after a crash:
    # docs/decisions/0007-what-clickhouse-remembers.md has the arithmetic.
    "non_replicated_deduplication_window": 30_000,
    # Merges go column by column even if they have few rows: docs/decisions/0030-merges-go-column-by-column.md.
    "vertical_merge_algorithm_min_rows_to_activate": 1,
    # About ten parts of similar size are merged at once instead of five: docs/decisions/0051-merges-take-ten-parts.md.
    "merge_selector_base": 10,
}


LOG_TABLE: Final = "logs_[0-9]+"
"""Regular expression that matches every name that `table_name` returns."""


def table_name(lane: int) -> str:
    """Returns the name of the lane's log table. On each shard it holds that shard's rows."""
    return f"logs_{lane}"


def create_table(
    database: str,
    name: str,
    profile: Profile = Profile.tokenbf,
    *,
    policy: str | None = None,
    searched_words: bool = False,
) -> str:
    """Returns the CREATE TABLE statement of a log table. `policy` is its storage policy; None for the server's
    default. With `searched_words`, it has the index of this name, as `migrate` leaves tables of profile `tokenbf`."""
    searched = (SEARCHED_WORDS,) if searched_words else ()
    indexes = (BODY_INDEXES[profile], *searched, *SKIP_INDEXES)
    lines = [column.ddl for column in COLUMNS] + [index.ddl for index in indexes]
    settings = ", ".join(f"{key} = {value}" for key, value in TABLE_SETTINGS.items())
    settings += f", {NOT_MERGED} = '{SEARCHED_WORDS.name}'" if searched_words else ""
    settings += "" if policy is None else f", storage_policy = '{policy}'"
    return (
        f"CREATE TABLE `{database}`.`{name}`\n(\n    "
        + ",\n    ".join(lines)
        + f"\n)\nENGINE = MergeTree\nPARTITION BY (cohort, toDate(timestamp))\n"
        f"ORDER BY ({', '.join(SORTING_KEY)})\nSETTINGS {settings}"
    )
