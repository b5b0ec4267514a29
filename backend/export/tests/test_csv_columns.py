"""Tests of the requested columns of a CSV export."""

import csv
import io

import pytest
from pydantic import JsonValue

from backend.export.csv_columns import ALL, MAX_COLUMNS, column_value, read_columns
from backend.export.endpoints import ExportParameters
from backend.export.formats import Format, encode, head
from backend.store.tests.fake_log_store import stored_row
from kit.errors import InvalidRequest

SHOWN: dict[str, JsonValue] = {
    "severity_number": 18,
    "body": "text",
    "attributes": {"a,b": 1, "service": "of the log", "both": "log", "nested": {"x": [1]}, "empty": None},
    "resource": {"host.name": "web-1", "both": "resource", "empty": "resource"},
    "service": "cart",
    "scope": {"name": "lib", "version": ""},
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("service", "cart"),
        ("severity", "error"),
        ("severity_number", 18),
        ("scope.name", "lib"),
        ("scope_version", ""),
        ("host.name", "web-1"),
        ("both", "log"),
        ("resource.both", "resource"),
        ("attributes.service", "of the log"),
        ("attributes.host.name", ""),
        ("nested", {"x": [1]}),
        ("empty", None),
        ("attributes.empty", None),
        ("missing", ""),
    ],
)
def test_a_column_has_the_value_of_the_field(name: str, value: object) -> None:
    assert column_value(SHOWN, name) == value


def test_names_may_have_escaped_commas() -> None:
    assert read_columns("timestamp,a%2Cb,100%25") == ("timestamp", "a,b", "100%")
    assert read_columns(None) == ALL


@pytest.mark.parametrize("text", ["", "a,,b", ",".join(["a"] * (MAX_COLUMNS + 1))])
def test_wrong_columns_are_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_columns(text)


def test_only_csv_has_columns() -> None:
    assert ExportParameters(format=Format.csv, columns="body").csv_columns() == ("body",)
    with pytest.raises(InvalidRequest):
        ExportParameters(columns="body").csv_columns()


def test_the_file_has_the_requested_columns_only() -> None:
    columns = ("body", "user", "=formula")
    file = head(Format.csv, columns) + b"".join(
        encode(Format.csv, [stored_row(5, 6, "one"), stored_row(7, 8)], columns)
    )

    names, first, _ = csv.reader(io.StringIO(file.decode(), newline=""))

    assert names == ["body", "user", "'=formula"]
    assert first == ["one", "'-7", ""]
