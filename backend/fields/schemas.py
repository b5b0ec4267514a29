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
    sampled: int | None = Field(description="How many matching records were counted; null where `inserted`.")
    start: str = Field(
        description="Since when records were counted. Where `inserted`, the range is widened to quarters of an hour."
    )
    end: str = Field(description="The first moment after.")


class FieldCount(BaseModel):
    name: str = Field(description="As it is written in a query, in front of the colon.")
    source: Literal["record", "attributes", "resource"]
    records: int = Field(description="Records that have the field.")


class Fields(Counting):
    """Fields, ordered by falling number of records."""

    complete: bool = Field(description="All fields of all matching records are there, and their counts exact.")
    fields: list[FieldCount]


class ValueCount(BaseModel):
    value: str
    records: int = Field(
        description="Records with this value. Where the answer is not `complete`, at least as many; or too many, where "
        "the name is an attribute of logs and of resources, and a record with both counts for both of its values."
    )


class Values(Counting):
    """Values of one field, the most frequent first."""

    name: str
    records: int = Field(
        description="Records that have the field, whatever its value; twice where it is in both places, as below."
    )
    complete: bool = Field(
        description="Every count is exact, and no value of the field is missing but for the prefix and `more`. False: "
        "rare values may be missing, as with ids, or more records match than were counted, or the name is an attribute "
        "of logs and of resources."
    )
    more: bool = Field(description="There are more values than `limit`.")
    values: list[ValueCount]
