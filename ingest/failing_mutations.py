"""Ends mutations that fail again and again. Until then they hold up all later mutations of their table."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from clickhouse_connect.driver.client import Client

MAX_FAILING_RUNS: Final = 3
"""Number of runs that find a mutation failing, one after the other, after which it is ended."""

FAILURE: Final = "if(latest_fail_error_code_name = 'ABORTED', '', latest_fail_reason)"
"""SQL over system.mutations: why the mutation fails, or ''. Retention and merges abort a mutation while they drop
parts. ClickHouse then repeats it."""

_END: Final = (
    "KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND mutation_id = {id:String} SYNC"
)


class FailingMutations:
    """Counts the runs in which mutations failed. A mutation is named by its table and its id."""

    def __init__(self) -> None:
        self._runs = Counter[tuple[str, str]]()

    def end(self, client: Client, failing: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """Ends those of the mutations failing now that also failed in the runs before, and returns them. Parts that
        they have changed stay changed. Raises clickhouse-connect's Error."""
        self._runs = Counter({key: self._runs[key] + 1 for key in failing})
        ended = [key for key, runs in self._runs.items() if runs >= MAX_FAILING_RUNS]
        for table, mutation in ended:
            client.command(_END, parameters={"table": table, "id": mutation})
        return ended
