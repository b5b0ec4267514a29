"""Plan `in_order`: one statement in the order of the sorting key, which stops when the page is full.

A server with lazy materialization (ClickHouse 25.4 and later) reads wide columns only for the rows of the page.
"""

from backend.store.query import Query
from backend.store.read_records import PackedShares, read_page
from backend.store.rows import Rows
from backend.store.runs import Runs
from schema.columns import Record


async def read_in_order(executor: Runs, query: Query, shares: PackedShares) -> Rows[Record]:
    """Returns the query's records. Raises what Executor.run raises."""
    return await read_page(executor, query, shares)
