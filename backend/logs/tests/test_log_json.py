"""Tests that JSON written directly from rows equals the JSON of the API's models."""

import json

import pytest

from backend.logs.log_json import encode_log
from backend.logs.records import to_log
from backend.logs.schemas import Log
from backend.store.tests.fake_log_store import stored_row
from schema.columns import StoredRecord

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
