"""Tests that JSON written directly from rows equals the JSON of the API's models."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.logs.record_json import json_text, spliced
from backend.logs.records import document, encode_log
from backend.logs.schemas import Log
from backend.logs.tests.models import to_log
from backend.store.tests.fake_log_store import stored_row
from schema.columns import PackedRecord, StoredRecord

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


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
VALUES = st.one_of(
    TEXTS.map(lambda text: ("s", text)),
    st.binary(max_size=6).map(lambda raw: ("x", raw.hex())),
    st.integers(-(2**63), 2**63 - 1).map(lambda number: ("i", str(number))),
    st.floats().map(lambda number: ("d", str(number))),
    st.booleans().map(lambda flag: ("b", str(flag).lower())),
    DOCUMENTS.map(lambda tree: ("j", json.dumps(tree))),
    st.just(("n", "")),
)
ATTRIBUTES = st.dictionaries(TEXTS, VALUES, max_size=4)
TIMES = st.integers(0, 2**63 - 1)


@st.composite
def records(draw: st.DrawFn) -> StoredRecord:
    """Returns a record such as ClickHouse may have, with values of every type."""
    attributes, resource = draw(ATTRIBUTES), draw(ATTRIBUTES)
    values: dict[str, Any] = {
        "timestamp": draw(TIMES),
        "id": draw(st.integers(0, 2**128 - 1)),
        "observed_timestamp": draw(TIMES),
        "severity_number": draw(st.integers(0, 255)),
        "attributes": {name: text for name, (_, text) in attributes.items()},
        "attribute_types": "".join(letter for letter, _ in attributes.values()),
        "resource": {name: text for name, (_, text) in resource.items()},
        "resource_types": "".join(letter for letter, _ in resource.values()),
        "trace_id": draw(st.binary(min_size=16, max_size=16) | st.just(bytes(16))),
        "span_id": draw(st.binary(min_size=8, max_size=8) | st.just(bytes(8))),
        "body_truncated_bytes": draw(st.integers(0, 2**32 - 1)),
        "flags": draw(st.integers(0, 2**32 - 1)),
    }
    for name in ("severity_text", "service", "body", "scope_name", "scope_version", "event_name"):
        values[name] = draw(TEXTS)
    return StoredRecord(**values)


@given(records())
def test_a_packed_record_is_written_with_the_same_bytes(row: StoredRecord) -> None:
    read = PackedRecord(row.timestamp, row.id, row.body, json_text(row).decode())
    assert spliced(read) == orjson.dumps(document(row))
    assert document(read) == document(row)


@given(records())
def test_any_record_is_written_as_its_model_is(row: StoredRecord) -> None:
    model = to_log(row)
    assert json.loads(encode_log(row)) == json.loads(model.model_dump_json())
    assert Log.model_validate_json(encode_log(row)) == model
