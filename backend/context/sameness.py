"""Restricts a context to records that share field values with the record in its middle."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from backend.language.fields import Field, Source
from backend.language.nodes import And, Equals, MatchAll, Node
from kit.errors import InvalidRequest
from schema.columns import StoredRecord

MAX_VALUE_BYTES: Final = 64 * 2**10
"""Largest value, in bytes of UTF-8, that records can be compared with.

ClickHouse refuses parameters of a statement above 128 KiB, and escapes may double a value's bytes.
"""


class Same(StrEnum):
    """A field whose value all records of a context must share.

    The members have short names instead of attribute names.
    """

    service = "service"
    host = "host"
    pod = "pod"
    trace = "trace"


_FIELDS = {
    Same.service: Field(Source.record, "service"),
    Same.host: Field(Source.resource, "host.name"),
    Same.pod: Field(Source.resource, "k8s.pod.name"),
    Same.trace: Field(Source.record, "trace_id"),
}


def read_same(text: str) -> tuple[Same, ...]:
    """Returns the fields of a comma-separated list, each once. Raises InvalidRequest for an unknown name."""
    return tuple(dict.fromkeys(_same(name.strip()) for name in text.split(",") if name.strip()))


def sharing(record: StoredRecord, same: Iterable[Same]) -> Node:
    """Returns the query for records with the same values as `record`.

    Raises InvalidRequest if it lacks a field, or if a value is larger than MAX_VALUE_BYTES.
    """
    conditions = [Equals(_FIELDS[each], _value(record, each)) for each in same]
    if not conditions:
        return MatchAll()
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def _same(name: str) -> Same:
    try:
        return Same(name)
    except ValueError as error:
        raise InvalidRequest(f"same: {name} is not one of {', '.join(Same)}") from error


def _value(record: StoredRecord, same: Same) -> str:
    """Returns the field's text as it is stored, which is the text that equality compares."""
    field = _FIELDS[same]
    match same:
        case Same.service:
            value = record.service
        case Same.trace:
            value = record.trace_id.hex() if any(record.trace_id) else ""
        case _:
            value = record.resource.get(field.name, "")
    if not value:
        raise InvalidRequest(f"same: this record has no {_described(field)}, so leave `{same}` out")
    if (size := len(value.encode())) > MAX_VALUE_BYTES:
        raise InvalidRequest(
            f"same: this record's {_described(field)} has {size:,} bytes, and a shared value may have at most "
            f"{MAX_VALUE_BYTES:,}: leave `{same}` out"
        )
    return value


def _described(field: Field) -> str:
    return f"resource attribute {field.name}" if field.source is Source.resource else field.name
