"""Defines the fields of a query: the record's own fields, log attributes, resource attributes."""

import re
from dataclasses import dataclass
from enum import Enum

from kit.errors import InvalidQuery


class Source(Enum):
    """Place where a field is looked up: the record itself, or its log or resource attributes."""

    record = "record"
    attributes = "attributes"
    resource = "resource"
    either = "either"
    """The log attribute if the record has it, otherwise the resource attribute."""


class Kind(Enum):
    """The type of a field's values, which decides what query forms the field takes."""

    text = "text"
    number = "number"
    severity = "severity"
    hex_id = "hex_id"
    body = "body"


@dataclass(frozen=True, slots=True)
class Field:
    """A field by source and name; `attributes.x` has the name `x`."""

    source: Source
    name: str

    @property
    def kind(self) -> Kind:
        return BUILT_IN[self.name] if self.source is Source.record else Kind.text

    @property
    def column(self) -> str:
        """Name of the column that has the values of one of the record's own fields."""
        return _COLUMNS.get(self.name, self.name)


BUILT_IN: dict[str, Kind] = {
    "body": Kind.body,
    "service": Kind.text,
    "severity": Kind.severity,
    "severity_number": Kind.number,
    "severity_text": Kind.text,
    "trace_id": Kind.hex_id,
    "span_id": Kind.hex_id,
    "flags": Kind.number,
    "event_name": Kind.text,
    "scope.name": Kind.text,
    "scope.version": Kind.text,
    "body_truncated_bytes": Kind.number,
}

_COLUMNS: dict[str, str] = {
    "severity": "severity_number",
    "scope.name": "scope_name",
    "scope.version": "scope_version",
}
"""Columns by field, for fields whose column has another name."""

BODY = Field(Source.record, "body")

NOT_SEARCHABLE: dict[str, str] = {
    "timestamp": "the time range is given by start and end, not in the query",
    "observed_timestamp": "the time range is given by start and end, not in the query",
    "id": "one record is read by its id at /api/v1/logs/{id}, not by a query",
    "attributes": "name the attribute, as in attributes.user.id:7",
    "resource": "name the attribute, as in resource.host.name:web-1",
    "scope": "search for scope.name or scope.version",
}
"""Names of record fields that queries cannot use, with advice. `attributes.<name>` still works for each."""

HEX_DIGITS: dict[str, int] = {"trace_id": 32, "span_id": 16}

_PLAIN_NAME = re.compile("[A-Za-z_@][A-Za-z0-9_.@/-]*")
_PREFIXES = {"attributes.": Source.attributes, "resource.": Source.resource}


def is_plain_name(name: str) -> bool:
    """Returns true when the name can be written without quotes."""
    return _PLAIN_NAME.fullmatch(name) is not None


def field_named(name: str, position: int) -> Field:
    """Returns the field of that name. Raises InvalidQuery at `position` for a name that queries cannot use."""
    if name in BUILT_IN:
        return Field(Source.record, name)
    if name in NOT_SEARCHABLE:
        raise InvalidQuery(
            f"{name} cannot be searched: {NOT_SEARCHABLE[name]}; for an attribute of that name write attributes.{name}",
            position,
            ("a field such as service", f"attributes.{name}"),
        )
    for prefix, source in _PREFIXES.items():
        if name.startswith(prefix) and len(name) > len(prefix):
            return Field(source, name.removeprefix(prefix))
        if name == prefix:
            raise InvalidQuery(
                f"{name} needs the name of an attribute after it, as in {name}user.id", position, ("an attribute name",)
            )
    if not name:
        raise InvalidQuery("the name of the field is empty: write one before the colon", position, ("a field name",))
    return Field(Source.either, name)


def field_name(field: Field) -> str:
    """Returns the name, so that `field_named` gives the field back."""
    prefix = {Source.attributes: "attributes.", Source.resource: "resource."}.get(field.source, "")
    return prefix + field.name
