"""JSON models of the patterns endpoint. Times are RFC 3339 with nine digits of fraction."""

from pydantic import BaseModel, Field


class LogPattern(BaseModel):
    """A template that messages of the sample share."""

    template: str = Field(
        description="Tokens, separated by spaces. `<*>` stands for a part that differs between messages."
    )
    records: int = Field(description="Number of records in the sample that have this pattern.")
    share: float = Field(description="Share of the sample, 0 to 1. It estimates the share of all matching records.")
    counts: list[int] = Field(
        description="Numbers of these records in 20 equal parts of the sample's time, oldest first."
    )
    first_seen: str = Field(description="Time of the oldest of these records.")
    last_seen: str = Field(description="Time of the newest of these records.")
    example: str = Field(description="Id of the newest of these records.")
    query: str | None = Field(
        description="Query that finds all records of the pattern, and possibly other records with the same words. Null "
        "if the template has no whole word, or if the query would exceed the limits of a query."
    )
    exclude: str | None = Field(
        description="Query that finds the matching records that `query` does not find. Null if `query` is null."
    )
    new: bool | None = Field(
        description="True if no record in the sample of the day before has the pattern. Null if that sample is empty."
    )


class LogPatterns(BaseModel):
    """Patterns of a sample of the matching messages, most frequent first."""

    start: str = Field(description="Start of the range, inclusive.")
    end: str = Field(description="End of the range, exclusive.")
    sampled: int = Field(
        description="Number of records that were grouped: all matching records, or at most 10,000 that are spread "
        "over their time."
    )
    matching: int | None = Field(
        description="Number of all matching records. Null if counting them would exceed the limits of a search. "
        "The newest 10,000 are grouped then."
    )
    is_estimate: bool = Field(description="True if more records match than were sampled. Shares are estimates then.")
    sampled_before: int = Field(
        description="Number of records of the day before that the patterns were compared with. They are a sample of "
        "the same range one day earlier, without the part that overlaps with the range."
    )
    found: int = Field(description="Number of patterns in the sample.")
    patterns: list[LogPattern] = Field(description="At most `limit` patterns.")
