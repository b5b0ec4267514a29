"""Measures the bytes that merges, row deletions and moves of a ClickHouse server have written and not finished.

The finished part replaces its sources, so these bytes are no additional logs. A removal of days needs such space while
it runs. If the space counted as used, tenants would lose further days for it, which they never get back.
"""

from functools import cache
from typing import Final

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.clickhouse_codes import ACCESS_DENIED

log = structlog.get_logger()

_MERGED: Final = "SELECT sum(total_size_bytes_compressed * progress) FROM system.merges WHERE NOT is_mutation"
"""Bytes that running merges have written. A merged part has about the bytes of its sources."""

_REWRITTEN: Final = (
    # The uncompressed bytes that ClickHouse shows are of blocks in memory, about twice those of the source.
    "SELECT sum(total_size_bytes_compressed * progress * rows_written / greatest(rows_read, 1)) FROM system.merges"
    " WHERE is_mutation AND (database, table, source_part_names[1]) IN"
    " (SELECT database, table, arrayJoin(parts_to_do_names) FROM system.mutations"
    " WHERE NOT is_done AND position(command, 'DELETE') > 0)"
)
"""Bytes that running deletions of rows have written: those of the rows that they have kept so far. Other mutations
build indexes and counts. They make hard links of all other files, and their own files stay."""

_MOVED: Final = "SELECT sum(part_size) FROM system.moves"
"""Bytes of parts that are being copied to another volume. ClickHouse does not show how much of a part is copied."""


def read_unfinished(client: Client) -> int:
    """Returns the bytes of unfinished parts on all disks of the server. Raises clickhouse-connect's Error.

    Only parts that are being written now count, so a deletion that fails or waits adds nothing. A part that is moved
    counts in full. It may hide as many bytes of a full disk as are not copied yet, until the move ends.
    """
    written = client.query(f"SELECT toUInt64(({_MERGED}) + ({_REWRITTEN}))").result_rows[0][0]
    return int(written) + _read_moved(client)


def _read_moved(client: Client) -> int:
    try:
        return int(client.query(_MOVED).result_rows[0][0])
    except Error as error:
        if error.code != ACCESS_DENIED:
            raise
        _warn_of_moves()
        return 0


@cache
def _warn_of_moves() -> None:
    """Logs, once in this process, that the right is missing."""
    log.warning(
        "system.moves cannot be read, so parts that are being moved count as used, and tenants may lose days for them:"
        " grant the loader's user SELECT on system.moves"
    )
