"""Gives log tables of profile `tokenbf` the index on searched words, and removes it from tables of profile `text`.

ClickHouse allows one text index on an expression, so a table cannot have this index and the one of profile `text`.
"""

from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.index_profiles import BODY_INDEXES, NOT_MERGED, SEARCHED_WORDS, Profile

WORD_SEARCH: Final = "words-"
"""Beginning of the names in query_log (`initial_query_id`) of searches that this index can answer faster. The loader
recognises such searches by their names, because query_log does not have the searched words."""

BUILDING: Final = f"MATERIALIZE INDEX {SEARCHED_WORDS.name}"
"""Text in the `command` of every mutation that builds the index (system.mutations)."""

_STATE: Final = (
    f"SELECT (SELECT count() FROM system.data_skipping_indices WHERE name = '{SEARCHED_WORDS.name}'"
    " AND database = currentDatabase() AND table = {table:String}),"
    f" position(create_table_query, '{NOT_MERGED}') > 0"
    " FROM system.tables WHERE database = currentDatabase() AND name = {table:String}"
)


def searched_words_ddl(table: str, profile: Profile) -> str:
    """Returns the statement that adds the index to a table of profile `tokenbf`, or drops it for profile `text`. It
    changes only metadata and may be repeated."""
    if profile is Profile.tokenbf:
        added = SEARCHED_WORDS.ddl.replace("INDEX", "INDEX IF NOT EXISTS", 1)
        return (
            f"ALTER TABLE {table} ADD {added} AFTER `{BODY_INDEXES[profile].name}`,"
            f" MODIFY SETTING {NOT_MERGED} = '{SEARCHED_WORDS.name}'"
        )
    return f"ALTER TABLE {table} DROP INDEX IF EXISTS `{SEARCHED_WORDS.name}`, RESET SETTING {NOT_MERGED}"


def use_searched_words(client: Client, table: str, profile: Profile) -> None:
    """Adds the index to the table, or drops it, if the profile needs that. Ends a build before it drops the index."""
    found = client.query(_STATE, parameters={"table": table}).result_rows
    wanted = profile is Profile.tokenbf
    is_changed = any(bool(each) is not wanted for each in found[0])
    if not wanted:
        end_builds(client, table)
    if is_changed:
        client.command(searched_words_ddl(table, profile), settings={"mutations_sync": 0})
    if not wanted:
        # A loader may have started a build before the index was dropped. It could never end.
        end_builds(client, table)


def end_builds(client: Client, table: str) -> None:
    """Ends all builds of the index in the table. Parts that are built already keep the index."""
    client.command(
        "KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done"
        " AND position(command, {building:String}) > 0 SYNC",
        parameters={"table": table, "building": BUILDING},
    )
