"""Defines which fields have values that can be counted, and the SQL of a field's value."""

from typing import Final

from backend.language.fields import Field, Source, field_named
from kit.errors import InvalidQuery, InvalidRequest
from schema.clickhouse.fields_rollup import RECORD_FIELDS

VALUES_BYTES: Final = 8 * 2**20
"""Largest answer of a statement for the values of a field, in bytes. A value may have any length."""
_RECORD_TEXTS: Final = dict(RECORD_FIELDS)


def counted_field(name: str) -> Field:
    """Returns the field of that name. Raises InvalidRequest for a field whose values are not counted."""
    try:
        field = field_named(name, 0)
    except InvalidQuery as error:
        raise InvalidRequest(error.detail) from error
    if field.source is Source.record and field.name not in _RECORD_TEXTS:
        raise InvalidRequest(
            f"the values of {name} cannot be listed or counted: choose any attribute, or one of "
            f"{', '.join(sorted(_RECORD_TEXTS))}"
        )
    return field


def value_sql(field: Field, name: str = "{field:String}") -> tuple[str, str]:
    """Returns two SQL expressions: one that is true if a record has the field, and one for its value.

    Both name the attribute by the placeholder `name`.
    """
    if field.source is Source.record:
        text = _RECORD_TEXTS[field.name]
        return f"{text} != ''", f"CAST({text}, 'String')"
    attribute, resource = (f"mapContains({column}, {name})" for column in ("attributes", "resource"))
    if field.source is Source.either:
        has = f"({attribute} OR {resource})"
        return has, f"if({attribute}, attributes[{name}], resource[{name}])"
    return (attribute if field.source is Source.attributes else resource), f"{field.source.value}[{name}]"
