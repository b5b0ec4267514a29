"""What planning costs at a number of parts: time, lock waits and CPU of searches that read two parts."""

import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Final
from uuid import uuid4

import httpx2 as httpx
from clickhouse_connect.driver.client import Client

from kit.errors import Internal, Unavailable
from kit.settings import Settings
from kit.tls import trusted
from loadtest.logged import logged
from loadtest.parts.layout import Filled, search
from loadtest.percentile import percentile

CONCURRENT: Final = (1, 32, 200)
_SEARCHES: Final = 60
_SECONDS: Final = 300.0
_SETTINGS: Final = {"max_threads": "2", "log_queries": "1", "use_query_condition_cache": "0"}


@dataclass(frozen=True, slots=True)
class Planning:
    """Of searches at one concurrency: seconds as the server counts them, waits and CPU summed per search, in seconds.

    `planning_cpu` is the CPU of a search; it reads two tiny parts, so nearly all of it is planning.
    """

    concurrent: int
    searches: int
    p50: float
    p99: float
    planning_cpu: float
    shared_parts_lock: float
    parts_lock: float
    context_lock: float


def measure(client: Client, settings: Settings, filled: Filled, concurrent: int) -> Planning:
    """Raises Unavailable when the server does not answer, Internal when a search fails or the query log lacks one."""
    run = f"parts-{uuid4()}"
    count = max(_SEARCHES, concurrent)
    turns = itertools.count()
    _ask(settings, [(f"{run}-warm-{turn}", search(filled, turn)) for turn in range(3)])
    with ThreadPoolExecutor(concurrent) as pool:
        shares = [
            [(f"{run}-{turn}", search(filled, turn)) for turn in itertools.islice(turns, count // concurrent)]
            for _ in range(concurrent)
        ]
        begin = threading.Barrier(concurrent)
        for future in [pool.submit(_ask, settings, share, begin) for share in shares]:
            future.result()
    asked = sum(len(share) for share in shares)
    rows = logged(
        client,
        "SELECT query_duration_ms, ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds'],"
        " ProfileEvents['SharedPartsLockWaitMicroseconds'], ProfileEvents['PartsLockWaitMicroseconds'],"
        " ProfileEvents['ContextLockWaitMicroseconds'] FROM system.query_log"
        " WHERE type = 'QueryFinish' AND startsWith(query_id, {run:String}) AND query_id NOT LIKE '%-warm-%'",
        {"run": run},
        asked,
    )
    seconds = [max(float(row[0]), 0.5) / 1000 for row in rows]
    cpu, shared, parts, context = (median(float(row[place]) for row in rows) / 1e6 for place in range(1, 5))
    return Planning(concurrent, asked, percentile(seconds, 0.5), percentile(seconds, 0.99), cpu, shared, parts, context)


def _ask(settings: Settings, searches: Sequence[tuple[str, str]], begin: threading.Barrier | None = None) -> None:
    """One after the other over one connection, after all others are ready."""
    headers = {"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret}
    url = settings.clickhouse_http_url
    with httpx.Client(base_url=url, headers=headers, timeout=_SECONDS, verify=trusted()) as http:
        if begin is not None:
            begin.wait()
        for query_id, sql in searches:
            try:
                answer = http.post("/", content=sql, params={**_SETTINGS, "database": "parts", "query_id": query_id})
            except httpx.HTTPError as error:
                raise Unavailable(f"ClickHouse ended or hangs while {len(searches)} searches run: {error}") from error
            if answer.status_code != httpx.codes.OK:
                raise Internal(f"a search failed: {answer.text[:300]}")
