"""Classifies failed inserts: either the rows of the insert cost too much, or the server cannot take any rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import server_lacks_memory, translate
from kit.errors import LogsieveError, Unavailable
from kit.refused_connection import connection_refused


class NothingStored(Unavailable):
    """The insert was not sent, or ClickHouse refused it before it stored any rows."""


class TooExpensive(Unavailable):
    """ClickHouse ended the insert at a limit. `own` is true for a limit of one insert, false for one of the server.
    `in_time` is true for a limit of time, which a slow server reaches with any rows."""

    def __init__(self, detail: str, own: bool, in_time: bool = False) -> None:
        super().__init__(detail)
        self.own = own
        self.in_time = in_time


# Codes of src/Common/ErrorCodes.cpp.
_MEMORY: Final = 241
_OWN_LIMITS: Final = {
    128: "an array is too large",
    131: "a string is too large",
    158: "the insert has more rows than ClickHouse takes",
    159: "the insert took too long",
    160: "the insert was too slow",
    307: "the insert has more bytes than ClickHouse takes",
    396: "the insert has more rows or bytes than ClickHouse takes",
}
_TIME_LIMITS: Final = frozenset({159, 160})
_REFUSED_AT_START: Final = {
    16: "it lacks a column, which `logsieve migrate` adds",
    60: "it does not exist; `logsieve migrate` creates the log tables",
    202: "ClickHouse already runs as many queries as it allows",
    242: "it is read-only",
    252: "it has too many parts; merging has to catch up",
    395: "the insert started too late and was refused",
}
_NO_DISK_SPACE: Final = {243: "ClickHouse has too little disk space"}


def translate_insert_error(error: Error, table: str) -> LogsieveError:
    """Maps a ClickHouse error to the loader's: the text is for operators, and `deliver` acts on the type.

    Any error except NothingStored may have come after some rows were stored: an insert has a block for each partition
    of its table. Only TooExpensive with `own` may be caused by the rows. MemoryTracker.cpp names the exceeded limit
    after the code: that of the query, of the user or of the whole server.
    """
    code = error.code or 0
    if code == _MEMORY:
        text = str(error)
        own = not server_lacks_memory(error) and "for user" not in text and "User memory" not in text
        whose = "more memory than one insert may use" if own else "more memory than ClickHouse has left"
        return TooExpensive(f"table {table}: the insert needs {whose}", own)
    if code in _OWN_LIMITS:
        return TooExpensive(f"table {table}: {_OWN_LIMITS[code]}", own=True, in_time=code in _TIME_LIMITS)
    if code in _REFUSED_AT_START:
        return NothingStored(f"table {table}: {_REFUSED_AT_START[code]}")
    if code in _NO_DISK_SPACE:
        return Unavailable(f"table {table}: {_NO_DISK_SPACE[code]}")
    translated = translate(error)
    return NothingStored(translated.detail) if connection_refused(error) else translated


@contextmanager
def before_insert() -> Iterator[None]:
    """Raises NothingStored for each Unavailable and each error of clickhouse-connect in the block, which is a step
    before the insert is sent."""
    try:
        yield
    except Unavailable as error:
        raise NothingStored(error.detail) from error
    except Error as error:
        raise NothingStored(translate(error).detail) from error
