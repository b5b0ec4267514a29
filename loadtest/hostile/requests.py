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
from urllib.parse import urlencode

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from backend.tenants.service import DEFAULT_RETENTION_DAYS
from kit.clock import SystemClock
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.hostile import bodies
from loadtest.hostile.attack import CLOSED, REFUSED, SILENT, SOURCE, Act, Address, Answers, Effort, Prepare, Target
from schema.control.keys import make_key
from schema.control.models import Purpose

ANSWER_SECONDS: Final = 40.0
"""Longest wait for an answer, in seconds. The stack's own limits are shorter."""
PARTIAL: Final = "200 partial"
"""Name of OTLP's partial success: the receiver refused some records of the request."""

LOGS: Final = "/v1/logs"
SEARCH: Final = "/api/v1/logs/search"
VIEWS: Final = "/api/v1/views"
PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

_FLOOD_RECORDS: Final = 400
_FLOODERS: Final = 4
_REDACTED: Final = 6
"""Requests with slow bodies in progress at once: two of each redacting tenant."""
_HARDER: Final = 20
"""Factor by which a flood may send more requests than `Effort.requests`, because its requests are small."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request: POST with a body, GET without one."""

    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


Requests = Callable[[Target, Effort], Sequence[Request]]


def _headers(key: str = "", content_type: str = "", encoding: str = "") -> dict[str, str]:
    """Returns the headers of a request, without those that have no value."""
    authorization = f"Bearer {key}" if key else ""
    named = {"authorization": authorization, "content-type": content_type, "content-encoding": encoding}
    return {name: value for name, value in named.items() if value}


def export(
    body: Callable[[Effort], bytes], content_type: str = PROTOBUF, encoding: str = "", most: int = sys.maxsize
) -> Prepare:
    """Repeats one OTLP request of the first attacking tenant, at most `most` times."""

    def requests(target: Target, effort: Effort) -> Sequence[Request]:
        return [Request(LOGS, _headers(target.ingest_keys[0], content_type, encoding), body(effort))]

    return _sent(requests, most=most)


def names(tenants: int) -> Prepare:
    """Sends one request with many names for each of `tenants` tenants, at the same time."""

    def requests(target: Target, effort: Effort) -> Sequence[Request]:
        body = bodies.distinct_names(effort)
        return [Request(LOGS, _headers(key, PROTOBUF, "gzip"), body) for key in target.ingest_keys[:tenants]]

    return _sent(requests, threads=tenants, most=tenants)


def redacted() -> Prepare:
    """Repeats a request in whose body the receiver looks for a slow expression, for several tenants at once."""

    def requests(target: Target, effort: Effort) -> Sequence[Request]:
        return [Request(LOGS, _headers(key, PROTOBUF), bodies.digits(effort)) for key in target.redacting_keys]

    return _sent(requests, threads=_REDACTED)


def keyless() -> Prepare:
    """Repeats an OTLP request without a key."""
    return _sent(lambda _target, _: [Request(LOGS, _headers(content_type=PROTOBUF), bytes(bodies.REQUEST_BYTES))])


def keyless_url(url: str) -> Prepare:
    """Repeats a request of this path on the API's port without a key."""
    return _sent(lambda _target, _: [Request(url, {})])


def query(text: str) -> Prepare:
    """Repeats one search, whose query is sent by POST."""
    return _sent(
        lambda target, _: [Request(SEARCH, _headers(target.query_key, JSON), f'{{"query": "{text}"}}'.encode())]
    )


def searches(*queries: str, threads: int = 2) -> Prepare:
    """Repeats searches with these queries in turn."""
    paths = [f"{SEARCH}?{urlencode({'query': query, 'limit': 1000})}" for query in queries]
    return _sent(lambda target, _: [Request(path, _headers(target.query_key)) for path in paths], threads)


def changes() -> Prepare:
    """Floods the control plane with one change: a view that is saved under the same name again and again."""
    body = b'{"name": "hostile"}'
    return _sent(lambda target, _: [Request(VIEWS, _headers(target.query_key, JSON), body)], _FLOODERS, flood=True)


def scrapes(forms: int = 0) -> Prepare:
    """Floods `/metrics`, which needs no key. The requests take turns through `forms` different Accept headers."""
    accepted = [{"accept": f"application/openmetrics-text; version=1.0.{number}"} for number in range(forms)]
    return _sent(lambda _target, _: [Request("/metrics", each) for each in accepted or [{}]], _FLOODERS, flood=True)


def over_the_rate() -> Prepare:
    """Floods with requests of the tenant that has a low limit, and ignores Retry-After."""

    def requests(target: Target, _: Effort) -> Sequence[Request]:
        records = RecordSource(SMALL, 1).take(_FLOOD_RECORDS, SystemClock().now_ns())
        return [Request(LOGS, _headers(target.ingest_keys[-1], PROTOBUF), export_request(records, pod=1))]

    return _sent(requests, _FLOODERS, flood=True)


def every_day() -> Prepare:
    """Floods with requests of one record for each day of the retention."""

    def requests(target: Target, _: Effort) -> Sequence[Request]:
        body = bodies.every_day(DEFAULT_RETENTION_DAYS, SystemClock().now_ns())
        return [Request(LOGS, _headers(target.ingest_keys[0], PROTOBUF), body)]

    return _sent(requests, flood=True)


def wrong_keys(purpose: Purpose) -> Prepare:
    """Sends another key with each request."""
    path, body = (LOGS, b"") if purpose is Purpose.ingest else (f"{SEARCH}?limit=1", None)

    def requests(_: Target, effort: Effort) -> Sequence[Request]:
        keys = (make_key(purpose, secrets.token_bytes).text for _ in range(effort.requests * _HARDER * effort.tries))
        return [Request(path, _headers(key, PROTOBUF), body) for key in keys]

    return _sent(requests, _FLOODERS, flood=True)


def _sent(requests: Requests, threads: int = 2, most: int = sys.maxsize, *, flood: bool = False) -> Prepare:
    """Sends the requests in turn, at most `most`, but one in each thread. Each has a new connection.

    A flood sends `_HARDER` times as many, and each thread keeps its connection.
    """

    def prepare(target: Target, effort: Effort) -> Act:
        sent, clock = requests(target, effort), SystemClock()
        address = target.otlp_http if sent[0].path == LOGS else target.api
        number = min(most, effort.requests * (_HARDER if flood else 1))
        turns = cycle(sent)  # its `next` is atomic, so that threads may share it

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


def _export_word(content: bytes, content_type: str) -> str:
    if content_type != PROTOBUF:
        return PARTIAL if b"partialSuccess" in content else "200"
    try:
        refused = ExportLogsServiceResponse.FromString(content).partial_success.rejected_log_records
    except DecodeError:
        return "200, not OTLP"
    return PARTIAL if refused else "200"
