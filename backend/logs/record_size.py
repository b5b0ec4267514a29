"""Measures how much memory the texts of records take."""

from collections.abc import Sequence

from schema.columns import PackedRecord, Record


def size_of(rows: Sequence[Record]) -> int:
    """Returns about how many bytes the texts of the records have."""
    return sum(map(_size, rows))


def _size(row: Record) -> int:
    if isinstance(row, PackedRecord):
        return len(row.body) + len(row.record_json)
    values = (*row.attributes.items(), *row.resource.items())
    return len(row.body) + sum(len(name) + len(value) for name, value in values)
