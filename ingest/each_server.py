"""A background loop of a loader that runs one task on each server that the loader fills."""

from collections.abc import Sequence
from typing import Protocol

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from ingest.clickhouse_codes import ACCESS_DENIED
from ingest.first_failure import FirstFailure
from kit.clickhouse import connect, translate
from kit.repeating import Repeating
from kit.settings import Settings

log = structlog.get_logger()


class ServerTask(Protocol):
    """A task that a loader runs repeatedly on one server."""

    def run_once(self, client: Client) -> None:
        """Raises clickhouse-connect's Error."""


class EachServer(Repeating):
    """Runs the tasks, one for each shard, every `seconds`.

    A failed run is logged and repeated. A missing right is logged once per shard. Loading never waits for this loop.
    """

    def __init__(
        self, settings: Settings, name: str, seconds: float, tasks: Sequence[ServerTask], switched_off_by: str
    ) -> None:
        """`switched_off_by` is the setting, with its value, by which an operator ends the loop."""
        super().__init__(name, seconds)
        self._settings = settings
        self._tasks = tasks
        self._switched_off_by = switched_off_by
        self._denied: set[int] = set()

    def run_once(self) -> None:
        failures = FirstFailure()
        for shard, task in enumerate(self._tasks):
            with failures.kept(shard):
                self._run(shard, task)
        failures.raise_kept()

    def _run(self, shard: int, task: ServerTask) -> None:
        with connect(self._settings, shard=shard) as client:
            try:
                task.run_once(client)
            except Error as error:
                if error.code != ACCESS_DENIED:
                    raise translate(error) from error
                if shard not in self._denied:
                    log.warning(
                        f"{self.name} does nothing, because a right is missing in ClickHouse: grant the loader's user"
                        f" what the error names, or set {self._switched_off_by}",
                        shard=shard,
                        user=self._settings.clickhouse_user,
                        error=str(error).split("\n")[0],
                    )
                self._denied.add(shard)
            else:
                self._denied.discard(shard)
