"""One statement in the order of the sorting key, which stops when the page is full.

A server with lazy materialization (ClickHouse 25.4 and later) fetches the wide columns of the page's rows only.
"""

from backend.store.execute import Answer, Executor
from backend.store.plans.question import PageQuestion
from backend.store.statement import select_page


async def read_in_order(executor: Executor, question: PageQuestion) -> Answer:
    """Rows of stored_record.RECORD_FIELDS. Raises what Executor.run raises."""
    return await executor.run(select_page(question))
