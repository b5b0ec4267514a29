"""Sends an attacker's HTTP requests, and names the answer to each."""

import dataclasses
import http.client
import itertools
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from typing import Final
from urllib.parse import urlencode

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.clock import SystemClock
from loadtest.hostile.attack import CLOSED, REFUSED, RESET, SILENT, SOURCE, Act, Address, Answers, Effort, Target

ANSWER_SECONDS: Final = 40.0
"""Longest wait for an answer, in seconds. The stack's own limits are shorter."""
PARTIAL: Final = "200 partial"
"""Name of OTLP's partial success: the receiver refused some records of the request."""

LOGS: Final = "/v1/logs"
PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

_FLOODERS: Final = 4
_HARDER: Final = 20
"""Factor by which a flood may send more requests than `Effort.requests`, because its requests are small."""
_PIECE: Final = 64 * 2**10
_FAILURES: Final = (OSError, http.client.HTTPException)


def export_headers(key: str, content_type: str = PROTOBUF, encoding: str = "") -> dict[str, str]:
    """Returns the headers of an OTLP/HTTP request."""
    headers = {"authorization": f"Bearer {key}", "content-type": content_type}
    return {**headers, "content-encoding": encoding} if encoding else headers


def query_headers(key: str, content_type: str = "") -> dict[str, str]:
    """Returns the headers of a request to the REST API."""
    headers = {"authorization": f"Bearer {key}"}
    return {**headers, "content-type": content_type} if content_type else headers


class Attacker(AbstractContextManager["Attacker"]):
    """An HTTP connection from the attackers' address. It is opened again after a failure. For one thread."""

    def __init__(self, address: Address) -> None:
        self._http = http.client.HTTPConnection(*address, timeout=ANSWER_SECONDS, source_address=(SOURCE, 0))

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, headers: Mapping[str, str]) -> str:
        return self._request("GET", path, None, headers)

    def post(self, body: bytes, headers: Mapping[str, str], path: str = LOGS) -> str:
        """Sends a request. Returns its HTTP status, `200 partial`, or a word of `attack.py` if there was no answer."""
        return self._request("POST", path, body, headers)

    def _request(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> str:
        try:
            if self._http.sock is None:
                self._http.connect()
        except OSError:
            return REFUSED
        try:
            self._send(method, path, body, headers)
            answer = self._http.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            return _word(error)
        if answer.status == http.client.OK and path == LOGS:
            return _export_word(content, answer.getheader("content-type", ""))
        return str(answer.status)

    def _send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> None:
        try:
            self._http.request(method, path, body, dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # A server may answer and close before it has read the whole body. If an answer has arrived, it is read.
            if not self._answer_is_there():
                raise

    def _answer_is_there(self) -> bool:
        if self._http.sock is None:
            return False
        try:
            return bool(self._http.sock.recv(1, socket.MSG_PEEK))
        except OSError:
            return False


def posts(address: Address, effort: Effort, body: bytes, headers: Mapping[str, str], path: str = LOGS) -> Act:
    """Returns an attack that repeats one request from two threads, each time over a new connection."""

    def send() -> str:
        with Attacker(address) as attacker:
            return attacker.post(body, headers, path)

    return lambda: _repeat(effort, 2, send)


def post_at_once(address: Address, body: bytes, headers: Sequence[Mapping[str, str]]) -> Act:
    """Returns an attack that sends one request with each of these headers, all at the same time."""

    def send(own: Mapping[str, str]) -> str:
        with Attacker(address) as attacker:
            return attacker.post(body, own)

    def act() -> Answers:
        with ThreadPoolExecutor(len(headers)) as pool:
            return Counter(pool.map(send, headers))

    return act


def gets(target: Target, effort: Effort, path: str, queries: Sequence[Mapping[str, object]], threads: int = 2) -> Act:
    """Returns an attack that makes requests with these parameters in turn, each time over a new connection."""
    paths = itertools.cycle([f"{path}?{urlencode(each)}" for each in queries])
    choosing = threading.Lock()

    def send() -> str:
        with choosing:
            path = next(paths)
        with Attacker(target.api) as attacker:
            return attacker.get(path, query_headers(target.query_key))

    return lambda: _repeat(effort, min(threads, effort.requests), send)


def flood(address: Address, effort: Effort, request: Callable[[Attacker], str]) -> Act:
    """Returns an attack that calls `request` from several threads. Each thread keeps its connection."""

    def act() -> Answers:
        own = threading.local()

        def send() -> str:
            if not hasattr(own, "attacker"):
                own.attacker = Attacker(address)
            return request(own.attacker)

        return _repeat(dataclasses.replace(effort, requests=effort.requests * _HARDER), _FLOODERS, send)

    return act


def _repeat(effort: Effort, threads: int, send: Callable[[], str]) -> Answers:
    """Calls `send` repeatedly from `threads` threads within the bounds of the effort. Returns the counted answers."""
    clock = SystemClock()
    deadline = clock.monotonic() + effort.seconds

    def work(times: int) -> Answers:
        answers: Answers = Counter()
        for _ in range(times):
            if clock.monotonic() >= deadline:
                break
            answers[send()] += 1
        return answers

    with ThreadPoolExecutor(threads, thread_name_prefix="attack") as pool:
        return sum(pool.map(work, [-(-effort.requests // threads)] * threads), Counter())


def _export_word(content: bytes, content_type: str) -> str:
    if content_type != PROTOBUF:
        return PARTIAL if b"partialSuccess" in content else "200"
    try:
        refused = ExportLogsServiceResponse.FromString(content).partial_success.rejected_log_records
    except DecodeError:
        return "200, not OTLP"
    return PARTIAL if refused else "200"


def _word(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return SILENT
    if isinstance(error, http.client.RemoteDisconnected | http.client.IncompleteRead):
        return CLOSED
    return RESET if isinstance(error, OSError) else f"no HTTP ({type(error).__name__})"


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
