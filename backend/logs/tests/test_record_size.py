"""Tests that the size of records counts their bodies, attributes and stored JSON."""

from backend.logs.record_size import size_of
from backend.store.tests.fake_log_store import stored_row
from schema.columns import PackedRecord


def test_the_size_of_records_is_that_of_their_texts() -> None:
    stored = stored_row(1, 1, "b" * 10_000)._replace(attributes={"a": "v" * 5_000}, resource={"host": "n" * 2_000})
    assert size_of([stored, PackedRecord(1, 1, "b" * 300, "j" * 40)]) == 10_000 + 5_001 + 2_004 + 340
