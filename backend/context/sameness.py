"""Restricts a context to records that share field values with the record in its middle."""

from collections.abc import Iterable
from enum import StrEnum

import orjson
from pydantic import JsonValue

from backend.language.fields import Field, Source
from backend.language.nodes import And, Equals, MatchAll, Node
from backend.logs.schemas import Log
from kit.errors import InvalidRequest


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


def sharing(log: Log, same: Iterable[Same]) -> Node:
    """Returns the query for records with the same values as `log`. Raises InvalidRequest if `log` lacks a field."""
    conditions = [Equals(_FIELDS[each], _value(log, each)) for each in same]
    if not conditions:
        return MatchAll()
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def _same(name: str) -> Same:
    try:
        return Same(name)
    except ValueError as error:
        raise InvalidRequest(f"same: {name} is not one of {', '.join(Same)}") from error


def _value(log: Log, same: Same) -> str:
    field = _FIELDS[same]
    value = log.resource.get(field.name) if field.source is Source.resource else getattr(log, field.name)
    if value in (None, ""):
        raise InvalidRequest(f"same: this record has no {_described(field)}, so leave `{same}` out")
    return _stored(value)


def _stored(value: JsonValue) -> str:
    """Returns the text under which an attribute's value is stored (schema.columns)."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _described(field: Field) -> str:
    return f"resource attribute {field.name}" if field.source is Source.resource else field.name
