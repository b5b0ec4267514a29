"""The two formats of an export: NDJSON, one record a line, and CSV (RFC 4180).

A spreadsheet runs a cell that looks like a formula (OWASP, "CSV Injection"). An apostrophe is therefore put before a
text cell that begins with one of `= + - @`, a tab, a carriage return or an apostrophe. Removing one leading apostrophe
from each cell restores every value.
"""

import csv
import io
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import orjson
from pydantic import JsonValue

from backend.logs.log_json import pieces
from backend.logs.records import document, encode_log
from schema.columns import Record, StoredRecord


class Format(StrEnum):
    ndjson = "ndjson"
    csv = "csv"


MEDIA_TYPES: Final = {Format.ndjson: "application/x-ndjson", Format.csv: "text/csv; charset=utf-8; header=present"}

CSV_COLUMNS: Final = ("id", *(name for name in StoredRecord._fields if name != "id" and not name.endswith("_types")))
"""Columns of a CSV file, named like the API's fields. `attributes` and `resource` are JSON objects as text."""

_GUARDED: Final = ("=", "+", "-", "@", "\t", "\r", "'")


def head(format: Format) -> bytes:
    """Returns the beginning of a file in that format: the CSV header, or nothing."""
    return _csv([CSV_COLUMNS]) if format is Format.csv else b""


def encode(format: Format, rows: Sequence[Record]) -> list[bytes]:
    """Returns records as lines of the file, in pieces that are sent to the client one by one."""
    if format is Format.csv:
        return pieces([_csv([_cells(row) for row in rows])])
    return pieces(encode_log(row) + b"\n" for row in rows)


def guarded(text: str) -> str:
    """Returns the text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_GUARDED) else text


def _cells(record: Record) -> list[str | int]:
    shown = document(record)
    scope = shown["scope"]
    values = shown if not isinstance(scope, dict) else {**shown, **{f"scope_{name}": scope[name] for name in scope}}
    return [_cell(values[name]) for name in CSV_COLUMNS]


def _cell(value: JsonValue) -> str | int:
    if isinstance(value, int):
        return value
    return guarded(value if isinstance(value, str) else orjson.dumps(value).decode())


def _csv(lines: Sequence[Sequence[str | int]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()
