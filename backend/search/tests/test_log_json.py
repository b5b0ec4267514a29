"""Records written straight from rows are the records that the API's models describe."""

import asyncio
import json

import orjson
import pytest
from pydantic import JsonValue

from backend.search.log_json import PIECE_BYTES, encode_log, encoded_lines, encoded_page
from backend.search.records import to_log
from backend.search.schemas import Log, SearchPage
from backend.search.stored_record import StoredRecord
from backend.search.tests.fake_log_store import stored_row

TYPED = StoredRecord._make(stored_row(1_700_000_000_123_456_789, 2**100, 'ünï "字" \x00\x1b'))._replace(
    attributes={
        "text": "-7",
        "large": str(2**60),
        "small": "-5",
        "double": "1e16",
        "infinite": "inf",
        "yes": "true",
        "none": "",
        "tree": '{"a":[1,9007199254740993,null,{"b":0.5}]}',
    },
    attribute_types="siiddbnj",
    trace_id=bytes(range(16)),
)


@pytest.mark.parametrize("row", [TYPED, stored_row(0, 0), stored_row(5, 6, "x" * 100_000)])
def test_a_record_is_written_as_its_model_is(row: StoredRecord) -> None:
    assert json.loads(encode_log(row)) == json.loads(to_log(row).model_dump_json())
    assert Log.model_validate_json(encode_log(row)) == to_log(row)


@pytest.mark.parametrize("count", [0, 1, 3, 500])
def test_a_page_comes_in_pieces_that_a_client_can_be_sent_one_by_one(count: int) -> None:
    rows = [stored_row(number, number, "x" * 1_000) for number in range(count)]
    stats: JsonValue = {
        "elapsed_ms": 1.5,
        "rows_read": 1,
        "bytes_read": 2,
        "granules_total": None,
        "granules_read": None,
        "plan": "in_order",
        "windows": 1,
    }

    pieces = asyncio.run(encoded_page(rows, next_cursor=None, stats=stats))

    assert all(len(piece) <= PIECE_BYTES for piece in pieces)
    page = SearchPage.model_validate_json(b"".join(pieces))
    assert page.logs == [to_log(row) for row in rows]
    assert page.stats.model_dump() == stats


def test_lines_have_what_stands_around_each_record() -> None:
    rows = [stored_row(number, number, "x" * (number * 40_000)) for number in range(5)]
    text = b"".join(asyncio.run(encoded_lines(rows, b'{"log":', b"}\n")))
    assert [orjson.loads(line)["log"]["body"] for line in text.splitlines()] == [row[6] for row in rows]
