"""Fills a log table with a corpus.

Several processes make the batches, which are inserted in order. After a crash, the next call goes on behind the last
batch.
"""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Any, Final

from clickhouse_connect.driver.client import Client

from backend.logs.record_json import packed
from loadtest.bare_table import count_rows
from loadtest.bench import Say
from loadtest.corpus.rows import BATCH_ROWS, Corpus, batch
from schema.columns import NAMES, StoredRecord

Make = Callable[[Corpus, int], dict[str, list[Any]]]

_AHEAD: Final = 4
_PROGRESS_EVERY: Final = 10


def load(client: Client, table: str, corpus: Corpus, say: Say, make: Make = batch) -> None:
    """Inserts the rows of the corpus that the table does not have yet. The table must not have any other rows.

    `make` returns the rows of one batch. It must be a function of a module, because it runs in other processes.
    """
    present = count_rows(client, table)
    numbers = iter(range(present // BATCH_ROWS, corpus.batches))
    if present < corpus.rows:
        say(f"making {corpus.rows - present:,} rows for {table}")
    workers = max(1, (os.cpu_count() or 2) - 1)
    # A thread makes a single batch sooner than a process starts.
    several = corpus.batches > 1
    pool: Executor = ProcessPoolExecutor(workers, get_context("spawn")) if several else ThreadPoolExecutor(1)
    with pool:
        coming: deque[tuple[int, Future[dict[str, list[Any]]]]] = deque(
            (number, pool.submit(_made, make, corpus, number)) for number in islice(numbers, workers + _AHEAD)
        )
        while coming:
            number, made = coming.popleft()
            columns = made.result()
            client.insert(
                table,
                [columns[name] for name in NAMES],
                column_names=list(NAMES),
                column_oriented=True,
                # A crash can leave a batch stored for one cohort and not for another. The token prevents that the
                # repeated insert stores rows twice.
                settings={"insert_deduplication_token": f"corpus-{columns['id'][0]}", "async_insert": 0},
            )
            if (following := next(numbers, None)) is not None:
                coming.append((following, pool.submit(_made, make, corpus, following)))
            if number % _PROGRESS_EVERY == _PROGRESS_EVERY - 1:
                say(f"{table}: {min((number + 1) * BATCH_ROWS, corpus.rows):,} of {corpus.rows:,} rows")


def _made(make: Make, corpus: Corpus, number: int) -> dict[str, list[Any]]:
    """Returns the columns of a batch, including `record_json`, which the loader fills in the same way."""
    columns = make(corpus, number)
    rows = zip(*(columns[name] for name in StoredRecord._fields), strict=True)
    return {**columns, "record_json": [packed(StoredRecord._make(row)).record_json for row in rows]}
