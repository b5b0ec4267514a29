"""Attacks by a tenant that reads: searches, exports and tails up to its limits and beyond, and queries too large."""

import http.client
import itertools
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.parse import urlencode

from kit.clock import Clock, SystemClock
from loadtest.hostile.attack import REFUSED, SOURCE, Act, Address, Answers, Effort, Target
from loadtest.hostile.posting import ANSWER_SECONDS, JSON, Attacker, posts, repeat

LOGS: Final = "/api/v1/logs"
SEARCHERS: Final = 32
"""Searches under way at once: twice as many as run at once for a tenant."""
EXPORTERS: Final = 8
"""Exports at once: twice a tenant's limit."""
TAILS: Final = 120
"""Tails at once: more than a tenant may have."""

_EXPENSIVE: Final = ("*e* *a* *o*", r"/(a|e).*(i|o).*(u|y)\d{2,9}x$/", "-absent -missing *zq*", "*qx* OR *zj* OR *vw*")
_PIECE: Final = 64 * 2**10
_HUGE_URL: Final = 256 * 2**10
_HUGE_QUERY: Final = 4 * 2**20
_DEEP: Final = 2_000


def expensive_searches(target: Target, effort: Effort) -> Act:
    """Searches that no index answers, over everything the tenant has."""
    queries = itertools.cycle(f"{LOGS}/search?{urlencode({'query': query, 'limit': 1000})}" for query in _EXPENSIVE)
    choosing = threading.Lock()

    def search() -> str:
        with choosing:
            path = next(queries)
        with Attacker(target.api) as attacker:
            return attacker.get(path, _key(target))

    return lambda: repeat(effort, min(SEARCHERS, effort.connections), SystemClock(), search)


def exports(target: Target, effort: Effort) -> Act:
    """Exports of everything the tenant has, each read as fast as it comes."""
    return lambda: _streams(target, effort, f"{LOGS}/export", EXPORTERS)


def tails(target: Target, effort: Effort) -> Act:
    """Tails that stay open."""
    return lambda: _streams(target, effort, f"{LOGS}/tail", min(TAILS, effort.connections))


def huge_url(target: Target, effort: Effort) -> Act:
    """A query in a URL that no server needs to take."""
    path = f"{LOGS}/search?{urlencode({'query': 'x' * _HUGE_URL})}"

    def search() -> str:
        with Attacker(target.api) as attacker:
            return attacker.get(path, _key(target))

    return lambda: repeat(effort, 2, SystemClock(), search)


def huge_query(target: Target, effort: Effort) -> Act:
    """A search by POST whose query has megabytes."""
    body = json.dumps({"query": "x " * (_HUGE_QUERY // 2)}).encode()
    return posts(target.api, effort, body, {**_key(target), "content-type": JSON}, f"{LOGS}/search")


def deep_query(target: Target, effort: Effort) -> Act:
    """A search by POST with parentheses inside parentheses."""
    body = json.dumps({"query": "(" * _DEEP + "x" + ")" * _DEEP}).encode()
    return posts(target.api, effort, body, {**_key(target), "content-type": JSON}, f"{LOGS}/search")


def _key(target: Target) -> dict[str, str]:
    return {"authorization": f"Bearer {target.query_key}"}


def _streams(target: Target, effort: Effort, path: str, count: int) -> Answers:
    """So many at once, each read until it ends or the attack does."""
    clock = SystemClock()
    deadline = clock.monotonic() + effort.seconds
    with ThreadPoolExecutor(count, thread_name_prefix="stream") as pool:
        return Counter(pool.map(lambda _: _stream(target.api, path, _key(target), clock, deadline), range(count)))


def _stream(address: Address, path: str, headers: dict[str, str], clock: Clock, deadline: float) -> str:
    connection = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0))
    word = REFUSED
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        word = str(answer.status)
        while (left := deadline - clock.monotonic()) > 0:
            if connection.sock is not None:
                connection.sock.settimeout(left)
            if not answer.read1(_PIECE):
                break
    except (OSError, http.client.HTTPException):
        # Between two pieces, when the attack ends, or before there was an answer.
        return word
    finally:
        connection.close()
    return word
