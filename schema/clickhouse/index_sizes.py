"""Sizes of the indexes on the words of the bodies, for each log table."""

from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from kit.topology import Place
from schema.clickhouse.index_profiles import BODY_INDEXES, SEARCHED_WORDS, Profile
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.switch_profile import table_profiles
from schema.clickhouse.tables import LOG_TABLE, table_name


@dataclass(frozen=True, slots=True)
class IndexSize:
    """A log table of one server: `index_bytes` on disk against `body_bytes` of bodies before compression.

    `searched_bytes` is the size on disk of the index on searched words, which is not in `index_bytes`.

    `body_bytes` counts wide parts only, because ClickHouse does not know the size of a single column in compact (small)
    parts. For these, `compact_bytes` is the size of all columns before compression.
    """

    shard: int
    replica: int
    table: str
    profiles: tuple[Profile, ...]
    index_bytes: int
    searched_bytes: int
    body_bytes: int
    compact_bytes: int


def index_sizes(client: Client, place: Place) -> list[IndexSize]:
    """Returns the sizes for every lane's table of the server that `client` is connected to, by lane."""
    names = [index.name for index in BODY_INDEXES.values()]
    indexes = client.query(
        "SELECT table, sumIf(data_compressed_bytes, name != {searched:String}),"
        " sumIf(data_compressed_bytes, name = {searched:String}) FROM system.data_skipping_indices"
        " WHERE database = currentDatabase() AND name IN {names:Array(String)} GROUP BY table",
        parameters={"names": [*names, SEARCHED_WORDS.name], "searched": SEARCHED_WORDS.name},
    ).result_rows
    bodies = client.query(
        "SELECT table, data_uncompressed_bytes FROM system.columns"
        f" WHERE database = currentDatabase() AND name = 'body' AND match(table, '^{LOG_TABLE}$')"
    ).result_rows
    compact = client.query(
        "SELECT table, sum(data_uncompressed_bytes) FROM system.parts"
        f" WHERE database = currentDatabase() AND active AND part_type = 'Compact' AND match(table, '^{LOG_TABLE}$')"
        " GROUP BY table"
    ).result_rows
    index_bytes: dict[str, tuple[int, int]] = {table: (int(own), int(searched)) for table, own, searched in indexes}
    body_bytes: dict[str, int] = {table: int(size) for table, size in bodies}
    compact_bytes: dict[str, int] = {table: int(size) for table, size in compact}
    tables = [table_name(lane) for lane in existing_lanes(client)]
    return [
        IndexSize(
            place.shard,
            place.replica,
            table,
            table_profiles(client, table),
            *index_bytes.get(table, (0, 0)),
            body_bytes.get(table, 0),
            compact_bytes.get(table, 0),
        )
        for table in tables
    ]
