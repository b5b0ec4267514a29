"""Attacks by a tenant that reads: searches, exports and tails beyond its limits, and queries that are too large."""

import http.client
import itertools
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final
from urllib.parse import urlencode

from kit.clock import Clock, SystemClock
from loadtest.hostile.attack import REFUSED, SOURCE, Act, Address, Answers, Attacks, Effort, Target
from loadtest.hostile.posting import ANSWER_SECONDS, JSON, Attacker, posts, reconnecting

ATTACKS: Final = Attacks()
LOGS: Final = "/api/v1/logs"
SEARCHERS: Final = 32
"""Searches under way at once: twice as many as a tenant may have running."""
EXPORTERS: Final = 8
"""Exports under way at once: twice a tenant's limit."""
TAILS: Final = 120
"""Tails open at once: more than a tenant may have."""

_EXPENSIVE: Final = ("*e* *a* *o*", r"/(a|e).*(i|o).*(u|y)\d{2,9}x$/", "-absent -missing *zq*", "*qx* OR *zj* OR *vw*")
_PIECE: Final = 64 * 2**10
_HUGE_URL: Final = 256 * 2**10
_HUGE_QUERY: Final = 4 * 2**20
_DEEP: Final = 2_000


@ATTACKS.add("expensive searches", "that no index answers, 32 at once", "200", also=("422", "429"))
def expensive_searches(target: Target, effort: Effort) -> Act:
    paths = itertools.cycle(f"{LOGS}/search?{urlencode({'query': query, 'limit': 1000})}" for query in _EXPENSIVE)
    choosing = threading.Lock()

    def search(attacker: Attacker) -> str:
        with choosing:
            path = next(paths)
        return attacker.get(path, _key(target))

    return reconnecting(target.api, effort, search, min(SEARCHERS, effort.requests))


@ATTACKS.add("exports", "of everything, 8 at once", "200", "429")
def exports(target: Target, effort: Effort) -> Act:
    return lambda: _streams(target, effort, f"{LOGS}/export", EXPORTERS)


@ATTACKS.add("tails", "120 at once", "200", "429")
def tails(target: Target, effort: Effort) -> Act:
    return lambda: _streams(target, effort, f"{LOGS}/tail", min(TAILS, effort.connections // 2))


@ATTACKS.add("a huge URL", "256 KiB", "414")
def huge_url(target: Target, effort: Effort) -> Act:
    path = f"{LOGS}/search?{urlencode({'query': 'x' * _HUGE_URL})}"
    return reconnecting(target.api, effort, lambda attacker: attacker.get(path, _key(target)))


@ATTACKS.add("a huge query", "4 MiB by POST", "413")
def huge_query(target: Target, effort: Effort) -> Act:
    body = json.dumps({"query": "x " * (_HUGE_QUERY // 2)}).encode()
    return posts(target.api, effort, body, {**_key(target), "content-type": JSON}, f"{LOGS}/search")


@ATTACKS.add("a deep query", "2,000 parentheses inside each other", "400")
def deep_query(target: Target, effort: Effort) -> Act:
    body = json.dumps({"query": "(" * _DEEP + "x" + ")" * _DEEP}).encode()
    return posts(target.api, effort, body, {**_key(target), "content-type": JSON}, f"{LOGS}/search")


def _key(target: Target) -> dict[str, str]:
    return {"authorization": f"Bearer {target.query_key}"}


def _streams(target: Target, effort: Effort, path: str, count: int) -> Answers:
    """Opens `count` streams at once and counts their statuses.

    Reads each stream until it ends, or until all streams are answered and `effort.seconds` are over.
    """
    streams = _Streams(target.api, path, _key(target), count, SystemClock())
    deadline = SystemClock().monotonic() + effort.seconds
    with ThreadPoolExecutor(count, thread_name_prefix="stream") as pool:
        return Counter(pool.map(lambda _: streams.read(deadline), range(count)))


class _Streams:
    """Long answers, each read in a separate thread."""

    def __init__(self, address: Address, path: str, headers: dict[str, str], count: int, clock: Clock) -> None:
        self._address = address
        self._path = path
        self._headers = headers
        self._clock = clock
        self._answered = threading.Barrier(count)

    def read(self, deadline: float) -> str:
        """Reads one stream until `deadline` in monotonic seconds. Returns its HTTP status, or REFUSED without one."""
        connection = http.client.HTTPConnection(*self._address, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0))
        try:
            connection.request("GET", self._path, headers=self._headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            connection.close()
            return self._when_all_have_one(REFUSED)
        try:
            self._when_all_have_one(str(answer.status))
            self._read_on(connection, answer, deadline)
        except (OSError, http.client.HTTPException):
            pass  # the stream sent nothing until the deadline, or broke off
        finally:
            connection.close()
        return str(answer.status)

    def _when_all_have_one(self, word: str) -> str:
        with suppress(threading.BrokenBarrierError):
            self._answered.wait(ANSWER_SECONDS)
        return word

    def _read_on(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse, deadline: float
    ) -> None:
        while (left := deadline - self._clock.monotonic()) > 0:
            if connection.sock is not None:
                connection.sock.settimeout(left)
            if not answer.read1(_PIECE):
                break
