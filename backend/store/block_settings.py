"""Settings of counts that read and test bodies row by row, because no index finds the matching rows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.plans.capabilities import CapabilitiesOfTables
from backend.store.scope import Scope

SMALL_BLOCKS: Final[Mapping[str, int]] = MappingProxyType({"max_block_size": 1_024})
"""Blocks of 1,024 rows, which are 4 MB of bodies of 4 KB. A block of the default size has 268 MB of them.

On profile `tokenbf`, counting a frequent word in 120,000 bodies of 4 KB took 0.96 s of CPU instead of 1.46, a phrase of
two words 0.95 instead of 1.34. On profile `text` small blocks took 29 % more CPU for the word and 13 % more for the
phrase. One step for all conditions of a phrase (`enable_multiple_prewhere_read_steps=0`) saved as much on `tokenbf`; on
`text` it took five times as long, because bodies were read that the index had ruled out. Pages were not measured, and
keep ClickHouse's default size.
"""


async def block_settings(matching: Filter, scope: Scope, tables: CapabilitiesOfTables) -> Mapping[str, int]:
    """Returns the settings for a count over all matching rows of a scope; none if it does not test bodies. Raises what
    Executor.run raises."""
    if "body" not in matching.clause.columns or (matching.clause.prunes and (await tables.of(scope)).finds_words):
        return {}
    return SMALL_BLOCKS
