"""Names fields as queries do."""

from collections.abc import Iterable
from dataclasses import dataclass

from backend.language.fields import Field, Source, field_name, field_named
from kit.errors import InvalidQuery


@dataclass(frozen=True, slots=True)
class Counted:
    """A field of one source, never `either`, and the number of records that have it."""

    field: Field
    records: int


def query_names(counted: Iterable[Counted]) -> list[tuple[str, Counted]]:
    """Returns each field with the shortest name that means only this field.

    Leaves out fields that no query can name.
    """
    entries = list(counted)
    in_log = {each.field.name for each in entries if each.field.source is Source.attributes}
    in_resource = {each.field.name for each in entries if each.field.source is Source.resource}
    both = in_log & in_resource
    return [(_query_name(each.field, each.field.name in both), each) for each in entries if _can_be_named(each.field)]


def _can_be_named(field: Field) -> bool:
    # A query cannot contain NUL (backend/language/limits.py), and its names are not empty.
    return field.name != "" and "\0" not in field.name


def _query_name(field: Field, in_both: bool) -> str:
    if field.source is Source.record or in_both:
        return field_name(field)
    try:
        bare = field_named(field.name, 0)
    except InvalidQuery:
        return field_name(field)
    return field.name if bare == Field(Source.either, field.name) else field_name(field)
