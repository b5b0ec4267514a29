"""Reads from the REST API which fields logs have, and which values."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import httpx2
from pydantic import BaseModel

from stack.client.query_api import parsed, requested

_SECONDS: Final = 60.0


class FieldCount(BaseModel):
    """A field, written as in a query, and the number of records that have it."""

    name: str
    records: int


class FieldList(BaseModel):
    """Fields, the most frequent first. `complete`: no field is missing and the counts are exact."""

    complete: bool
    sampled: int | None
    fields: list[FieldCount]


class ValueCount(BaseModel):
    value: str
    records: int


class ValueList(BaseModel):
    """Values of one field, the most frequent first; `complete` when the counts are exact."""

    complete: bool
    sampled: int | None
    more: bool
    values: list[ValueCount]


@dataclass(frozen=True, slots=True)
class Range:
    """The records to count. `start` and `end` are in a form that the API accepts."""

    query: str
    start: str
    end: str


def list_fields(client: httpx2.Client, given: Range) -> FieldList:
    """Returns the fields of matching logs. Raises SearchRefused for a problem answer, Unavailable without one."""
    return parsed(FieldList, _get(client, "logs/fields", given, {}))


def list_values(client: httpx2.Client, given: Range, name: str, prefix: str, limit: int) -> ValueList:
    """Returns the most frequent values that begin with the prefix. Raises what list_fields raises."""
    path = f"logs/fields/{quote(name, safe='')}/values"
    return parsed(ValueList, _get(client, path, given, {"prefix": prefix, "limit": limit}))


def _get(client: httpx2.Client, path: str, given: Range, more: dict[str, str | int]) -> bytes:
    parameters = {"query": given.query, "start": given.start, "end": given.end, **more}
    return requested(client, "POST", path, _SECONDS, parameters).content
