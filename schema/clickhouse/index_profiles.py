"""The indexes on the words of bodies. The profile of a log table says which of them it has. Searches have the same SQL
for all profiles."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kit.errors import InvalidRequest


class Profile(StrEnum):
    """`tokenbf` is small and cheap to build. `text` is larger and finds words without reading bodies."""

    tokenbf = "tokenbf"
    text = "text"


@dataclass(frozen=True, slots=True)
class SkipIndex:
    """A data skipping index. One index entry covers `granularity` granules; None is the default of the index type."""

    name: str
    expression: str
    type: str
    granularity: int | None = 1

    @property
    def ddl(self) -> str:
        granularity = "" if self.granularity is None else f" GRANULARITY {self.granularity}"
        return f"INDEX `{self.name}` {self.expression} TYPE {self.type}{granularity}"


# The index is on `lower(body)`, the expression in searches. With a preprocessor over `body`, hasToken finds nothing.
BODY_INDEXES: Final[dict[Profile, SkipIndex]] = {
    Profile.tokenbf: SkipIndex("body_words", "lower(body)", "tokenbf_v1(8192, 5, 0)"),
    Profile.text: SkipIndex("body_text", "lower(body)", "text(tokenizer = 'splitByNonAlpha')", granularity=None),
}

CREATED_PROFILE: Final = Profile.tokenbf
"""Profile of a log table that revisions have just created."""

SEARCHED_WORDS: Final = SkipIndex(
    "searched_words", "lower(body)", "text(tokenizer = 'splitByNonAlpha')", granularity=None
)
"""Text index in tables of profile `tokenbf`, of the same type as that of profile `text`. Neither inserts nor merges
build it. Loaders build it for partitions in which many words are searched (docs/decisions/0055)."""

NOT_MERGED: Final = "exclude_materialize_skip_indexes_on_merge"
"""Table setting with the indexes that merges leave out."""

NOT_INSERTED: Final = "exclude_materialize_skip_indexes_on_insert"
"""Setting of an insert with the indexes that it leaves out."""

TEXT_SINCE: Final = (26, 2)
"""First ClickHouse release with a generally available text index."""


def require_profile(profile: Profile, server_version: str) -> None:
    """Raises InvalidRequest if a server of this version (such as `26.7.2.1`) lacks the profile's index."""
    if profile is Profile.text and _release(server_version) < TEXT_SINCE:
        raise InvalidRequest(
            f"profile text needs ClickHouse {'.'.join(map(str, TEXT_SINCE))} or newer, and this server is"
            f" {server_version}: upgrade the server, or stay with profile tokenbf"
        )


def _release(server_version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in server_version.split(".")[:2])
