"""Plan `two_phase`: one statement for the keys of the page, from narrow columns and indexes, one for the rows by key.

This does what lazy materialization does, and works on servers without it.
"""

from backend.store.query import Query
from backend.store.read_records import PackedShares, read_by_keys, read_page
from backend.store.rows import Rows, cost_of_phases
from backend.store.runs import Runs
from backend.store.select_records import select_keys
from schema.columns import Record


async def read_two_phase(executor: Runs, query: Query, shares: PackedShares) -> Rows[Record]:
    """Returns the query's records. Raises what Executor.run raises."""
    keys = await executor.run(select_keys(query))
    if not keys.rows:
        return Rows([], keys.cost)
    found = await read_by_keys(executor, query.scope, keys.rows, query.order, shares)
    if len(found.rows) == len(keys.rows):
        return Rows(found.rows, cost_of_phases(keys.cost, found.cost))
    # Retention dropped some rows between the two statements. The page is read again in order: the first statement of
    # that plan sees all its rows at one moment.
    again = await read_page(executor, query, shares)
    return Rows(again.rows, cost_of_phases(keys.cost, found.cost, again.cost))
