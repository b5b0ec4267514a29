"""Streams all matching records and holds one page of them in memory at a time."""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from backend.answers.resources import Resources
from backend.answers.streamed import streamed
from backend.export.formats import FileForm, Format, encode, head
from backend.logs.compiled_query import compiled
from backend.problems import problem_of
from backend.store.order import Order
from backend.store.scope import OpenRange, Scopes, TimeRange
from backend.store.scroll import ScrollReader
from kit.clock import Clock
from kit.counts import decrease
from kit.errors import LogsieveError, RateLimited
from kit.settings import Settings
from schema.control.directory import Tenant

RETRY_SECONDS: Final = 10.0
PAGE_ROWS: Final = 1_000
"""Largest number of rows that one statement reads. Pages of large rows have fewer, because scroll.STEP_BYTES limits
their bytes."""


class ExportService:
    def __init__(self, settings: Settings, reader: ScrollReader, clock: Clock, resources: Resources) -> None:
        self._settings = settings
        self._reader = reader
        self._scopes = Scopes(settings, clock)
        self._resources = resources
        self._open = Counter[int]()

    def range(self, tenant: Tenant, requested: OpenRange) -> TimeRange:
        """Returns the range that is exported. Raises InvalidRequest for an empty one."""
        return self._scopes.range(tenant, requested)

    async def stream(
        self, tenant: Callable[[], Tenant], query: str, time_range: TimeRange, order: Order, file: FileForm
    ) -> AsyncGenerator[bytes]:
        """Yields the file piece by piece.

        Each page starts at the key of the last row, so nothing is held between pages. `tenant` returns the tenant as it
        is now: an export may take hours, and pages are read where the tenant's records are by then. Raises
        InvalidQuery, RateLimited for a tenant with too many concurrent exports, and what `tenant` and Executor.run
        raise.
        """
        at_first = tenant()
        matching, _ = await self._resources.queries.read(at_first.id, compiled, query)
        with self._counted(at_first):
            yield head(file.format, file.columns)
            pages = self._reader.read(lambda: self._scopes.of(tenant(), time_range), matching, order, PAGE_ROWS)
            async for page in pages:
                pieces = await self._resources.writers.run(
                    at_first.id, partial(encode, file.format, page.records, file.columns)
                )
                del page
                for piece in pieces or [b""]:
                    yield piece

    @contextmanager
    def _counted(self, tenant: Tenant) -> Iterator[None]:
        """Counts one export of the tenant while it runs. Each holds a page in memory until its client has read it.

        A tenant may start an export only while the server has more free places than the tenant has running exports.
        This keeps the last places for other tenants. Raises RateLimited.
        """
        limit, held = self._settings.export_max_per_tenant, self._open[tenant.id]
        left = self._settings.export_max - self._open.total()
        if held >= limit:
            raise RateLimited(f"{limit} exports of this tenant are running already: wait for one to end", RETRY_SECONDS)
        if held >= left:
            runs = f"this API process runs at most {self._settings.export_max} exports"
            raise RateLimited(
                f"{runs}. The free places ({left}) are reserved for other tenants, because this tenant already runs "
                f"{held}: wait for one of this tenant's exports to end"
                if left
                else f"{runs}, and all of them are running: wait for one to end",
                RETRY_SECONDS,
            )
        self._open[tenant.id] += 1
        try:
            yield
        finally:
            decrease(self._open, tenant.id)


async def started(pieces: AsyncGenerator[bytes], format: Format, check: Callable[[], object]) -> AsyncGenerator[bytes]:
    """Waits for the answer to the first statement, then returns the pieces. Raises errors that occur until then.

    An NDJSON file ends with a later error as the line `{"error": problem}`. A CSV file cannot hold an error. `check`
    raises an error once the key is no longer valid.
    """
    # The first piece is the head of the file.
    return await streamed(pieces, 2, None if format is Format.csv else _error_line, check)


def _error_line(error: LogsieveError) -> bytes:
    return b'{"error":' + problem_of(error).model_dump_json(exclude_none=True).encode() + b"}\n"
