"""The two formats of an export: NDJSON, one record a line, and CSV (RFC 4180).

A spreadsheet runs a cell that looks like a formula (OWASP, "CSV Injection"). An apostrophe is therefore put before a
text cell that begins with one of `= + - @`, a tab, a carriage return or an apostrophe, and before such a character
behind a semicolon or a tab, also in the JSON of arrays and objects. Removing one apostrophe from each of these places
restores every value. Cells of numbers and booleans are written as in JSON, without an apostrophe.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import orjson
from pydantic import JsonValue

from backend.answers.pieces import pieces
from backend.export.csv_columns import ALL, column_value
from backend.logs.records import document, encode_log
from schema.columns import Record


class Format(StrEnum):
    ndjson = "ndjson"
    csv = "csv"


@dataclass(frozen=True, slots=True)
class FileForm:
    """Format of an export's file, and the columns that a CSV file has."""

    format: Format
    columns: Sequence[str] = ALL


MEDIA_TYPES: Final = {Format.ndjson: "application/x-ndjson", Format.csv: "text/csv; charset=utf-8; header=present"}

_BEFORE_FORMULA: Final = re.compile(r"^(?=[=+\-@\t\r'])|(?<=[;\t])(?=[=+\-@'])")
"""Places for an apostrophe: the beginning of a cell, and behind the separators other than the comma at which
spreadsheets of some countries split a line."""


def head(format: Format, columns: Sequence[str] = ALL) -> bytes:
    """Returns the beginning of a file in that format: the CSV header, or nothing."""
    return _csv([[guarded(name) for name in columns]]) if format is Format.csv else b""


def encode(format: Format, rows: Sequence[Record], columns: Sequence[str] = ALL) -> list[bytes]:
    """Returns records as lines of the file, in pieces that are sent to the client one by one.

    Only CSV has columns; a line of NDJSON is the whole record.
    """
    if format is Format.csv:
        return pieces([_csv([_cells(row, columns) for row in rows])])
    return pieces(encode_log(row) + b"\n" for row in rows)


def guarded(text: str) -> str:
    """Returns the text as a cell that no spreadsheet takes for a formula."""
    return _BEFORE_FORMULA.sub("'", text)


def _cells(record: Record, columns: Sequence[str]) -> list[str]:
    shown = document(record)
    return [_cell(column_value(shown, name)) for name in columns]


def _cell(value: JsonValue) -> str:
    if isinstance(value, str):
        return guarded(value)
    text = orjson.dumps(value).decode()
    # A negative number is no formula. Texts in arrays and objects may have one behind a semicolon.
    return guarded(text) if isinstance(value, list | dict) else text


def _csv(lines: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()
