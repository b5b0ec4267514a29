"""JSON model of the context endpoint's answer."""

from pydantic import BaseModel, Field

from backend.logs.schemas import Log, Stats


class Context(BaseModel):
    """One record with its neighbours, oldest first."""

    before: list[Log]
    log: Log = Field(description="The requested record.")
    after: list[Log]
    complete_before: bool = Field(
        description="True: `before` has as many records as requested, or all that exist. False: the search stopped "
        "early at `searched_from`, because it had read many records or took long, and older records may match."
    )
    complete_after: bool = Field(description="Like `complete_before`, for `after` and `searched_to`.")
    searched_from: str = Field(description="Earliest time that was searched.")
    searched_to: str = Field(description="Latest time that was searched.")
    stats: Stats
