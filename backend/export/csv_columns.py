"""Columns of a CSV export: members of the record, and fields named like in queries."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from pydantic import JsonValue

from kit.errors import InvalidRequest
from schema.columns import StoredRecord
from schema.severity import name_of

ALL: Final = ("id", *(name for name in StoredRecord._fields if name != "id" and not name.endswith("_types")))
"""Columns of a file for which no columns are requested, named like the API's fields. `attributes` and `resource` are
JSON objects as text."""

MAX_COLUMNS: Final = 100
"""Largest number of columns of one file."""

_SCOPE: Final = {"scope_name": "name", "scope_version": "version", "scope.name": "name", "scope.version": "version"}
_PLACES: Final = ("attributes", "resource")


def read_columns(text: str | None) -> tuple[str, ...]:
    """Returns the requested columns, or all columns for None.

    The text has names separated by commas. A comma or percent sign in a name is percent-encoded. Raises InvalidRequest
    for an empty name and for more than MAX_COLUMNS columns.
    """
    if text is None:
        return ALL
    names = tuple(unquote(name) for name in text.split(","))
    if not all(names):
        raise InvalidRequest("columns has an empty name: separate names by one comma, as in timestamp,service,body")
    if len(names) > MAX_COLUMNS:
        raise InvalidRequest(f"columns has {len(names)} names: give at most {MAX_COLUMNS}")
    return names


def column_value(shown: Mapping[str, JsonValue], name: str) -> JsonValue:
    """Returns the value of a column from a record's JSON object, "" if the record has none.

    A name that is not a member of the record is looked up in the log attributes, then in the resource attributes.
    """
    if name in _SCOPE:
        return _member(shown, "scope", _SCOPE[name])
    if name == "severity":
        number = shown["severity_number"]
        return name_of(number) if isinstance(number, int) else ""
    if name in shown:
        return shown[name]
    for place in _PLACES:
        if name.startswith(f"{place}."):
            return _member(shown, place, name.removeprefix(f"{place}."))
    return _member(shown, "attributes", name, _member(shown, "resource", name))


def _member(shown: Mapping[str, JsonValue], place: str, name: str, default: JsonValue = "") -> JsonValue:
    members = shown[place]
    return members.get(name, default) if isinstance(members, dict) else default
