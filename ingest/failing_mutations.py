"""Ends mutations that fail again and again. Until then they hold up all later mutations of their table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from clickhouse_connect.driver.client import Client

MAX_FAILING_RUNS: Final = 3
"""Number of runs with a new failure of a mutation after which the mutation is ended."""

SPACING_SECONDS: Final = 30
"""Smallest time between two failures that count, in seconds. ClickHouse repeats a failed mutation after milliseconds at
first, and a lack of memory may last for some seconds."""

FAILURE: Final = "if(latest_fail_error_code_name = 'ABORTED', '', latest_fail_reason)"
"""SQL over system.mutations: why the mutation fails, or ''. Retention and merges abort a mutation while they drop
parts. ClickHouse then repeats it."""

FAILED_AT: Final = "toUnixTimestamp(latest_fail_time)"
"""SQL over system.mutations: the time of the last failure, in seconds since the Unix epoch."""

_END: Final = (
    "KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND mutation_id = {id:String} SYNC"
)


@dataclass(frozen=True, slots=True)
class _Failures:
    """Runs that found a new failure, and the time of the last failure in seconds since the Unix epoch."""

    runs: int = 0
    last: int = 0

    def after_failure_at(self, last: int) -> Self:
        is_new = last > self.last and last >= self.last + SPACING_SECONDS
        return replace(self, runs=self.runs + 1, last=last) if is_new else self


class FailingMutations:
    """Counts the runs that found a new failure of a mutation. A mutation is named by its table and its id."""

    def __init__(self) -> None:
        self._failures: dict[tuple[str, str], _Failures] = {}

    def end(self, client: Client, failing: Mapping[tuple[str, str], int]) -> list[tuple[str, str]]:
        """Ends those mutations that have failed again and again, and returns them. Parts that they have changed stay
        changed. Raises clickhouse-connect's Error.

        `failing` has the time of the last failure of each mutation, in seconds since the Unix epoch. ClickHouse shows a
        failure until that part has succeeded, so only a later failure counts again.
        """
        self._failures = {
            key: self._failures.get(key, _Failures()).after_failure_at(last) for key, last in failing.items()
        }
        ended = [key for key, failures in self._failures.items() if failures.runs >= MAX_FAILING_RUNS]
        for table, mutation in ended:
            client.command(_END, parameters={"table": table, "id": mutation})
        return ended
