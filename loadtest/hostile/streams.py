"""An attack by long answers: exports and tails beyond a tenant's limit, each read in a separate thread."""

import http.client
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Final

from kit.clock import SystemClock
from loadtest.hostile.attack import REFUSED, SOURCE, Act, Answers, Effort, Target
from loadtest.hostile.posting import ANSWER_SECONDS, query_headers

_PIECE: Final = 64 * 2**10
_FAILURES: Final = (OSError, http.client.HTTPException)


def streams(target: Target, effort: Effort, path: str, count: int) -> Act:
    """Returns an attack that opens `count` streams at once and counts their statuses.

    Each stream is read until it ends, or until all streams are answered and `effort.seconds` are over.
    """

    def act() -> Answers:
        deadline, answered = SystemClock().monotonic() + effort.seconds, threading.Barrier(count)
        with ThreadPoolExecutor(count, thread_name_prefix="stream") as pool:
            return Counter(pool.map(lambda _: _status(target, path, answered, deadline), range(count)))

    return act


def _status(target: Target, path: str, answered: threading.Barrier, deadline: float) -> str:
    """Reads one stream until `deadline` in monotonic seconds. Returns its HTTP status, or REFUSED without one."""
    connection = http.client.HTTPConnection(*target.api, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0))
    with closing(connection):
        answer: http.client.HTTPResponse | None = None
        with suppress(*_FAILURES):
            connection.request("GET", path, headers=query_headers(target.query_key))
            answer = connection.getresponse()
        with suppress(threading.BrokenBarrierError):
            answered.wait(ANSWER_SECONDS)
        if answer is None:
            return REFUSED
        with suppress(*_FAILURES):  # the stream sent nothing until the deadline, or broke off
            while (left := deadline - SystemClock().monotonic()) > 0:
                if connection.sock is not None:
                    connection.sock.settimeout(left)
                if not answer.read1(_PIECE):
                    break
        return str(answer.status)
