"""JSON models of the patterns endpoint. Times are RFC 3339 with nine digits of fraction."""

from pydantic import BaseModel, Field


class LogPattern(BaseModel):
    """A template that messages of the sample share."""

    template: str = Field(description="Tokens with a space between them. `<*>` stands for a text that differs.")
    records: int = Field(description="Number of records of the sample with this pattern.")
    share: float = Field(description="Share of the sample, 0 to 1: an estimate of the share of all matching records.")
    counts: list[int] = Field(description="Records of the sample in 40 equal parts of the sample's time, oldest first.")
    first_seen: str = Field(description="Time of the oldest record in the sample.")
    last_seen: str = Field(description="Time of the newest record in the sample.")
    example: str = Field(description="Id of the newest record in the sample.")
    query: str | None = Field(
        description="Query that finds all records of the pattern, and possibly others with the same words. Null for a "
        "template without a whole word."
    )
    exclude: str | None = Field(description="Query for the matching records that `query` does not find.")
    new: bool | None = Field(
        description="True if no record of the sample of the day before has the pattern. Null if that sample is empty."
    )


class LogPatterns(BaseModel):
    """Patterns of the newest matching messages, most frequent first."""

    start: str = Field(description="Start of the range, inclusive.")
    end: str = Field(description="End of the range, exclusive.")
    sampled: int = Field(description="Number of records that were grouped: the newest matching ones.")
    matching: int | None = Field(
        description="Number of all matching records. Null if counting them would cost more than a search may."
    )
    is_estimate: bool = Field(description="True if records match that were not sampled, so that shares are estimates.")
    sampled_before: int = Field(
        description="Number of records of the day before that patterns were compared with: the newest ones of the "
        "range one day earlier, without its overlap with the range."
    )
    found: int = Field(description="Number of patterns in the sample.")
    patterns: list[LogPattern] = Field(description="At most `limit` patterns.")
