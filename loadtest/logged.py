"""Rows of ClickHouse's query log, once they are there: a statement is logged after its answer was sent."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clickhouse_connect.driver.client import Client

from kit.errors import Internal

_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.25


def logged(client: Client, query: str, parameters: Mapping[str, object], count: int) -> Sequence[Sequence[Any]]:
    """Returns what `query` selects from system.query_log, once that is `count` rows.

    Raises Internal when it is not after ten seconds.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        client.command("SYSTEM FLUSH LOGS query_log")
        rows = client.query(query, parameters=dict(parameters)).result_rows
        if len(rows) == count:
            return rows
    raise Internal(f"the query log has {len(rows)} of {count} statements")
