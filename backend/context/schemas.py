"""JSON model of the context endpoint's answer."""

from pydantic import BaseModel, Field

from backend.logs.schemas import Log, Stats


class Context(BaseModel):
    """One record with its neighbours, oldest first."""

    before: list[Log]
    log: Log = Field(description="The record that was asked for.")
    after: list[Log]
    complete_before: bool = Field(
        description="`before` has as many records as were asked for, or all there are. False: the search for "
        "neighbours was stopped at `searched_from`, and there may be more beyond it."
    )
    complete_after: bool = Field(description="The same of `after` and `searched_to`.")
    searched_from: str = Field(description="How far back records were looked for.")
    searched_to: str = Field(description="How far ahead records were looked for.")
    stats: Stats
