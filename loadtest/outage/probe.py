"""Asks the receiver again and again, and keeps how it answered: the refusals an application sees."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import httpx2

from kit.clock import Clock
from loadtest.corpus.records import SMALL, RecordSource
from loadtest.corpus.request import export_request
from loadtest.own_stack import Sender

_EVERY_SECONDS: Final = 0.25
_ANSWER_SECONDS: Final = 30.0


@dataclass(slots=True)
class Answers:
    """How often each status came (0: no connection), refusals that did not say when to retry, and the slowest."""

    statuses: Counter[int] = field(default_factory=Counter)
    without_retry_after: int = 0
    slowest_seconds: float = 0.0


class Probe:
    """One record a request, in a thread of its own, until it is stopped."""

    def __init__(self, address: tuple[str, int], sender: Sender, seed: int, clock: Clock) -> None:
        self._url = f"http://{address[0]}:{address[1]}/v1/logs"
        self._headers = {"authorization": f"Bearer {sender.ingest_key}", "content-type": "application/x-protobuf"}
        self._source = RecordSource(SMALL, seed)
        self._clock = clock
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="probe", daemon=True)
        self._answers = Answers()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> Answers:
        self._stopping.set()
        self._thread.join()
        return self._answers

    def _run(self) -> None:
        with httpx2.Client(headers=self._headers, timeout=_ANSWER_SECONDS) as http:
            while not self._stopping.wait(_EVERY_SECONDS):
                body = export_request(self._source.take(1, self._clock.now_ns()), pod=1)
                began = self._clock.monotonic()
                try:
                    answer = http.post(self._url, content=body)
                except httpx2.TransportError:
                    self._answers.statuses[0] += 1
                    continue
                self._answers.statuses[answer.status_code] += 1
                if answer.status_code != httpx2.codes.OK and "retry-after" not in answer.headers:
                    self._answers.without_retry_after += 1
                slowest = max(self._answers.slowest_seconds, self._clock.monotonic() - began)
                self._answers.slowest_seconds = slowest
