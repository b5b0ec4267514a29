"""Sends an attacker's HTTP requests, and names the answer to each."""

import http.client
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.clock import Clock, SystemClock
from loadtest.hostile.attack import CLOSED, REFUSED, RESET, SILENT, SOURCE, Act, Address, Answers, Effort

ANSWER_SECONDS: Final = 40.0
"""Longest wait for an answer, in seconds. The stack's own limits are shorter."""
PARTIAL: Final = "200 partial"
"""Name of OTLP's partial success: the receiver refused some records of the request."""

LOGS: Final = "/v1/logs"
PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"


def export_headers(key: str, content_type: str = PROTOBUF, encoding: str | None = None) -> dict[str, str]:
    """Returns the headers of an OTLP/HTTP request."""
    headers = {"authorization": f"Bearer {key}", "content-type": content_type}
    return headers if encoding is None else {**headers, "content-encoding": encoding}


class Attacker(AbstractContextManager["Attacker"]):
    """An HTTP connection from the attackers' address. It is opened again after a failure. For one thread."""

    def __init__(self, address: Address, seconds: float = ANSWER_SECONDS) -> None:
        self._http = http.client.HTTPConnection(*address, timeout=seconds, source_address=(SOURCE, 0))

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, headers: Mapping[str, str]) -> str:
        return self._request("GET", path, None, headers)

    def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> str:
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


def repeat(effort: Effort, threads: int, clock: Clock, act: Callable[[], str]) -> Answers:
    """Calls `act` repeatedly from `threads` threads within the bounds of the effort. Returns the counted answers."""
    deadline = clock.monotonic() + effort.seconds

    def work(times: int) -> Answers:
        answers: Answers = Counter()
        for _ in range(times):
            if clock.monotonic() >= deadline:
                break
            answers[act()] += 1
        return answers

    each = -(-effort.requests // threads)
    with ThreadPoolExecutor(threads, thread_name_prefix="attack") as pool:
        return sum(pool.map(work, [each] * threads), Counter())


def reconnecting(address: Address, effort: Effort, send: Callable[[Attacker], str], threads: int = 2) -> Act:
    """Returns an attack that repeats `send` from several threads, each time over a new connection."""

    def act() -> str:
        with Attacker(address) as attacker:
            return send(attacker)

    return lambda: repeat(effort, threads, SystemClock(), act)


def posts(address: Address, effort: Effort, body: bytes, headers: Mapping[str, str], path: str = LOGS) -> Act:
    """Returns an attack that repeats one request, each time over a new connection."""
    return reconnecting(address, effort, lambda attacker: attacker.post(path, body, headers))


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
