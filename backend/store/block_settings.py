"""Settings of statements that read and test bodies row by row, because no index knows the rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeVar

from backend.store.compile.filter import Filter
from backend.store.rows import Rows
from backend.store.runs import Runs
from backend.store.statement import Statement

R = TypeVar("R")

SMALL_BLOCKS: Final[Mapping[str, int]] = MappingProxyType({"max_block_size": 1_024})
"""Blocks of 1,024 rows, which are 4 MB of bodies of 4 KB. A block of the default size has 268 MB of them.

On profile `tokenbf`, counting a frequent word in 120,000 bodies of 4 KB took 0.96 s of CPU instead of 1.46, a phrase of
two words 0.95 instead of 1.34. On profile `text` both took a tenth more. One step for all conditions of a phrase
(`enable_multiple_prewhere_read_steps=0`) saved as much on `tokenbf`; on `text` it took five times as long, because
bodies were read that the index had ruled out.
"""


def block_settings(matching: Filter, *, finds_words: bool) -> Mapping[str, int]:
    """Returns the settings for a statement with this filter; none if it does not test bodies.

    `finds_words` is true if an index on all tables of the statement knows the rows that have a word.
    """
    if "body" not in matching.columns or (finds_words and matching.prunes):
        return {}
    return SMALL_BLOCKS


@dataclass(frozen=True, slots=True)
class RunsWith:
    """Runs statements with further settings."""

    runs: Runs
    settings: Mapping[str, int]

    async def run(self, statement: Statement[R], /) -> Rows[R]:
        """Returns the whole answer. Raises what Executor.run raises."""
        return await self.runs.run(replace(statement, settings={**statement.settings, **self.settings}))
