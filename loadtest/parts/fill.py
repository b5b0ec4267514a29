"""Fills a node with parts, on from what is there."""

from collections.abc import Callable
from typing import Final

from clickhouse_connect.driver.client import Client

from loadtest.parts.layout import Filled, Layout, create_table, insert

Say = Callable[[str], None]

_AT_ONCE: Final = 1_000
_TOLD_EVERY: Final = 10_000


def fill(client: Client, filled: Filled, say: Say) -> None:
    """Until each table has the pairs of its share; a table's pairs are counted by its rows, one each."""
    share = filled.parts // filled.tables
    done = 0
    for number in range(filled.tables):
        table = filled.table(number)
        client.command(create_table(table))
        client.command(f"SYSTEM STOP MERGES {table}")
        present = int(client.query(f"SELECT count() FROM {table}").result_rows[0][0])
        for first in range(present, share, _AT_ONCE):
            client.command(insert(filled, number, first, min(_AT_ONCE, share - first)))
            done += _AT_ONCE
            if done % _TOLD_EVERY == 0:
                say(f"{filled.layout.value}: {done:,} parts added")


def clear(client: Client, layout: Layout) -> None:
    """Drops all tables of a layout."""
    names = client.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})",
        parameters={"prefix": f"parts_{layout.name}_"},
    ).result_rows
    for (name,) in names:
        client.command(f"DROP TABLE {name} SYNC", settings={"max_table_size_to_drop": 0})


def active_parts(client: Client) -> int:
    """Parts of the node that are in use."""
    return int(client.query("SELECT count() FROM system.parts WHERE active").result_rows[0][0])
