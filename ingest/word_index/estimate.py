"""Finds rows without an index on words: estimates how many rows a search for a word that no record has would read."""

import secrets
from typing import Final

from clickhouse_connect.driver.client import Client

_ESTIMATE: Final = (
    "EXPLAIN ESTIMATE SELECT count() FROM `{table}` WHERE {column} = {{place:String}}"
    " AND hasToken(lower(body), {{absent:String}})"
)


def rows_not_ruled_out(client: Client, table: str, place: tuple[str, str], ignored: str) -> int:
    """Returns the number of rows that the indexes on words, other than the one named `ignored`, do not rule out.

    `place` limits the rows: the name of a virtual column, such as `_part`, and its value. Raises clickhouse-connect's
    Error.
    """
    column, value = place
    rows = client.query(
        _ESTIMATE.format(table=table, column=column),
        # Users cannot guess this word, so no record has it.
        parameters={"place": value, "absent": secrets.token_hex(16)},
        settings={"ignore_data_skipping_indices": ignored, "use_query_condition_cache": 0},
    ).result_rows
    return sum(int(each[3]) for each in rows)
