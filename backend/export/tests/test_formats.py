"""Tests that other readers read an export back as it was stored, and that spreadsheets find no formulas in it."""

import csv
import io
import json
import re

import pytest

from backend.export.csv_columns import ALL
from backend.export.formats import Format, encode, guarded, head
from backend.store.tests.fake_log_store import stored_row

BODIES = [
    'plain, "quoted"',
    "two\r\nlines",
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\tx",
    "\rx",
    "'x",
    "a;=1+1;b",
    ";'x",
    "a\t@x;-1",
    "ünï → 字",
    "a\x00b",
    "",
]


@pytest.mark.parametrize("body", BODIES)
def test_csv_round_trip(body: str) -> None:
    file = head(Format.csv) + b"".join(encode(Format.csv, [stored_row(5, 6, body), stored_row(7, 8)]))

    names, first, second = csv.reader(io.StringIO(file.decode(), newline=""))

    record = dict(zip(names, first, strict=True))
    assert tuple(names) == ALL
    assert re.sub(r"(?:^|(?<=[;\t]))'", "", record["body"]) == body
    assert not record["body"].startswith(("\t", "\r"))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in re.split(r"[;\t]", record["body"]))
    assert json.loads(record["attributes"]) == {"user": "-7"}
    assert second[0] == f"{7:016x}{8:032x}"


def test_ndjson_round_trip() -> None:
    lines = b"".join(
        encode(Format.ndjson, [stored_row(5, number, body) for number, body in enumerate(BODIES)])
    ).splitlines()

    assert [json.loads(line)["body"] for line in lines] == BODIES


@pytest.mark.parametrize(
    ("letter", "stored", "cell"),
    [
        ("d", "-1.5", "-1.5"),
        ("i", "-1", "-1"),
        ("b", "true", "true"),
        ("b", "false", "false"),
        ("n", "", "null"),
        ("j", "[-1,true]", "[-1,true]"),
        ("j", '["a;=1+1",";\'x"]', '["a;\'=1+1",";\'\'x"]'),
        ("j", '{"a;-1":2}', '{"a;\'-1":2}'),
        ("s", "-1.5", "'-1.5"),
        ("s", "true", "true"),
    ],
)
def test_only_text_gets_an_apostrophe(letter: str, stored: str, cell: str) -> None:
    row = stored_row(5, 6)._replace(attributes={"value": stored}, attribute_types=letter)

    file = b"".join(encode(Format.csv, [row], ["attributes.value"]))

    assert list(csv.reader(io.StringIO(file.decode(), newline=""))) == [[cell]]


def test_ordinary_text_stays_as_it_is() -> None:
    assert guarded("a=b") == "a=b"
