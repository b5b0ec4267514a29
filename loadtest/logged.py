"""Reads ClickHouse's query log. Waits for its rows, because a statement is logged after its answer was sent."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clickhouse_connect.driver.client import Client

from kit.errors import Internal

_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.25


def logged(client: Client, query: str, parameters: Mapping[str, object], count: int) -> Sequence[Sequence[Any]]:
    """Returns the rows that `query` selects from system.query_log, as soon as there are exactly `count`.

    Raises Internal if there are not after about ten seconds.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        client.command("SYSTEM FLUSH LOGS query_log")
        rows = client.query(query, parameters=dict(parameters)).result_rows
        if len(rows) == count:
            return rows
    raise Internal(f"the query log has {len(rows)} of {count} statements")
