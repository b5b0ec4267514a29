"""Two statements: the keys of the page from narrow columns and indexes, then its rows by their primary keys.

What lazy materialization does within one server, also where it does not reach: over Distributed tables
(ClickHouse #89769), and on servers without it.
"""

from backend.store.execute import Answer, Executor, added
from backend.store.plans.in_order import read_in_order
from backend.store.plans.question import PageQuestion
from backend.store.record_id import RecordId
from backend.store.statement import select_by_keys, select_keys


async def read_two_phase(executor: Executor, question: PageQuestion) -> Answer:
    """Rows of stored_record.RECORD_FIELDS. Raises what Executor.run raises."""
    keys = await executor.run(select_keys(question))
    if not keys.rows:
        return keys
    found = await executor.run(select_by_keys(question.scope, [RecordId(*row) for row in keys.rows], question.order))
    if len(found.rows) == len(keys.rows):
        return added(keys, found)
    # Retention dropped some of them in between: rows of one statement are of one moment.
    return added(keys, found, await read_in_order(executor, question))
