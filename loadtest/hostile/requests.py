"""Makes attacks of HTTP requests, and names the answer to each."""

import http.client
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.clock import SystemClock
from loadtest.hostile.attack import CLOSED, REFUSED, SILENT, SOURCE, Act, Address, Answers, Effort, Prepare, Target
from schema.control.keys import make_key
from schema.control.models import Purpose

ANSWER_SECONDS: Final = 40.0
"""Longest wait for an answer, in seconds. The stack's own limits are shorter."""
PARTIAL: Final = "200 partial"
"""Name of OTLP's partial success: the receiver refused some records of the request."""

LOGS: Final = "/v1/logs"
SEARCH: Final = "/api/v1/logs/search"
PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

_FLOODERS: Final = 4
_HARDER: Final = 20
"""Factor by which a flood may send more requests than `Effort.requests`, because its requests are small."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request: POST with a body, GET without one."""

    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


Requests = Callable[[Target, Effort], Sequence[Request]]
"""Makes the requests of an attack."""


def get(path: str, key: str = "", **headers: str) -> Request:
    """Returns a request without a body. Without `key`, it has no key."""
    return Request(path, _authorization(key) | headers)


def post(path: str, key: str, body: bytes, content_type: str = PROTOBUF, encoding: str = "") -> Request:
    """Returns a request with a body. If `key` or `encoding` is empty, the request has none."""
    encoded = {"content-encoding": encoding} if encoding else {}
    return Request(path, {**_authorization(key), "content-type": content_type, **encoded}, body)


def export(
    body: Callable[[Effort], bytes],
    content_type: str = PROTOBUF,
    encoding: str = "",
    keys: Callable[[Target], Sequence[str]] = lambda target: target.ingest_keys[:1],
) -> Requests:
    """Makes an OTLP request with this body for each of `keys`, by default for the first attacking tenant."""

    def requests(target: Target, effort: Effort) -> Sequence[Request]:
        content = body(effort)
        return [post(LOGS, key, content, content_type, encoding) for key in keys(target)]

    return requests


def query(text: str) -> Requests:
    """Makes one search, whose query is sent by POST."""
    return lambda target, _: [post(SEARCH, target.query_key, f'{{"query": "{text}"}}'.encode(), JSON)]


def wrong_keys(purpose: Purpose, request: Callable[[str], Request]) -> Requests:
    """Makes as many requests as a flood sends, each with another key."""

    def requests(_: Target, effort: Effort) -> Sequence[Request]:
        number = effort.requests * _HARDER * effort.tries
        return [request(make_key(purpose, secrets.token_bytes).text) for _ in range(number)]

    return requests


def flooded(requests: Requests, threads: int = _FLOODERS) -> Prepare:
    """Sends the requests as fast as they are answered. Each thread keeps its connection."""
    return sent(requests, threads, flood=True)


def sent(requests: Requests, threads: int = 2, most: int = sys.maxsize, *, flood: bool = False) -> Prepare:
    """Sends the requests in turn, at most `most`, but one in each thread. Each has a new connection.

    A flood sends `_HARDER` times as many, and each thread keeps its connection.
    """

    def prepare(target: Target, effort: Effort) -> Act:
        made, clock = requests(target, effort), SystemClock()
        address = target.otlp_http if made[0].path == LOGS else target.api
        number = min(most, effort.requests * (_HARDER if flood else 1))
        turns = cycle(made)  # its `next` is atomic, so that threads may share it

        def work(deadline: float) -> Answers:
            answers: Answers = Counter()
            with closing(_Attacker(address)) as attacker:
                for _ in range(-(-number // threads)):
                    if clock.monotonic() >= deadline:
                        break
                    answers[attacker.send(next(turns))] += 1
                    if not flood:
                        attacker.close()
            return answers

        def act() -> Answers:
            deadline = clock.monotonic() + effort.seconds
            with ThreadPoolExecutor(threads, thread_name_prefix="attack") as pool:
                return sum(pool.map(work, [deadline] * threads), Counter())

        return act

    return prepare


class _Attacker:
    """An HTTP connection from the attackers' address. It is opened again after a failure. For one thread."""

    def __init__(self, address: Address) -> None:
        self._http = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0))

    def close(self) -> None:
        self._http.close()

    def send(self, request: Request) -> str:
        """Sends a request. Returns its HTTP status, `200 partial`, or a word of `attack.py` if there was no answer."""
        try:
            if self._http.sock is None:
                self._http.connect()
        except OSError:
            return REFUSED
        try:
            # A server may answer and close before it has read the whole body.
            with suppress(BrokenPipeError, ConnectionResetError):
                method = "GET" if request.body is None else "POST"
                self._http.request(method, request.path, request.body, dict(request.headers))
            answer = self._http.getresponse()
            content = answer.read()
        except TimeoutError:
            self._http.close()
            return SILENT
        except (OSError, http.client.HTTPException):
            self._http.close()
            return CLOSED
        if answer.status == http.client.OK and request.path == LOGS:
            return _export_word(content, answer.getheader("content-type", ""))
        return str(answer.status)


def _authorization(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _export_word(content: bytes, content_type: str) -> str:
    if content_type != PROTOBUF:
        return PARTIAL if b"partialSuccess" in content else "200"
    try:
        refused = ExportLogsServiceResponse.FromString(content).partial_success.rejected_log_records
    except DecodeError:
        return "200, not OTLP"
    return PARTIAL if refused else "200"
