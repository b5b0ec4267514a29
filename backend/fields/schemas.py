"""JSON models of the fields endpoints' answers."""

from typing import Literal

from pydantic import BaseModel, Field

Basis = Literal["inserted", "newest"]


class Counting(BaseModel):
    """The records that were counted."""

    basis: Basis = Field(
        description="`inserted`: all records of the range, counted when they were inserted. `newest`: the newest "
        "matching records, counted now."
    )
    sampled: int | None = Field(description="Number of matching records that were counted; null for `inserted`.")
    start: str = Field(
        description="Start of the counted range, inclusive. For `inserted`, it is widened to whole quarter-hours."
    )
    end: str = Field(
        description="End of the counted range, exclusive. For `inserted`, it is widened to whole quarter-hours."
    )


class FieldCount(BaseModel):
    name: str = Field(description="The field as written in a query before the colon.")
    source: Literal["record", "attributes", "resource"]
    records: int = Field(description="Number of records that have the field.")


class Fields(Counting):
    """Fields, ordered by falling number of records."""

    complete: bool = Field(
        description="True if all fields of all matching records are listed with exact counts. For `inserted`, fields "
        "whose names have more than 256 bytes are never listed, and it is false from 1,000 fields on, because an "
        "insert may not have counted further ones."
    )
    fields: list[FieldCount]


class ValueCount(BaseModel):
    value: str
    records: int = Field(
        description="Number of records with this value. If the answer is not `complete`, the number may be too small. "
        "It may be too large if the name is both a log and a resource attribute: a record with both counts for both."
    )


class Values(Counting):
    """Values of one field, the most frequent first."""

    name: str
    records: int = Field(
        description="Number of records that have the field. A record that has it as log attribute and as resource "
        "attribute counts twice."
    )
    complete: bool = Field(
        description="True: every count is exact, and only `prefix` and `limit` leave values out. False: rare values "
        "may be missing, as with ids, or more records match than were counted, or the name is both a log and a "
        "resource attribute, or records have so many fields that an insert may not have counted this one."
    )
    more: bool = Field(description="True if there are more values than `limit`.")
    values: list[ValueCount]
