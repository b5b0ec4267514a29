"""Measures the cost of planning at a number of parts: time, lock waits and CPU of searches that read two parts."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from loadtest.bare_table import logged
from loadtest.parts.layout import Filled, search
from loadtest.parts.study import Planning
from loadtest.percentile import percentile
from loadtest.server_connection import ServerConnection

CONCURRENT: Final = (1, 32, 200)
FEW_CONCURRENT: Final = (1, 8)
"""Numbers of searches that run at the same time, each measured separately, in a study and in a smoke run."""
_SEARCHES: Final = 60
_MIN_SEARCHES: Final = 10
"""Smallest number of searches of a node before the next node's. The first few are slower, because the CPU caches have
another node's data."""
_SETTINGS: Final = {"max_threads": "2", "log_queries": "1", "use_query_condition_cache": "0"}


@dataclass(frozen=True, slots=True)
class Node:
    """A ClickHouse server with parts: a client for its query log, settings with its address, its shard there, and its
    content."""

    client: Client
    settings: Settings
    shard: int
    filled: Filled


def measure(nodes: Sequence[Node], concurrent: int) -> list[Planning]:
    """Alternates between servers, `concurrent` searches at a time, so that other load affects all servers equally.

    Raises Unavailable if a server does not answer, Internal if a search fails or is missing in the query log.
    """
    runs = [(node, f"parts-{uuid4()}") for node in nodes]
    each = max(_MIN_SEARCHES, concurrent)
    for node, run in runs:
        _search(node, [(f"{run}-warm-{number}", search(node.filled, number)) for number in range(3)])
    for first in range(0, _SEARCHES, each):
        for node, run in runs:
            searches = [(f"{run}-{number}", search(node.filled, number)) for number in range(first, first + each)]
            _search_at_once(node, [searches[number::concurrent] for number in range(concurrent)])
    return [_planning(node, run, concurrent, -(-_SEARCHES // each) * each) for node, run in runs]


def _planning(node: Node, run: str, concurrent: int, searches: int) -> Planning:
    rows = logged(
        node.client,
        "SELECT query_duration_ms, ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds'],"
        " ProfileEvents['SharedPartsLockWaitMicroseconds'], ProfileEvents['PartsLockWaitMicroseconds'],"
        " ProfileEvents['ContextLockWaitMicroseconds'] FROM system.query_log"
        " WHERE type = 'QueryFinish' AND startsWith(query_id, {run:String}) AND query_id NOT LIKE '%-warm-%'",
        {"run": run},
        searches,
    )
    seconds = [max(float(row[0]), 0.5) / 1000 for row in rows]
    cpu, shared, parts, context = (median(float(row[place]) for row in rows) / 1e6 for place in range(1, 5))
    return Planning(
        concurrent=concurrent,
        p50=percentile(seconds, 0.5),
        p99=percentile(seconds, 0.99),
        planning_cpu=cpu,
        shared_parts_lock=shared,
        parts_lock=parts,
        context_lock=context,
    )


def _search_at_once(node: Node, shares: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Runs all shares of (query id, SQL) pairs at the same time, each over a separate connection."""
    barrier = threading.Barrier(len(shares))
    with ThreadPoolExecutor(len(shares)) as pool:
        for future in [pool.submit(_search, node, share, barrier) for share in shares]:
            future.result()


def _search(node: Node, searches: Sequence[tuple[str, str]], barrier: threading.Barrier | None = None) -> None:
    """Runs one search after the other over one connection. Waits for `barrier` before the first one."""
    with ServerConnection(node.settings, "parts", node.shard) as server:
        if barrier is not None:
            barrier.wait()
        for query_id, sql in searches:
            server.send(sql, query_id=query_id, **_SETTINGS)
