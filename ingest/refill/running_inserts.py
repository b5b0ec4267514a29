"""Waits until no insert of a stopped loader can change a server any more.

A loader that ended may have sent an insert that the server begins or ends later. Rows that it stores after the copy of
another replica would be stored twice.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.loader.insert_sql import none_can_start_after
from kit.clickhouse import translate

_INSERTS: Final = (
    "SELECT toUnixTimestamp(now()), countIf(query_kind = 'Insert') FROM system.processes"
    " WHERE user = currentUser() AND current_database = currentDatabase()"
)
_PAUSE_SECONDS: Final = 1.0


def wait_for_inserts(servers: Sequence[Client], pause: Callable[[float], None] = time.sleep) -> None:
    """Returns when each server runs no insert, and refuses inserts of rows and of counts of fields that were made
    before this call. Inserts of usage have no deadline: one that is still on its way may begin later, and counts twice.

    No loader of these servers may run. Inserts end by themselves (LOGSIEVE_INSERT_MAX_SECONDS). Raises Unavailable if a
    server does not answer.
    """
    try:
        last = [none_can_start_after(_now_and_running(server)[0]) for server in servers]
        for server, none_after in zip(servers, last, strict=True):
            while True:
                now, running = _now_and_running(server)
                if now > none_after and not running:
                    break
                pause(_PAUSE_SECONDS)
    except Error as error:
        raise translate(error) from error


def _now_and_running(server: Client) -> tuple[int, int]:
    """Returns the server's time in seconds since the Unix epoch, and the number of inserts that it runs."""
    ((now, running),) = server.query(_INSERTS).result_rows
    return int(now), int(running)
